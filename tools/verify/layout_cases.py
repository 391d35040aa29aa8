"""Random layout expressions: one seeded generator for the comparison with CuTe C++ and with Python implementations.

A layout is (shape, stride) of nested Python tuples; a case is (operation, [arguments], expression text).
"""
import random


def flat(t):
    return [leaf for mode in t for leaf in flat(mode)] if isinstance(t, tuple) else [t]


def like(leaves, profile):
    return tuple(like(leaves, mode) for mode in profile) if isinstance(profile, tuple) else next(leaves)


def text(t):
    return "(" + ",".join(text(mode) for mode in t) + ")" if isinstance(t, tuple) else str(t)


def layout_text(layout):
    return f"{text(layout[0])}:{text(layout[1])}"


def product(t):
    out = 1
    for leaf in flat(t):
        out *= leaf
    return out


class Generator:
    """Small, mostly compact layouts in random order, some with holes, stride 0, extents of 1 and odd extents, as kernels
    and their mistakes have them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def shape(self, modes=3, depth=2):
        r = self.random
        if depth == 0 or r.randrange(3):
            return r.choice([1, 2, 2, 3, 4, 4, 6, 8, 16])
        return tuple(self.shape(modes, depth - 1) for _ in range(1 + r.randrange(modes)))

    def layout(self, modes=3, repeats=True, shape=None):
        r = self.random
        shape = self.shape(modes) if shape is None else shape
        extents = flat(shape)
        order = list(range(len(extents)))
        r.shuffle(order)
        strides = [0] * len(extents)
        step = r.choice([1, 1, 1, 2, 3])
        for i in order:
            if repeats and r.randrange(7) == 0:
                continue
            strides[i] = step
            step *= extents[i] * r.choice([1, 1, 1, 1, 2])
        return shape, like(iter(strides), shape)

    def tuple_layout(self, rank, **kw):
        return self.layout(shape=tuple(self.shape(2, 1) for _ in range(rank)), **kw)

    def tiler(self, layout):
        """A tiler that fits more often than not: integers that divide the modes, or layouts on them."""
        r = self.random
        shape = layout[0]
        if not isinstance(shape, tuple) or r.randrange(3) == 0:
            return ("layout", self.layout(2, repeats=False))
        modes = []
        for mode in shape[: 1 + r.randrange(len(shape))]:
            size = product(mode)
            divisors = [d for d in range(1, size + 1) if size % d == 0]
            extent = r.choice(divisors)
            steps = [d for d in divisors if size % (d * extent) == 0]
            modes.append(("int", extent) if r.randrange(2) else ("layout", (extent, r.choice(steps))))
        return ("tuple", modes)


def tiler_text(tiler):
    kind, value = tiler
    if kind == "int":
        return str(value)
    if kind == "layout":
        return layout_text(value)
    return "<" + ",".join(tiler_text(mode) for mode in value) + ">"


def coordinate(r, shape):
    if isinstance(shape, tuple) and r.randrange(4):
        return tuple(coordinate(r, mode) for mode in shape)
    return r.randrange(product(shape))


# operation -> weight. Their argument kinds are in `arguments`.
OPERATIONS = {
    "coalesce": 10, "coalesce_by_mode": 5, "filter": 6, "composition": 24, "composition_by_mode": 8, "complement": 10,
    "right_inverse": 8, "left_inverse": 8, "logical_divide": 16, "zipped_divide": 6, "tiled_divide": 6, "flat_divide": 6,
    "logical_product": 16, "zipped_product": 4, "tiled_product": 4, "flat_product": 4, "blocked_product": 8, "raked_product": 8,
    "tile_to_shape": 8, "upcast": 6, "downcast": 5, "max_common_layout": 6, "max_common_vector": 5, "max_alignment": 4,
    "nullspace": 4, "flatten": 2, "group": 3, "take": 3, "select": 2, "make_ordered_layout": 5, "make_layout_like": 5,
    "make_fragment_like": 5, "row_major": 2, "identity": 2, "cosize": 4, "size": 2, "depth": 2, "crd2idx": 10, "idx2crd": 6,
    "slice": 6, "compatible": 4, "congruent": 2, "weakly_congruent": 3, "evenly_divides": 3, "swizzle_tile_to_shape": 6,
    "swizzle_upcast": 4, "swizzle_downcast": 4, "swizzle_crd2idx": 10, "swizzle_max_common_vector": 3, "filter_zeros": 2,
    "ceil_div": 3,
}


def swizzle(r):
    bits = r.choice([0, 1, 2, 3])
    return bits, r.choice([2, 3, 4]), r.choice([3, 3, 4])


def arguments(g, op):
    """Arguments for one case of `op`, tagged by kind."""
    r = g.random
    base = op.replace("swizzle_", "")
    sw = [("swizzle", swizzle(r))] if op.startswith("swizzle_") else []
    one = [("layout", g.layout())]
    if op in ("composition",):
        return [("layout", g.layout(3)), ("layout", g.layout(2))]
    if op in ("composition_by_mode",) or base.endswith("_divide"):
        layout = g.tuple_layout(1 + r.randrange(3)) if r.randrange(3) else g.layout()
        tiler = g.tiler(layout)
        while op == "composition_by_mode" and tiler[0] != "tuple":
            layout = g.tuple_layout(1 + r.randrange(3))
            tiler = g.tiler(layout)
        return [("layout", layout), ("tiler", tiler)]
    if base in ("logical_product", "zipped_product", "tiled_product", "flat_product"):
        if base == "logical_product" or r.randrange(2):
            return [("layout", g.layout(2, repeats=False)), ("tiler", ("layout", g.layout(2, repeats=False)))]
        layout = g.tuple_layout(2, repeats=False)
        return [("layout", layout), ("tiler", ("tuple", [("int", r.choice([1, 2, 4])) for _ in range(1 + r.randrange(2))]))]
    if base in ("blocked_product", "raked_product"):
        return [("layout", g.tuple_layout(1 + r.randrange(3), repeats=False)), ("layout", g.tuple_layout(1 + r.randrange(3), repeats=False))]
    if base == "tile_to_shape":
        block = g.tuple_layout(2, repeats=False)
        target = tuple(product(mode) * r.choice([1, 2, 3]) for mode in block[0]) + ((r.choice([1, 2, 4]),) if r.randrange(2) else ())
        order = list(range(len(target)))
        r.shuffle(order)
        return sw + [("layout", block), ("tuple", target), ("tuple", tuple(order))]
    if base in ("upcast", "downcast"):
        layout = g.layout(repeats=False)
        if sw:
            layout = ((8, 64), (64, 1))
        return sw + [("layout", layout), ("int", r.choice([2, 4, 8]))]
    if base in ("max_common_layout",):
        return one + [("layout", g.layout(2))]
    if base == "max_common_vector":
        return (one if not sw else [("swizzle", (r.choice([1, 2, 3]), *sw[0][1][1:])), ("layout", g.layout(2, repeats=False))]) + [("layout", g.layout(2, repeats=False))]
    return shape_arguments(g, op, base, sw, one)


def shape_arguments(g, op, base, sw, one):
    """The operations that take numbers, shapes and coordinates."""
    r = g.random
    if op == "coalesce_by_mode":
        layout = g.tuple_layout(2 + r.randrange(2))
        return [("layout", layout), ("tuple", tuple([1] * (1 + r.randrange(len(layout[0])))))]
    if op == "complement":
        layout = g.layout(3, repeats=r.randrange(3) == 0)
        kind = r.randrange(3)
        size = product(layout[0])
        return [("layout", layout)] + ([] if kind == 0 else [("tuple", size * r.choice([1, 2, 3, 4]) if kind == 1 else (r.choice([2, 4, 6]), size))])
    if op in ("group", "take"):
        rank = 1 + r.randrange(3)
        begin = r.randrange(rank)
        return [("layout", g.tuple_layout(rank)), ("int", begin), ("int", begin + 1 + r.randrange(rank - begin))]
    if op == "select":
        rank = 1 + r.randrange(3)
        return [("layout", g.tuple_layout(rank))] + [("int", r.randrange(rank)) for _ in range(1 + r.randrange(2))]
    if op == "make_ordered_layout":
        shape = tuple(g.shape(2, 1) for _ in range(1 + r.randrange(4)))
        order = list(range(len(shape)))
        r.shuffle(order)
        return [("tuple", shape), ("tuple", tuple(order))]
    if op in ("row_major", "identity"):
        return [("tuple", g.shape())]
    if base == "crd2idx":
        layout = g.layout()
        return [("coord", coordinate(r, layout[0]))] + sw + [("layout", layout)]
    if op == "idx2crd":
        shape = g.shape()
        return [("int", r.randrange(product(shape))), ("tuple", shape)]
    if op == "slice":
        layout = g.tuple_layout(2 + r.randrange(2))
        coord = [coordinate(r, mode) if r.randrange(2) else None for mode in layout[0]]
        coord[r.randrange(len(coord))] = None
        return [("layout", layout), ("slicer", tuple(coord))]
    if op in ("compatible", "congruent", "weakly_congruent"):
        a = g.shape(2)
        b = g.shape(2)
        if r.randrange(2):
            b = like(iter([(1, x) if x % 2 else (x // 2, 2) if r.randrange(2) else x for x in flat(a)]), a)
        return [("tuple", a), ("tuple", b)]
    if op in ("evenly_divides", "ceil_div"):
        shape = tuple(g.shape(2, 1) for _ in range(2))
        return [("tuple", shape), ("tuple", tuple(r.choice([1, 2, 3, 4]) for _ in range(1 + r.randrange(2))))]
    return one


def argument_text(kind, value):
    if kind == "layout":
        return layout_text(value)
    if kind == "tiler":
        return tiler_text(value)
    if kind == "slicer":
        return "(" + ",".join("_" if mode is None else text(mode) for mode in value) + ")"
    return text(value)


def expression(op, args):
    name = op.replace("swizzle_", "").replace("_by_mode", "")
    parts = []
    pending = None
    for kind, value in args:
        if kind == "swizzle":
            pending = value
            continue
        part = argument_text(kind, value)
        if pending is not None:
            part = f"Sw<{pending[0]},{pending[1]},{pending[2]}> o 0 o {part}"
            pending = None
        parts.append(part)
    return f"{name}({', '.join(parts)})"


def cases(count, seed):
    """`count` different cases, operations by weight."""
    g = Generator(seed)
    names = list(OPERATIONS)
    weights = [OPERATIONS[name] for name in names]
    seen = set()
    out = []
    misses = 0
    while len(out) < count and misses < 50 * count:
        op = g.random.choices(names, weights)[0]
        args = arguments(g, op)
        line = expression(op, args)
        if line in seen:
            misses += 1
            continue
        seen.add(line)
        out.append((op, args, line))
    return out
