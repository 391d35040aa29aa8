import cutlass
import cutlass.cute as cute
import torch


@cute.kernel
def kernel(n):
    pass


@cute.jit
def launcher(n: cutlass.Constexpr):
    kernel(n).launch(grid=(n, 1, 1), block=(64, 1, 1))  # expect: H2 launch grid=? grid_by_launch=((4,1,1),(8,1,1)) block=(64,1,1) launches=2 says=whichofthemaremadeisnotknown


if __name__ == "__main__":
    if torch.rand(1).item() > 0.5:
        launcher(4)
    else:
        launcher(8)
