# (M * K + N * K) * bytes * stages of a multistage GEMM: 256x64x32 floats in 4 stages against 99 KiB.
# read-arch: sm_86
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

tile_m, tile_n, tile_k = 256, 64, 32
stages = 4


@cute.struct
class SharedStorage:  # expect-lint: smem-over-limit 163,840 bytes of shared memory; sm_86 lets a CTA have 101,376; at 40,960 bytes a stage 2 of the 4 stages of stages fit
    a: cute.struct.MemRange[cutlass.Float32, tile_m * tile_k * stages]
    b: cute.struct.MemRange[cutlass.Float32, tile_n * tile_k * stages]


@cute.kernel
def kernel():
    storage = utils.SmemAllocator().allocate(SharedStorage)
# expect-remedy: smem-over-limit cost CTAs per SM and a longer prologue
