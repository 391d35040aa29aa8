#!/usr/bin/env python3
"""Writes docs/imports/compiled.md: what the compiler made of each imported package of an architecture, and whether the launch that the reading
predicts is the recorded one. Needs no GPU.

usage: compiled_packages.py CUTELAB [--arch PREFIX] [--only TEXT] [--out FILE]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = [("registers", "Registers"), ("smem_kb", "SMEM (KB)"), ("stack_bytes", "Stack (B)"), ("local_accesses", "Local loads and stores"), ("instructions", "Instructions")]


def packages(arch):
    for path in sorted(p for language in ("cute_python", "cute_cpp") for p in ROOT.glob(f"kernels/{language}/*/*/*/package.json")):
        package = json.loads(path.read_text(encoding="utf-8"))
        if package["architecture"].startswith(arch):
            yield package


def measured(cutelab, package):
    """(run as JSON or None, what was said instead)."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.json"
        command = [cutelab, "kernel", package["design"], package["version"], "--prof_type=compiled", "--no-store", "--json", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if out.exists():
            return json.loads(out.read_text(encoding="utf-8")), ""
        lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
        return None, (lines or ["no run"])[0]


def number(run, tag):
    row = next((m for m in run.get("metrics", []) if m.get("tag") == tag), {})
    value = row.get("value")
    return "" if value is None else f"{value:g}"


def note(run, begin):
    return next((n[n.index(begin) + len(begin):] for n in run.get("notes", []) if begin in n), "")


def prediction(run):
    text = note(run, "predicted from the source / recorded: ")
    if not text:
        return "no prediction"
    held, _, verdict = text.rpartition("; ")
    known = sum(not re.search(r" \? / ", part) for part in held.split(", "))
    every = len(held.split(", "))
    return f"{verdict} ({known} of {every})" if verdict.startswith("they differ") else f"{known} of {every} agree"


def row(cutelab, package):
    run, wrong = measured(cutelab, package)
    name = package["design"] + ("" if package["version"] == "v0" else " " + package["version"])
    operator = package["operator"]["name"] or "undetermined"
    if run is None:
        return f"| {name} | {package['architecture']} | {operator} |" + " |" * len(COLUMNS) + f" {wrong} | |"
    mix = ", ".join(note(run, "instruction mix: ").split(", ")[:5])
    cells = [number(run, tag) for tag, _ in COLUMNS]
    return f"| {name} | {package['architecture']} | {operator} | " + " | ".join(cells) + f" | {mix} | {prediction(run)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cutelab")
    parser.add_argument("--arch", default="sm_1")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/imports/compiled.md")
    given = parser.parse_args()
    rows = []
    for package in packages(given.arch):
        if given.only in package["design"]:
            rows.append(row(given.cutelab, package))
            print(rows[-1], file=sys.stderr, flush=True)
    title = ["Package", "Architecture", "Operator", *(name for _, name in COLUMNS), "Instruction mix (first five)", "Launch predicted / recorded"]
    table = ["| " + " | ".join(title) + " |", "|" + "---|" * len(title), *rows]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("# Imported packages, compiled\n\nWritten by `tools/verify/compiled_packages.py build/release/cutelab`, without a GPU. The last column counts "
                         "grid, block, cluster and\ndynamic shared memory: how many of them the reading of the source knows, and that they are the recorded ones.\n\n"
                         + "\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
