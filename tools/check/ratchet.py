#!/usr/bin/env python3
"""Functions stay within 60 lines and files within 400; today's exceptions, in ratchet.json, may only fall.

usage: ratchet.py [--update]      --update lowers or removes exceptions; it never raises or adds one
"""
import ast
import json
import re
import subprocess
import sys

import common

NAME = "ratchet"
ABOUT = "functions within 60 lines, files within 400, exceptions only fall"
FUNCTION_LINES = 60
FILE_LINES = 400
EXCEPTIONS = "tools/check/ratchet.json"
FOLDERS = ("src", "kernels", "tests", "bench", "tools", "cmake", ".ci")
# Inputs of the reading, not our code: they look as third-party kernels look.
NOT_OURS = ("tests/reading/cases/", "tests/source/cases/")

TOKEN = re.compile(r"""
    //[^\n]* | /\*.*?\*/                                    # comments
  | R"(?P<delim>[^()\\\s]{0,16})\(.*?\)(?P=delim)"          # raw strings
  | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'  # strings, characters; not digit separators
  | ^[ \t]*\#(?:\\\n|[^\n])*                                 # preprocessor lines
""", re.X | re.S | re.M)


def blanked(text):
    """Comments, literals and preprocessor lines as spaces: line numbers stay."""
    def blank(match):
        word = match.group(0)
        quoted = word[0] in "\"'" or word.startswith("R\"")
        return ("0" if quoted else "") + "\n" * word.count("\n")
    return TOKEN.sub(blank, text)


TYPE = re.compile(r"(?:^|\s|>)(?:class|struct|union|enum)\b[^()]*$")
FUNCTION = re.compile(r"\)\s*(?:const|noexcept(?:\s*\([^()]*\))?|override|final|mutable|volatile|try|&&?|->[^;{}]*"
                      r"|requires[^;{}]*|:[^;{}]*|\s)*$")
MEMBER_INIT = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)[^;]*[\w>]$")


def kind_of(head):
    """What the brace after `head` (the text since the last ; { or }) opens."""
    head = head.strip()
    if re.search(r"(?:^|\s)namespace\b[^()=;]*$", head) or re.search(r'extern\s+0$', head):
        return "scope"
    if TYPE.search(head) and not head.endswith("="):
        return "scope"
    if MEMBER_INIT.search(head):
        return "init"
    return "function" if FUNCTION.search(head) else "data"


def name_of(head):
    found = re.search(r"([~\w:]+|operator\s*\S+?)\s*\(", re.sub(r"\b(?:__launch_bounds__|alignas|decltype)\s*\([^()]*\)", "", head))
    name = found.group(1) if found else "?"
    if name.startswith("TEST"):
        name += re.sub(r"\s+", "", head[head.find("("):])
    return name


def skip_block(text, at):
    """Index after the brace that closes the one at `at`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)


def cxx_functions(source):
    """(name, first line, lines) of each function of a C++ text, members and kernels included."""
    text = blanked(source)
    functions, start, at = [], 0, 0
    while True:
        found = re.compile(r"[{};]").search(text, at)
        if not found:
            return functions
        if found.group(0) != "{":
            start = at = found.end()
            continue
        start += re.match(r"(?:\s*(?:public|private|protected)\s*:)*\s*", text[start:found.start()]).end()
        head = text[start:found.start()]
        kind = kind_of(head)
        if kind == "scope":
            start = at = found.end()
            continue
        end = skip_block(text, found.start())
        if kind == "init":  # a member's initialiser: as if it stood in parentheses, and the head goes on
            text = f"{text[:found.start()]}({text[found.end():end - 1]}){text[end:]}"
        elif kind == "function":
            first = text.count("\n", 0, start) + 1
            functions.append((name_of(head), first, text.count("\n", 0, end) + 2 - first))
            start = end
        at = end


def python_functions(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def measure(root):
    """{key: (limit, size, place)} of everything over its limit; the key is a path or path:function."""
    over = {}
    for path in common.walk(root):
        name = path.as_posix()
        if path.parts[0] not in FOLDERS or name.startswith(NOT_OURS) or path.suffix not in (*common.CXX, ".py"):
            continue
        source = (root / path).read_text(errors="replace")
        lines = source.count("\n")
        if lines > FILE_LINES:
            over[name] = (FILE_LINES, lines, f"{name}: {lines} lines")
        functions = python_functions(source) if path.suffix == ".py" else cxx_functions(source)
        for function, first, length in functions:
            if length > FUNCTION_LINES:
                over[f"{name}:{function}"] = (FUNCTION_LINES, length, f"{name}:{first}: {function} has {length} lines")
    return over


def earlier_exceptions(root):
    """The exceptions of the last commit and of the one before; None where git knows nothing."""
    for revision in ("HEAD", "HEAD^"):
        done = subprocess.run(["git", "-C", str(root), "show", f"{revision}:{EXCEPTIONS}"], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            yield json.loads(done.stdout)


def exceptions(root):
    path = root / EXCEPTIONS
    return json.loads(path.read_text()) if path.exists() else {}


def check(root):
    over, allowed = measure(root), exceptions(root)
    wrong = []
    for key, (limit, size, place) in over.items():
        if size > allowed.get(key, limit):
            wrong.append(f"{place}, {allowed[key]} at its last count" if key in allowed else f"{place}, at most {limit}")
    for key, size in allowed.items():
        if key not in over or over[key][1] < size:
            wrong.append(f"{EXCEPTIONS}: {key} has fallen below {size}; run tools/check/ratchet.py --update")
    for earlier in earlier_exceptions(root):
        wrong += [f"{EXCEPTIONS}: {key} is new or has grown; exceptions only fall" for key, size in allowed.items()
                  if size > earlier.get(key, 0)]
    return wrong


def update(root):
    over = measure(root)
    kept = {key: min(size, over[key][1]) for key, size in exceptions(root).items() if key in over}
    (root / EXCEPTIONS).write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update(common.ROOT)
    print("\n".join(check(common.ROOT)) or "ratchet holds")
