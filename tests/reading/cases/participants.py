# expect-pattern: P10 present
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    @cute.kernel
    def kernel(self, storage):
        ring_producer, ring_consumer = pipeline.PipelineTmaUmma.create(  # expect: D2 pipeline class=PipelineTmaUmma participants=ring_producer,ring_consumer
            barrier_storage=storage.full.data_ptr(), num_stages=4
        ).make_participants()
        ring_producer.tail()
