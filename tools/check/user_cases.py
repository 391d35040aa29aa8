"""What users ran into (tests/user_cases.json): each case names the tests that hold the right answer, and they are there.

A test is a file and `test`, its name (Suite.Name of GoogleTest, a method of unittest), or `line`, the text of a line that
expects something in a case of the reading, of the command line or in a table. `elsewhere` says why a case, or what it
leaves open, is held by something that does not run without a GPU.
"""
import json
import re

import common

NAME = "user_cases"
ABOUT = "each case that users ran into names tests that are there"
FILE = "tests/user_cases.json"
STEPS = ("SELECT", "READ", "STATIC", "IMPORT/RUN", "ARCH", "PROFILE", "EXTRACT")
MEMBERS = {"case", "step", "symptom", "sources", "tests", "elsewhere"}
CASES = ("tests/reading/cases/",)


def has_test(text, suffix, name):
    if suffix == ".py":
        return re.search(rf"^\s*def {re.escape(name)}\(", text, re.M) is not None
    suite, _, test = name.partition(".")
    return re.search(rf"\bTEST(?:_F|_P)?\(\s*{re.escape(suite)}\s*,\s*{re.escape(test)}\s*\)", text) is not None


def fault_of_test(root, tracked, test):
    """What is wrong with one named test; None = nothing."""
    if not isinstance(test, dict) or set(test) not in ({"file", "test"}, {"file", "line"}):
        return "a test is a file and 'test' or 'line'"
    file = test["file"]
    if file not in tracked:
        return f"there is no {file}"
    text = (root / file).read_text(errors="replace")
    if "test" in test:
        return None if has_test(text, "." + file.rsplit(".", 1)[-1], test["test"]) else f"{file} has no test {test['test']}"
    lines = [line for line in text.splitlines() if test["line"] in line]
    if not lines or not test["line"].strip():
        return f"{file} has no line with '{test['line']}'"
    if file.startswith(CASES) and not any("expect" in line for line in lines):
        return f"{file}: the line with '{test['line']}' expects nothing"
    return None


def faults_of_case(root, tracked, case):
    unknown, missing = set(case) - MEMBERS, MEMBERS - {"elsewhere", "tests"} - set(case)
    for name in sorted(unknown):
        yield f"unknown member '{name}'"
    for name in sorted(missing):
        yield f"no '{name}'"
    if case.get("step") not in STEPS:
        yield f"step '{case.get('step')}' is none of {', '.join(STEPS)}"
    if not case.get("sources") or any(not re.match(r"https://\S+$", s) for s in case["sources"]):
        yield "sources are addresses with https"
    if not case.get("tests") and not str(case.get("elsewhere", "")).strip():
        yield "no test, and no reason why it is held elsewhere"
    for test in case.get("tests", []):
        fault = fault_of_test(root, tracked, test)
        if fault:
            yield fault


def check(root):
    path = root / FILE
    if not path.is_file():
        return [f"{FILE} is not there"]
    try:
        cases = json.loads(path.read_text())["cases"]
    except (json.JSONDecodeError, KeyError, TypeError) as e:
        return [f"{FILE}: {e!r}"]
    tracked = {str(p) for p in common.walk(root)}
    wrong = [] if cases else [f"{FILE} holds no case"]
    names = [case.get("case", "?") for case in cases]
    wrong += [f"{FILE}: {a} before {b}" for a, b in zip(names, names[1:]) if a >= b]
    for case in cases:
        wrong += [f"{FILE}: {case.get('case', '?')}: {fault}" for fault in faults_of_case(root, tracked, case)]
    without = sum(1 for case in cases if not case.get("tests"))
    check.remark = f"{len(cases)} cases, {without} held elsewhere alone"
    return wrong
