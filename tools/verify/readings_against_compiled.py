#!/usr/bin/env python3
"""Readings against what the compiler was given, over the example programs of a CUTLASS checkout: writes docs/verification/compiled.md.

usage: readings_against_compiled.py CHECKOUT FILE … [--cutelab PROGRAM] [--labels DIR] [--out FILE.md]

FILE lies below CHECKOUT/examples/python/CuTeDSL. Each is run once through `cutelab read FILE --verify --json`; captures are kept, so a second
run takes seconds. With --labels the table of compiled_against_labels.py is put first. Exit code 1 if a value differs.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = "examples/python/CuTeDSL"
AGREEMENTS = ("agree", "filled", "differ", "source-only", "compiled-only")


def comparison(program, file):
    run = subprocess.run([program, "read", str(file), "--verify", "--json"], capture_output=True, text=True, timeout=900, check=False)
    if not run.stdout.startswith("{"):
        return None, run.stderr.strip().splitlines()[0] if run.stderr.strip() else f"exit {run.returncode}"
    return json.loads(run.stdout), ""


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
            "the configuration compiles none. *No operation*: a constant or a host computation, for which the compiler has nothing.\n\n" + text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--cutelab", default="./cutelab")
    parser.add_argument("--labels")
    parser.add_argument("--out", default="docs/verification/compiled.md")
    options = parser.parse_args()
    rows, failed, differ, documents = [], [], [], []
    for name in options.files:
        document, problem = comparison(options.cutelab, os.path.join(options.checkout, EXAMPLES, name))
        print(name, problem or document["counts"], flush=True)
        if document is None:
            failed.append([name, problem])
            continue
        documents.append(document)
        rows.append([name, document["arch"], *(document["counts"][a] for a in AGREEMENTS)])
        differ += differences(name, document)
    compilers = ", ".join(sorted({d["compiler"] for d in documents}))
    text = ("# Readings against compiled readings\n\nWritten by `tools/verify/readings_against_compiled.py`. Each program is run as its own main at its own defaults on a "
            f"stand-in device ({compilers}), and what its compiler is given is read line by line ([comparison.md](../comparison.md)).\n\n"
            + labels_table(options)
            + "## By program\n\n" + table(["program", "for", *(a.replace("-", " ") for a in AGREEMENTS)], rows)
            + "\n## By value\n\n" + table(["value", "agree", "filled", "differ"], values_by_name(documents))
            + "\n## Values that differ\n\n" + (table(["program", "line", "fact", "of", "value", "read", "compiled"], differ) if differ else "None.\n"))
    if failed:
        text += "\n## Not compiled\n\n" + table(["program", "why"], failed)
    Path(options.out).write_text(text, encoding="utf-8")
    return 1 if differ else 0


sys.exit(main())
