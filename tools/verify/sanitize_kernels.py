#!/usr/bin/env python3
"""Run compute-sanitizer on kernel packages: memcheck, racecheck and synccheck on problems that take every way through the kernel.

usage: sanitize_kernels.py --cutelab PROGRAM [-o FILE] KERNEL [KERNEL …]       on a machine with a GPU, nvcc and compute-sanitizer

The problems of a package are those of tests/gpu/sanitized.txt (package, then flags; several lines a package); without a line it runs with its
defaults. Each is launched a few times, measuring nothing. Exit code 1 if a tool found something, 3 if one could not run here.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("memcheck", "racecheck", "synccheck")
SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")


def problems(kernel):
    lines = [line.split() for line in (ROOT / "tests/gpu/sanitized.txt").read_text().splitlines()]
    return [words[1:] for words in lines if words and words[0] == kernel] or [[]]


def sanitized(args, tool, kernel, flags):
    """(findings or None, the end of what was printed)."""
    command = [args.sanitizer, f"--tool={tool}", "--error-exitcode=99", args.cutelab, "kernel", kernel, *flags, "--prof_type=launch",
               "--no-store", "--time-limit=0"]
    environment = {"CUTELAB_ROOT": str(ROOT), **os.environ}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=args.limit)
    except (subprocess.TimeoutExpired, FileNotFoundError) as error:
        return None, str(error)
    text = done.stdout + done.stderr
    found = SUMMARY.search(text)
    count = int(found[1] or found[2]) if found else None
    if count == 0 and done.returncode != 0:
        return None, text[-2000:]  # the kernel was not launched: that nothing was found says nothing
    return count, text[-2000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL")
    parser.add_argument("--cutelab", required=True)
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--limit", type=int, default=240, help="seconds for one tool and problem")
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    parser.add_argument("-o", "--output", help="keep the findings as JSON")
    args = parser.parse_args()
    rows = []
    every = [(kernel, flags, tool) for kernel in args.kernels for flags in problems(kernel) for tool in TOOLS]
    with ThreadPoolExecutor(args.jobs) as pool:
        runs = [pool.submit(sanitized, args, tool, kernel, flags) for kernel, flags, tool in every]
        for (kernel, flags, tool), run in zip(every, runs):
            count, text = run.result()
            rows.append({"kernel": kernel, "flags": flags, "tool": tool, "findings": count})
            print(f"{tool}  {kernel} {' '.join(flags)}: {'not run' if count is None else f'{count} found'}", flush=True)
            if count != 0:
                print(text)
    if args.output:
        Path(args.output).write_text(json.dumps(rows, indent=1) + "\n")
    if any(row["findings"] for row in rows):
        return 1
    return 3 if any(row["findings"] is None for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
