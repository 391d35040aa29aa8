# expect-arch: sm_90a
from types import SimpleNamespace

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def make_pipeline(self, barriers, stages):
        return pipeline.PipelineTmaUmma.create(num_stages=stages, barrier_storage=barriers)  # expect: D2 pipeline-helper

    @cute.jit
    def load(self, shared, state):
        shared.first.producer_acquire(state)  # expect: D2 acquire pipeline=first_ring class=PipelineTmaUmma
        shared.second.producer_acquire(state)  # expect: D2 acquire pipeline=second_ring

    @cute.kernel
    def kernel(self, barriers: cute.Pointer):
        first_ring = self.make_pipeline(barriers, 1)  # expect: D2 pipeline class=PipelineTmaUmma stages=1
        second_ring = self.make_pipeline(barriers, 15)  # expect: D2 pipeline class=PipelineTmaUmma stages=15
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        shared = SimpleNamespace(first=first_ring, second=second_ring)
        self.load(shared, state)
        cute.arch.warpgroup_reg_alloc(40)
