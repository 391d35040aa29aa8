#!/usr/bin/env python3
"""Writes data/example_history.json: where every CuTe DSL example lay in each CUTLASS 4.x release.

usage: example_history.py CHECKOUT [--between AFTER:LABEL=COMMIT …] > data/example_history.json
CHECKOUT is a full git clone of CUTLASS. Only paths are recorded, nothing of the files' content.
"""
import argparse
import json
import re
import subprocess

ROOT = "examples/python/CuTeDSL/"


def git(checkout, *words):
    return subprocess.run(["git", "-C", checkout, *words], check=True, capture_output=True, text=True).stdout


def releases(checkout):
    tags = [t for t in git(checkout, "tag").split() if re.fullmatch(r"v4\.\d+\.\d+", t)]
    return sorted((t[1:] for t in tags), key=lambda t: tuple(map(int, t.split("."))))


def paths_at(checkout, commit):
    names = git(checkout, "ls-tree", "-r", "--name-only", commit, ROOT).splitlines()
    return [n[len(ROOT):] for n in names if n.endswith((".py", ".ipynb")) and not n.endswith("__init__.py")]


def spans(order, by_release):
    """basename -> [[first, last, [paths]], …]; consecutive releases with the same paths are one span."""
    table = {}
    for basename in sorted({p.rsplit("/", 1)[-1] for paths in by_release.values() for p in paths}):
        out = []
        for release in order:
            here = sorted(p for p in by_release[release] if p.rsplit("/", 1)[-1] == basename)
            if out and out[-1][2] == here:
                out[-1][1] = release
            else:
                out.append([release, release, here])
        table[basename] = [s for s in out if s[2]]
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkout")
    parser.add_argument("--between", action="append", default=[], metavar="AFTER:LABEL=COMMIT",
                        help="a commit that is no release, listed after release AFTER")
    args = parser.parse_args()
    order = releases(args.checkout)
    by_release = {r: paths_at(args.checkout, "v" + r) for r in order}
    for spec in args.between:
        after, label, commit = re.fullmatch(r"([^:]+):([^=]+)=(.+)", spec).groups()
        order.insert(order.index(after) + 1, label)
        by_release[label] = paths_at(args.checkout, commit)
    table = spans(order, by_release)
    print("{")
    print('"about": "Paths below examples/python/CuTeDSL of every CuTe DSL example, per CUTLASS release. '
          'Written by tools/data/example_history.py from the release tags of github.com/NVIDIA/cutlass.",')
    print('"releases": ' + json.dumps(order) + ",")
    print('"files": {')
    print(",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()))
    print("}}")


if __name__ == "__main__":
    main()
