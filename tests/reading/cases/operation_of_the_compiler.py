import os

import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import nvvm
from cutlass.cutlass_dsl import dsl_user_op

PLAIN = os.getenv("KERNEL_PLAIN_COPY", None) is not None


@dsl_user_op
def load(address, descriptor, barrier, *, loc=None, ip=None):
    nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(address, descriptor, [0, 0], barrier, [])  # expect: D3 copy operation=tma-load


@cute.kernel
def kernel(tma_atom, gA: cute.Tensor, sA: cute.Tensor, descriptor, barrier):
    by_operation = cutlass.const_expr(not PLAIN)
    if by_operation:
        load(sA, descriptor, barrier)  # expect: D3 copy operation=tma-load
    else:
        cute.copy(tma_atom, gA, sA, tma_bar_ptr=barrier)  # expect: D3 copy active=false


@cute.jit
def host(a: cute.Tensor):
    kernel(None, a, a, None, None).launch(grid=(1, 1, 1), block=(32, 1, 1))
