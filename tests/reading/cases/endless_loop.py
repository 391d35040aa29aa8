"""The program never ends; the reading does, and says where it stopped."""
# expect-give-up: the loop runs too long to be followed
import cutlass.cute as cute


@cute.kernel
def kernel():
    pass


if __name__ == "__main__":
    i = 0
    while True:
        i += 1
    kernel().launch(grid=(1, 1, 1), block=(32, 1, 1))
