"""The recurrence of an online softmax in a class of another name: the step gives a maximum and a scale."""
# expect-pattern: P4 present kind=online_softmax
# expect-pattern: P8 present kind=direct_store
import cutlass.cute as cute
from functools import partial


def copy(source, destination, *, pred=None):
    cute.copy(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), source.element_type), source, destination, pred=pred)


@cute.kernel
def kernel(softmax, tSrS, tOrO, tOgO):
    for block in range(4):
        row_max, acc_scale = softmax.update_row_max(tSrS.load(), block == 0)
        cute.gemm(tSrS, tSrS, tSrS, tSrS, tSrS)
    move = partial(copy, pred=None)
    copy(tOrO, tOgO)  # expect: E1 store type=direct_store


@cute.jit
def run(softmax, a, b, c):
    kernel(softmax, a, b, c).launch(grid=(1, 1, 1), block=[128, 1, 1])
