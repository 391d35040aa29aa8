import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pl


class Kernel:
    def __init__(self):
        self.ring = 5  

    def make_ring(self, storage):
        group = pl.CooperativeGroup(pl.Agent.Thread)
        return pl.PipelineTmaAsync.create(  # expect: D2 pipeline class=PipelineTmaAsync stages=5 defer_sync=true
            num_stages=self.ring,
            producer_group=group,
            consumer_group=pl.CooperativeGroup(pl.Agent.Thread, 5),
            barrier_storage=storage,
            tx_count=self.bytes,
            defer_sync=True,
        ).make_participants()

    @cute.jit
    def __call__(self, x):
        self.bytes = 2 * 64 * 64  # expect: D2 transaction-bytes bytes=8192
        self.kernel(x).launch(grid=[1, 1, 1], block=[160, 1, 1])

    @cute.kernel
    def kernel(self, x):
        fill, drain = self.make_ring(x)  # expect: D2 pipeline-helper
        slot = fill.acquire_and_advance()  # expect: D2 acquire class=PipelineTmaAsync
        slot.commit()  # expect: D2 commit class=PipelineTmaAsync
        full = drain.wait_and_advance()  # expect: D2 wait class=PipelineTmaAsync
        full.release()  # expect: D2 release class=PipelineTmaAsync
        fill.tail()  # expect: D2 tail class=PipelineTmaAsync
