#!/usr/bin/env python3
"""Hold compiled readings against readings labelled by hand.

usage: compiled_against_labels.py LABELS CHECKOUT [--cutelab PROGRAM] [--arch NAME=SM …] [--table FILE.md]

LABELS is a folder of *.json, each with `file` (below CHECKOUT), `key_numbers` and `facts`. For each, `cutelab read FILE --verify --json` is run.
Checked on the compiled side alone:
  1. every key number: threads, cluster, grid, shared memory, tensor-memory columns, registers, pipelines with their stages, TMA tensors;
  2. every TMA, MMA, pipeline and storage fact of the label that is not optional has a compiled counterpart on one of its statements,
     or the comparison says why the configuration compiles none.
A fact of the label that no operation can stand for is counted apart and told with its reason, by the kind that the reading from source gives
it (NO_OPERATION). Exit code 1 if a number differs, or a fact has neither a counterpart nor a reason.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

FAMILIES = ("H1", "H3", "D2", "D3", "D4")
ALSO = {"H3": ("H3", "D6")}  # a second tensor over one buffer is a layout for the compiler
NO_OPERATION = {
    "capacity": "the host looks up how much there is; the launch tells what is taken",
    "pipeline-state": "an index and a phase in Python: numbers that the loop carries, no barrier",
    "tile": "a shape in Python: the boxes of the copies and the shape of the MMA that it leads to are compared where they stand",
    "stages": "the configuration makes nothing that takes this number",
    "size-formula": "a sum on the host: the launch and each allocation are compared where they stand",
}
EXPLAINED = ("off in this configuration", "compiles to nothing", "no stages in this configuration")


def read(program, file, arch, *how):
    command = [program, "read", file, *how, "--json"] + (["--arch", arch] if arch else [])
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def compiled_values(fact):
    return {v["name"]: v["compiled"]["value"] for v in fact["values"]}


def answered(document, kind):
    return [f for f in document["facts"] if f["kind"] == kind and f["agreement"] != "source-only"]


def largest_launch(document):
    launches = [compiled_values(f) for f in answered(document, "launch")]
    return max(launches, key=lambda v: v.get("smem_bytes") or 0, default={})


def numbers(document):
    launch = largest_launch(document)
    registers = {compiled_values(f).get("action"): compiled_values(f).get("registers") for f in answered(document, "register-budget")}
    pipelines = [(v.get("class"), v["stages"]) for f in answered(document, "pipeline") for v in [compiled_values(f)] if "stages" in v]
    tma = sorted((v["direction"], bool(v.get("multicast"))) for f in answered(document, "tma-descriptor") for v in [compiled_values(f)]
                 if "direction" in v)
    columns = [compiled_values(f).get("columns") for f in answered(document, "tensor-memory-allocation")]
    return {"threads_per_cta": launch.get("threads"), "cluster": launch.get("cluster"), "grid": launch.get("grid"),
            "smem_bytes_total": launch.get("smem_bytes"), "tmem_cols": max(columns, default=0),
            "regs": {"load": registers.get("decrease"), "mma": registers.get("increase")} if registers else None,
            "pipelines": sorted(pipelines), "tma": tma}


def wanted(key):
    return {"threads_per_cta": key["threads_per_cta"], "cluster": key.get("cluster_default"), "grid": key.get("grid_default"),
            "smem_bytes_total": key.get("smem_bytes_total_default"), "tmem_cols": key.get("tmem_cols_default"), "regs": key.get("regs"),
            "pipelines": sorted((p["class"], p["stages"]) for p in key["pipelines"]),
            "tma": sorted((t["direction"], t["multicast_capable"]) for t in key["tma"])}


def number_faults(document, label):
    made, want = numbers(document), wanted(label["key_numbers"])
    faults = []
    for name, value in want.items():
        if value == "unscored" or (value is None and name in ("cluster", "grid", "regs")) or (value in (None, 0) and not made[name]):
            continue
        got = made[name]
        if isinstance(got, list) and isinstance(value, list) and name in ("pipelines", "tma"):
            got = [tuple(g) for g in got]
        if got != value:
            faults.append(f"{name}: label {value}, compiled {made[name]}")
    return len(want), faults


def overlaps(fact, statements):
    return any(fact["line"] <= last and first <= fact["end_line"] for first, last in statements)


def judge(document, kinds, family, fact):
    """(word, why): found, explained, no operation or missing."""
    here = [f for f in document["facts"] if f["line"] and f["file"] == document["file"] and f["family"] in ALSO.get(family, (family,)) and overlaps(f, fact["at"])]
    if any(f["agreement"] != "source-only" for f in here):
        return "found", ""
    for f in here:
        if f["reason"].startswith(EXPLAINED):
            return "explained", f["reason"]
    off = [f for f in kinds if f["family"] in ALSO.get(family, (family,)) and overlaps({"line": f["at"]["line"], "end_line": f["at"]["end_line"]}, fact["at"])]
    known = next((NO_OPERATION[f["kind"]] for f in off if f["kind"] in NO_OPERATION), "")
    return ("no operation", known) if known and not here else ("missing", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels")
    parser.add_argument("checkout")
    parser.add_argument("--cutelab", default="./cutelab")
    parser.add_argument("--arch", action="append", default=[], help="part of a file's path=architecture")
    parser.add_argument("--table", help="write the result as a Markdown table")
    options = parser.parse_args()
    rows, named, faults = [], [], 0
    for labels in sorted(glob.glob(os.path.join(options.labels, "*.json"))):
        with open(labels, encoding="utf-8") as text:
            label = json.load(text)
        arch = next((a.split("=")[1] for a in options.arch if a.split("=")[0] in label["file"]), "")
        path = os.path.join(options.checkout, label["file"])
        document = read(options.cutelab, path, arch, "--verify")
        kinds = read(options.cutelab, path, arch)["facts"]
        count, wrong = number_faults(document, label)
        judged = [(*judge(document, kinds, family, f), family, f) for family in FAMILIES for f in label["facts"].get(family, []) if not f.get("optional")]
        tally = {word: sum(j == word for j, *_ in judged) for word in ("found", "explained", "no operation", "missing")}
        counts = document["counts"]
        rows.append([label["file"].removeprefix("examples/python/CuTeDSL/"), document["arch"], f"{count - len(wrong)} of {count}",
                     *tally.values(), *counts.values()])
        faults += len(wrong) + tally["missing"]
        print(f"{label['file']}: {count - len(wrong)} of {count} key numbers; facts: {tally}; comparison: {counts}")
        for fault in wrong:
            print("  number:", fault)
        for word, why, family, f in judged:
            if word != "found":
                print(f"  {word}: {family} {f['what']} {f['at']}" + (f": {why}" if why else ""))
            if word == "no operation":
                named.append([rows[-1][0], f["at"][0][0], f["what"], why])
    if options.table:
        head = ["file", "for", "key numbers", "facts found", "explained", "no operation", "missing", "agree", "filled", "differ", "source only", "compiled only"]
        with open(options.table, "w", encoding="utf-8") as out:
            for row in [head, ["---"] * len(head), *rows]:
                out.write("| " + " | ".join(str(cell) for cell in row) + " |\n")
            if named:
                out.write("\nFor these of the label the compiler has no operation:\n\n")
            for row in [["file", "line", "fact", "why"], ["---"] * 4, *named] if named else []:
                out.write("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |\n")
    return 1 if faults else 0


sys.exit(main())
