"""Element types, devices and sizes. Codes: DLDataTypeCode of dlpack.h."""

import struct


class dtype:  # noqa: N801: torch's own spelling
    """An element type: bytes, DLPack code, bits and lanes, and the struct format of its elements where there is one."""

    def __init__(self, name, itemsize, code, bits, lanes=1, form=None, floating=False, signed=True, integer=False):
        self.name, self.itemsize, self.code, self.bits, self.lanes, self.form = name, itemsize, code, bits, lanes, form
        self.is_floating_point, self.is_signed, self.integer, self.is_complex = floating, signed, integer, False

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name

    def to_real(self):
        return self


def _floating(name, bits, code=2, form=None, lanes=1):
    return dtype(name, max(1, bits * lanes // 8), code, bits, lanes, form, floating=True)


def _integer(name, bits, form, signed=True):
    return dtype(name, bits // 8, 0 if signed else 1, bits, 1, form, signed=signed, integer=True)


ALL = {d.name: d for d in (
    _floating("float64", 64, form="d"), _floating("float32", 32, form="f"), _floating("float16", 16, form="e"),
    _floating("bfloat16", 16, code=4, form="bf"), _floating("float8_e4m3fn", 8, code=10), _floating("float8_e4m3fnuz", 8, code=11),
    _floating("float8_e5m2", 8, code=12), _floating("float8_e5m2fnuz", 8, code=13), _floating("float8_e8m0fnu", 8, code=14),
    _floating("float4_e2m1fn_x2", 4, code=17, lanes=2), _integer("int8", 8, "b"), _integer("int16", 16, "h"), _integer("int32", 32, "i"),
    _integer("int64", 64, "q"), _integer("uint8", 8, "B", False), _integer("uint16", 16, "H", False),
    _integer("uint32", 32, "I", False), _integer("uint64", 64, "Q", False), dtype("bool", 1, 6, 8, form="?", signed=False))}
ALIASES = {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64", "short": "int16"}


def kind_of(given):
    """The element type that a type of torch or of Python means; None stays."""
    return {bool: ALL["bool"], int: ALL["int64"], float: ALL["float32"]}.get(given, given)


def unpack(kind, content, count):
    """`count` elements as Python numbers; types without a format as raw zeros."""
    if kind.form is None:
        return [0.0] * count
    if kind.form == "bf":
        return [struct.unpack("<f", b"\0\0" + content[2 * i:2 * i + 2])[0] for i in range(count)]
    return list(struct.unpack(f"<{count}{kind.form}", content))


def pack(kind, values):
    if kind.form is None:
        return bytes(kind.itemsize * len(values))
    if kind.form == "bf":
        return b"".join(struct.pack("<f", _finite(v))[2:] for v in values)
    if kind.integer:
        most = 1 << kind.bits
        wrapped = [int(v) % most for v in values]
        return struct.pack(f"<{len(values)}{kind.form}", *[v - most if kind.is_signed and v >= most // 2 else v for v in wrapped])
    if kind.form == "?":
        return bytes(bool(v) for v in values)
    if kind.form == "e":
        return b"".join(struct.pack("<e", max(-65504.0, min(65504.0, _finite(v)))) for v in values)
    return struct.pack(f"<{len(values)}{kind.form}", *[float(v) for v in values])


def _finite(value):
    value = float(value)
    return value if abs(value) < 3e38 else (3e38 if value > 0 else -3e38) if value == value else 0.0


class device:  # noqa: N801
    def __init__(self, kind="cpu", index=None):
        if isinstance(kind, device):
            kind, index = kind.type, kind.index
        if isinstance(kind, int):
            kind, index = "cuda", kind
        name, _, number = str(kind).partition(":")
        self.type = name
        self.index = int(number) if number else index if index is not None else (0 if name == "cuda" else None)

    def __repr__(self):
        return f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Size(tuple):
    def numel(self):
        count = 1
        for extent in self:
            count *= extent
        return count

    def __getitem__(self, key):
        got = tuple.__getitem__(self, key)
        return Size(got) if isinstance(key, slice) else got

    def __add__(self, other):
        return Size(tuple(self) + tuple(other))

    def __repr__(self):
        return f"torch.Size({list(self)})"


class finfo:  # noqa: N801
    def __init__(self, kind):
        limits = {"float64": (1.797e308, 2.2e-16), "float32": (3.4028234663852886e38, 1.1920929e-07), "float16": (65504.0, 0.000977),
                  "bfloat16": (3.3895e38, 0.0078125), "float8_e4m3fn": (448.0, 0.125), "float8_e5m2": (57344.0, 0.25)}
        self.max, self.eps = limits.get(kind.name, (1.0, 1.0))
        self.min, self.bits, self.tiny, self.dtype = -self.max, kind.bits, 1.17549435e-38, kind.name


class iinfo:  # noqa: N801
    def __init__(self, kind):
        self.bits, self.dtype = kind.bits, kind.name
        self.max = (1 << (kind.bits - kind.is_signed)) - 1
        self.min = -self.max - 1 if kind.is_signed else 0
