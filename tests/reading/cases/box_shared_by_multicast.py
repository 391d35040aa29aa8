# Two CTAs that multicast a tile load half of it each; one helper makes the descriptors of both operands.
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.nvgpu import cpasync


def make_descriptor(tensor, tile, ctas):
    op = cpasync.CopyBulkTensorTileG2SOp() if ctas == 1 else cpasync.CopyBulkTensorTileG2SMulticastOp()
    rows = cute.make_layout(tile, stride=(tile[1], 1))
    tma_atom, tma_tensor = cpasync.make_tiled_tma_atom(op, tensor, rows, tile, num_multicast=ctas)
    return tma_atom, tma_tensor


@cute.jit
def host(mA: cute.Tensor):
    tma_atom_a, tma_tensor_a = make_descriptor(mA, (64, 32), 2)  # expect: H1 tma-descriptor box=(32,32) boxes=1 multicast_degree=2
    tma_atom_b, tma_tensor_b = make_descriptor(mA, (64, 32), 1)  # expect: H1 tma-descriptor box=(32,64) boxes=1 multicast_degree=1


host(torch.empty((256, 128), dtype=torch.float16))
