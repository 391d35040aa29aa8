# The run ends before it; the literal is what the list starts with, not what it holds where it is used.
import cutlass.cute as cute

sizes = [4]
sizes.extend([8, 16])
fixed = [4]
raise RuntimeError("no device")
num_stages = sizes[0] + 1  # expect: H3 stages stages=?
more_stages = fixed[0] + 1  # expect: H3 stages stages=5


@cute.kernel
def kernel(a):
    a[0] = num_stages
