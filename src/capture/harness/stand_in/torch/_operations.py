"""Operations on tensors. On small ones they are computed; on large ones the result has the right form and zeros."""

import math
import operator
import random as _random

from . import _memory
from ._tensor import SMALL, Tensor, contiguous_strides, empty_like_shape
from ._types import ALL, Size

FLOAT = ALL["float32"]
BOOL = ALL["bool"]


def like(tensor, kind=None, shape=None, on=None):
    """New memory; the strides of a dense tensor are kept, of another the order of its modes."""
    kind = kind or tensor.dtype
    if shape is not None and tuple(shape) != tuple(tensor.shape):
        return empty_like_shape(shape, kind, on or tensor.device)
    if tensor.numel() == 1 + sum((e - 1) * s for e, s in zip(tensor.shape, tensor.stride())):
        return Tensor(_memory.Storage(tensor.numel() * kind.itemsize), tensor.shape, tensor.stride(), kind, 0, on or tensor.device)
    order = sorted(range(tensor.ndim), key=lambda i: -tensor.stride(i))
    made = empty_like_shape([tensor.shape[o] for o in order], kind, on or tensor.device)
    return made.permute(*[order.index(i) for i in range(tensor.ndim)]) if tensor.ndim else made


def broadcast(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    for x, y in zip(a, b):
        if x != y and 1 not in (x, y):
            raise RuntimeError(f"shapes {a} and {b} cannot be broadcast")
    return Size(y if x == 1 else x for x, y in zip(a, b))


def promoted(a, b, floating=False):
    kinds = [t.dtype for t in (a, b) if isinstance(t, Tensor)]
    if any(k.is_floating_point for k in kinds):
        return max((k for k in kinds if k.is_floating_point), key=lambda k: k.itemsize)
    if floating or any(isinstance(t, float) for t in (a, b)):
        return FLOAT
    return max(kinds, key=lambda k: k.itemsize)


def binary(function, result=None, floating=False, reverse=False):
    def operation(self, other, *, alpha=None, out=None, **_keywords):
        a, b = (other, self) if reverse else (self, other)
        shape = broadcast(a.shape if isinstance(a, Tensor) else (), b.shape if isinstance(b, Tensor) else ())
        kind = result or promoted(a, b, floating)
        made = like(self, kind, shape)
        if shape.numel() <= SMALL:
            left, right = spread(a, shape), spread(b, shape)
            made.set_elements([guarded(function, x, y) for x, y in zip(left, right)])
        return made

    return operation


def spread(value, shape):
    return value.expand(*shape).elements() if isinstance(value, Tensor) else [value] * shape.numel()


def guarded(function, *values):
    try:
        return function(*values)
    except (ArithmeticError, ValueError):
        return 0


def in_place(operation):
    def method(self, *arguments, **keywords):
        if self.is_small():
            self.set_elements(operation(self, *arguments, **keywords).expand(*self.shape).elements())
        return self

    return method


def unary(function, result=None, floating=False):
    def operation(self, *_arguments, **_keywords):
        kind = result or (FLOAT if floating and not self.dtype.is_floating_point else self.dtype)
        made = like(self, kind)
        return made.set_elements([guarded(function, v) for v in self.elements()]) if self.is_small() else made

    return operation


def reduced_shape(tensor, dim, keepdim):
    if dim is None:
        return Size((1,) * tensor.ndim if keepdim else ())
    dims = [d % tensor.ndim for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    return Size(1 if i in dims else e for i, e in enumerate(tensor.shape) if keepdim or i not in dims)


def reduction(function, result=None, floating=False):
    def operation(self, dim=None, keepdim=False, *, dtype=None, axis=None, **_keywords):
        dim = axis if dim is None else dim
        kind = dtype or result or (FLOAT if floating and not self.dtype.is_floating_point else self.dtype)
        made = empty_like_shape(reduced_shape(self, dim, keepdim), kind, self.device)
        if not self.is_small() or not self.numel():
            return made
        dims = range(self.ndim) if dim is None else [d % self.ndim for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
        rest = [i for i in range(self.ndim) if i not in dims]
        values = self.permute(*rest, *dims).elements() if self.ndim else self.elements()
        run = len(values) // max(1, made.numel())
        return made.set_elements([function(values[i:i + run]) for i in range(0, len(values), run)])

    return operation


def maximum_like(choose, name):
    whole = reduction(choose)

    def operation(self, dim=None, keepdim=False, **keywords):
        if isinstance(dim, Tensor):
            return binary(lambda a, b: choose((a, b)))(self, dim)
        got = whole(self, dim, keepdim)
        if dim is None:
            return got
        return NamedResult(got, reduction(lambda run: run.index(choose(run)), ALL["int64"])(self, dim, keepdim))

    operation.__name__ = name
    return operation


class NamedResult(tuple):
    def __new__(cls, values, indices):
        return tuple.__new__(cls, (values, indices))

    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


# ---- conversions and memory ----

def to(self, *words, **keywords):
    from . import _types

    kind, on = keywords.get("dtype"), keywords.get("device")
    for word in words:
        if isinstance(word, _types.dtype) or word in (bool, int, float):
            kind = word
        elif isinstance(word, (str, _types.device)):
            on = word
        elif isinstance(word, Tensor):
            kind, on = word.dtype, word.device
    on = _types.device(on) if on is not None else self.device
    kind = _types.kind_of(kind) or self.dtype
    if kind is self.dtype:
        return self if on == self.device else Tensor(self._storage, self.shape, self.stride(), kind, self._offset, on)
    made = like(self, kind, on=on)
    return made.set_elements(self.elements()) if self.is_small() else made


def contiguous(self, *_arguments, **_keywords):
    return self if self.is_contiguous() else copied(self, empty_like_shape(self.shape, self.dtype, self.device))


def copied(source, made):
    return made.set_elements(source.elements()) if source.is_small() else made


def copy_(self, source, *_arguments, **_keywords):
    if isinstance(source, Tensor):
        return self.set_elements(source.expand(*self.shape).elements()) if self.is_small() else self
    return fill_(self, source)


def fill_(self, value):
    value = value.item() if isinstance(value, Tensor) else value
    return self.set_elements([value] * self.numel()) if self.is_small() else self


def random_(self, low=0, high=None, **_keywords):
    low, high = (0, low) if high is None and low else (low, high or 2)
    return self.set_elements([_random.randrange(int(low), max(int(low) + 1, int(high))) for _ in range(self.numel())]) if self.is_small() else self


def normal_(self, mean=0.0, std=1.0, **_keywords):
    return self.set_elements([_random.gauss(mean, std) for _ in range(self.numel())]) if self.is_small() else self


def uniform_(self, low=0.0, high=1.0, **_keywords):
    return self.set_elements([_random.uniform(low, high) for _ in range(self.numel())]) if self.is_small() else self


def repeat(self, *times):
    times = times[0] if times and isinstance(times[0], (tuple, list)) else times
    shape = (1,) * (len(times) - self.ndim) + tuple(self.shape)
    return empty_like_shape([e * t for e, t in zip(shape, times)], self.dtype, self.device)


def repeat_interleave(self, times, dim=None, **_keywords):
    base = self.flatten() if dim is None else self
    dim = 0 if dim is None else dim % base.ndim
    if isinstance(times, Tensor):
        counts = times.elements() if times.numel() > 1 else [times.item()] * base.shape[dim]
    else:
        counts = [times] * base.shape[dim]
    chosen = [i for i, count in enumerate(counts) for _ in range(int(count))]
    return index_select(base, dim, chosen)


def index_select(self, dim, index):
    moved = self.transpose(0, dim)
    return moved[list(map(int, index.tolist() if isinstance(index, Tensor) else index))].transpose(0, dim)


def cumsum(self, dim, dtype=None, **_keywords):
    made = like(self, dtype or self.dtype)
    if self.is_small():
        source, target = self.movedim(dim, -1).contiguous(), made.movedim(dim, -1)
        run, values, total = source.shape[-1], source.elements(), []
        for start in range(0, len(values), run):
            step = 0
            for value in values[start:start + run]:
                step += value
                total.append(step)
        target.set_elements(total)
    return made


def sort(self, dim=-1, descending=False, **_keywords):
    made, order = like(self), like(self, ALL["int64"])
    if self.ndim == 1 and self.is_small():
        values = self.elements()
        ranks = sorted(range(len(values)), key=values.__getitem__, reverse=descending)
        made.set_elements([values[i] for i in ranks])
        order.set_elements(ranks)
    return NamedResult(made, order)


def topk(self, k, dim=-1, **_keywords):
    shape = list(self.shape)
    shape[dim] = k
    return NamedResult(like(self, shape=shape), like(self, ALL["int64"], shape))


def nonzero(self, **_keywords):
    count = sum(map(bool, self.elements())) if self.is_small() else 0
    return empty_like_shape((count, self.ndim), ALL["int64"], self.device)


def gather(self, dim, index, **_keywords):
    return like(self, shape=index.shape)


def same(self, *_arguments, **_keywords):
    return like(self)


def itself(self, *_arguments, **_keywords):
    return self


# ---- products: forms only ----

def matmul(a, b, *_arguments, **_keywords):
    if b.ndim == 1:
        return empty_like_shape(a.shape[:-1], a.dtype, a.device)
    batch = broadcast(a.shape[:-2], b.shape[:-2]) if a.ndim > 2 or b.ndim > 2 else Size()
    return empty_like_shape((*batch, *(a.shape[-2:-1]), b.shape[-1]), promoted(a, b), a.device)


def einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    inputs, _, output = equation.replace(" ", "").partition("->")
    extents = {}
    for letters, operand in zip(inputs.split(","), operands):
        extents.update(zip(letters, operand.shape))
    if not output:
        joined = inputs.replace(",", "")
        output = "".join(sorted(letter for letter in set(joined) if joined.count(letter) == 1))
    return empty_like_shape([extents[letter] for letter in output], operands[0].dtype, operands[0].device)


def where(condition, a=None, b=None):
    if a is None:
        return tuple(nonzero(condition).unbind(1))
    shape = broadcast(condition.shape, broadcast(a.shape if isinstance(a, Tensor) else (), b.shape if isinstance(b, Tensor) else ()))
    made = empty_like_shape(shape, promoted(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else FLOAT, condition.device)
    if shape.numel() <= SMALL:
        made.set_elements([x if c else y for c, x, y in zip(spread(condition, shape), spread(a, shape), spread(b, shape))])
    return made


def cat(tensors, dim=0, **_keywords):
    tensors = list(tensors)
    dim %= max(1, tensors[0].ndim)
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    made, start = like(tensors[0], shape=shape), 0
    for tensor in tensors:
        made.narrow(dim, start, tensor.shape[dim]).copy_(tensor)
        start += tensor.shape[dim]
    return made


def stack(tensors, dim=0, **_keywords):
    return cat([t.unsqueeze(dim) for t in tensors], dim)


BINARY = {
    "add": binary(operator.add), "sub": binary(operator.sub), "mul": binary(operator.mul), "div": binary(lambda a, b: a / b, floating=True),
    "floor_divide": binary(operator.floordiv), "remainder": binary(operator.mod), "pow": binary(operator.pow),
    "eq": binary(operator.eq, BOOL), "ne": binary(operator.ne, BOOL), "lt": binary(operator.lt, BOOL), "le": binary(operator.le, BOOL),
    "gt": binary(operator.gt, BOOL), "ge": binary(operator.ge, BOOL), "maximum": binary(max), "minimum": binary(min),
    "bitwise_and": binary(lambda a, b: int(a) & int(b)), "bitwise_or": binary(lambda a, b: int(a) | int(b)),
    "bitwise_xor": binary(lambda a, b: int(a) ^ int(b)), "logical_and": binary(lambda a, b: bool(a) and bool(b), BOOL),
    "logical_or": binary(lambda a, b: bool(a) or bool(b), BOOL), "bitwise_left_shift": binary(lambda a, b: int(a) << int(b)),
    "bitwise_right_shift": binary(lambda a, b: int(a) >> int(b)), "isclose": binary(lambda a, b: True, BOOL),
}
UNARY = {
    "neg": unary(operator.neg), "abs": unary(abs), "exp": unary(math.exp, floating=True), "exp2": unary(lambda v: 2.0 ** v, floating=True),
    "log": unary(math.log, floating=True), "log2": unary(math.log2, floating=True), "sqrt": unary(math.sqrt, floating=True),
    "rsqrt": unary(lambda v: 1 / math.sqrt(v), floating=True), "tanh": unary(math.tanh, floating=True),
    "sigmoid": unary(lambda v: 1 / (1 + math.exp(-v)), floating=True), "relu": unary(lambda v: max(v, 0)), "floor": unary(math.floor),
    "ceil": unary(math.ceil), "round": unary(round), "trunc": unary(math.trunc), "sign": unary(lambda v: (v > 0) - (v < 0)),
    "reciprocal": unary(lambda v: 1 / v, floating=True), "isnan": unary(lambda v: v != v, BOOL), "isinf": unary(math.isinf, BOOL),
    "isfinite": unary(math.isfinite, BOOL), "logical_not": unary(operator.not_, BOOL), "bitwise_not": unary(lambda v: ~int(v)),
    "erf": unary(math.erf, floating=True), "silu": unary(lambda v: v, floating=True), "gelu": unary(lambda v: v, floating=True),
}
REDUCTIONS = {
    "sum": reduction(sum), "mean": reduction(lambda run: sum(run) / len(run), floating=True), "prod": reduction(math.prod),
    "amax": reduction(max), "amin": reduction(min), "any": reduction(any, BOOL), "all": reduction(all, BOOL),
    "argmax": reduction(lambda run: run.index(max(run)), ALL["int64"]), "argmin": reduction(lambda run: run.index(min(run)), ALL["int64"]),
    "norm": reduction(lambda run: math.sqrt(sum(v * v for v in run)), floating=True), "std": reduction(lambda run: 0.0, floating=True),
    "var": reduction(lambda run: 0.0, floating=True), "count_nonzero": reduction(lambda run: sum(map(bool, run)), ALL["int64"]),
    "logsumexp": reduction(lambda run: 0.0, floating=True),
}
OTHERS = {
    "to": to, "contiguous": contiguous, "clone": lambda self, **_k: copied(self, like(self)), "copy_": copy_, "fill_": fill_, "random_": random_,
    "normal_": normal_, "uniform_": uniform_, "zero_": lambda self: fill_(self, 0), "repeat": repeat, "repeat_interleave": repeat_interleave,
    "index_select": index_select, "cumsum": cumsum, "sort": sort, "topk": topk, "nonzero": nonzero, "gather": gather, "matmul": matmul, "mm": matmul,
    "bmm": matmul, "max": maximum_like(max, "max"), "min": maximum_like(min, "min"), "clamp": same, "clip": same, "masked_fill": same, "softmax": same,
    "log_softmax": same, "tril": same, "triu": same, "scatter": same, "flip": same, "roll": same, "masked_fill_": itself, "scatter_": itself,
    "clamp_": itself, "index_copy_": itself, "index_add_": itself, "exponential_": itself, "bernoulli_": itself, "share_memory_": itself,
    "pin_memory": itself, "dot": lambda self, other: empty_like_shape((), self.dtype, self.device), "argsort": lambda self, *a, **k: sort(self, *a, **k)[1],
}
DUNDERS = {"__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__floordiv__": "floor_divide", "__mod__": "remainder",
           "__pow__": "pow", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__and__": "bitwise_and",
           "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift"}
REVERSED = {"__radd__": operator.add, "__rsub__": operator.sub, "__rmul__": operator.mul, "__rfloordiv__": operator.floordiv,
            "__rmod__": operator.mod, "__rpow__": operator.pow, "__rand__": lambda a, b: int(a) & int(b), "__ror__": lambda a, b: int(a) | int(b)}


def install():
    for table in (BINARY, UNARY, REDUCTIONS, OTHERS):
        for name, function in table.items():
            setattr(Tensor, name, function)
            if table in (BINARY, UNARY) and not hasattr(Tensor, name + "_"):
                setattr(Tensor, name + "_", in_place(function))
    for name, meaning in DUNDERS.items():
        setattr(Tensor, name, BINARY[meaning])
        if meaning in ("add", "sub", "mul", "div"):
            setattr(Tensor, name.replace("__", "__i", 1), in_place(BINARY[meaning]))
    for name, function in REVERSED.items():
        setattr(Tensor, name, binary(function, reverse=True))
    Tensor.__rtruediv__ = binary(lambda a, b: a / b, floating=True, reverse=True)
    Tensor.__neg__, Tensor.__abs__, Tensor.__invert__, Tensor.__matmul__ = UNARY["neg"], UNARY["abs"], UNARY["logical_not"], matmul
    Tensor.cpu = lambda self, **_k: to(self, "cpu")
    Tensor.cuda = lambda self, *_a, **_k: to(self, "cuda")
    for name in ("float", "half", "double", "bfloat16", "int", "long", "short", "bool"):
        kind = ALL[{"float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64", "short": "int16"}.get(name, name)]
        setattr(Tensor, name, lambda self, kind=kind, **_k: to(self, kind))
    Tensor.type = lambda self, kind=None: to(self, kind) if kind is not None else f"torch.{self.dtype.name}"
    Tensor.type_as = lambda self, other: to(self, other.dtype)
    Tensor.new_empty = Tensor.new_zeros = lambda self, *shape, dtype=None, device=None: empty_like_shape(
        shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape, dtype or self.dtype, device or self.device)
    Tensor.is_same_strides = lambda self: self.stride() == contiguous_strides(self.shape)
