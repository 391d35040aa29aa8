"""Expected text with `...`: inside a line it matches anything in that line, alone on a line any number of lines."""
import re


def pattern_of(expected):
    """The regular expression of an expected text with its `...` wildcards."""
    parts = []
    for line in expected.split("\n")[:-1]:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(piece) for piece in line.split("...")) + r"\n")
    return re.compile("".join(parts) + r"\Z")


def matches(expected, actual):
    return pattern_of(expected).match(actual) is not None
