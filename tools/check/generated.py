#!/usr/bin/env python3
"""Text between `<!-- begin generated: cutelab ARGS -->` and `<!-- end generated -->` is what the program prints.

usage: generated.py [--update]     --update also writes docs/cli/<verb>.md for verbs that have none
"""
import re
import shlex
import subprocess
import sys

import common
import program

NAME = "generated"
ABOUT = "generated parts of the documents are up to date; every verb has its page"
NEEDS_PROGRAM = True
BLOCK = re.compile(r"(<!-- begin generated: cutelab ([^\n]*?) -->\n)(.*?)(<!-- end generated -->)", re.S)
PAGES = "docs/cli"


def printed(root, words):
    done = subprocess.run([str(program.require(root)), *words], capture_output=True, text=True, cwd=root, check=False,
                          env={**program.environment(root), "CUTELAB_ROOT": str(root), "CUTELAB_PROGRAM": "cutelab"})
    return done.stdout


def verbs(root):
    """Names in the overview, which lists one verb per line below the usage."""
    return re.findall(r"^  ([a-z]+) {2,}", printed(root, ["--help"]), re.M)


def fresh(root, text):
    def block(match):
        return f"{match.group(1)}```text\n{printed(root, shlex.split(match.group(2)))}```\n{match.group(4)}"
    return BLOCK.sub(block, text)


def page(verb):
    return f"# cutelab {verb}\n\n<!-- begin generated: cutelab {verb} --help -->\n<!-- end generated -->\n"


def check(root):
    program.require(root)
    wrong = []
    for path in common.walk(root):
        if path.suffix == ".md":
            text = (root / path).read_text()
            if fresh(root, text) != text:
                wrong.append(f"{path}: generated text is out of date; run tools/check/generated.py --update")
    for verb in verbs(root):
        path = root / PAGES / f"{verb}.md"
        if not path.is_file() or f"cutelab {verb} --help" not in path.read_text():
            wrong.append(f"{PAGES}/{verb}.md: no page with the help of `cutelab {verb}`; run tools/check/generated.py --update")
    return wrong


def update(root):
    (root / PAGES).mkdir(parents=True, exist_ok=True)
    for verb in verbs(root):
        path = root / PAGES / f"{verb}.md"
        if not path.is_file():
            path.write_text(page(verb))
    for path in common.walk(root):
        if path.suffix == ".md":
            text = (root / path).read_text()
            new = fresh(root, text)
            if new != text:
                (root / path).write_text(new)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update(common.ROOT)
    print("\n".join(check(common.ROOT)) or "generated documents are up to date")
