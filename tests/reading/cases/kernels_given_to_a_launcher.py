import cutlass
import cutlass.cute as cute


@cute.kernel
def narrow(n):
    rows = cutlass.Array(cutlass.Float32, 32, space=cutlass.AddressSpace.smem)


@cute.kernel
def wide(n):
    rows = cutlass.Array(cutlass.Float32, 96, space=cutlass.AddressSpace.smem)


@cute.jit
def launcher(n, kernel: cutlass.Constexpr, threads: cutlass.Constexpr):
    kernel(n).launch(grid=(n, 1, 1), block=(threads, 1, 1))  # expect: H2 launch threads=64 smem_bytes=128 grid=(8,1,1) ; H2 launch threads=256 smem_bytes=384 grid=(8,1,1)


if __name__ == "__main__":
    for kernel, threads in ((narrow, 64), (wide, 256)):
        cute.compile(launcher, 8, kernel, threads)
