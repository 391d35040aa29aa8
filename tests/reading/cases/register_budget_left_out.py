"""Registers are moved between roles only where an option asks for it; the role ends the reading's run with an error."""
# expect-pattern: P5 present setmaxnreg=false rmem_accumulator=true
import argparse

import cutlass
import cutlass.cute as cute


class Kernel:
    def __init__(self, moves, groups):
        self.moves = moves > 16
        self.left = 512 - 72 - 112 * groups
        self.left = max(128, min(256, self.left))

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.kernel(a).launch(grid=(1, 1, 1), block=(256, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor):
        warp_idx = cute.arch.warp_idx()
        op = cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
        mma = cute.make_tiled_mma(op)
        acc = mma.make_fragment_C((4, 4))
        if warp_idx == 4:
            if cutlass.const_expr(self.moves):
                cute.arch.setmaxregister_decrease(self.left)  # expect: D1 register-budget active=false registers=216
            for i in cutlass.range(4):
                cute.copy(a, a, a)
            assert 1 == 2
        else:
            for i in cutlass.range(4):
                cute.gemm(mma, acc, a, a, acc)


def run(moves):
    groups = 1
    if moves == 512:
        groups = 4
    elif moves > 4:
        groups = 2
    Kernel(moves, groups)(cute.runtime.make_fake_tensor(cutlass.Float16, (128, 8)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=int, default=8)
    run(parser.parse_args().moves)
