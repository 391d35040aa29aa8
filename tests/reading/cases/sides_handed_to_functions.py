# A role that hands a side of a pipeline to a function works on it there; a branch below the next role's first
# warp is named for the constant that lists its warps.
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        self.scale_warp_ids = (0, 1, 2, 3)
        self.correct_warp_ids = (4, 5, 6, 7)

    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(grid=(1, 1, 1), block=(256, 1, 1))

    @cute.kernel
    def kernel(self, x):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        ring_producer, ring_consumer = pipeline.PipelineAsync.create(num_stages=2, producer_group=4, consumer_group=4).make_participants()  # expect: D2 pipeline producer=(scale) consumer=(correct)
        if warp_idx < self.correct_warp_ids[0]:  # expect: D1 role warps=(0,1,2,3)
            for i in range(8):
                self.scale(args=(x, ring_producer))
        if warp_idx >= self.correct_warp_ids[0]:
            for i in range(8):
                self.correct(x, ring_consumer)

    @cute.jit
    def scale(self, args):
        x, producer = args
        cute.copy(x, x, x)

    @cute.jit
    def correct(self, x, consumer):
        cute.copy(x, x, x)


Kernel()(None)
