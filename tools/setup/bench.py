#!/usr/bin/env python3
"""Measure the program itself: host benchmarks, results as JSON.

usage: cutelab bench [WORD …] [--list] [--json FILE] [--repetitions N]

The table shows the median of the repetitions. The JSON is Google Benchmark's own, with the machine's context.
Exit codes: 0 done, 2 wrong use, 3 something needed could not be installed, 4 the build failed.
"""
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fetch
import setup

ROOT = fetch.ROOT
PROGRAM = ROOT / "build/bench/cutelab_bench"


def build():
    for code in (setup.install_debian("test"), fetch.main_default()):
        if code:
            return code
    script = 'root=$1; . "$root/tools/setup/build.sh"; compile bench cutelab_bench'
    return subprocess.run(["bash", "-c", script, "bash", str(ROOT)], check=False, stdin=subprocess.DEVNULL).returncode


def names_in_sources():
    """As the sources register them: no build is needed to know what there is."""
    names = []
    for source in sorted((ROOT / "bench").glob("*.cc")):
        for registered in re.findall(r"^BENCHMARK\w*\((.*?);$", source.read_text(), re.MULTILINE | re.DOTALL):
            spelled = re.search(r'->Name\("([^"]+)"\)', registered)
            names.append(spelled[1] if spelled else re.match(r"\w+", registered)[0])
    return names


def show(results):
    """Median and spread of each benchmark."""
    rows = {}
    for row in results["benchmarks"]:
        if row.get("run_type") == "aggregate":
            rows.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
    width = max((len(name) for name in rows), default=0)
    for name, of in rows.items():
        median, deviation = of["median"], of.get("stddev", {}).get("cpu_time", 0.0)
        print(f"{name:<{width}}  {median['cpu_time']:>10.3f} {median['time_unit']}  ± {deviation:.3f}")


def main():
    parser = argparse.ArgumentParser(prog=f"{fetch.CALLED} bench", description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="benchmarks whose name contains one of the words; none: all")
    parser.add_argument("-l", "--list", action="store_true", help="names of the benchmarks")
    parser.add_argument("--json", type=Path, metavar="FILE", default=ROOT / "build/bench/results.json", help="where the results go")
    parser.add_argument("--repetitions", type=int, metavar="N", default=5, help="runs of each benchmark")
    args = parser.parse_intermixed_args()
    if args.list and not PROGRAM.is_file():
        names = [name for name in names_in_sources() if not args.words or any(word in name for word in args.words)]
        print("\n".join(names))
        print("names from bench/*.cc; those of one benchmark's sizes are known once it is built", file=sys.stderr)
        return 0 if names else 2
    code = 0 if args.list else build()
    if code:
        return code
    pick = f"--benchmark_filter={'|'.join(map(re.escape, args.words)) or '.'}"
    if args.list:
        return subprocess.run([str(PROGRAM), pick, "--benchmark_list_tests"], check=False).returncode
    done = subprocess.run([str(PROGRAM), pick, f"--benchmark_out={args.json}", "--benchmark_out_format=json",
                           f"--benchmark_repetitions={args.repetitions}", "--benchmark_report_aggregates_only=true"], check=False,
                          stdout=subprocess.DEVNULL)
    text = args.json.read_text() if args.json.is_file() else ""
    if done.returncode or not text.strip():
        print(f"error: cutelab bench: no benchmark is called so: {' '.join(args.words)}\n  try: {fetch.CALLED} bench --list", file=sys.stderr)
        return 2
    show(json.loads(text))
    print(f"written to {args.json}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
