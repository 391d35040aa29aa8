#!/usr/bin/env python3
"""Readings against what the compiler was given, over the example programs of a CUTLASS checkout: writes docs/verification.md.

usage: readings_against_compiled.py CHECKOUT [FILE …] [--cutelab PROGRAM] [--labels DIR] [--arch NAME=SM …] [--reasons FILE.json] [--jobs N]
                                    [--out FILE.md]

FILE lies below CHECKOUT/examples/python/CuTeDSL; none: every program that `cutelab capture --sweep CHECKOUT` captures, for the architecture of
its capture. Each is run once through `cutelab read FILE --verify --json`; captures are kept, so a second run is short. With --labels the table of
compiled_against_labels.py is put first. Every difference and every kind of fact on one side alone needs its entry in the file of reasons, and every entry
a fact that has it: exit code 1 otherwise.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = "examples/python/CuTeDSL"
AGREEMENTS = ("agree", "filled", "differ", "source-only", "compiled-only")


def comparison(program, file, arch):
    target = ["--arch", arch] if arch else []
    run = subprocess.run([program, "read", str(file), "--verify", "--json", *target], capture_output=True, text=True, timeout=900, check=False)
    if not run.stdout.startswith("{"):
        return None, run.stderr.strip().splitlines()[0] if run.stderr.strip() else f"exit {run.returncode}"
    return json.loads(run.stdout), ""


def swept(options):
    """(programs as `cutelab capture --sweep --json` tells them)"""
    run = subprocess.run([options.cutelab, "capture", "--sweep", options.checkout, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(run.stdout)


def asked_for(options):
    """[(file, architecture)] and the text about the sweep."""
    if options.files:
        return [(name, next((a.split("=")[1] for a in options.arch if a.split("=")[0] in name), "")) for name in options.files], ""
    sweep = swept(options)
    lost = [[p["file"], p["arch"], p["ended"], re.sub(r"/[^ ':]*/", "…/", " ".join(p["reason"].split()))[:160]] for p in sweep["programs"] if p["outcome"] != "captured"]
    own = [p for p in sweep["programs"] if p["holds_kernel"]]
    text = (f"## What was captured\n\n`cutelab capture --sweep`, CuTe DSL {sweep['dsl_version']}: {sweep['captured']} of {len(sweep['programs'])} programs with a main "
            f"were captured with launch and intermediate form; of the {len(own)} that hold a kernel themselves, "
            f"{sum(p['outcome'] == 'captured' for p in own)}. Run one after another they took {sum(p['seconds'] for p in sweep['programs']):.0f} s. The others:\n\n"
            + table(["program", "for", "ended", "why"], lost) + "\n")
    return [(p["file"], p["arch"]) for p in sweep["programs"] if p["outcome"] == "captured"], text


def class_of(fact):
    """What a fact on one side alone is there for; the way through the library is each one's own."""
    reason = fact["reason"]
    if fact["agreement"] == "source-only":
        return reason
    if reason.startswith("part of the "):
        return "part of a fact that the reading has here"
    if reason.startswith("through "):
        return "inside a call into the library" if " > " in reason else "a call of the library"
    return reason.split(", through ")[0] or "an operation of the line itself"


def fits(entry, side, kind, reason):
    kinds = entry["fact"] if isinstance(entry["fact"], list) else [entry["fact"]]
    return entry["side"] == side and entry["reason"] == reason and ("*" in kinds or kind in kinds)


def unanswered(documents, reasons):
    """[[side, kind, class, why, count]] of facts on one side alone; what stands there without a reason, and reasons that
    no fact has."""
    tally = collections.Counter()
    for document in documents:
        for fact in document["facts"]:
            if fact["agreement"] in ("source-only", "compiled-only"):
                tally[fact["agreement"], fact["kind"], class_of(fact)] += 1
    given = [r for r in reasons if r.get("side") in ("source-only", "compiled-only")]
    rows, without, had = [], 0, set()
    for (side, kind, reason), count in sorted(tally.items(), key=lambda item: (item[0][0], -item[1], item[0])):
        found = next((n for n, entry in enumerate(given) if fits(entry, side, kind, reason)), None)
        had.add(found)
        without += count if found is None else 0
        rows.append(["read only" if side == "source-only" else "compiled only", kind, reason, given[found]["why"] if found is not None else "open", count])
    unused = [entry for n, entry in enumerate(given) if n not in had]
    return rows, without, unused


