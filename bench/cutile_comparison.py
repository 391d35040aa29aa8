#!/usr/bin/env python3
"""The comparison cute-dsl / cutile-dsl / cute-cpp / library for GEMM, RMSNorm and attention, and MLA decoding in cuTile alone.

usage: cutile_comparison.py --program FILE --out FOLDER [--build] [--limit SECONDS] [--tuned FILE]

--tuned FILE: no tuning and no separate timing; configurations are those of that result (bench/results/h200_cutile.json). --build compiles everything that the other run needs, without a GPU, so that it can be carried to a machine that has one. Without it:
checks of the four cuTile kernels, tuning of each, event timing, comparisons in the same rounds. Everything is written to FOLDER as JSON;
comparison.json sums it up.
"""
import argparse
import json
import re
import subprocess
import time
from pathlib import Path

SQUARE = ["--m=4096", "--n=4096", "--k=4096"]
HEADS = ["--b=2", "--heads=16", "--heads_kv=16", "--s=4096", "--t=4096", "--d=128"]
# (name, kernel, problem, a smaller problem for the check, whose tuning serves it)
KERNELS = [
    ("gemm_fp16", "tile_gemm", [*SQUARE, "--dtype=fp16"], ["--m=1024", "--n=1024", "--k=1024", "--dtype=fp16"], "gemm_bf16"),
    ("gemm_bf16", "tile_gemm", [*SQUARE, "--dtype=bf16"], ["--m=1032", "--n=520", "--k=264", "--batch=2", "--dtype=bf16"], "gemm_bf16"),
    ("rmsnorm", "tile_rmsnorm", ["--b=8192", "--h=8192"], ["--b=4096", "--h=8192"], "rmsnorm"),
    ("attention", "tile_attention", HEADS, ["--b=2", "--heads=8", "--heads_kv=2", "--s=500", "--t=777", "--d=128", "--lse=yes"], "attention"),
    ("attention_causal", "tile_attention", [*HEADS, "--causal=yes"], ["--b=1", "--heads=8", "--heads_kv=8", "--s=1000", "--t=1000", "--d=128", "--causal=yes"], "attention"),
    ("mla_b128", "tile_mla_decode", ["--b=128", "--t=4096"], ["--b=2", "--s=2", "--heads=128", "--t=1000"], "mla_b128"),
    ("mla_b32", "tile_mla_decode", ["--b=32", "--t=4096"], ["--b=2", "--heads=128", "--t=1000"], "mla_b32"),
    ("mla_h16", "tile_mla_decode", ["--b=128", "--heads=16", "--t=4096"], ["--b=2", "--heads=16", "--t=700"], "mla_h16"),
]
# The first is what the others are held against; {tuned:NAME} is the configuration that tuning of NAME chose.
COMPARISONS = [
    ("gemm_fp16", SQUARE, ["cublaslt_gemm,dtype=fp16", "dense_gemm,dtype=fp16", "gemm_persistent_warp_specialized,dtype=float16,tile_m=128,tile_n=256",
                           "hopper_dense_gemm_persistent,tile_shape_m=128,tile_shape_n=256", "tile_gemm,dtype=fp16{tuned:gemm_bf16}"]),
    ("gemm_bf16", SQUARE, ["cublaslt_gemm,dtype=bf16", "dense_gemm,dtype=bf16", "gemm_persistent_warp_specialized,dtype=bfloat16,tile_m=128,tile_n=256",
                           "tile_gemm,dtype=bf16{tuned:gemm_bf16}"]),
    ("rmsnorm", [], ["rmsnorm,b=8192,h=8192,dtype=bf16", "rmsnorm_row,m=8192,n=8192,dtype=bfloat16", "tile_rmsnorm,b=8192,h=8192,dtype=bf16{tuned:rmsnorm}"]),
    ("attention", HEADS, ["cudnn_attention", "tile_attention{tuned:attention}"]),
    ("attention_1024", ["--b=2", "--heads=16", "--heads_kv=16", "--s=1024", "--t=1024", "--d=128"],
     ["cudnn_attention,dtype=fp16", "hopper_fmha", "tile_attention,dtype=fp16"]),
    ("attention_causal", [*HEADS, "--causal=yes"], ["cudnn_attention", "tile_attention{tuned:attention}"]),
]


def known(session):
    """Designs that this program has packages of."""
    return {package["design"] for package in json.loads(session.run("list", ["list", "--json"]) or '{"packages": []}')["packages"]}


def those_known(session, name, contenders):
    """The contenders that are there; those that are not are named in the record."""
    designs = known(session)
    missing = [c for c in contenders if re.split("[:,{]", c)[0] not in designs]
    if missing:
        session.lines.append({"step": f"comparison {name}", "not there": missing})
    return [c for c in contenders if c not in missing]


class Session:
    def __init__(self, args):
        self.program, self.out, self.until = args.program, Path(args.out), time.monotonic() + args.limit
        self.out.mkdir(parents=True, exist_ok=True)
        self.lines = []

    def run(self, name, words, seconds=300):
        """The program's output, or None where it did not end well; what it said is kept."""
        if time.monotonic() > self.until:
            self.lines.append({"step": name, "code": None, "said": "no time left"})
            return None
        begin = time.monotonic()
        try:
            done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=seconds, check=False)
            code, text = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as e:
            code, text = 124, str(e)
        took = round(time.monotonic() - begin, 1)
        self.lines.append({"step": name, "command": words, "code": code, "seconds": took, "said": text[-4000:] if code else ""})
        print(f"{name}: code {code}, {took} s" + (f"\n{text[-1500:]}" if code else ""), flush=True)
        return text if code in (0, 3) else None


