"""A function that calls itself without end stops at a depth that is reported."""
# expect-give-up: calls nest too deep
import cutlass.cute as cute


@cute.kernel
def kernel():
    pass


def deeper(n):
    return deeper(n + 1)


if __name__ == "__main__":
    deeper(0)
    kernel().launch(grid=(1, 1, 1), block=(32, 1, 1))  # expect: H2 launch threads=32
