# What is asked of the device is the stand-in's: the fact says so.
import cutlass.cute as cute
import torch


def version_of_device():
    major, minor = torch.cuda.get_device_capability()
    return major * 10 + minor


class Kernel:
    def __init__(self):
        self.version = version_of_device()  # expect: H2 grid input=90 assumed_device=ofsm_90a
        self.warps = 4 if self.version >= 90 else 2  # expect: H2 grid input=4

    @cute.jit
    def __call__(self):
        self.kernel().launch(grid=(self.warps, self.version, 1), block=(32 * self.warps, 1, 1))

    @cute.kernel
    def kernel(self):
        cute.nvgpu.warpgroup.fence()


if __name__ == "__main__":
    Kernel()()
