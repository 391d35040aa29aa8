# Accumulators that helpers give back: rebased on tensor memory by one, in registers by the other. For the first the
# compiler says tensor-memory, where the name of what the helper calls would say registers.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    @cute.jit
    def __call__(self, mma, x):
        self.kernel(mma, x).launch(grid=[1, 1, 1], block=[128, 1, 1])

    def partition(self, tiled_mma, smem_a, tmem_acc_ptr):
        tCrA = tiled_mma.make_fragment_A(smem_a)
        tCtAcc = self.partition_c(tiled_mma, tmem_acc_ptr)
        return tCrA, tCtAcc

    def partition_c(self, tiled_mma, tmem_acc_ptr):
        acc_fake = tiled_mma.make_fragment_C(tiled_mma.partition_shape_C((128, 64)))
        return cute.make_tensor(tmem_acc_ptr, acc_fake.layout)

    def in_registers(self, tiled_mma, smem_a):
        tCrA = tiled_mma.make_fragment_A(smem_a)
        made = cute.make_rmem_tensor((128, 64), cutlass.Float32)
        return tCrA, made

    def somewhere(self, tiled_mma, smem_a, given):
        tCrA = tiled_mma.make_fragment_A(smem_a)
        spare = cute.make_rmem_tensor((1, 1), cutlass.Float32)
        return tCrA, given.pick(spare)

    @cute.kernel
    def kernel(self, tiled_mma, x):
        tmem = utils.TmemAllocator(x.iterator)
        tmem.allocate(512)
        tmem_ptr = tmem.retrieve_ptr(cutlass.Float32)
        tCrA, tCtAcc1 = self.partition(tiled_mma, x, tmem_ptr)  # expect: D4 accumulator accumulator=tensor-memory
        tCrB, tCtAcc2 = self.partition(tiled_mma, x, tmem_ptr + 64)  # expect: D4 accumulator accumulator=tensor-memory
        tCrC, acc3 = self.in_registers(tiled_mma, x)  # expect: D4 accumulator accumulator=registers
        tCrD, acc4 = self.somewhere(tiled_mma, x, x)  # expect: D4 accumulator accumulator=?
