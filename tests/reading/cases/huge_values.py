"""Numbers, texts and lists that no machine holds are undetermined, and the reading goes on."""
import cutlass.cute as cute

text = "a" * 10**9
items = [0] * 10**9
power = 2 ** 10**7


@cute.kernel
def kernel():
    pass


if __name__ == "__main__":
    kernel().launch(grid=(len(items), 1, 1), block=(power, 1, 1))  # expect: H2 launch threads=? grid=(?,1,1)
    kernel().launch(grid=(1, 1, 1), block=(len(text), 1, 1))  # expect: H2 launch threads=?
    kernel().launch(grid=(1, 1, 1), block=(64, 1, 1))  # expect: H2 launch threads=64
