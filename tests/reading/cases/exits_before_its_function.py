# A call of a library that is not followed may launch what is there: a function that is defined only after the
# exit it may not.
import sys

import a_library
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def early(a: cute.Tensor):
    kernel(a).launch(grid=[4, 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=(4,1,1) threads=32


sys.exit(a_library.main([__file__]))


@cute.jit
def late(a: cute.Tensor):
    kernel(a).launch(grid=[5, 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=? threads=?
