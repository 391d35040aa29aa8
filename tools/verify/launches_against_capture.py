#!/usr/bin/env python3
"""Launches that reading predicts against launches that were recorded: grid, threads, cluster, dynamic shared memory.

usage: launches_against_capture.py CHECKOUT [--cutelab PROGRAM] [--python PROGRAM] [--recorded FILE ...] [--only TEXT] [--jobs N] [--second]
                                   [--write docs/verification/launches.md] [--json FILE] [--fail-under PERCENT]

CHECKOUT is a CUTLASS checkout or a folder of CuTe DSL programs. Every program with a kernel and a main is run by `cutelab capture`
(no GPU; results are kept) and read by `cutelab read`; --recorded compares with recorded launches of a file that an earlier --json wrote,
or that was recorded elsewhere, and runs nothing. --second does the same at a second problem: every shape flag that the reading found
has its extents doubled.
A number is `right`, `wrong`, or `undetermined` (reading says that it does not know). A kernel that is launched with several
configurations is right if the prediction is one of them.
Exit codes: 0 done, 1 below --fail-under, 2 usage, 3 nothing could be captured.
"""
import argparse
import concurrent.futures
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFERRED_CLUSTER = 11  # cudaLaunchAttributePreferredClusterDimension
QUANTITIES = ("grid", "threads", "cluster", "shared")
HEADINGS = {"grid": "grid", "threads": "threads", "cluster": "cluster", "shared": "dynamic shared memory"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--cutelab", default=str(ROOT / "cutelab"))
    parser.add_argument("--python", help="interpreter with the CuTe DSL for the captures")
    parser.add_argument("--recorded", type=Path, action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--second", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--fail-under", type=float)
    return parser.parse_args()


def examples_of(checkout):
    """The folder of CuTe DSL programs of a CUTLASS checkout, or the folder itself."""
    inner = checkout / "examples/python/CuTeDSL"
    return inner if inner.is_dir() else checkout


def programs(folder):
    """Files that run: a kernel or a jit function, and a main."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "__main__" in text and ("@cute.kernel" in text or "@cute.jit" in text or "import cutlass" in text):
            found.append(path)
    return found


def read(cutelab, path, arch, settings):
    command = [cutelab, "read", str(path), "--json"]
    if arch:
        command += ["--arch", arch]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout), ""
    except json.JSONDecodeError:
        return None, (done.stderr.strip().splitlines() or ["no answer"])[0]


def capture(options, path, flags):
    python = ["--python", options.python] if options.python else []
    command = [options.cutelab, "capture", str(path), "--json", *python, "--", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"outcome": "failed", "reason": (done.stderr.strip().splitlines() or ["no answer"])[0], "launches": []}


def settings_of(flags):
    """`--mnkl 1,2 --use_tma_store` as {"mnkl": "1,2", "use_tma_store": "True"}."""
    settings = {}
    words = list(flags)
    while words:
        name = words.pop(0)
        if not name.startswith("--"):
            continue
        name, equals, value = name.lstrip("-").partition("=")
        name = name.replace("-", "_")  # as argparse names it
        if equals:
            settings[name] = value
        elif words and not words[0].startswith("--"):
            settings[name] = words.pop(0)
        else:
            settings[name] = "True"
    return settings


def second_flags(reading):
    """Every shape flag that the reading found with a known default, its extents doubled."""
    flags = []
    for fact in reading["facts"]:
        if fact["kind"] != "shape-default" or re.search(r"tile|cluster|warp|thread|stage|atom|block", fact["subject"]):
            continue
        value = fact["values"].get("default", {}).get("value")
        if isinstance(value, int) and not isinstance(value, bool):
            flags += [fact["subject"], str(2 * value)]
        elif isinstance(value, list) and value and all(isinstance(v, int) for v in value):
            flags += [fact["subject"], ",".join(str(2 * v) for v in value)]
    return flags


def three(extents):
    """An extent or a list of them as three, the missing ones 1; None stays for what is unknown."""
    if isinstance(extents, int):
        extents = [extents]
    if not isinstance(extents, list) or any(v is None or not isinstance(v, int) for v in extents):
        return None
    return tuple(extents + [1] * (3 - len(extents)))[:3]


def product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


def recorded_cluster(launch):
    """The cluster asked for: the preferred one where the launch names a fallback too (then the attribute `cluster` is the fallback)."""
    preferred = [a["value"] for a in launch.get("attributes", []) if a["id"] == PREFERRED_CLUSTER]
    asked = preferred[0] if preferred else launch.get("cluster")
    return three(asked) if asked else (1, 1, 1)


def recorded_numbers(launch):
    return {
        "grid": three(launch["grid"]),
        "threads": product(launch["block"]),
        "cluster": recorded_cluster(launch),
        "shared": launch["dynamic_shared_bytes"],
    }


def predicted_numbers(fact):
    """The numbers of a launch fact; None where reading does not know. A keyword that is not passed means its default."""
    values = fact["values"]

    def known(name):
        value = values.get(name)
        return value["value"] if value and not value.get("undetermined") else None

    threads = known("threads")
    block = three(known("block")) if "block" in values else None
    if threads is None and block:
        threads = product(block)
    cluster = three(known("cluster")) if "cluster" in values else (1, 1, 1)
    if known("cluster") == "None" or "cluster" in values and known("cluster") is None and not values["cluster"].get("undetermined") and not values["cluster"].get("items"):
        cluster = (1, 1, 1)  # cluster=None
    return {"grid": three(known("grid")), "threads": threads, "cluster": cluster, "shared": known("smem_bytes")}


def reason_of(fact, quantity):
    name = {"grid": "grid", "threads": "threads", "cluster": "cluster", "shared": "smem_bytes"}[quantity]
    value = fact["values"].get(name) or {}
    unknown = value.get("undetermined")
    if unknown:
        return unknown["reason"]
    for item in value.get("items") or []:
        if item.get("undetermined"):
            return item["undetermined"]["reason"]
    return "no value"


def same_kernel(fact, launch):
    predicted = fact["kernel"] or fact["subject"]
    recorded = launch.get("qualified") or launch.get("function") or ""
    recorded = recorded.replace("<locals>.", "")
    return predicted == recorded or predicted.split(".")[-1] == recorded.split(".")[-1]


def compare(record, reading):
    """One row per kernel of the program's own that was launched."""
    rows = []
    facts = [f for f in reading["facts"] if f["kind"] == "launch"] if reading else []
    by_kernel = {}
    for launch in record["launches"]:
        if launch.get("own", launch.get("main")):
            by_kernel.setdefault(launch.get("qualified") or launch.get("symbol"), []).append(launch)
    for name, launches in by_kernel.items():
        candidates = [f for f in facts if same_kernel(f, launches[0])]
        exact = [f for f in candidates if (f["kernel"] or f["subject"]) == name] or candidates
        rows.append(row(record["file"], name, launches, exact))
    return rows


def row(file, name, launches, facts):
    recorded = [recorded_numbers(launch) for launch in launches]
    made = {"file": file, "kernel": name, "recorded": recorded[0], "configurations": len(recorded), "predicted": {}, "verdict": {}, "reason": {}}
    predictions = [predicted_numbers(fact) for fact in facts]
    for quantity in QUANTITIES:
        truth = {r[quantity] for r in recorded}
        guesses = [p[quantity] for p in predictions]
        known = [g for g in guesses if g is not None]
        made["predicted"][quantity] = known[0] if known else None
        if any(g in truth for g in known):
            made["verdict"][quantity] = "right"
            made["predicted"][quantity] = next(g for g in known if g in truth)
        elif known:
            made["verdict"][quantity] = "wrong"
        else:
            made["verdict"][quantity] = "undetermined"
            made["reason"][quantity] = reason_of(facts[0], quantity) if facts else "no launch of this kernel was found"
    return made


def spelled(value):
    if value is None:
        return "?"
    return "×".join(map(str, value)) if isinstance(value, (tuple, list)) else f"{value:,}"


def totals(rows):
    return {q: {v: sum(r["verdict"][q] == v for r in rows) for v in ("right", "wrong", "undetermined")} for q in QUANTITIES}


def table(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return out + ["| " + " | ".join(line) + " |" for line in lines]


def section(title, records, rows):
    out = [f"## {title}", ""]
    captured = [r for r in records if r["outcome"] == "recorded"]
    versions = sorted({r["dsl_version"] for r in captured if r.get("dsl_version")})
    whole = sum(all(v == "right" for v in r["verdict"].values()) for r in rows)
    torches = sorted({"torch itself" if r["torch"] == "torch" else "the stand-in for torch" for r in captured if r.get("torch") in ("torch", "stand-in")})
    out.append(f"Recorded with CuTe DSL {', '.join(versions)} and {' or '.join(torches) or 'no torch'}. {len(captured)} of {len(records)} programs recorded a launch of a kernel of their own: {len(rows)} kernels, {whole} of them right in "
               "all four numbers.")
    out.append("")
    counts = totals(rows)
    lines = []
    for q in QUANTITIES:
        c = counts[q]
        share = f"{100 * c['right'] / len(rows):.1f} %" if rows else "–"
        lines.append([HEADINGS[q], str(c["right"]), str(c["wrong"]), str(c["undetermined"]), share])
    out += table(["number", "right", "wrong", "undetermined", "right"], lines) + [""]
    wrong = [(r, q) for r in rows for q in QUANTITIES if r["verdict"][q] == "wrong"]
    if wrong:
        out += ["### Wrong", ""]
        out += table(["program", "kernel", "number", "read", "recorded"],
                     [[r["file"], f"`{r['kernel']}`", HEADINGS[q], spelled(r["predicted"][q]), spelled(r["recorded"][q])] for r, q in wrong]) + [""]
    unknown = [(r, q) for r in rows for q in QUANTITIES if r["verdict"][q] == "undetermined"]
    if unknown:
        out += ["### Undetermined", ""]
        out += table(["program", "kernel", "number", "recorded", "why"],
                     [[r["file"], f"`{r['kernel']}`", HEADINGS[q], spelled(r["recorded"][q]), r["reason"][q].replace("|", "\\|")] for r, q in unknown]) + [""]
    failed = [r for r in records if r["outcome"] != "recorded"]
    if failed:
        out += ["### Not captured", ""]
        out += table(["program", "ended", "why"],
                     [[r["file"], str(r.get("ended")), one_line(r.get("reason"))] for r in failed]) + [""]
    return out


def one_line(text):
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text or "")
    plain = re.sub(r"/\S*/", "…/", plain)
    return " ".join(plain.split()).replace("|", "\\|")[:160]


def page(sections):
    return "\n".join([
        "# Launches: read against recorded",
        "",
        "Written by `tools/verify/launches_against_capture.py`. *Read* is what `cutelab read` computes from the source alone; *recorded* is the launch "
        "that the compiled program makes when it is run as its own main on a stand-in device (`cutelab capture`). Device figures of the stand-in: "
        "multiprocessors and limits of one device of the architecture; clusters that are active at once: multiprocessors divided by the CTAs of a cluster.",
        "", *sections]) + "\n"


def records_from(files):
    merged = []
    for path in files:
        merged.append(json.loads(path.read_text(encoding="utf-8")))
    return merged


def gather(options, folder, second):
    """Captures every program; a list of records as --json writes them."""
    def one(path):
        flags = []
        if second:
            reading, _ = read(options.cutelab, path, None, {})
            flags = second_flags(reading) if reading else []
            if not flags:
                return None
        record = capture(options, path, flags)
        return dict(record, file=str(path.relative_to(folder)), flags=flags)

    paths = [p for p in programs(folder) if options.only in str(p)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return [r for r in pool.map(one, paths) if r]


def judge(options, folder, records):
    def one(record):
        reading, problem = read(options.cutelab, folder / record["file"], record.get("arch"), settings_of(record.get("flags") or []))
        if reading is None:
            print(f"{record['file']}: {problem}", file=sys.stderr)
        return compare(record, reading)

    usable = [r for r in records if r["outcome"] == "recorded" and options.only in r["file"]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return [row for rows in pool.map(one, usable) for row in rows]


def main():
    options = arguments()
    folder = examples_of(options.checkout)
    if options.recorded:
        sets = [("second problem" if any(r.get("flags") for r in s["files"]) else "own defaults", [r for r in s["files"] if options.only in r["file"]])
                for s in records_from(options.recorded)]
    else:
        sets = [("own defaults", gather(options, folder, False))]
        if options.second:
            sets.append(("second problem", gather(options, folder, True)))
    sections, shares, everything = [], [], []
    for title, records in sets:
        rows = judge(options, folder, records)
        sections += section(f"At {'their ' if title.startswith('own') else 'a '}{title}", records, rows)
        everything.append({"title": title, "files": records, "rows": rows, "totals": totals(rows)})
        shares += [100 * totals(rows)[q]["right"] / len(rows) for q in QUANTITIES if rows]
    text = page(sections)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    for part in everything:
        print(part["title"], json.dumps(part["totals"]), file=sys.stderr)
    if not shares:
        return 3
    return 1 if options.fail_under and min(shares) < options.fail_under else 0


if __name__ == "__main__":
    sys.exit(main())
