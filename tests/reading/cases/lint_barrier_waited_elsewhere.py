"""Who waits for a barrier that goes to another file's function cannot be told."""
# expect-lint-undecided: barrier-never-waited who waits for done
import cutlass
import cutlass.cute as cute
import cutlass.experimental.primitives as prims
from elsewhere import consume


@cute.kernel
def kernel():
    done = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    prims.mbarrier_init(done, 1)
    prims.fence_mbarrier_init()
    prims.mbarrier_arrive(done)
    consume(done)


@cute.jit
def run():
    kernel().launch(grid=(1, 1, 1), block=(128, 1, 1))
