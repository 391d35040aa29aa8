"""Host-side plumbing shared by the examples: flags, fake tensors, compile, export, run and check.

Nothing here is about a kernel. An example builds a compiled function through `finish`, which either stops after
compiling (`--compile_only`, no GPU needed), writes an object file with a C header (`--export DIR`, no GPU needed), or
runs it on torch tensors and compares with a reference.
"""

import argparse
import os
import pathlib
import sys

if "--compile_only" in sys.argv or "--export" in sys.argv:
    # Without a GPU there is nothing to ask for the architecture; the examples are written for Hopper.
    os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack, make_fake_compact_tensor

DTYPES = {
    "float16": cutlass.Float16,
    "bfloat16": cutlass.BFloat16,
    "float32": cutlass.Float32,
}


def argument_parser(description):
    """A parser with the flags that every example has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--compile_only", action="store_true", help="stop after compiling; needs no GPU")
    parser.add_argument("--export", metavar="DIR", help="write an object file and a C header there; needs no GPU")
    return parser


def fake(dtype, shape, leading_dim=-1):
    """A stand-in for a compact tensor: fixed extents, a pointer aligned to 16 bytes, no memory."""
    rank = len(shape)
    leading = leading_dim % rank
    slower = [mode for mode in reversed(range(rank)) if mode != leading]
    order = [0] * rank
    for place, mode in enumerate(slower, start=1):
        order[mode] = place
    return make_fake_compact_tensor(dtype, shape, stride_order=tuple(order), assumed_align=16)


def finish(flags, name, function, tensors, *scalars, reference):
    """Compile `function(*tensors, *scalars)` and do what the flags ask.

    tensors: list of (cutlass dtype, shape); the last one is the output.
    reference: inputs as float32 torch tensors -> expected output.
    Returns True when the result is right or nothing was run.
    """
    fakes = [fake(dtype, shape) for dtype, shape in tensors]
    compiled = cute.compile(function, *fakes, *scalars)
    print(f"compiled {name}")
    if flags.export:
        folder = pathlib.Path(flags.export)
        folder.mkdir(parents=True, exist_ok=True)
        compiled.export_to_c(file_path=str(folder), file_name=name, function_prefix=name)
        print(f"exported {folder / name}.o and {folder / name}.h")
    if flags.compile_only or flags.export:
        return True
    return run_and_check(name, function, tensors, scalars, reference)


def run_and_check(name, function, tensors, scalars, reference):
    import torch

    torch.manual_seed(0)
    types = {cutlass.Float16: torch.float16, cutlass.BFloat16: torch.bfloat16, cutlass.Float32: torch.float32}
    inputs = [torch.randn(shape, device="cuda").to(types[dtype]) for dtype, shape in tensors[:-1]]
    out_dtype, out_shape = tensors[-1]
    out = torch.full(out_shape, float("nan"), device="cuda", dtype=types[out_dtype])
    cute_tensors = [from_dlpack(t, assumed_align=16) for t in (*inputs, out)]
    compiled = cute.compile(function, *cute_tensors, *scalars)
    run_time = [s for s in scalars if not isinstance(s, (bool, int))]
    compiled(*cute_tensors, *run_time)
    torch.cuda.synchronize()
    expected = reference(*[t.float() for t in inputs])
    error = ((out.float() - expected).norm() / expected.norm()).item()
    # One rounding to the output type per element, plus the order of summation.
    tolerance = {cutlass.Float16: 2e-3, cutlass.BFloat16: 1e-2, cutlass.Float32: 1e-5}[out_dtype]
    right = error <= tolerance
    print(f"{name}: relative error {error:.2e}, tolerance {tolerance:.0e}: {'right' if right else 'WRONG'}")
    return right
