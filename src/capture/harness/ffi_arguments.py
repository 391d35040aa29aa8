"""Arguments of a function that was compiled for TVM-FFI and is called through the DSL instead: tensors of another library as the descriptors
that the function was compiled for, the stream that TVM-FFI would have taken from its environment, plain numbers in the compiled width."""

import ctypes
import dataclasses
import struct


class PackedTensor:
    """A tensor in memory as a function compiled for `like` takes it: address, dynamic extents, dynamic strides."""

    def __init__(self, tensor, like):
        self.keeps = tensor  # its memory
        self.shape, self.stride = tuple(tensor.shape), tuple(tensor.stride())
        self.element_type, self.data_ptr = like.element_type, tensor.data_ptr()
        self.dynamic_shapes_mask, self.dynamic_strides_mask = like.dynamic_shapes_mask, like.dynamic_strides_mask
        self._use_32bit_stride = bool(getattr(like, "_use_32bit_stride", False))
        self.content = ctypes.create_string_buffer(self.packed())

    def packed(self):
        made = struct.pack("<Q", self.data_ptr)
        made += b"".join(struct.pack("<i", e) for e, dynamic in zip(self.shape, self.dynamic_shapes_mask) if dynamic)
        width, code = (4, "<i") if self._use_32bit_stride else (8, "<q")
        strides = [struct.pack(code, s) for s, dynamic in zip(self.stride, self.dynamic_strides_mask) if dynamic]
        if strides:
            made += bytes(-len(made) % width) + b"".join(strides)
        return made + bytes(-len(made) % 8)

    def __c_pointers__(self):
        return [ctypes.addressof(self.content)]


def is_packed(value):
    return isinstance(value, PackedTensor)


def is_environments_stream(like):
    return type(like).__name__ == "_FakeStream" and bool(getattr(like, "use_tvm_ffi_env_stream", False))


def whole_number(bits):
    """The DSL's own integer of that width."""
    import cutlass

    return cutlass.Int64 if bits == 64 else cutlass.Int32


def converted(value, like):
    """The value of a call as the argument `like`, with which the function was traced."""
    if value is None or like is None:
        return value
    if hasattr(like, "dynamic_shapes_mask") and hasattr(value, "data_ptr") and callable(value.data_ptr):
        return PackedTensor(value, like)
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*(converted(v, part) for v, part in zip(value, like)))
    if isinstance(like, (tuple, list)):
        return type(like)(converted(v, part) for v, part in zip(value, like))
    if dataclasses.is_dataclass(like) and not isinstance(like, type):
        changes = {f.name: converted(getattr(value, f.name), getattr(like, f.name)) for f in dataclasses.fields(like)}
        return dataclasses.replace(like, **changes)
    if isinstance(value, int) and hasattr(like, "divisibility"):  # a symbol: what it stands for has its width
        return whole_number(like.width)(value)
    if isinstance(value, (bool, int, float)) and hasattr(type(like), "width"):
        return type(like)(value)
    return value


def as_compiled(traced, arguments, keywords, stream):
    """Positional arguments for the function that was traced with `traced` ({parameter: value}); `stream` stands for the environment's."""
    waiting = list(arguments)
    made = []
    for name, like in traced.items():
        if name in keywords:
            made.append(converted(keywords[name], like))
        elif is_environments_stream(like):
            made.append(stream)
        elif waiting:
            made.append(converted(waiting.pop(0), like))
        else:
            break  # the rest has defaults, or the DSL says what is missing
    return made + waiting
