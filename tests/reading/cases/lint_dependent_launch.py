# The launch attribute without the wait on the device.
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    x[0] = 1


@cute.jit
def host(x):
    kernel(x).launch(
        grid=[1, 1, 1],
        block=[32, 1, 1],
        use_pdl=True,  # expect-lint: dependent-launch-wait kernel may start before the kernel ahead of it ends
    )
# P92: the attribute without the wait.
