#!/usr/bin/env python3
"""clang-tidy with the short list of .clang-tidy, every finding an error.

usage: tidy.py [--since COMMIT] [FILE …]

No FILE: the whole tree, a few files at a time as the preset asan-ubsan compiles them (it has to be configured). FILE, or
--since for what changed since COMMIT: each file alone, as the preset dev compiles it. The last line counts.
"""
import argparse
import concurrent.futures
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import common

ROOT = common.ROOT
OURS = ("src", "kernels")
FINDING = re.compile(r"^\S+:\d+:\d+: (?:error|warning): .*\[[\w.,-]+\]$", re.M)


def compiled(build):
    """The files that this build folder compiles."""
    database = build / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"error: tidy: {build.relative_to(ROOT)} is not configured\n  try: cmake --preset {build.name}")
    return sorted({Path(entry["file"]).resolve() for entry in json.loads(database.read_text())})


def is_ours(path):
    """A source of ours, or a unit that the build made of such sources."""
    parts = path.relative_to(ROOT).parts if ROOT in path.parents else ()
    if parts[:1] != ("build",):
        return parts[:1] in [(folder,) for folder in OURS]
    return "Unity" in parts and any(part.startswith(("room_", "cutelab_kernels")) for part in parts)


def changed_since(commit):
    done = subprocess.run(["git", "-C", str(ROOT), "diff", "--name-only", commit], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: tidy --since {commit}: {done.stderr.strip()}")
    return {ROOT / name for name in done.stdout.split("\n") if name.endswith(".cc")}


# Options of g++ that clang has not; and clang 14 knows _Float16 on x86 only with this.
EXTRA = ["--extra-arg=-Wno-unknown-warning-option", *(["--extra-arg=-mavx512fp16"] if platform.machine() == "x86_64" else [])]


def tidy(program, build, unit):
    """(findings, what else went wrong) of one unit."""
    done = subprocess.run([program, "-quiet", "-p", str(build), *EXTRA, str(unit)],
                          capture_output=True, text=True, check=False)
    lines = FINDING.findall(done.stdout)
    return lines, done.stdout + done.stderr if done.returncode and not lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--since", metavar="COMMIT")
    args = parser.parse_intermixed_args()
    try:
        program = common.clang_tool("clang-tidy")
    except common.Skip as e:
        print(f"skipped tidy: {e}\ntidy: 0 passed, 0 failed, 1 skipped")
        return 0
    wanted = {f.resolve() for f in args.files} | (changed_since(args.since) if args.since else set())
    build = ROOT / "build" / ("dev" if args.files or args.since else "asan-ubsan")
    units = [u for u in compiled(build) if is_ours(u) and (u in wanted if args.files or args.since else True)]
    failed, told = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines, trouble in pool.map(lambda u: tidy(program, build, u), units):
            failed += bool(lines or trouble)
            for line in [*lines, *([trouble] if trouble else [])]:
                if line not in told:  # a header is in many units
                    told.add(line)
                    print(line.replace(f"{ROOT}/", ""), flush=True)
    print(f"tidy: {len(units) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
