# expect-lint-passed: dependent-read-early
# expect-lint-passed: dependent-launch-wait
# expect-lint-passed: dependent-launch-attribute
import cutlass.cute as cute


@cute.kernel
def kernel(tma_atom, gA, sA, bar):
    cute.arch.griddepcontrol_wait()
    cute.copy(tma_atom, gA, sA, tma_bar_ptr=bar)


@cute.jit
def host(tma_atom, gA, sA, bar):
    kernel(tma_atom, gA, sA, bar).launch(grid=[1, 1, 1], block=[32, 1, 1], use_pdl=True)
# P92: reads behind the wait are none.
