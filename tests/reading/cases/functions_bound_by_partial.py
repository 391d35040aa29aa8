from functools import partial

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync

PACKED = False


def packed_atom(operation, tensor):
    return cpasync.make_tiled_tma_atom(operation, tensor, None, None)


class Kernel:
    @cute.jit
    def __call__(self, mQ: cute.Tensor):
        make_atom = partial(packed_atom, mQ) if cutlass.const_expr(PACKED) else cpasync.make_tiled_tma_atom
        atom, tensor = make_atom(cpasync.CopyBulkTensorTileG2SOp(), mQ, None, None)  # expect: H1 tma-descriptor direction=load tensor=mQ
        self.kernel(atom, tensor).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.jit
    def step(self, index, ring: pipeline.PipelineAsync, state):
        ring.consumer_wait_w_index_phase(index, state)  # expect: D2 wait class=PipelineTmaAsync pipeline=ring
        ring.consumer_release_w_index(index)  # expect: D2 release class=PipelineTmaAsync

    @cute.kernel
    def kernel(self, atom, tensor: cute.Tensor):
        ring = pipeline.PipelineTmaAsync.create(num_stages=2)
        one_step = partial(self.step, ring=ring, state=0)
        for i in cutlass.range(4):
            one_step(i)
