import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(n):
    rows = cutlass.Array(cutlass.Float32, 32, space=cutlass.AddressSpace.smem)


@cute.jit
def launcher(n: cutlass.Constexpr, threads: cutlass.Constexpr):
    kernel(n).launch(grid=(n, 1, 1), block=(threads, 1, 1), smem=n * 16)  # expect: H2 launch grid=(4,1,1) launches=3 grid_by_launch=((4,1,1),(8,1,1),(16,1,1)) smem_bytes=64 smem_bytes_by_launch=(64,128,256) threads=128 says=3times,withdifferentgrid,smem_bytes:thevaluesarethoseofthefirst ; H2 grid grid=(?,1,1) ; H2 block block=(128,1,1)


@cute.jit
def alike(n: cutlass.Constexpr):
    kernel(n).launch(grid=(n, 1, 1), block=(64, 1, 1))  # expect: H2 launch grid=(4,1,1) ; H2 grid grid=(4,1,1)


if __name__ == "__main__":
    for n in (4, 8, 16):
        launcher(n, 128)
    alike(4)
    alike(4)
