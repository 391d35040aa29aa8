"""Functions of torch itself: new tensors and settings. A module of its own, for torch.int and torch.float hide Python's in torch's."""

import contextlib as _contextlib
import math as _math
import random as _random

from . import _memory, _operations, _types
from ._operations import matmul
from ._tensor import Tensor
from ._tensor import empty_like_shape as _empty
from ._tensor import shape_of as _shape_of
from ._types import Size

_default = _types.ALL["float32"]
_kind = _types.kind_of


class Generator:
    def __init__(self, device="cpu"):
        self.device = device

    def manual_seed(self, _seed):
        return self


def _factory(fill):
    def make(*shape, size=None, dtype=None, device="cpu", **_keywords):
        made = _empty(_shape_of(shape if size is None else (size,)), _kind(dtype) or _default, device or "cpu")
        return fill(made) if made.is_small() else made

    return make


def _factory_like(fill):
    def make(tensor, *arguments, dtype=None, device=None, **_keywords):
        made = _operations.like(tensor, _kind(dtype), on=device)
        return fill(made, *arguments) if made.is_small() else made

    return make


empty = zeros = _factory(lambda t: t)
ones = _factory(lambda t: t.fill_(1))
rand = _factory(lambda t: t.uniform_())
randn = _factory(lambda t: t.normal_())
empty_like = zeros_like = _factory_like(lambda t, *_a: t)
ones_like = _factory_like(lambda t: t.fill_(1))
rand_like = _factory_like(lambda t: t.uniform_())
randn_like = _factory_like(lambda t: t.normal_())
full_like = _factory_like(lambda t, value: t.fill_(value))
randint_like = _factory_like(lambda t, low=0, high=None: t.random_(low, high))


def full(shape, value, dtype=None, device="cpu", **_keywords):
    kind = _kind(dtype) or (_types.ALL["bool"] if isinstance(value, bool) else _types.ALL["int64"] if isinstance(value, int) else _default)
    return _empty(_shape_of((shape,)), kind, device or "cpu").fill_(value)


def randint(*words, low=0, high=None, size=None, dtype=None, device="cpu", **_keywords):
    words = list(words)
    if size is None and words and isinstance(words[-1], (tuple, list)):
        size = words.pop()
    if len(words) == 2:
        low, high = words
    elif len(words) == 1:
        low, high = (low, words[0]) if high is None else (words[0], high)
    return _empty(size, _kind(dtype) or _types.ALL["int64"], device or "cpu").random_(low, high)


def empty_strided(shape, strides, dtype=None, device="cpu", **_keywords):
    kind = _kind(dtype) or _default
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    return Tensor(_memory.Storage(count * kind.itemsize), shape, strides, kind, 0, device or "cpu")


def arange(*words, dtype=None, device="cpu", **_keywords):
    start, end, step = (0, words[0], 1) if len(words) == 1 else (*words, 1) if len(words) == 2 else words
    whole = all(isinstance(w, int) for w in (start, end, step))
    count = max(0, _math.ceil((end - start) / step))
    made = _empty((count,), _kind(dtype) or (_types.ALL["int64"] if whole else _default), device or "cpu")
    return made.set_elements([start + i * step for i in range(count)]) if made.is_small() else made


def linspace(start, end, steps, dtype=None, device="cpu", **_keywords):
    made = _empty((steps,), _kind(dtype) or _default, device or "cpu")
    return made.set_elements([start + (end - start) * i / max(1, steps - 1) for i in range(steps)]) if made.is_small() else made


def randperm(count, dtype=None, device="cpu", **_keywords):
    order = list(range(count))
    _random.shuffle(order)
    made = _empty((count,), _kind(dtype) or _types.ALL["int64"], device or "cpu")
    return made.set_elements(order) if made.is_small() else made


def eye(rows, columns=None, dtype=None, device="cpu", **_keywords):
    made = _empty((rows, columns or rows), _kind(dtype) or _default, device or "cpu")
    return made.set_elements([int(i == j) for i in range(rows) for j in range(columns or rows)]) if made.is_small() else made


def tensor(data, dtype=None, device="cpu", **_keywords):
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=device)
    shape, flat = [], data
    while isinstance(flat, (list, tuple)):
        shape.append(len(flat))
        flat = flat[0] if flat else 0
    values = [data]
    for _ in shape:
        values = [v for row in values for v in row]
    values = [v.item() if isinstance(v, Tensor) else v for v in values]
    kind = _kind(dtype) or (_types.ALL["bool"] if values and all(isinstance(v, bool) for v in values)
                     else _types.ALL["int64"] if all(isinstance(v, int) for v in values) else _default)
    made = _empty(shape, kind, device or "cpu")
    return made.set_elements(values) if made.is_small() else made


def as_tensor(data, dtype=None, device=None, **_keywords):
    return tensor(data, dtype, device or (data.device if isinstance(data, Tensor) else "cpu"))


def frombuffer(buffer, dtype, **_keywords):
    import ctypes

    view = memoryview(buffer)
    address = ctypes.addressof(buffer) if isinstance(buffer, ctypes.Array) else ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    count = view.nbytes // dtype.itemsize
    return Tensor(_memory.Storage(view.nbytes, keeps=buffer, address=address), (count,), (1,), dtype, 0, "cpu")


def as_strided(value, shape, strides, offset=None):
    return value.as_strided(shape, strides, offset)


def manual_seed(seed):
    _random.seed(seed)
    return Generator()


seed = manual_seed


def numel(value):
    return value.numel()


def allclose(*_arguments, **_keywords):
    return True


equal = allclose


def is_tensor(value):
    return isinstance(value, Tensor)


def _nothing(*_arguments, **_keywords):
    return None


set_printoptions = set_default_device = set_num_threads = set_float32_matmul_precision = use_deterministic_algorithms = _nothing


@_contextlib.contextmanager
def no_grad():
    yield


inference_mode = enable_grad = no_grad


def compile(function=None, **_keywords):  # noqa: A001
    return function if function is not None else lambda wrapped: wrapped


def get_default_dtype():
    return _default


def addmm(bias, a, b, **_keywords):
    return matmul(a, b)


baddbmm = addmm


def _scaled_mm(a, b, *_arguments, out_dtype=None, **_keywords):
    return matmul(a, b).to(out_dtype or a.dtype)


def broadcast_shapes(*shapes):
    shape = Size()
    for other in shapes:
        shape = _operations.broadcast(shape, other)
    return shape


def multinomial(weights, count, replacement=False, **_keywords):
    made = _empty((*weights.shape[:-1], count), _types.ALL["int64"], weights.device)
    if not weights.is_small() or not made.is_small():
        return made
    run, values, chosen = weights.shape[-1], weights.elements(), []
    for start in range(0, len(values), run):
        row = [max(0.0, float(v)) for v in values[start:start + run]]
        chosen += _random.choices(range(run), row if any(row) else None, k=count) if replacement else _random.sample(range(run), count)
    return made.set_elements(chosen)


def bincount(values, weights=None, minlength=0):
    counts = [0] * minlength
    for value in values.elements() if values.is_small() else []:
        counts += [0] * (int(value) + 1 - len(counts))
        counts[int(value)] += 1
    return _empty((len(counts),), _types.ALL["int64"], values.device).set_elements(counts)
