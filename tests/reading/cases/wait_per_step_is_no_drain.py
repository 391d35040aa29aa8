# Waiting for every step inside the loop drains nothing after it.
# expect-pattern: P10 absent
import cutlass.cute as cute
from cutlass.cute.nvgpu import warpgroup


@cute.kernel
def kernel(tiled_mma, acc, a, b):
    for k in range(8):
        warpgroup.fence()  # expect: D4 wgmma-fence
        cute.gemm(tiled_mma, acc, a[k], b[k], acc)  # expect: D4 gemm
        warpgroup.commit_group()  # expect: D4 wgmma-commit
        warpgroup.wait_group(0)  # expect: D4 wgmma-wait
