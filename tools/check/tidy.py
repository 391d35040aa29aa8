#!/usr/bin/env python3
"""clang-tidy with the short list of .clang-tidy, every finding an error.

usage: tidy.py [--since COMMIT] [--build DIR] [FILE …]     no FILE: all sources, or those changed since COMMIT
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import common

ROOT = common.ROOT


def changed_since(commit):
    done = subprocess.run(["git", "-C", str(ROOT), "diff", "--name-only", commit], capture_output=True, text=True, check=False)
    return set(done.stdout.split("\n")) if done.returncode == 0 else None


def candidates(build, args):
    """Our translation units in the compilation database; a changed header means all of them."""
    database = json.loads((build / "compile_commands.json").read_text())
    units = sorted({Path(entry["file"]).resolve() for entry in database})
    units = [u for u in units if ROOT in u.parents and u.relative_to(ROOT).parts[0] in ("src", "kernels")]
    if args.files:
        wanted = {f.resolve() for f in args.files}
        return [u for u in units if u in wanted]
    changed = changed_since(args.since) if args.since else None
    if changed is None or any(name.endswith(".h") or name == ".clang-tidy" for name in changed):
        return units
    return [u for u in units if u.relative_to(ROOT).as_posix() in changed]


def tidy(build, unit):
    done = subprocess.run(["clang-tidy", "-quiet", "-p", str(build), str(unit)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--since")
    parser.add_argument("--build", type=Path, default=ROOT / "build/asan-ubsan")
    args = parser.parse_intermixed_args()
    if not shutil.which("clang-tidy"):
        print("tidy: skipped: no clang-tidy here (`./cutelab setup test`)")
        return 0
    began, failed = time.monotonic(), 0
    units = candidates(args.build, args)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for code, output in pool.map(lambda u: tidy(args.build, u), units):
            if code:
                failed += 1
                print(output, flush=True)
    print(f"tidy: {len(units) - failed} passed, {failed} failed, 0 skipped ({time.monotonic() - began:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
