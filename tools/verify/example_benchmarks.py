#!/usr/bin/env python3
"""What CUTLASS's examples measure of themselves: the figure of each program's own benchmark, for the table in docs/imports.md.

usage: example_benchmarks.py CUTLASS_DIR -o FILE [--only TEXT] [--limit SECONDS]

Runs on a machine with a GPU, with a Python that has nvidia-cutlass-dsl, apache-tvm-ffi and torch. Each program of PROGRAMS runs in a process of
its own with 50 timed launches after 10; what `testing.benchmark` returns to it is kept in microseconds, one figure for each call. The programs'
inputs are mostly small integers, their time is a mean over launches in a row, and where they offer it (`--use_cold_l2`) they take fresh memory
each time. A program that fails is named with the end of its error. Exit code: 1 if one failed.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

BASE = "examples/python/CuTeDSL/"
HOPPER, AMPERE = BASE + "cute/hopper/kernel/", BASE + "cute/ampere/kernel/"
TIMED = ["--warmup_iterations", "10", "--iterations", "50", "--skip_ref_check"]
COLD = [*TIMED, "--use_cold_l2"]
WHOLE = ["--mnkl", "4096,4096,4096,1"]
SMALL_FLASH = ["--batch_size", "1", "--seqlen_q", "1024", "--seqlen_k", "1024", "--num_head", "4"]
# (package, what of it, program, options)
PROGRAMS = [
    ("hopper_dense_gemm", "4096³", HOPPER + "dense_gemm/dense_gemm.py", [*WHOLE, *COLD]),
    ("hopper_dense_gemm_persistent", "4096³", HOPPER + "dense_gemm/dense_gemm_persistent.py", [*WHOLE, *COLD]),
    ("hopper_dense_gemm_fp8_2xacc", "1024³", HOPPER + "dense_gemm/dense_gemm_fp8_2xacc.py", ["--mnkl", "1024,1024,1024,1", *COLD]),
    ("hopper_dense_gemm_fp8_2xacc", "4096³", HOPPER + "dense_gemm/dense_gemm_fp8_2xacc.py", [*WHOLE, *COLD]),
    ("hopper_dense_gemm_fp8_gelu_persistent", "4096³", HOPPER + "dense_gemm/dense_gemm_fp8_gelu_persistent.py", [*WHOLE, *COLD]),
    ("hopper_fmha", "default", HOPPER + "attention/fmha.py", COLD),
    ("hopper_fmha", "causal", HOPPER + "attention/fmha.py", ["--is_causal", *COLD]),
    ("hopper_cta_norm v0", "layer norm", HOPPER + "cta_norm/cta_norm.py", ["--benchmark", *TIMED]),
    ("hopper_cta_norm v1", "RMS norm", HOPPER + "cta_norm/cta_norm.py", ["--norm_type", "rms", "--benchmark", *TIMED]),
    ("hopper_grouped_gemm", "one of 4096³", HOPPER + "grouped_gemm/grouped_gemm.py", COLD),
    ("hopper_grouped_gemm", "four", HOPPER + "grouped_gemm/grouped_gemm.py",
     ["--num_groups", "4", "--problem_sizes_mnkl", "((8192,1280,32,1),(16,384,1536,1),(640,1280,16,1),(640,160,16,1))", *TIMED]),
    ("ampere_tensorop_gemm", "1024³", AMPERE + "dense_gemm/tensorop_gemm.py", ["--mnkl", "1024,1024,1024,1", *COLD]),
    ("ampere_tensorop_gemm", "4096³", AMPERE + "dense_gemm/tensorop_gemm.py", [*WHOLE, *COLD]),
    ("ampere_flash_attention", "1024", AMPERE + "attention/flash_attention_v2.py", [*SMALL_FLASH, *COLD]),
    ("ampere_flash_attention", "1024, causal", AMPERE + "attention/flash_attention_v2.py", [*SMALL_FLASH, "--is_causal", *COLD]),
    ("ampere_elementwise_add", "4096×8192", AMPERE + "elementwise/elementwise_add.py", ["--M", "4096", "--N", "8192", "--benchmark", *TIMED]),
    ("blackwell_rmsnorm", "2048×4096", BASE + "cute/blackwell/kernel/rmsnorm/rmsnorm.py", ["--benchmark", *TIMED]),
    ("programmatic_dependent_launch", "1024×4096", BASE + "dsl_tutorials/programmatic_dependent_launch.py",
     ["--M", "1024", "--N", "4096", "--benchmark", "--use_pdl", *TIMED]),
]
MARK = "benchmark returned"
WRAPPED = f"""
import runpy, sys
import cutlass.testing, cutlass.cute.testing
measure = cutlass.testing.benchmark
def told(*args, **named):
    us = measure(*args, **named)
    print("{MARK}", us, flush=True)
    return us
cutlass.testing.benchmark = cutlass.cute.testing.benchmark = told
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rsplit("/", 1)[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""
WHO = "import cutlass, torch; print(cutlass.__version__, torch.cuda.get_device_name(), sep='|')"


def figures(program, options, limit):
    """(microseconds of each call, what went wrong or nothing)."""
    try:
        done = subprocess.run([sys.executable, "-c", WRAPPED, str(program), *options], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return [], f"no end within {limit} s"
    told = [float(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode == 0 and told:
        return told, ""
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    return told, last[0] if last else f"exit code {done.returncode}, benchmark never called"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cutlass", type=Path, help="a CUTLASS checkout")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--only", default="", help="packages whose name holds this")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one program")
    args = parser.parse_args()
    dsl, device = subprocess.run([sys.executable, "-c", WHO], capture_output=True, text=True, check=True).stdout.strip().split("|")
    rows = []
    for package, what, program, options in PROGRAMS:
        if args.only not in package:
            continue
        us, wrong = figures(args.cutlass / program, options, args.limit)
        print(f"{package}, {what}: {', '.join(f'{one:.1f} us' for one in us) or '-'}{'  ' + wrong if wrong else ''}", flush=True)
        rows.append({"package": package, "what": what, "program": program, "options": options, "microseconds": us, "failed": wrong})
    result = {"schema_version": 1, "made_by": "tools/verify/example_benchmarks.py", "device": device, "dsl_version": dsl, "programs": rows}
    Path(args.output).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    return 1 if any(row["failed"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
