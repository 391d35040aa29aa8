# One wave of CTAs: the grid is computed from the device's multiprocessors, and passed on as a parameter.
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    cute.nvgpu.warpgroup.fence()


@cute.jit
def host(x, splits):
    kernel(x).launch(grid=(splits, 1, 1), block=[32, 1, 1])  # expect: H2 launch grid=(33,1,1) assumed_multiprocessors=132


def run(x, splits=0):
    if splits == 0:
        sm_count = cutlass.utils.HardwareInfo().get_device_multiprocessor_count()
        splits = sm_count // 4  # expect: H2 grid input=33
    host(x, splits)


run(None)
