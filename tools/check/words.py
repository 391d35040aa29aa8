"""The project speaks of itself alone: no path of somebody's machine, no mark of unfinished work."""
import re

import common

NAME = "words"
ABOUT = "no machine paths, no marks of unfinished work"

# Spelled in pieces so that this file passes its own check.
MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|WI" r"P)\b")
PATHS = re.compile(r"(?<![\w.{}$-])/(?:wo" r"rk|ro" r"ot|ho" r"me/[a-z]\w*|Us" r"ers/\w+)(?:/|\b)(?![\w-]*\s*=)")
TEXT = {".cc", ".h", ".cu", ".cuh", ".hpp", ".py", ".sh", ".md", ".txt", ".json", ".cmake", ".html", ".css", ".js", ""}


def check(root):
    wrong = []
    for path in common.walk(root):
        if path.suffix not in TEXT or path.name == "LICENSE":
            continue
        for number, line in enumerate((root / path).read_text(errors="replace").split("\n"), 1):
            for rule, what in ((MARKS, "mark of unfinished work"), (PATHS, "path of a machine")):
                found = rule.search(line)
                if found:
                    wrong.append(f"{path}:{number}: {what}: '{found.group(0)}'")
    return wrong
