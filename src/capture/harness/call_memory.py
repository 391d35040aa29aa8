"""The tensors of a call: what they are, which memory they lie in, and where an address of it stands in the bytes of an argument."""

import bisect
import ctypes
import dataclasses
import gc

import ffi_arguments
import pointed_memory

MOST_CONTENT = 1 << 16  # bytes of an integer tensor whose content is kept
INDEX_TYPES = {"Int32": 4, "Uint32": 4, "Int64": 8, "Uint64": 8, "Boolean": 1}


def bits_of(dtype):
    return int(getattr(dtype, "width", 8))


def flat(value):
    """A shape or stride as a flat list of integers; None where it is nested or not known."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(p, (tuple, list)) for p in parts):
        return None
    return [int(p) for p in parts]


def leaves(value, name):
    """(name, leaf) of everything inside tuples, dictionaries and dataclasses."""
    if isinstance(value, (tuple, list)):
        for i, part in enumerate(value):
            yield from leaves(part, f"{name}_{i}")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{name}_{key}")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{name}_{field.name}")
    else:
        yield name, value


def allocations():
    """(address, bytes) of the memory that torch or its stand-in holds."""
    found = set()
    for thing in gc.get_objects():
        try:
            if type(thing).__name__ == "Storage" and hasattr(thing, "byte_count"):
                found.add((thing.address, thing.byte_count))
            elif type(thing).__name__ in ("Tensor", "Parameter") and hasattr(thing, "untyped_storage"):
                storage = thing.untyped_storage()
                found.add((storage.data_ptr(), storage.nbytes()))
        except Exception:  # an object that is being taken down
            continue
    return found


class Buffers:
    """Ranges of memory that tensors lie in; those that overlap are one."""

    def __init__(self):
        self.ranges = []
        self.sorted = []  # (address, index), of ranges that do not overlap

    def add(self, address, count):
        near = bisect.bisect_left(self.sorted, (address, -1))
        for at in (near - 1, near):
            known = self.ranges[self.sorted[at][1]] if 0 <= at < len(self.sorted) else None
            if known and address < known[0] + known[1] and known[0] < address + count:
                end = max(known[0] + known[1], address + count)
                known[0] = min(known[0], address)
                known[1] = end - known[0]
                self.sorted[at] = (known[0], self.sorted[at][1])
                return
        self.sorted.insert(near, (address, len(self.ranges)))
        self.ranges.append([address, count])

    def place(self, address):
        """(index, offset) of an address, or None."""
        at = bisect.bisect_right(self.sorted, (address, float("inf"))) - 1
        if at < 0:
            return None
        index = self.sorted[at][1]
        begin, count = self.ranges[index]
        return (index, address - begin) if address < begin + count else None


def is_tensor(value):
    from cutlass.cute import runtime

    return type(value) is runtime._Tensor or ffi_arguments.is_packed(value)


def with_adapted(values, adapted):
    """The arguments of a call, those of another library's tensor type as the DSL took them."""
    adapted = [a for a in (getattr(a, "_arg", a) for a in adapted) if is_tensor(a)]
    foreign = [i for i, v in enumerate(values) if hasattr(v, "__dlpack__") and not is_tensor(v)]
    if len(foreign) != len(adapted):
        return values
    values = list(values)
    for i, tensor in zip(foreign, adapted):
        values[i] = tensor
    return values


def tensors_and_pointers(named_arguments):
    from cutlass.cute import runtime

    tensors, pointers = [], []
    for name, argument in named_arguments:
        for path, leaf in leaves(argument, name):
            if is_tensor(leaf):
                tensors.append((path, leaf))
            elif type(leaf) is runtime._Pointer:
                pointers.append((path, leaf))
    return tensors, pointers


