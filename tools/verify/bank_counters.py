#!/usr/bin/env python3
"""Measure the accesses of tests/gpu/bank_pairs.txt with Nsight Compute and store the counters.

usage: bank_counters.py addresses --cutelab PROGRAM                     addresses of every pair, for bank_probe, to stdout
       bank_counters.py measure ADDRESSES CSV                           (the command to run on a machine with a GPU is printed)
       bank_counters.py store ADDRESSES CSV --device NAME --driver V --ncu V --compiler V --date DATE -o FILE.json

bank_probe is tests/gpu/bank_probe.cu: nvcc -std=c++17 -gencode=arch=compute_90a,code=sm_90a -cudart static bank_probe.cu
"""
import argparse
import csv
import hashlib
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
METRICS = ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]


def pairs():
    for line in (ROOT / "tests/gpu/bank_pairs.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield [field.strip() for field in line.split("|")]


def addresses(program):
    for name, layout, bits, unit, threads, kind, size in pairs():
        done = subprocess.run([program, "layout", layout, "--bits", bits, "--swizzle-unit", unit, "--banks", threads, "--access", kind,
                               "--bytes", size, "--json"], capture_output=True, text=True, check=True)
        print(name, kind, size, *json.loads(done.stdout)["banks"]["addresses"])


def counters(path):
    rows = [line for line in Path(path).read_text().splitlines() if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(rows):
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = row["Metric Value"]
    return launches


def store(args):
    launches = counters(args.csv)
    names = [line.split()[0] for line in Path(args.addresses).read_text().splitlines()]
    if len(names) != len(launches):
        raise SystemExit(f"{len(launches)} launches for {len(names)} accesses")
    result = {"device": args.device, "driver": args.driver, "profiler": args.ncu, "compiler": args.compiler, "date": args.date,
              "source_sha256": hashlib.sha256((ROOT / "tests/gpu/bank_probe.cu").read_bytes()).hexdigest(), "counters": METRICS, "accesses": []}
    for i, name in enumerate(names):
        ld_conflicts, st_conflicts, ld_waves, st_waves = (int(launches[i][metric]) for metric in METRICS)
        result["accesses"].append({"name": name, "wavefronts": ld_waves + st_waves, "conflicts": ld_conflicts + st_conflicts})
    Path(args.output).write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("addresses").add_argument("--cutelab", required=True)
    measure = commands.add_parser("measure")
    keep = commands.add_parser("store")
    for command in (measure, keep):
        command.add_argument("addresses")
        command.add_argument("csv")
    for name in ("device", "driver", "ncu", "compiler", "date"):
        keep.add_argument(f"--{name}", required=True)
    keep.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    if args.command == "addresses":
        addresses(args.cutelab)
    elif args.command == "measure":
        print(f"ncu --clock-control none --csv --metrics {','.join(METRICS)} --log-file {args.csv} ./bank_probe {args.addresses}")
    else:
        store(args)


if __name__ == "__main__":
    main()
