#!/usr/bin/env python3
"""Time the layout algebra against pycute and tensor-layouts, in one run on one core.

usage: layout_speed.py --bench PROGRAM [--deps DIR] [-o FILE.json]     PROGRAM: the built cutelab_bench

Each round times one implementation after the other; the fastest of the rounds counts for each; processor time, so that other work
on the machine counts for nobody. A Python with tensor-layouts
from PyPI compares with both, any other with pycute alone.
"""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time
import timeit
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
A, B = ((6, 2), (8, 2)), ((4, 3), (3, 1))
SMEM = (((8, 16), (64, 1), (1, 7)), ((64, 512), (1, 0), (0, 8192)))
TILE, C = ((128, 256), (256, 1)), (((4, 8, 4), (2, 2, 32)), ((128, 1, 16), (64, 8, 512)))
GMEM = ((8192, 4096), (4096, 1))


def python_calls(name, m):
    layout = lambda pair: m.Layout(*pair)
    compose = m.composition if name == "pycute" else m.compose
    a, b, smem, tile, c, gmem, tiler, inverse = (layout(x) for x in (A, B, SMEM, TILE, C, GMEM, ((2, 4), (1, 6)), (((4, 8), (2, 4)), ((16, 1), (8, 64)))))
    return {"coalesce_smem": lambda: m.coalesce(smem), "composition_accumulator": lambda: compose(tile, c), "composition_small": lambda: compose(a, b),
            "zipped_divide_gmem": lambda: m.zipped_divide(gmem, (128, 64)), "complement_tiler": lambda: m.complement(tiler, 24),
            "right_inverse_tv": lambda: m.right_inverse(inverse)}


def ours(program, names):
    done = subprocess.run([program, f"--benchmark_filter=^({'|'.join(names)})$", "--benchmark_format=json", "--benchmark_min_time=0.1"],
                          capture_output=True, text=True, check=True)
    return {row["name"]: row["cpu_time"] for row in json.loads(done.stdout)["benchmarks"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--deps", type=Path, default=ROOT / "build/deps")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    sys.path.append(str(args.deps / "cutlass"))
    peers = {}
    for name in ("pycute", "tensor_layouts"):
        try:
            peers[name] = python_calls(name, __import__(name))
        except ImportError as e:
            print(f"{name}: not compared ({e})", file=sys.stderr)
    names = list(next(iter(peers.values())))
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    times = {}
    for _ in range(3):
        for name, ns in ours(args.bench, names).items():
            times.setdefault(name, {}).setdefault("ours_ns", []).append(ns)
        for peer, calls in peers.items():
            for name, call in calls.items():
                times[name].setdefault(f"{peer}_ns", []).append(1e9 * min(timeit.repeat(call, timer=time.process_time, number=200, repeat=3)) / 200)
    rows = {name: {key: round(min(values), 1) for key, values in row.items()} for name, row in times.items()}
    for row in rows.values():
        row |= {key.replace("_ns", "_ratio"): round(row[key] / row["ours_ns"], 1) for key in list(row) if key not in ("ours_ns",)}
    result = {"date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "compiler": subprocess.run(["g++", "--version"], capture_output=True, text=True).stdout.split("\n")[0],
              "python": platform.python_version(), "machine": platform.machine(), "cores_used": 1, "benchmarks": rows}
    if args.output:
        args.output.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
