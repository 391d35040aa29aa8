"""O = softmax(scale · Q · Kᵀ + mask) · V with a running maximum and sum (online softmax): `tile_q` queries of one head per
tile block, which loops over `tile_t` keys at a time.

Scores are kept in units of log2, so that exp2 serves. Tiles that no mask reaches run without one.
"""
import math

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO
LOG2_E = math.log2(math.e)


@ct.kernel
def tile_attention(
    q,  # (b, s, heads, d)
    k,  # (b, t, heads_kv, d)
    v,  # (b, t, heads_kv, d)
    o,  # (b, s, heads, d)
    lse,  # (b, heads, s) fp32: logarithms of the sums of exponentials; no memory where write_lse is False
    tile_q: ct.Constant[int],
    tile_t: ct.Constant[int],
    tile_d: ct.Constant[int],  # d rounded up to a power of two; elements past d are zeros
    causal: ct.Constant[bool],  # query i sees keys up to i + t - s
    write_lse: ct.Constant[bool],
):
    block = ct.num_blocks(0) - 1 - ct.bid(0)  # under a causal mask the last queries have the most to do: first
    head = ct.bid(1)
    batch = ct.bid(2)
    queries, heads, keys = q.shape[1], q.shape[2], k.shape[1]
    head_kv = head // (heads // k.shape[2])
    scale = ct.rsqrt(ct.astype(q.shape[3], ct.float32)) * LOG2_E

    x = ct.reshape(ct.load(q, index=(batch, block, head, 0), shape=(1, tile_q, 1, tile_d), padding_mode=ZERO), (tile_q, tile_d))
    largest = ct.full((tile_q, 1), -math.inf, dtype=ct.float32)
    total = ct.full((tile_q, 1), 0, dtype=ct.float32)
    out = ct.full((tile_q, tile_d), 0, dtype=ct.float32)

    row = block * tile_q + ct.expand_dims(ct.arange(tile_q, dtype=ct.int32), 1)
    column = ct.expand_dims(ct.arange(tile_t, dtype=ct.int32), 0)
    end, whole = keys, keys // tile_t  # one past the last key that a query here sees; tiles that every query sees
    if causal:
        end = ct.minimum(keys, (block + 1) * tile_q + keys - queries)
        whole = ct.minimum(whole, (block * tile_q + keys - queries + 1) // tile_t)

    for j in range(ct.cdiv(end, tile_t)):
        y = ct.reshape(
            ct.load(k, index=(batch, 0, head_kv, j), shape=(1, tile_d, 1, tile_t), order=(0, 3, 2, 1), padding_mode=ZERO), (tile_d, tile_t)
        )
        scores = ct.mma(x, y, ct.full((tile_q, tile_t), 0, dtype=ct.float32))
        if j >= whole:
            seen = j * tile_t + column < keys
            if causal:
                seen = seen & (j * tile_t + column <= row + (keys - queries))
            scores = ct.where(seen, scores, -math.inf)
        new_largest = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True) * scale)
        weights = ct.exp2(scores * scale - new_largest)
        factor = ct.exp2(largest - new_largest)
        total = total * factor + ct.sum(weights, axis=1, keepdims=True)
        z = ct.reshape(ct.load(v, index=(batch, j, head_kv, 0), shape=(1, tile_t, 1, tile_d), padding_mode=ZERO), (tile_t, tile_d))
        out = ct.mma(ct.astype(weights, v.dtype), z, out * factor)
        largest = new_largest

    ct.store(o, index=(batch, block, head, 0), tile=ct.reshape(ct.astype(out / total, o.dtype), (1, tile_q, 1, tile_d)))
    if write_lse:
        sums = (largest + ct.log2(total)) / LOG2_E
        ct.store(lse, index=(batch, head, block), tile=ct.reshape(sums, (1, 1, tile_q)))
