# with: dsl-sources
# What moved from cutlass.utils to packages of its own is found under both names: the layout tag in
# cutlass.tensor_utils, the allocator and the capacity in cutlass.memory.
# expect-pattern: P6 present default_active
import cutlass
import cutlass.cute as cute
import cutlass.memory
import cutlass.tensor_utils
import cutlass.utils as utils
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.runtime import make_fake_compact_tensor


class Kernel:
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        a_layout = cutlass.tensor_utils.LayoutEnum.from_tensor(a)
        b_layout = utils.LayoutEnum.from_tensor(b)
        a_smem = sm90_utils.make_smem_layout_a(a_layout, (128, 128, 64), a.element_type, 2)
        b_smem = sm90_utils.make_smem_layout_b(b_layout, (128, 128, 64), b.element_type, 2)
        self.kernel(a_smem, b_smem).launch(  # expect: H2 launch smem_bytes=65536 threads=128
            grid=(1, 1, 1),
            block=(128, 1, 1),
        )

    @cute.kernel
    def kernel(self, a_smem: cute.ComposedLayout, b_smem: cute.ComposedLayout):
        smem = cutlass.memory.SmemAllocator()
        sA = smem.allocate_tensor(cutlass.Float16, a_smem.outer, 1024, a_smem.inner)
        sB = smem.allocate_tensor(cutlass.Float16, b_smem.outer, 1024, b_smem.inner)


def main():
    fakes = [make_fake_compact_tensor(cutlass.Float16, (512, 512), stride_order=(1, 0)) for _ in range(2)]
    cute.compile(Kernel(), *fakes)


if __name__ == "__main__":
    main()
