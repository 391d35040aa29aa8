#!/usr/bin/env python3
"""Check and time every kernel package on a machine with a GPU, and keep all of it in one JSON.

usage: gpu_checks.py prepare --cutelab PROGRAM                         here, without a GPU: export what `run` will want
       gpu_checks.py run --cutelab PROGRAM -o FILE [--only TEXT]       on the GPU: `cutelab kernel … --check --prof_type=event` of each
       gpu_checks.py table FILE [--language cute-dsl]                  the runs as a table for the documents

The problems are those of tests/gpu/problems.txt. A package that cannot run there (no compiler, no export) is named with its reason; none is left
out. Of each run the file holds what `cutelab runs export` writes but the single samples: device, driver, compiler, source and code hash, the
command that makes it again. Exit code of `run`: 1 if a check failed or a kernel faulted.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILED_CHECK, UNAVAILABLE = 1, 3


def problems():
    """Flags of each problem by the package's design; "design:v1" is for that version alone."""
    found = {}
    for line in (ROOT / "tests/gpu/problems.txt").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            found.setdefault(words[0], []).append(words[1:])
    return found


def problems_of(package, every):
    design, version = package["design"], package["version"]
    return every.get(f"{design}:{version}") or every.get(design) or [[]]


def ask(program, words, limit=600):
    """(exit code, stdout, stderr); a run past its limit is 124."""
    environment = {"CUTELAB_ROOT": str(ROOT), **os.environ}
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, env=environment, timeout=limit)
    except subprocess.TimeoutExpired:
        return 124, "", f"no end within {limit} s"
    return done.returncode, done.stdout, done.stderr


def packages(program, only):
    code, out, err = ask(program, ["list", "--json"])
    if code:
        raise SystemExit(err)
    return [p for p in json.loads(out)["packages"] if any(part in p["design"] for part in only.split(","))]


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def each(args, flags, tell, language=""):
    """Runs every package with these flags; calls tell(package, words, exit code, seconds, stderr)."""
    every = problems()
    for package, flag_words in ((p, f) for p in packages(args.cutelab, args.only) if language in p["language"] for f in problems_of(p, every)):
        words = [package["design"], package["version"], *flag_words]
        begin = time.monotonic()
        code, _, err = ask(args.cutelab, ["kernel", *words, *flags], args.limit)
        seconds = time.monotonic() - begin
        print(f"{code}  {' '.join(words)}  {seconds:.1f} s{'  ' + last_line(err) if code else ''}", flush=True)
        tell(package, words, code, seconds, err)


def prepare(args):
    """With --check also the problems of odd extents; that nothing is checked for want of a GPU is no failure. Packages that nvcc compiles
    are compiled where they run."""
    codes = []
    each(args, ["--check", "--prof_type=disabled", "--no-store"], lambda package, words, code, seconds, err: codes.append(code), "cute-dsl")
    return FAILED_CHECK if any(code not in (0, UNAVAILABLE) for code in codes) else 0


def of_all(runs, member):
    """The one value that all runs have, else every one of them."""
    values = sorted({run["provenance"][member] for run in runs if run["provenance"][member]})
    return values[0] if len(values) == 1 else values


def run(args):
    rows = []

    def tell(package, words, code, seconds, err):
        rows.append({"package": f"{package['design']} {package['version']}", "language": package["language"], "flags": words[2:],
                     "exit_code": code, "seconds": round(seconds, 1), "reason": last_line(err) if code else ""})

    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "runs.db")
        each(args, ["--check", "--prof_type=event", "--store", store], tell)
        code, out, err = ask(args.cutelab, ["runs", "export", "-", "--store", store])
        if code:
            raise SystemExit(err)
    runs = json.loads(out)
    runs = runs["runs"] if isinstance(runs, dict) else runs
    for one in runs:
        one.pop("samples_us", None)
    result = {"schema_version": 1, "made_by": "tools/verify/gpu_checks.py run",
              "what": "every package checked against its reference and timed, cold L2, uniform inputs; samples left out",
              "device": of_all(runs, "device"), "driver": of_all(runs, "driver"), "compilers": of_all(runs, "compiler"),
              "packages": rows, "runs": runs}
    Path(args.output).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    bad = [row for row in rows if row["exit_code"] not in (0, UNAVAILABLE)]
    print(f"{len(rows)} packages: {sum(r['exit_code'] == 0 for r in rows)} passed, {len(bad)} failed, "
          f"{sum(r['exit_code'] == UNAVAILABLE for r in rows)} could not run here; wrote {args.output}")
    return FAILED_CHECK if bad else 0


def figure(run, tag):
    return next((m["value"] for m in run["metrics"] if m["tag"] == tag), None)


def checked(run):
    """"8 of 8" from the note of the check."""
    for note in run["notes"]:
        if note.startswith("check: ") and " problems passed" in note:
            return note.split("check: ")[1].split(" problems passed")[0]
    return "passed" if run["check"]["passed"] else "FAILED" if run["check"]["made"] else "-"


def error(run):
    """Relative error of the check and what was allowed, both of the worst problem."""
    check = run["check"]
    return f"{check['relative_error']:.1e} ({check['tolerance']:.1e})" if check["made"] and check.get("tolerance") else "-"


def row_of(run):
    time_us, share = figure(run, "duration_us"), figure(run, "roofline_percent")
    rate, bandwidth = figure(run, "rate_tflops"), figure(run, "bandwidth_tbs")
    speed = ", ".join(f"{value:{digits}} {unit}" for value, digits, unit in ((rate, ".1f", "TFLOP/s"), (bandwidth, ".2f", "TB/s")) if value) or "-"
    configuration = " ".join(f"{k}={v}" for k, v in run["provenance"]["configuration"].items())
    cells = [f"{run['kernel']} {run['version']}", configuration, f"{time_us:.1f}" if time_us else "-", speed,
             f"{share:.0f} %" if share else "-", checked(run), error(run), run["provenance"]["compiler"], run["provenance"]["source_hash"]]
    return "| " + " | ".join(cells) + " |"


def table(args):
    result = json.loads(Path(args.file).read_text())
    print(f"{result['device']}, driver {result['driver']}\n")
    print("| package | configuration | us | rate | of the roofline | checked | error (allowed) | compiler | sources |\n|---|---|---:|---:|---:|---|---|---|---|")
    for one in result["runs"]:
        if args.language in one["language"]:
            print(row_of(one))
    for row in result["packages"]:
        if row["exit_code"] and args.language in row["language"]:
            print(f"\n{row['package']}: exit code {row['exit_code']}: {row['reason']}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("prepare", "run"):
        command = commands.add_parser(name)
        command.add_argument("--cutelab", required=True, help="the program: build/release/cutelab")
        command.add_argument("--only", default="", help="packages whose design holds this, or one of several with commas between")
        command.add_argument("--limit", type=int, default=300, help="seconds for one package")
        if name == "run":
            command.add_argument("-o", "--output", required=True)
    tables = commands.add_parser("table")
    tables.add_argument("file")
    tables.add_argument("--language", default="")
    args = parser.parse_args()
    return {"prepare": prepare, "run": run, "table": table}[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
