# allocate_tensor(element_type, layout, byte_alignment, swizzle): the swizzle may be told by its place.
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(layout: cute.ComposedLayout):
    smem = cutlass.utils.SmemAllocator()
    sQ = smem.allocate_tensor(cutlass.Float16, layout.outer, 128, layout.inner)  # expect: D6 swizzle-applied swizzle=layout.inner
    sM = smem.allocate_tensor(cutlass.Float32, cute.make_layout(8), 16, None)


@cute.jit
def run(layout: cute.ComposedLayout):
    kernel(layout).launch(grid=[1, 1, 1], block=[128, 1, 1])
