"""Memory that a call reaches only through addresses that stand in its tensors: tables of pointers, one for each problem of a group."""

import bisect
import collections
import ctypes
import gc
import itertools

WORD = 8  # bytes of an address
MOST_DEPTH = 8  # tables behind tables: a ring or a list of them has no end, and each is named after the one before it
MOST_REACHED = 1 << 16  # tensors that addresses lead to
LIKE_ADDRESSES = range(1 << 40, 1 << 47)  # where a process on 64-bit Linux has its heap and its mappings
# Element types of torch by the DSL's names; others are memory whose elements nobody names.
NAMES = {"torch.float64": "Float64", "torch.float32": "Float32", "torch.float16": "Float16", "torch.bfloat16": "BFloat16", "torch.int8": "Int8",
         "torch.int32": "Int32", "torch.int64": "Int64", "torch.float8_e4m3fn": "Float8E4M3FN", "torch.float8_e5m2": "Float8E5M2",
         "torch.float8_e8m0fnu": "Float8E8M0FNU"}


def of_torch(thing):
    """A tensor of torch, or of its stand-in, in the terms of a described tensor; None where it is none or holds no elements."""
    if type(thing).__name__ not in ("Tensor", "Parameter") or not hasattr(thing, "untyped_storage"):
        return None
    shape, stride, size = [int(e) for e in thing.shape], [int(s) for s in thing.stride()], int(thing.element_size())
    if not all(shape) or any(s < 0 for s in stride):
        return None
    elements = 1 + sum((e - 1) * s for e, s in zip(shape, stride))
    return {"dtype": NAMES.get(str(thing.dtype), "Uint8"), "bits": 8 * size, "shape": shape, "stride": stride,
            "address": int(thing.data_ptr()), "bytes": elements * size}


class Alive:
    """The tensors that a program holds, by the address at which they begin. The DSL's own come first, as they name types that torch has
    not; of several the one with the most memory: a view of one row begins where its tensor does."""

    def __init__(self, describe):
        self.found = {}
        for thing in gc.get_objects():
            try:
                own = describe(thing)
                one = own or of_torch(thing)
            except Exception:  # an object that is being taken down, or of a form that is not described
                continue
            if one:
                rank = (own is not None, one["bytes"])
                known = self.found.get(one["address"])
                if known is None or known[0] < rank:
                    self.found[one["address"]] = (rank, one)

    def at(self, address):
        return dict(self.found[address][1]) if address in self.found else None


def coordinates(tensor):
    """(coordinate, byte) of each element."""
    size = tensor["bits"] // 8
    for at in itertools.product(*(range(e) for e in tensor["shape"])):
        yield at, size * sum(c * s for c, s in zip(at, tensor["stride"]))


class Ranges:
    """Memory that a program holds, as (address, bytes) of parts that do not overlap, found by an address in it."""

    def __init__(self, parts):
        self.parts = sorted(parts)

    def around(self, address):
        at = bisect.bisect_right(self.parts, (address, float("inf"))) - 1
        return self.parts[at] if at >= 0 and address < sum(self.parts[at]) else None


def is_table(tensor):
    return tensor["dtype"] in ("Int64", "Uint64")


def words(tensor, known, most_bytes):
    """(coordinate, byte, address) of the elements of a table of addresses that lie in memory that the program holds."""
    if not is_table(tensor) or tensor["bytes"] > most_bytes:
        return []
    content = ctypes.string_at(tensor["address"], tensor["bytes"])
    found = []
    for coordinate, at in coordinates(tensor):
        word = int.from_bytes(content[at:at + WORD], "little")
        if word and known.around(word):
            found.append((coordinate, at, word))
    return found


def strays(tensor, relocations, most_bytes):
    """(coordinate, byte) of the elements of a table that look like addresses and lead to no buffer: of memory that was given back, past the
    end of a tensor, of another process."""
    if not is_table(tensor) or tensor["bytes"] > most_bytes:
        return []
    content, placed = ctypes.string_at(tensor["address"], tensor["bytes"]), {r["at"] for r in relocations}
    return [(coordinate, at) for coordinate, at in coordinates(tensor)
            if at not in placed and int.from_bytes(content[at:at + WORD], "little") in LIKE_ADDRESSES]


def not_followed(tensor, known, most_bytes):
    """Whether a table is too large for its addresses to be followed and begins with one."""
    if not is_table(tensor) or tensor["bytes"] <= most_bytes:
        return False
    content = ctypes.string_at(tensor["address"], most_bytes)
    return any(known.around(int.from_bytes(content[at:at + WORD], "little")) for at in range(0, most_bytes, WORD))


def reached(described, buffers, known, describe, most_bytes):
    """(described tensors that only addresses in `described` lead to, and in each other; tables of which an address was not followed, and
    why). The tensors join the buffers. Named after the element with the address: "table[2,0]". Memory in which no tensor begins there is
    bytes."""
    alive, made, cut, tables = None, [], {}, collections.deque((table, 0) for table in described)
    while tables:
        table, depth = tables.popleft()
        for coordinate, _, address in words(table, known, most_bytes):
            if buffers.place(address):
                continue
            if depth == MOST_DEPTH or len(made) == MOST_REACHED:
                cut[table["name"]] = f"{MOST_DEPTH} tables lie behind each other" if depth == MOST_DEPTH else f"{MOST_REACHED} tensors lie behind addresses"
                break
            alive = alive or Alive(describe)
            begin, count = known.around(address)
            rest = begin + count - address
            found = alive.at(address) or {"dtype": "Uint8", "bits": 8, "shape": [rest], "stride": [1], "address": address, "bytes": rest}
            tensor = {"name": ""} | found | {"name": f"{table['name']}[{','.join(map(str, coordinate))}]"}
            buffers.add(address, tensor["bytes"])
            made.append(tensor)
            tables.append((tensor, depth + 1))
    return made, cut


def relocations(tensor, buffers, known, most_bytes):
    """Where addresses of buffers stand in the tensor."""
    found = []
    for _, at, address in words(tensor, known, most_bytes):
        place = buffers.place(address)
        if place:
            found.append({"at": at, "buffer": place[0], "offset": place[1]})
    return found
