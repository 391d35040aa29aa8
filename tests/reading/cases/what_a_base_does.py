"""What a base class and helpers of another file do for a kernel: shared memory, copies, barriers; a barrier handed on."""
# expect-pattern: P7 present
# expect-arch: sm_90
from functools import partial

import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from helpers_of_a_base import Reduction, copy as copy_tensor
from elsewhere import reduce_row


class Softmax(Reduction):
    def __init__(self, cluster_n: int):
        self.cluster_n = cluster_n

    @cute.jit
    def __call__(self, mdX: cute.Tensor, tiled: cute.TiledCopy):
        self.kernel(mdX, tiled).launch(
            grid=[1, self.cluster_n, 1], block=[128, 1, 1],
            cluster=[1, self.cluster_n, 1] if cutlass.const_expr(self.cluster_n > 1) else None,
        )

    @cute.kernel
    def kernel(self, mdX: cute.Tensor, tiled: cute.TiledCopy):
        smem = utils.SmemAllocator()
        sdX = smem.allocate_tensor(cutlass.Float16, cute.make_layout(1024), 16)
        buffer = self._allocate_buffer(smem)  # expect: H3 allocation
        self._join_cluster()  # expect: D5 barrier
        tXgdX = tiled.get_slice(0).partition_S(mdX)
        tXsdX = tiled.get_slice(0).partition_D(sdX)
        move = partial(copy_tensor, pred=None)
        move(tXgdX, tXsdX, is_async=True)  # expect: D3 copy operation=cp-async
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        reduce_row(tXsdX, hook_fn=cute.arch.cluster_wait if cutlass.const_expr(self.cluster_n > 1) else None)  # expect: D5 barrier
        cute.arch.cluster_arrive()
        move(tXsdX, tXgdX)