def described_tensor(name, tensor):
    shape, stride, dtype = flat(tensor.shape), flat(tensor.stride), tensor.element_type
    if shape is None or stride is None:
        raise ValueError(f"tensor {name} has nested modes")
    elements = 1 + sum((e - 1) * s for e, s in zip(shape, stride)) if all(shape) else 0
    return {"name": name, "dtype": dtype.__name__, "bits": bits_of(dtype), "shape": shape, "stride": stride,
            "address": int(tensor.data_ptr), "bytes": max(1, (elements * bits_of(dtype) + 7) // 8)}


def content_of(tensor, places):
    """Integers of an index type as they lie in memory, in hexadecimal, with zeros at the bytes where an address stands: it is of this run
    alone. None of a large tensor or another type."""
    if tensor["dtype"] not in INDEX_TYPES or tensor["bytes"] > MOST_CONTENT:
        return None
    content = bytearray(ctypes.string_at(tensor["address"], tensor["bytes"]))
    for at in places:
        content[at:at + pointed_memory.WORD] = bytes(pointed_memory.WORD)
    return content.hex()


def described_object(thing):
    """Of the DSL's own tensors."""
    return described_tensor("", thing) if is_tensor(thing) else None


def told_strays(tensor, strays):
    """What is not known of a table, as a list of at most one."""
    if not strays:
        return []
    first = ", ".join(f"{tensor['name']}[{','.join(map(str, coordinate))}]" for coordinate, _ in strays[:3])
    more = f" and {len(strays) - 3} more of it" if len(strays) > 3 else ""
    return [f"where {first}{more} lead{'s' if len(strays) == 1 else ''}: to no memory that the program holds when it calls"]


def told_cuts(cut):
    """What is not known of tables whose addresses were not followed to their end, as a list of at most one."""
    if not cut:
        return []
    names, because = list(cut), next(iter(cut.values()))
    more = f" and of {len(names) - 3} more tables" if len(names) > 3 else ""
    return [f"where the addresses in {', '.join(names[:3])}{more} lead: {because} already"]


def memory_of(tensors, pointers):
    """What the tensors and pointers of a call refer to, by themselves and by addresses that stand in them: described tensors, buffers, what
    is not known."""
    buffers, unknown, described = Buffers(), [], [described_tensor(*t) for t in tensors]
    for tensor in described:
        buffers.add(tensor["address"], tensor["bytes"])
    known = pointed_memory.Ranges(allocations() if pointers or any(map(pointed_memory.is_table, described)) else ())
    for name, pointer in pointers:
        address = int(pointer._pointer)
        around = known.around(address)
        if not around:
            unknown.append(f"how much memory the pointer {name} refers to")
            continue
        begin, count = around
        buffers.add(address, begin + count - address)
        dtype = pointer._dtype
        described.append({"name": name, "dtype": dtype.__name__, "bits": bits_of(dtype), "shape": [(begin + count - address) * 8 // bits_of(dtype)],
                          "stride": [1], "address": address, "bytes": begin + count - address})
    reached, cut = pointed_memory.reached(described, buffers, known, described_object, MOST_CONTENT)
    described += reached
    unknown += told_cuts(cut)
    for tensor in described:
        tensor["relocations"] = pointed_memory.relocations(tensor, buffers, known, MOST_CONTENT)
        strays = pointed_memory.strays(tensor, tensor["relocations"], MOST_CONTENT)
        unknown += [] if tensor["name"] in cut else told_strays(tensor, strays)
        if pointed_memory.not_followed(tensor, known, MOST_CONTENT):
            unknown.append(f"where the addresses in {tensor['name']} lead: it has more than {MOST_CONTENT} bytes")
        tensor["content"] = content_of(tensor, [r["at"] for r in tensor["relocations"]] + [at for _, at in strays])
        tensor["buffer"], tensor["offset"] = buffers.place(tensor["address"])
    for tensor in described:
        del tensor["address"]
    return described, buffers, unknown


def relocated(content, buffers):
    """Where an address of a buffer stands in the bytes of an argument."""
    found = []
    for at in range(0, len(content) - 7, 8):
        place = buffers.place(int.from_bytes(content[at:at + 8], "little"))
        if place:
            found.append({"at": at, "buffer": place[0], "offset": place[1]})
    return found
