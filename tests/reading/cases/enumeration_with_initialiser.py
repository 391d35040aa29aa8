"""Members of an enumeration that initialises them, as the library's architectures do: attributes, order, a second name."""
from enum import Enum

import cutlass.cute as cute


class Arch(Enum):
    sm_90 = (9, 0, "")
    sm_90a = (9, 0, "a")
    sm_110 = (11, 0, "")
    sm_101 = sm_110

    def __init__(self, major: int, minor: int, suffix: str) -> None:
        self.major = major
        self.minor = minor
        self.suffix = suffix

    def __gt__(self, other):
        return (self.major, self.minor) > (other.major, other.minor)


@cute.kernel
def kernel(x: cute.Tensor):
    x[0] = 1


@cute.jit
def run(x: cute.Tensor):
    by_order = 2 if Arch.sm_90a > Arch.sm_90 else 1
    by_name = 4 if Arch.sm_101 is Arch.sm_110 else 8
    kernel(x).launch(  # expect: H2 launch grid=(1,4,11) block=(32,1,1)
        grid=(by_order, by_name, Arch.sm_101.major), block=(32, 1, 1)
    )
