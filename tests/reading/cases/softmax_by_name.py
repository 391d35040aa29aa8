# expect-pattern: P4 present
# expect-pattern: P9 absent
import cutlass.cute as cute


@cute.jit
def get_n_block_min_local_mask(n):
    return n // 2


class Kernel:
    @cute.kernel
    def kernel(self, softmax, acc, n):
        for block in range(get_n_block_min_local_mask(n)):
            softmax.online_softmax(acc)
