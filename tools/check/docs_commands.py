"""The commands that the documents show are run, and what they show as output is compared.

In README.md, CONTRIBUTING.md and docs/**/*.md a block fenced as ```console holds lines `$ command` (ending in `\\` they go
on), each followed by the output it prints, with `...` as in golden cases; no output shown means that only the exit code is
checked. `# exit N` at a command's end names another code than 0. A block fenced as ```console no-run is counted, not run.
"""
import difflib
import re
import subprocess

import common
import program
from wildcards import matches

NAME = "docs_commands"
ABOUT = "commands shown in the documents run and print what is shown"
NEEDS_PROGRAM = True
FENCE = re.compile(r"^```console[ \t]*(no-run)?[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
EXIT = re.compile(r"\s+# exit (\d+)\s*$")


def documents(root):
    return [p for p in common.walk(root)
            if p.suffix == ".md" and (p.as_posix() in ("README.md", "CONTRIBUTING.md") or p.parts[0] == "docs")]


def commands(block):
    """(line inside the block, command, expected exit code, shown output)."""
    found = []
    for number, line in enumerate(block.split("\n")[:-1]):
        if line.startswith("$ "):
            found.append([number, line[2:], 0, ""])
        elif found and found[-1][1].endswith("\\") and not found[-1][3]:
            found[-1][1] = found[-1][1][:-1] + line
        elif found:
            found[-1][3] += line + "\n"
    for command in found:
        exit_code = EXIT.search(command[1])
        if exit_code:
            command[1], command[2] = command[1][: exit_code.start()], int(exit_code.group(1))
    return found


def complaint(sandbox, command, code, shown):
    """What is wrong with one command, or None."""
    try:
        got, output = sandbox.run(command)
    except subprocess.TimeoutExpired:
        return f"`{command}` is still running after five minutes"
    if got != code:
        return f"`{command}` ended with exit code {got}, expected {code}\n{indented(output[-2000:])}"
    wanted = shown.rstrip("\n") + "\n" if shown.strip() else ""
    if wanted and not matches(wanted, output.rstrip("\n") + "\n"):
        diff = difflib.unified_diff(wanted.splitlines(True), output.splitlines(True), "shown", "printed")
        return f"`{command}` prints something else\n{indented(''.join(diff))}"
    return None


def indented(text):
    return "".join(f"    {line}\n" for line in text.split("\n")).rstrip()


def check(root):
    program.require(root)
    wrong, ran, exempt = [], 0, 0
    for path in documents(root):
        text = (root / path).read_text()
        with program.Sandbox(root) as sandbox:
            for fence in FENCE.finditer(text):
                first = text.count("\n", 0, fence.start()) + 2
                for number, command, code, shown in commands(fence.group(2)):
                    if fence.group(1):
                        exempt += 1
                        continue
                    ran += 1
                    problem = complaint(sandbox, command, code, shown)
                    if problem:
                        wrong.append(f"{path}:{first + number}: {problem}")
    check.remark = f"{ran} commands run, {exempt} marked no-run"
    return wrong
