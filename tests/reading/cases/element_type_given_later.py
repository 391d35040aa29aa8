# What a tensor over bytes of torch is said to hold, its pointer points to.
import torch
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack


class Kernel:
    @cute.jit
    def __call__(self, pointer: cute.Pointer, stream):
        wide = pointer.dtype.width
        self.kernel(pointer).launch(grid=(wide, 1, 1), block=(32, 1, 1))  # expect: H2 launch grid=(4,1,1)

    @cute.kernel
    def kernel(self, pointer: cute.Pointer):
        pass


def run():
    data = torch.empty((64, 64), dtype=torch.uint8, device="cuda")
    tensor = from_dlpack(data, assumed_align=16)
    tensor.element_type = cutlass.Float4E2M1FN
    Kernel()(tensor.iterator, None)


if __name__ == "__main__":
    run()
