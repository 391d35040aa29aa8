# Both sides opt in; one read stands ahead of the wait.
# expect-lint-passed: dependent-launch-wait
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


@cute.kernel
def kernel(tma_atom, tma_other, gA, gB, sA, sB, bar):
    cute.copy(tma_other, gB, sB, tma_bar_ptr=bar)  # expect-lint: dependent-read-early gB is read on line 9, the wait stands on line 10
    cute.arch.griddepcontrol_wait()
    cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)


@cute.jit
def host(tma_atom, tma_other, gA, gB, sA, sB, bar):
    kernel(tma_atom, tma_other, gA, gB, sA, sB, bar).launch(grid=[1, 1, 1], block=[32, 1, 1], use_pdl=True)
# P92: a global read before the wait is a finding.
