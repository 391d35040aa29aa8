#!/usr/bin/env python3
"""The reading of a whole tree against CPython's own parse of the same files, in turns within one run, on one core.

usage: tree_against_cpython.py --cutelab BUILD/cutelab --tree FOLDER [--rounds N] [--json OUT]

Each round lets this interpreter parse every file with ast.parse (the texts already read and decoded, only parsing is
timed), then lets `cutelab read FOLDER` read the folder whole: files found and read, parsed, evaluated, facts extracted and
written as JSON. Times are CPU seconds; both stay on one core. With the largest file alone, the peak memory of the whole
reading, and how the cost of one file grows with its length. Exit 1 when a limit does not hold.
"""
import argparse
import ast
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time


def cpython(texts):
    begin = time.process_time()
    for text in texts:
        ast.parse(text)
    return time.process_time() - begin


def reading(cutelab, path):
    """(CPU seconds, wall seconds, peak bytes) of one reading in a child process."""
    begin = time.perf_counter()
    child = subprocess.Popen([cutelab, "read", str(path), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"cutelab read {path} ended with {child.returncode}: {errors.decode(errors='replace')[-400:]}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss * 1024


KERNEL = """
@cute.kernel
def kernel_{i}(a, b):
    w = cute.arch.warp_idx()
    if w == 0:
        for k in range(4):
            cute.copy(a, b, a, tma_bar_ptr=b)

kernel_{i}(1, 2).launch(grid=(8, 1, 1), block=[128, 1, 1])
"""


def growth(cutelab, rounds, counts=(1, 256, 512, 1024)):
    """CPU time of files of more and more kernels. The exponent is that of the last doublings, start-up left out: 1 = linear."""
    least = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            file = pathlib.Path(folder) / f"kernels_{count}.py"
            file.write_text("import cutlass.cute as cute\n" + "".join(KERNEL.format(i=i) for i in range(count)))
            least[count] = min(reading(cutelab, file)[0] for _ in range(rounds))
    start, (small, large) = least[counts[0]], (counts[1], counts[-1])
    exponent = math.log((least[large] - start) / max(least[small] - start, 1e-4)) / math.log(large / small)
    return {"growth_cpu_ms_by_kernels": {str(n): round(1000 * t, 1) for n, t in least.items()},
            "growth_exponent": round(exponent, 2)}


def measured(cutelab, folder, rounds):
    files = sorted(p for p in pathlib.Path(folder).rglob("*.py") if p.stat().st_size)
    if not files:
        sys.exit(f"no Python files below {folder}")
    texts = [p.read_text(encoding="utf-8") for p in files]
    largest = max(files, key=lambda p: p.stat().st_size)
    ours, theirs, alone, memory = [], [], [], 0
    for _ in range(rounds):
        theirs.append(cpython(texts))
        cpu, _, peak = reading(cutelab, folder)
        ours.append(cpu)
        alone.append(reading(cutelab, largest)[0])
        memory = max(memory, peak)
    middle = statistics.median
    return {
        "files": len(files), "bytes": sum(p.stat().st_size for p in files), "rounds": rounds,
        "cpython": platform.python_version(), "ast_parse_cpu_s": round(middle(theirs), 4),
        "cutelab_read_cpu_s": round(middle(ours), 4), "ratio": round(middle(ours) / middle(theirs), 3),
        "largest_file": largest.name, "largest_file_bytes": largest.stat().st_size,
        "largest_file_cpu_ms": round(1000 * middle(alone), 1), "peak_memory_mb": round(memory / 1e6, 1),
        **growth(cutelab, rounds),
        "all_ast_parse_cpu_s": [round(t, 4) for t in theirs], "all_cutelab_read_cpu_s": [round(t, 4) for t in ours],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cutelab", required=True)
    parser.add_argument("--tree", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    result = measured(arguments.cutelab, arguments.tree, arguments.rounds)
    text = json.dumps(result, indent=2)
    print(text)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(text + "\n")
    held = (result["ratio"] <= 1 and result["largest_file_cpu_ms"] < 60 and result["peak_memory_mb"] < 300 and
            result["growth_exponent"] < 1.2)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
