"""Reads the C header that `export_to_c` writes: entry point, and the size and kind of every argument that it is given a pointer to."""

import re

SIZES = {"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "float": 4,
         "double": 8, "__half_raw": 2, "__nv_bfloat16": 2}

STRUCT = re.compile(r"typedef struct \{([^}]*)\} (\w+);")
MEMBER = re.compile(r"^\s*(\w+)\s*(\*?)\s*(\w+)(?:\[(\d+)\])?;\s*$")
ENTRY = re.compile(r"void (\w+)\(void \*\*args, int32_t num_args\);")
WRAPPER = re.compile(r"static inline \w+ \w+_wrapper\(\w+ \*module(?:, )?([^)]*)\) \{(.*?)\n\}", re.DOTALL)
PACKED = re.compile(r"void \*args\[\d+\] = \{(.*?)\};", re.DOTALL)
DECLARED = re.compile(r"^(\w+)\s*(\*?)\s*(\w+)$")
EXPRESSION = re.compile(r"^(&?)(\w+)(?:\[\d+\]|->elements\[\d+\])?$")


class UnknownHeader(Exception):
    """The header is written in a way that this reader does not know."""


def struct_bytes(body, name):
    """Size of a struct of pointers and integers, laid out as C does."""
    offset, alignment = 0, 1
    for line in body.strip().splitlines():
        member = MEMBER.match(line)
        if not member:
            raise UnknownHeader(f"member '{line.strip()}' of {name}")
        kind, pointer, _, count = member.groups()
        size = 8 if pointer else SIZES.get(kind)
        if size is None:
            raise UnknownHeader(f"type {kind} in {name}")
        offset = -(-offset // size) * size + size * int(count or 1)
        alignment = max(alignment, size)
    return -(-offset // alignment) * alignment


def declared_arguments(text):
    """name → (type, whether a pointer) of the wrapper's signature."""
    found = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        declared = DECLARED.match(part)
        if not declared:
            raise UnknownHeader(f"argument '{part}'")
        kind, pointer, name = declared.groups()
        found[name] = (kind, bool(pointer))
    return found


def argument_of(expression, declared, bodies):
    """{"name", "type", "bytes", "stream"} of one pointer of the packed list."""
    parsed = EXPRESSION.match(expression)
    if not parsed or parsed[2] not in declared:
        raise UnknownHeader(f"packed argument '{expression}'")
    address_of, name = parsed[1], parsed[2]
    kind, pointer = declared[name]
    if "->" in expression:
        kind, pointer = kind.replace("_TensorList_", "_Tensor_", 1), False
    elif not address_of or "[" in expression:
        pointer = False  # the argument points to a struct, or to an array of numbers
    if kind == "cudaStream_t":
        return {"name": name, "type": kind, "bytes": 8, "stream": True}
    if pointer:
        return {"name": name, "type": "void *", "bytes": 8, "stream": False}
    if kind in bodies:
        return {"name": name, "type": "tensor", "bytes": struct_bytes(bodies[kind], kind), "stream": False}
    if kind not in SIZES:
        raise UnknownHeader(f"type {kind} of {name}")
    return {"name": name, "type": kind, "bytes": SIZES[kind], "stream": False}


def read(text):
    """(entry point, arguments in the order in which it takes pointers to them); a result's address comes after them."""
    entry, wrapper = ENTRY.search(text), WRAPPER.search(text)
    if not entry or not wrapper:
        raise UnknownHeader("no entry point")
    packed = PACKED.search(wrapper[2])
    if not packed:
        raise UnknownHeader("no list of arguments")
    expressions = [e for e in (p.strip() for p in packed[1].split(",")) if e]
    if expressions[-1:] != ["&ret"]:
        raise UnknownHeader("no result")
    bodies = {name: body for body, name in STRUCT.findall(text)}
    declared = declared_arguments(wrapper[1])
    return entry[1], [argument_of(e, declared, bodies) for e in expressions[:-1]]
