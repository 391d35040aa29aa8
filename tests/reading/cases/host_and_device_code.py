# What runs on the device: kernels, what they call, decorated functions that no host code reaches. A store, a
# branch or a mask elsewhere is the host's.
# expect-pattern: P8 present kind=direct_store
# expect-pattern: P9 present
import cutlass
import cutlass.cute as cute


@cute.jit
def convert(mSource: cute.Tensor, mScales: cute.Tensor):
    for i in range(4):
        mScales[i] = mSource[i]  # expect-no-evidence: P8


@cute.jit
def deeper(mOut: cute.Tensor, first):
    if cutlass.const_expr(first):  # expect: D1 branch decided=compile-time
        mOut[0] = 1  # expect-evidence: P8


class Kernel:
    def write(self, gOut, mask):
        deeper(gOut, True)
        gOut[1] = 2  # expect-evidence: P8
        (gOut.iterator + 4).masked_store(3.0, mask)  # expect-evidence: P9

    @cute.kernel
    def masked_kernel(self, gOut: cute.Tensor, mask):
        self.write(gOut, mask)

    @cute.jit
    def __call__(self, gOut: cute.Tensor, mask):
        self.masked_kernel(gOut, mask).launch(grid=[1, 1, 1], block=[32, 1, 1])  # expect-no-evidence: P9


def run(mInputs):
    for i in range(2):
        mInputs[i] = i  # expect-no-evidence: P8
    convert(mInputs[0], mInputs[1])


if __name__ == "__main__":
    run([0, 0])
