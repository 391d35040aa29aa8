# with: dsl-sources
# A function of the library chooses the copy operation: the run knows which.
import cutlass
import cutlass.cute as cute
import cutlass.utils.mixed_input_helpers as mixed_input_utils
from cutlass.cute.runtime import make_fake_compact_tensor


class Kernel:
    def __init__(self, cluster):
        self.cluster = cluster

    @cute.jit
    def __call__(self, a: cute.Tensor):
        load = mixed_input_utils.get_tma_atom_kind(self.cluster > 1, False, False)
        layout = cute.make_ordered_layout((64, 64), order=(1, 0))
        atom, tensor = cute.nvgpu.cpasync.make_tiled_tma_atom(  # expect: H1 tma-descriptor direction=load multicast=false operation=CopyBulkTensorTileG2SOp
            load,
            a,
            layout,
            (64, 64),
        )
        self.kernel(atom, tensor).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, tensor: cute.Tensor):
        tidx, _, _ = cute.arch.thread_idx()


def main():
    cute.compile(Kernel(1), make_fake_compact_tensor(cutlass.Float16, (512, 512), stride_order=(1, 0)))


if __name__ == "__main__":
    main()
