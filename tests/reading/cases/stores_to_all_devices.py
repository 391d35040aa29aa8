# A store to the memory of all devices is the output, and an architecture's own.
# expect-arch: sm_90
# expect-pattern: P8 present default_active
import cutlass.cute as cute
import cutlass.utils as utils


@cute.kernel
def kernel(data: cute.Pointer):
    x, y, z, w = utils.distributed.multimem_ld_reduce_4xf32(data)
    utils.distributed.multimem_st_4xb32(data, x, y, z, w)  # expect-evidence: P8


@cute.jit
def launch(data: cute.Pointer):
    kernel(data).launch(grid=(1, 1, 1), block=(32, 1, 1))
