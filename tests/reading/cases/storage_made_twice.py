# Compiled once for stand-ins and once more for the tensors: the struct is the same both times.
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack, make_fake_compact_tensor
import torch


class Kernel:
    @cute.jit
    def __call__(self, a: cute.Tensor):
        layout = cute.make_layout((64, 64))

        @cute.struct
        class SharedStorage:  # expect: H3 storage bytes=8320 alignment=128
            barrier: cute.struct.MemRange[cutlass.Int64, 1]
            tile: cute.struct.Align[cute.struct.MemRange[a.element_type, cute.cosize(layout)], 128]  # expect: H3 storage-member bytes=8192 offset=128

        self.storage = SharedStorage
        tiles = cute.ceil_div(a.shape, (64, 64))
        half = cute.zipped_divide(a, (64, 64))
        self.kernel().launch(  # expect: H2 launch smem_bytes=8320
            grid=[half.shape[1][0], tiles[1], 1],
            block=[128, 1, 1],
        )

    @cute.kernel
    def kernel(self):
        smem = cutlass.utils.SmemAllocator()
        storage = smem.allocate(self.storage)  # expect: H3 allocation bytes=8320


def main():
    kernel = Kernel()
    cute.compile(kernel, make_fake_compact_tensor(cutlass.Float16, (512, 512), stride_order=(1, 0)))
    cute.compile(kernel, from_dlpack(torch.empty(512, 512, dtype=torch.float16), assumed_align=16))


if __name__ == "__main__":
    main()
