"""Compiles functions of a cuTile package ahead of time, without a GPU: one cubin a function, and kernel.json that says what they take.

usage: export.py REQUEST.json     { source, arch, out, steps: [{ function, warps, parameters }] }

A parameter is a number or a truth value that is compiled in, or { array: element type, rank, contiguous, divisible }: the array's
stride is 1 in dimension `contiguous`; its other strides, and its extent there, are multiples of `divisible` elements.
Exit codes: 0 done, 1 it does not compile (the reason is on stderr).
"""
import importlib.metadata
import importlib.util
import json
import sys
import time
from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, export_kernel

DTYPES = {"bf16": ct.bfloat16, "fp16": ct.float16, "fp32": ct.float32, "int32": ct.int32, "e4m3": ct.float8_e4m3fn, "e5m2": ct.float8_e5m2}
ADDRESS_ALIGNMENT = 16  # bytes; the driver gives out 256


def constraint(parameter):
    """What the compiler may take for granted about a parameter."""
    if not isinstance(parameter, dict):
        return parameter
    rank, contiguous, divisible = (parameter[name] for name in ("rank", "contiguous", "divisible"))
    unit = [i == contiguous for i in range(rank)]
    return ArrayConstraint(
        DTYPES[parameter["array"]], rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
        stride_constant=[1 if one else None for one in unit], stride_divisible_by=[1 if one else divisible for one in unit],
        shape_divisible_by=[divisible if one else 1 for one in unit], base_addr_divisible_by=ADDRESS_ALIGNMENT)


def sizes(parameters):
    """Bytes of each argument by the calling convention: per array a pointer, its extents, its strides."""
    return [size for p in parameters if isinstance(p, dict) for size in [8] + [4] * (2 * p["rank"])]


def load(source):
    spec = importlib.util.spec_from_file_location("kernel", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def export(step, module, request):
    function = getattr(module, step["function"])
    if step["warps"]:
        function = function.replace_hints(num_worker_warps=step["warps"])
    signature = KernelSignature([constraint(p) for p in step["parameters"]], CallingConvention.cutile_python_v1(), symbol=step["function"])
    cubin = step["function"] + ".cubin"
    export_kernel(function, [signature], str(Path(request["out"]) / cubin), gpu_code=request["arch"], output_format="cubin")
    return {"cubin": cubin, "symbol": step["function"], "parameters": sizes(step["parameters"])}


def main():
    request = json.loads(Path(sys.argv[1]).read_text())
    begin = time.monotonic()
    module = load(request["source"])
    steps = [export(step, module, request) for step in request["steps"]]
    versions = [importlib.metadata.version(name) for name in ("cuda-tile", "nvidia-cuda-tileiras")]
    record = {"schema": "cutelab.tile_kernel", "schema_version": 1, "arch": request["arch"],
              "compiler": f"cuTile {versions[0]}, tileiras {versions[1]}", "seconds": round(time.monotonic() - begin, 2), "steps": steps}
    (Path(request["out"]) / "kernel.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except ct.TileError as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
