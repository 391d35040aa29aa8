#!/usr/bin/env python3
"""Compile every example for sm_90a; needs no GPU.

usage: compile_examples.py [--python PYTHON] [--nvcc NVCC] [--cutlass INCLUDE_DIR] [--only dsl|cpp]

CuTe DSL examples need a Python with nvidia-cutlass-dsl, CuTe C++ examples need nvcc and the CUTLASS headers. What is
not there is skipped by name and reason. Exit codes: 0 all that could be compiled was, 1 an example does not compile,
77 nothing could be compiled.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("CUTELAB_DEPS", ROOT / "build/deps"))

# Beyond the defaults: every example once, and the configurations whose code differs.
VARIANTS = {
    "rmsnorm": [["--use_pdl"]],
    "elementwise_add": [["--dtype", "float32"]],
    "gemm_persistent_warp_specialized": [["--cluster_mn", "2,1"], ["--tile_mn", "128,256", "--dtype", "bfloat16"]],
    "gemm_wgmma_pipelined": [["--tile_mn", "64,64"]],
}


def has_dsl(python):
    probe = "import importlib.util as u; raise SystemExit(0 if u.find_spec('cutlass.cute') else 1)"
    try:
        return subprocess.run([python, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def find_python(asked):
    candidates = [asked] if asked else [str(DEPS / "dsl/bin/python"), os.environ.get("CUTELAB_DSL_PYTHON"), sys.executable]
    return next((c for c in candidates if c and has_dsl(c)), None)


def find_headers(asked):
    for place in [asked] if asked else [DEPS / "cutlass/cutlass_library/source/include"]:
        if place and (Path(place) / "cute/tensor.hpp").is_file():
            return Path(place)
    return None


def run(name, command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {name}", flush=True)
    if done.returncode != 0:
        print("  $ " + " ".join(map(str, command)))
        print("\n".join("  " + line for line in (done.stdout + done.stderr).splitlines()[-30:]))
    return done.returncode == 0


def compile_dsl(python):
    sources = [p for p in sorted((ROOT / "examples/cute_dsl").glob("*.py")) if p.name != "common.py"]
    if not python:
        for p in sources:
            print(f"SKIP   {p.name}: no Python with nvidia-cutlass-dsl (`cutelab setup dsl` installs it)")
        return []
    environment = dict(os.environ, CUTE_DSL_ARCH="sm_90a", PYTHONDONTWRITEBYTECODE="1")
    results = []
    for p in sources:
        for flags in [[]] + VARIANTS.get(p.stem, []):
            label = " ".join([p.name, *flags])
            results.append(run(label, [python, str(p), "--compile_only", *flags], environment))
    return results


def compile_cpp(nvcc, headers):
    sources = sorted((ROOT / "examples/cute_cpp").glob("*.cu"))
    missing = None if nvcc else "no nvcc"
    missing = missing or (None if headers else "no CUTLASS headers (`cutelab setup cutlass` installs them)")
    if missing:
        for p in sources:
            print(f"SKIP   {p.name}: {missing}")
        return []
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for p in sources:
            command = [nvcc, "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a", "--expt-relaxed-constexpr",
                       f"-I{headers}", "-c", str(p), "-o", str(Path(folder) / (p.stem + ".o"))]
            results.append(run(p.name, command, os.environ))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", help="a Python with nvidia-cutlass-dsl")
    parser.add_argument("--nvcc", help="the CUDA compiler")
    parser.add_argument("--cutlass", help="the CUTLASS include folder")
    parser.add_argument("--only", choices=["dsl", "cpp"], help="one language")
    args = parser.parse_args()
    results = []
    if args.only != "cpp":
        results += compile_dsl(find_python(args.python))
    if args.only != "dsl":
        results += compile_cpp(args.nvcc or shutil.which("nvcc"), find_headers(args.cutlass))
    if not results:
        return 77
    print(f"{sum(results)} of {len(results)} compiled")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
