import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


def rows_get_copy_fn(thread_copy, source, destination, rows):
    def copy(index):
        cute.copy(thread_copy, source[rows[index], None], destination[index, None])

    return copy


class Kernel:
    def make_copy(self):
        atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128)
        return cute.make_tiled_copy_tv(atom, cute.make_layout(32), cute.make_layout(8))

    @cute.kernel
    def kernel(self, mA: cute.Tensor, rows: cute.Tensor, sA: cute.Tensor):
        thread_copy = self.make_copy().get_slice(0)
        copy_rows = rows_get_copy_fn(thread_copy, mA, sA, rows)  # expect: D3 copy operation=cp-async
        copy_rows(0)


class Loader:
    def load(self, source, destination):
        destination[0] = source[0]


@cute.kernel
def loading_kernel(source: cute.Tensor, destination: cute.Tensor):
    loader = Loader()
    loader.load(source, destination)  # expect: D3 copy operation=cp-async
    cute.arch.cp_async_commit_group()
