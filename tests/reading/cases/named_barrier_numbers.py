import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.exchange = pipeline.NamedBarrier(barrier_id=3, num_threads=32 * 4)  # expect: D5 barrier id=3 threads=128

    @cute.kernel
    def kernel(self):
        self.exchange.wait()  # expect: D5 barrier id=3 threads=128
        self.exchange.arrive_and_wait()  # expect: D5 barrier id=3 threads=128
        cute.arch.barrier(barrier_id=2, number_of_threads=256)  # expect: D5 barrier id=2 threads=256
