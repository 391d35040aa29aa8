"""A package's kernel behind an operator of torch for CUDA devices, as packages of kernels register theirs."""
import scale
import torch
from cutlass.cute.runtime import from_dlpack


@torch.library.custom_op("cutelab_test::scale", mutates_args=("target",), device_types="cuda")
def scale_into(source: torch.Tensor, target: torch.Tensor, threads: int) -> None:
    workspace = torch.empty(source.shape, dtype=source.dtype, device="cuda")  # the operator's own code, too, means the device
    scale.scale(from_dlpack(source), from_dlpack(workspace), threads)


@scale_into.register_fake
def _(source, target, threads):
    return None


def scaled(source, threads):
    target = torch.empty_like(source)
    torch.ops.cutelab_test.scale(source, target, threads)
    return target
