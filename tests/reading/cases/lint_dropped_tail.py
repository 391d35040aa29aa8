# K = 1152 in tiles of 256: the count is rounded down and the last 128 elements are left out.
import cutlass
import cutlass.cute as cute

K, TILE_K = 1152, 256


@cute.kernel
def kernel(gA: cute.Tensor, rows: cutlass.Int32):
    k_tiles = K // TILE_K
    total = cutlass.Float32(0)
    for k in cutlass.range(k_tiles):  # expect-lint: dropped-tail the loop over k runs K // TILE_K times: the last 128 of 1152 are left out
        total += gA[k]
    gA[0] = total
# expect-remedy: dropped-tail one below, at and one above a multiple of tile times stages
