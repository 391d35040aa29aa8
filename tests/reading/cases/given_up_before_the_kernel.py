# expect-give-up: except* is not followed
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

ROWS = 64


@cute.kernel
def kernel(x):
    smem = utils.SmemAllocator()
    rows = smem.allocate_array(cutlass.Float32, ROWS)  # expect: H3 allocation bytes=?
    fixed = smem.allocate_array(cutlass.Float32, 16)  # expect: H3 allocation bytes=64
    for k in cutlass.range(ROWS // 2):  # expect: B1 trip-count extent=?
        x[k] = 2


@cute.jit
def host(x):
    kernel(x).launch(grid=(ROWS, 1, 1), block=(128, 1, 1))  # expect: H2 launch grid=?


if __name__ == "__main__":
    try:
        raise ValueError("a")
    except* ValueError:
        pass
    globals()["ROWS"] = 96
    host(None)
