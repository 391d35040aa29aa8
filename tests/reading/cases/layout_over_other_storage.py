# The output takes the storage of an operand under a swizzled layout of its own.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    @cute.jit
    def __call__(self, q: cute.Tensor):
        atom = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))
        sQ_layout = cute.tile_to_shape(atom, (128, 64), (0, 1))
        sO_layout = cute.tile_to_shape(atom, (128, 64), (0, 1))
        self.kernel(q, sQ_layout, sO_layout).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, q: cute.Tensor, sQ_layout: cute.ComposedLayout, sO_layout: cute.ComposedLayout):
        smem = utils.SmemAllocator()
        sQ = smem.allocate_tensor(cutlass.Float16, sQ_layout, 1024)
        sO = cute.make_tensor(sQ.iterator, sO_layout)  # expect: D6 swizzle-applied says=sO_layoutappliedtothestorageofsQ; H3 alias of=sQ


Kernel()(None)
