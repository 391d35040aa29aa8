# A package without a main program: what a run of its host function knows of a condition says what is left out.
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


class Kernel:
    def __init__(self):
        wide = 0
        for width in (4, 8, 16):
            wide += width
        self.use_tma = wide > 20

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.kernel(a).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        if cutlass.const_expr(self.use_tma):
            ring = pipeline.PipelineTmaAsync.create(num_stages=2)  # expect: D2 pipeline class=PipelineTmaAsync
        else:
            ring = pipeline.PipelineCpAsync.create(num_stages=2)  # expect: D2 pipeline class=PipelineCpAsync active=false condition=notcutlass.const_expr(self.use_tma)
