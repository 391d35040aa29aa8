# Lists of many items are counted and spelled whole.
import cutlass
import cutlass.cute as cute

items = [1]
for _ in range(17):
    items.extend(items)
spelled = str(list(range(100)))


@cute.kernel
def kernel(a: cute.Tensor):
    a[0] = 1


@cute.jit
def run(a: cute.Tensor):
    kernel(a).launch(grid=[len(items), len(spelled), 1], block=[32, 1, 1])  # expect: H2 launch grid=(131072,390,1) threads=32
