# Counts that are rounded up, that leave nothing, or whose remainder the program asks for; one that only a run tells.
# expect-lint-undecided: dropped-tail rows
import cutlass
import cutlass.cute as cute

K, TILE_K, M = 1152, 256, 300


@cute.kernel
def kernel(gA: cute.Tensor, rows: cutlass.Int32, count: cutlass.Int32):
    for k in cutlass.range((K + TILE_K - 1) // TILE_K):
        gA[k] = 0
    for k in cutlass.range((K + 255) // 256):
        gA[k] = 0
    for k in cutlass.range(K // 128):  # expect: B1 trip-count extent=1152 step=128
        gA[k] = 0
    for m in range(M // 64):  # expect: B1 trip-count remainder_handled=true
        gA[m] = 0
    if M % 64 != 0:
        gA[M - 1] = 0
    if count % 2 == 1:
        gA[0] = 0
    for r in cutlass.range(rows // 2):  # expect: B1 trip-count remainder_handled=false
        gA[r] = 0
    for r in cutlass.range(count // 2):  # expect: B1 trip-count remainder_handled=true
        gA[r] = 0
