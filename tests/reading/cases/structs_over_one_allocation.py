# Operands and output share one allocation, each under a struct of its own.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    @cute.jit
    def __call__(self, a: cute.Tensor):
        sA_layout = cute.make_ordered_layout((64, 32, 4), order=(1, 0, 2))
        sC_layout = cute.make_ordered_layout((64, 64), order=(1, 0))
        self.kernel(a, sA_layout, sC_layout).launch(grid=(1, 1, 1), block=(128, 1, 1))  # expect: H2 launch smem_bytes=16384

    @cute.kernel
    def kernel(self, a: cute.Tensor, sA_layout: cute.Layout, sC_layout: cute.Layout):
        @cute.struct
        class Operands:
            a: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(sA_layout)], 16]

        @cute.struct
        class Output:
            c: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(sC_layout)], 16]

        smem = utils.SmemAllocator()
        storage = smem.allocate(max(Operands.size_in_bytes(), Output.size_in_bytes()), byte_alignment=16)
        sA = Operands(storage).a.get_tensor(sA_layout)
        sC = Output(storage).c.get_tensor(sC_layout)  # expect: H3 alias of=Operands
        stages = cute.size(sA, mode=[2])
        cute.arch.cp_async_wait_group(stages - 2)  # expect: D3 copy-group pending=2


Kernel()(None)
