# A sample value at compile time is not the run-time value: the grid must stay undetermined and say what it depends on.
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def copy_rows(x, rows: Int32):
    pass


@cute.jit
def host(x, rows: Int32):
    copy_rows(x, rows).launch(grid=[rows, 1, 1], block=[128, 1, 1])  # expect: H2 launch grid=(?,1,1) threads=128


def main(x):
    compiled = cute.compile(host, x, Int32(1))
    compiled(x, 4096)
