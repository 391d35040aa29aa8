# Containers inside themselves, values that double, generators and chains without end: told as not known, and quickly.
import cutlass
import cutlass.cute as cute

ring = []
ring.append(ring)
spelled = str(ring)


def ones():
    while True:
        yield 1


text, items = "x", [1]
for _ in range(200):
    text = text + text
    items = items + items

total = sum(ones())


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor):
    kernel(a).launch(grid=[total, 1, 1], block=[len(text), 1, 1])  # expect: H2 launch grid=(?,1,1) threads=?
    kernel(a).launch(grid=[len(items), 1, 1], block=[32, 1, 1])  # expect: H2 launch grid=(?,1,1) threads=32
