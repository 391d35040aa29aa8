"""D = A · Bᵀ of each batch: one tile of D per tile block, one loop over k, tiles of D in groups of rows.

The compiler chooses how the loop is pipelined, which instructions copy and multiply, and how many threads a tile block has.
"""
import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def tile_gemm(
    a,  # (batch, m, k)   k or m contiguous
    b,  # (batch, n, k)   k or n contiguous
    d,  # (batch, m, n)   n contiguous
    tile_m: ct.Constant[int],
    tile_n: ct.Constant[int],
    tile_k: ct.Constant[int],
    group_m: ct.Constant[int],
):
    rows = ct.cdiv(a.shape[1], tile_m)
    columns = ct.cdiv(b.shape[1], tile_n)
    row, column = grouped(ct.bid(0), rows, columns, group_m)
    batch = ct.bid(1)
    total = ct.full((tile_m, tile_n), 0, dtype=ct.float32)
    for step in range(ct.cdiv(a.shape[2], tile_k)):
        x = ct.load(a, index=(batch, row, step), shape=(1, tile_m, tile_k), padding_mode=ZERO)
        y = ct.load(b, index=(batch, step, column), shape=(1, tile_k, tile_n), order=(0, 2, 1), padding_mode=ZERO)
        total = ct.mma(ct.reshape(x, (tile_m, tile_k)), ct.reshape(y, (tile_k, tile_n)), total)
    ct.store(d, index=(batch, row, column), tile=ct.reshape(ct.astype(total, d.dtype), (1, tile_m, tile_n)))


def grouped(tile, rows, columns, group_m):
    """Tile blocks that run at once cover `group_m` rows of tiles, column after column: what they read stays in L2."""
    of_a_group = group_m * columns
    first = tile // of_a_group * group_m
    high = ct.minimum(rows - first, group_m)
    within = tile % of_a_group
    return first + within % high, within // high
