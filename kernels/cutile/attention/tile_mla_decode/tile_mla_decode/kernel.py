"""Multi-head latent attention, decoding: every head reads the same cache of one latent vector a token. Keys are its 512
latent elements and the 64 that carry the position, values the 512 alone, so a tile of the cache is read once for both.

A tile block does `tile_h` heads of one query. Where that leaves multiprocessors idle, `splits` tile blocks share the tokens of
a sequence (tile_mla_split), and tile_mla_combine joins their results by the logarithms of their sums.
"""
import math

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO
LATENT = 512
ROPE = 64
ROPE_TILE = LATENT // ROPE  # the tile of 64 elements that begins at element 512
SCALE = math.log2(math.e) / math.sqrt(LATENT + ROPE)  # scores are kept in units of log2, so that exp2 serves


@ct.kernel
def tile_mla_decode(
    q,  # (b, s, heads, 576)
    cache,  # (b, t, 576)
    o,  # (b, s, heads, 512)
    tile_h: ct.Constant[int],
    tile_t: ct.Constant[int],
    causal: ct.Constant[bool],  # query i sees tokens up to i + t - s
):
    heads, query, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    end = tokens_seen(q, cache, query, causal)
    out, _ = attend(q, cache, batch, query, heads, 0, end, tile_h, tile_t)
    ct.store(o, index=(batch, query, heads, 0), tile=ct.reshape(ct.astype(out, o.dtype), (1, 1, tile_h, LATENT)))


@ct.kernel
def tile_mla_split(
    q,  # (b, s, heads, 576)
    cache,  # (b, t, 576)
    partial,  # (b · s, splits, heads, 512) fp32
    sums,  # (b · s, splits, heads) fp32
    tile_h: ct.Constant[int],
    tile_t: ct.Constant[int],
    causal: ct.Constant[bool],
):
    heads, split = ct.bid(0), ct.bid(1)
    sequence, queries = ct.bid(2), q.shape[1]
    batch, query = sequence // queries, sequence % queries
    end = tokens_seen(q, cache, query, causal)
    share = ct.cdiv(ct.cdiv(end, tile_t), ct.num_blocks(1)) * tile_t
    out, log_sum = attend(q, cache, batch, query, heads, split * share, ct.minimum(end, (split + 1) * share), tile_h, tile_t)
    ct.store(partial, index=(sequence, split, heads, 0), tile=ct.reshape(out, (1, 1, tile_h, LATENT)))
    ct.store(sums, index=(sequence, split, heads), tile=ct.reshape(log_sum, (1, 1, tile_h)))


@ct.kernel
def tile_mla_combine(
    partial,  # (b · s, splits, heads, 512) fp32
    sums,  # (b · s, splits, heads) fp32
    o,  # (b · s, heads, 512)
    tile_splits: ct.Constant[int],  # splits rounded up to a power of two
):
    head, sequence = ct.bid(0), ct.bid(1)
    log_sums = ct.load(sums, index=(sequence, 0, head), shape=(1, tile_splits, 1), padding_mode=ct.PaddingMode.NEG_INF)
    weights = ct.exp2(log_sums - ct.max(log_sums))
    parts = ct.load(partial, index=(sequence, 0, head, 0), shape=(1, tile_splits, 1, LATENT), padding_mode=ZERO)
    out = ct.sum(parts * ct.reshape(weights / ct.sum(weights), (1, tile_splits, 1, 1)), axis=1)
    ct.store(o, index=(sequence, head, 0), tile=ct.astype(out, o.dtype))


def tokens_seen(q, cache, query, causal):
    """How many tokens of the cache a query sees."""
    if causal:
        return query + 1 + cache.shape[1] - q.shape[1]
    return cache.shape[1]


def attend(q, cache, batch, query, heads, begin, end, tile_h, tile_t):
    """Attention of `tile_h` heads to the tokens [begin, end), begin a multiple of tile_t: the result, and log2 of the sum of
    exponentials. Of no tokens: zeros and minus infinity."""
    latent = ct.load(q, index=(batch, query, heads, 0), shape=(1, 1, tile_h, LATENT), padding_mode=ZERO)
    latent = ct.reshape(latent, (tile_h, LATENT))
    rope = ct.load(q, index=(batch, query, heads, ROPE_TILE), shape=(1, 1, tile_h, ROPE), padding_mode=ZERO)
    rope = ct.reshape(rope, (tile_h, ROPE))
    largest = ct.full((tile_h, 1), -math.inf, dtype=ct.float32)
    total = ct.full((tile_h, 1), 0, dtype=ct.float32)
    out = ct.full((tile_h, LATENT), 0, dtype=ct.float32)
    column = ct.expand_dims(ct.arange(tile_t, dtype=ct.int32), 0)

    for j in range(begin // tile_t, ct.cdiv(end, tile_t)):
        values = ct.load(cache, index=(batch, j, 0), shape=(1, tile_t, LATENT), padding_mode=ZERO)
        values = ct.reshape(values, (tile_t, LATENT))
        position = ct.load(cache, index=(batch, j, ROPE_TILE), shape=(1, tile_t, ROPE), padding_mode=ZERO)
        position = ct.reshape(position, (tile_t, ROPE))
        scores = ct.full((tile_h, tile_t), 0, dtype=ct.float32)
        scores = ct.mma(rope, ct.transpose(position), ct.mma(latent, ct.transpose(values), scores)) * SCALE
        if (j + 1) * tile_t > end:
            scores = ct.where(j * tile_t + column < end, scores, -math.inf)
        new_largest = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp2(scores - new_largest)
        factor = ct.exp2(largest - new_largest)
        total = total * factor + ct.sum(weights, axis=1, keepdims=True)
        out = ct.mma(ct.astype(weights, cache.dtype), values, out * factor)
        largest = new_largest
    return out / ct.maximum(total, 1e-30), largest + ct.log2(total)
