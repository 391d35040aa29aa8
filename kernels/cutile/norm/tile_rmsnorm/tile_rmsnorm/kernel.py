"""y = x / sqrt(mean(x²) + eps) · weight, row by row: `tile_b` rows per tile block, `tile_h` elements of each at a time.

A row that fits one tile is read once and stays in registers; a longer one is read twice, the second time mostly from L2.
"""
import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def tile_rmsnorm(
    x,  # (b, h)
    weight,  # (h)
    y,  # (b, h)
    eps: ct.Constant[float],
    tile_b: ct.Constant[int],
    tile_h: ct.Constant[int],
    read_once: ct.Constant[bool],  # h <= tile_h
    tma: ct.Constant[bool],  # whether loads and stores may go through the tensor memory accelerator
):
    rows = ct.bid(0)
    if read_once:
        values = ct.astype(ct.load(x, index=(rows, 0), shape=(tile_b, tile_h), padding_mode=ZERO, allow_tma=tma), ct.float32)
        squares = ct.sum(values * values, axis=1, keepdims=True)
        scaled(values, squares, x, weight, y, rows, 0, eps, tile_h, tma)
    else:
        tiles = ct.cdiv(x.shape[1], tile_h)
        partial = ct.full((tile_b, tile_h), 0, dtype=ct.float32)
        for j in range(tiles):
            values = ct.astype(ct.load(x, index=(rows, j), shape=(tile_b, tile_h), padding_mode=ZERO, allow_tma=tma), ct.float32)
            partial = partial + values * values
        squares = ct.sum(partial, axis=1, keepdims=True)
        for j in range(tiles):
            values = ct.astype(ct.load(x, index=(rows, j), shape=(tile_b, tile_h), padding_mode=ZERO, allow_tma=tma), ct.float32)
            scaled(values, squares, x, weight, y, rows, j, eps, tile_h, tma)


def scaled(values, squares, x, weight, y, rows, j, eps, tile_h, tma):
    """Writes tile j of the rows whose sums of squares are `squares`, of shape (tile_b, 1)."""
    factor = ct.rsqrt(squares / ct.astype(x.shape[1], ct.float32) + eps)
    w = ct.astype(ct.load(weight, index=(j,), shape=(tile_h,), padding_mode=ZERO, allow_tma=tma), ct.float32)
    ct.store(y, index=(rows, j), tile=ct.astype(values * factor * w, y.dtype), allow_tma=tma)
