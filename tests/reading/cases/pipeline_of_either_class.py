# One method makes a pipeline of two classes, by a condition that only the constructor's call decides. The compiler
# makes PipelineTmaMultiConsumersAsync; the class that stands first in the source is PipelineTmaUmma.
import argparse

import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self, has_d: bool):
        self.has_d = has_d

    def make_ring(self, barriers):
        producer = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        if not self.has_d:
            return pipeline.PipelineTmaUmma.create(
                num_stages=2, producer_group=producer, consumer_group=producer, tx_count=64, barrier_storage=barriers
            )
        else:
            return pipeline.PipelineTmaMultiConsumersAsync.create(
                num_stages=2,
                producer_group=producer,
                consumer_group_umma=producer,
                consumer_group_async=producer,
                tx_count=64,
                barrier_storage=barriers,
            )

    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=[1, 1, 1], block=[128, 1, 1])

    @cute.kernel
    def kernel(self, x):
        ring = self.make_ring(x.iterator)
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 2)
        ring.producer_acquire(state)  # expect: D2 acquire class=PipelineTmaMultiConsumersAsync
        ring.consumer_wait(state)  # expect: D2 wait class=PipelineTmaMultiConsumersAsync
        ring.consumer_release(state)  # expect: D2 release class=PipelineTmaMultiConsumersAsync
        ring.producer_tail(state)  # expect: D2 tail class=PipelineTmaMultiConsumersAsync


def run(fuse: str, x):
    has_d = fuse != "none"
    Kernel(has_d)(x)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fuse", default="scale", type=str)
    args = parser.parse_args()
    run(args.fuse, None)
