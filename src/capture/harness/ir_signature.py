"""The arguments of a compiled host function by its text: for each its size in bytes, and what it is. The function takes a pointer to each."""

import re

NUMBERS = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
C_NAMES = {"f32": "float", "f64": "double", "f16": "__half_raw", "bf16": "__nv_bfloat16"}
ALIAS = re.compile(r"^(![\w.]+) = (.*)$", re.MULTILINE)


class UnknownSignature(ValueError):
    """The text is none that this can read."""


def parts_of(text):
    """Between commas outside brackets and strings."""
    parts, depth, inside, begin = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"':
            inside = not inside
        elif inside:
            continue
        elif c in "(<[{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1:i] != "-"):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return parts + ([text[begin:].strip()] if text[begin:].strip() else [])


def closing(text, begin):
    """Where the bracket that opens at `begin` closes."""
    depth, inside = 0, False
    for i in range(begin, len(text)):
        c = text[i]
        if c == '"':
            inside = not inside
        elif not inside and c in "(<[{":
            depth += 1
        elif not inside and (c in ")]}" or (c == ">" and text[i - 1] != "-")):
            depth -= 1
            if depth == 0:
                return i
    raise UnknownSignature("a bracket that does not close")


def argument_types(text, function):
    """Types of the function's arguments, aliases replaced."""
    at = next((i for i in (text.find(f"func.func @{function}("), text.find(f'func.func @"{function}"(')) if i >= 0), -1)
    if at < 0:
        raise UnknownSignature(f"no function {function}")
    begin = text.index("(", at)
    aliases = dict(ALIAS.findall(text))
    types = []
    for part in parts_of(text[begin + 1:closing(text, begin)]):
        kind = part.partition(": ")[2].split(" loc(")[0].strip()
        while kind in aliases:
            kind = aliases[kind]
        types.append(re.sub(r"\s*\{.*\}$", "", kind) if kind.startswith(("i", "f", "!cuda")) else kind)
    return types


def memref_bytes(kind):
    """Of the struct that a tensor is passed as: address, dynamic extents of 4 bytes, dynamic strides of 8 or 4."""
    layouts = re.findall(r'"([^"]*)"', kind)
    if not layouts:
        raise UnknownSignature(f"a tensor without a layout: {kind}")
    depth = 0
    for i, c in enumerate(layouts[-1]):
        depth += (c == "(") - (c == ")")
        if c == ":" and depth == 0:
            break
    else:
        raise UnknownSignature(f"no layout: {layouts[-1]}")
    extents, strides = layouts[-1][:i], layouts[-1][i + 1:]
    end = 8 + 4 * extents.count("?")
    dynamic = re.findall(r"\?(\{[^}]*\})?", strides)
    if dynamic:
        width = 8 if any("i64" in d for d in dynamic) else 4
        end = -(-end // width) * width + width * len(dynamic)
    return -(-end // 8) * 8


def described(kind, name):
    """{"name", "type", "bytes", "stream"} of one argument."""
    if kind in NUMBERS:
        return {"name": name, "type": C_NAMES.get(kind, f"int{NUMBERS[kind] * 8}_t"), "bytes": NUMBERS[kind], "stream": False}
    if kind == "!cuda.stream":
        return {"name": name, "type": "cudaStream_t", "bytes": 8, "stream": True}
    if kind.startswith("!cute.memref<"):
        return {"name": name, "type": "tensor", "bytes": memref_bytes(kind), "stream": False}
    number = re.fullmatch(r'!cute\.int_tuple<"\?(\{[^}]*\})?">', kind)
    if number:  # an extent that is a symbol where it is compiled
        width = 8 if "i64" in (number.group(1) or "") else 4
        return {"name": name, "type": f"int{width * 8}_t", "bytes": width, "stream": False}
    if kind == "!cuda.event":
        return {"name": name, "type": "cudaEvent_t", "bytes": 8, "stream": False}
    if kind.startswith(("!cute.ptr<", "!llvm.ptr")):
        return {"name": name, "type": "void *", "bytes": 8, "stream": False}
    raise UnknownSignature(f"argument {name} is of a type that is not known here: {kind}")


def arguments_of(text, function, names):
    """Of each argument in order; `names` are the names of the values that were passed, if they are as many."""
    types = argument_types(text, function)
    if len(names) != len(types):
        names = [f"argument_{i}" for i in range(len(types))]
    return [described(kind, name) for kind, name in zip(types, names)]
