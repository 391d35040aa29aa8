#!/usr/bin/env python3
"""Hold the counters of two runs of one kernel against each other: --prof_type=annotation (CUPTI in-process) and ncu.

usage: counters_against_ncu.py ANNOTATION.json NCU.json [--json FILE]

Both runs must be of the same kernel, source, configuration, device and driver. Prints a Markdown table; exit code 1
when fewer than eight counters agree within 2 %.
"""
import argparse
import json
import sys

# Rows that ncu tells too; times and clocks of the event timing are not among them.
COUNTED = ("counter_duration_us", "counter_clock_mhz", "tc_percent", "dram_percent", "occupancy_percent", "registers",
           "smem_kb", "sm_percent", "l1_percent", "l2_percent", "dram_read_mb", "dram_write_mb", "l2_hit_percent",
           "l1_hit_percent", "achieved_occupancy_percent", "issue_percent", "ipc", "warp_instructions",
           "tensor_instructions", "bank_conflicts_load", "bank_conflicts_store")
CLOSE = 0.02
WANTED = 8


def load(path):
    with open(path) as f:
        run = json.load(f)
    return run, {m["tag"]: m["value"] for m in run["metrics"] if m["value"] is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotation")
    parser.add_argument("ncu")
    parser.add_argument("--json")
    args = parser.parse_args()
    (left, ours), (right, theirs) = load(args.annotation), load(args.ncu)
    if (left["prof_type"], right["prof_type"]) != ("annotation", "ncu"):
        sys.exit("the first run must be of --prof_type=annotation, the second of ncu")
    same = ("device", "driver", "compiler", "source_hash", "configuration")
    for name in same:
        if left["provenance"][name] != right["provenance"][name]:
            sys.exit(f"the runs differ in {name}: {left['provenance'][name]} and {right['provenance'][name]}")
    rows = []
    for tag in COUNTED + tuple(sorted(t for t in ours if t.startswith("stall_") and ours[t] >= 5)):
        if tag in ours and tag in theirs:
            a, b = ours[tag], theirs[tag]
            rows.append({"tag": tag, "cupti": a, "ncu": b, "difference": (a - b) / b if b else (0.0 if a == b else None)})
    agree = [r for r in rows if r["difference"] is not None and abs(r["difference"]) <= CLOSE]
    print("| Metric | CUPTI | ncu | Difference |\n|---|---:|---:|---:|")
    for r in rows:
        mark = "" if r in agree else " *"
        difference = "-" if r["difference"] is None else f"{r['difference'] * 100:+.2f} %"
        print(f"| {r['tag']} | {r['cupti']:,.6g} | {r['ncu']:,.6g} | {difference}{mark} |")
    print(f"\n{len(agree)} of {len(rows)} within {CLOSE * 100:.0f} %")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"kernel": left["kernel"], "version": left["version"],
                       "provenance": {n: left["provenance"][n] for n in same}, "close": CLOSE,
                       "within": len(agree), "rows": rows}, f, indent=1)
            f.write("\n")
    return 0 if len(agree) >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