def legal_configurations(session, kernel, problem):
    text = session.run(f"list {kernel}", ["kernel", kernel, *problem, "--dry-run"]) or ""
    rows = re.findall(r"^\|\s*(\d+)\s*\|([^|]*)\|([^|]*)\|$", text, re.M)
    return [index for index, _, rejected in rows if not rejected.strip()]


def build(session, before):
    """What checks and comparisons need, then every configuration that is tuned; with configurations tuned before, what comparisons need."""
    if before:
        tuned = tuned_before(before)
        for name, shared, contenders in COMPARISONS:
            session.run(f"build comparison of {name}", ["compare", *with_tuned(session, name, contenders, tuned), *shared, "--no-store"], 1800)
        return
    for name, kernel, problem, small, _ in KERNELS:
        session.run(f"build check of {name}", ["kernel", kernel, *small, "--check", "--prof_type=disabled", "--no-store"], 900)
        session.run(f"build {name}", ["kernel", kernel, *problem, "--build", "--no-store"], 900)
    for name, shared, contenders in COMPARISONS:
        words = [re.sub(r"\{.*\}", "", c) for c in those_known(session, name, contenders)]
        session.run(f"build comparison of {name}", ["compare", *words, *shared, "--no-store"], 1800)
    for name, kernel, problem, _, _ in sorted(KERNELS, key=lambda k: k[4] != k[0]):
        for index in legal_configurations(session, kernel, problem):
            session.run(f"build {name} {index}", ["kernel", kernel, *problem, f"--config={index}", "--build", "--no-store"], 900)


def tuned_before(file):
    """Configurations by tuning, as words of a command line: "best: a=1 b=2 (…)" and whether the plan's own stays are in the result."""
    words = {name: one["best"].split(" (")[0] for name, one in json.loads(Path(file).read_text())["tuned"].items()}
    return {name: word.replace(" ", ",") for name, word in words.items()}


def with_tuned(session, name, contenders, tuned):
    return [re.sub(r"\{tuned:(\w+)\}", lambda m: "," + tuned[m[1]] if tuned.get(m[1]) else "", c) for c in those_known(session, name, contenders)]


def compared(session, tuned, summary):
    for name, shared, contenders in COMPARISONS:
        file = session.out / f"compare_{name}.json"
        words = with_tuned(session, name, contenders, tuned)
        text = session.run(f"compare {name}", ["compare", *words, *shared, "--no-store", f"--json={file}"]) or ""
        (session.out / f"compare_{name}.txt").write_text(text)
        summary["comparisons"][name] = json.loads(file.read_text()) if file.exists() else None
        print(text, flush=True)
    return summary


def measure(session, before):
    tuned, summary = {}, {"checks": {}, "tuned": {}, "timing": {}, "comparisons": {}}
    if before:
        summary["tuned"] = tuned_before(before)
        return compared(session, summary["tuned"], summary)
    for name, kernel, _, small, _ in KERNELS:
        file = session.out / f"check_{name}.json"
        session.run(f"check {name}", ["kernel", kernel, *small, "--check", "--prof_type=disabled", "--no-store", f"--json={file}"])
        if file.exists():
            summary["checks"][name] = json.loads(file.read_text()).get("check")
    for name, kernel, problem, _, tuning in KERNELS:
        if tuning != name:
            continue
        text = session.run(f"tune {name}", ["kernel", kernel, *problem, "--autotune", f"--store={session.out / 'runs.db'}"]) or ""
        (session.out / f"tune_{name}.txt").write_text(text)
        found = re.search(r"^run it: .*--config=(\S+)", text, re.M)
        tuned[name] = summary["tuned"][name] = found[1].strip("'") if found else ""
    for name, kernel, problem, _, tuning in KERNELS:
        file = session.out / f"run_{name}.json"
        config = [f"--config={tuned[tuning]}"] if tuned[tuning] else []
        session.run(f"time {name}", ["kernel", kernel, *problem, *config, "--prof_type=annotation", "--check", "--no-store", f"--json={file}"])
        if file.exists():
            run = json.loads(file.read_text())
            rows = {m.get("tag"): m.get("value") for m in run.get("metrics", [])}
            summary["timing"][name] = {tag: rows.get(tag) for tag in
                                       ("duration_us", "rate_tflops", "bandwidth_tbs", "roofline_percent", "tc_percent", "dram_percent", "registers")}
            summary["checks"][name + "_whole"] = run.get("check")
    return compared(session, tuned, summary)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds after which nothing more is begun")
    parser.add_argument("--tuned", help="result of an earlier run: its configurations, comparisons alone")
    args = parser.parse_args()
    session = Session(args)
    summary = build(session, args.tuned) if args.build else measure(session, args.tuned)
    (session.out / "comparison.json").write_text(json.dumps({"summary": summary, "steps": session.lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
