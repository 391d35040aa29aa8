# What a handler sets goes into the launch.
import cutlass.cute as cute

try:
    tiles = 16 // len([])
    threads = 32
except ArithmeticError:
    tiles, threads = 3, 64
else:
    threads = 128
finally:
    tiles += 1


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor):
    kernel(a).launch(grid=[tiles, 1, 1], block=[threads, 1, 1])  # expect: H2 launch grid=(4,1,1) threads=64