def explained(differ, reasons):
    """Each difference with what is known of it, and the reasons that none has."""
    given, had, rows = [r for r in reasons if "value" in r], set(), []
    for line in differ:
        found = next((n for n, r in enumerate(given) if line[0].endswith(r["file"]) and r["fact"] == line[2] and r["value"] == line[4]), None)
        had.add(found)
        rows.append([*line, given[found]["why"] if found is not None else "open"])
    return rows, [entry for n, entry in enumerate(given) if n not in had]


def row(cells):
    return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |\n"


def table(head, rows):
    return row(head) + row(["---"] * len(head)) + "".join(row(r) for r in rows)


def differences(name, document):
    for fact in document["facts"]:
        for value in fact["values"]:
            if value["agreement"] == "differ":
                yield [name, fact["line"], fact["kind"], fact["subject"], value["name"], value["source"]["text"], value["compiled"]["text"]]


def values_by_name(documents):
    tally = collections.defaultdict(collections.Counter)
    for document in documents:
        for fact in document["facts"]:
            for value in fact["values"]:
                if value["agreement"] != "compiled-only":
                    tally[value["name"]][value["agreement"]] += 1
    return [[name, *(counts[a] for a in ("agree", "filled", "differ"))] for name, counts in sorted(tally.items())]


def labels_table(options):
    if not options.labels:
        return ""
    out = Path(options.out).with_suffix(".labels")
    command = [sys.executable, str(HERE / "compiled_against_labels.py"), options.labels, options.checkout, "--cutelab", options.cutelab,
               "--arch", "rmsnorm=sm_100a", "--table", str(out)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    text = out.read_text(encoding="utf-8")
    out.unlink()
    return ("## Against labels made by hand\n\nThe compiled side alone: key numbers, and the TMA, MMA, pipeline and storage facts of the label. *Explained*: "
            "the configuration compiles none. *No operation*: something of Python that no operation stands for; each is named below.\n\n" + text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--cutelab", default="./cutelab")
    parser.add_argument("--labels")
    parser.add_argument("--arch", action="append", default=[], help="part of a file's path=architecture; else what its reading says it needs")
    parser.add_argument("--reasons", help="what is known of each difference", default=str(HERE.parents[1] / "docs/verification/reasons.json"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default="docs/verification.md")
    options = parser.parse_args()
    rows, failed, differ, documents = [], [], [], []
    programs, about = asked_for(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(lambda p: comparison(options.cutelab, os.path.join(options.checkout, EXAMPLES, p[0]), p[1]), programs))
    for (name, _), (document, problem) in zip(programs, made):
        print(name, problem or document["counts"], flush=True)
        if document is None:
            failed.append([name, problem])
            continue
        documents.append(document)
        rows.append([name, document["arch"], *(document["counts"][a] for a in AGREEMENTS)])
        differ += differences(name, document)
    reasons = json.loads(Path(options.reasons).read_text(encoding="utf-8")) if Path(options.reasons).is_file() else []
    told, idle = explained(differ, reasons)
    alone, without, unused = unanswered(documents, reasons)
    idle += unused
    total = ["all", len(rows), *(sum(r[i + 2] for r in rows) for i in range(len(AGREEMENTS)))]
    compilers = ", ".join(sorted({d["compiler"] for d in documents}))
    text = ("# Readings against compiled readings\n\nWritten by `tools/verify/readings_against_compiled.py`. Each program is run as its own main at its own defaults on a "
            f"stand-in device ({compilers}), and what its compiler is given is read line by line ([comparison.md](comparison.md)); "
            "the launches alone, at a second problem too, are in [verification/launches.md](verification/launches.md).\n\n"
            + about + labels_table(options)
            + "## By program\n\n" + table(["program", "for", *(a.replace("-", " ") for a in AGREEMENTS)], [*rows, total])
            + "\n## By value\n\n" + table(["value", "agree", "filled", "differ"], values_by_name(documents))
            + "\n## Values that differ\n\n" + (table(["program", "line", "fact", "of", "value", "read", "compiled", "why"], told) if told else "None.\n")
            + "\n## On one side alone\n\n" + f"{without} without a reason, {len(idle)} reasons without a fact.\n\n"
            + table(["side", "fact", "there because", "why that is so", "facts"], alone))
    if failed:
        text += "\n## Not compiled\n\n" + table(["program", "why"], failed)
    Path(options.out).write_text(text, encoding="utf-8")
    for entry in idle:
        print("no fact has the reason", json.dumps(entry), file=sys.stderr)
    stale = idle if not options.files else []
    return 1 if without or stale or failed or any(line[-1] == "open" for line in told) else 0


sys.exit(main())
