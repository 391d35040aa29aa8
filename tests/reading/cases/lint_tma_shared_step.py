# Rows contiguous in global memory, columns contiguous in shared memory: the second mode steps by one element.
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.nvgpu import cpasync


@cute.jit
def host(mA: cute.Tensor):
    op = cpasync.CopyBulkTensorTileG2SOp()
    turned = cute.make_layout((64, 32), stride=(1, 64))
    atom, tensor = cpasync.make_tiled_tma_atom(op, mA, turned, (64, 32))  # expect-lint: tma-shared-step mode 0: 64 elements step by 1 × 16 bits; an error from nvidia-cutlass-dsl 4.6 on


host(torch.empty((256, 128), dtype=torch.float16))
