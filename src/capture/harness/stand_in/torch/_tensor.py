"""Tensors with shape, strides, type, device and memory. Elements are computed for small tensors only (group sizes, sequence lengths, index
tables); of a large one nothing but its form is known, and its elements are zeros."""

import itertools
import math

from . import _memory, _types
from ._types import ALL, Size, device, dtype

SMALL = 1 << 16  # elements


def contiguous_strides(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(1, extent)
    return tuple(reversed(strides))


def shape_of(words):
    """Extents given as f(2, 3), f((2, 3)) or f([2, 3])."""
    if len(words) == 1 and isinstance(words[0], (tuple, list)):
        words = words[0]
    return Size(int(w) for w in words)


class Tensor:
    __array_priority__ = 1000

    def __init__(self, storage, shape, strides, kind, offset=0, on="cuda"):
        self._storage, self._shape, self._strides, self._offset = storage, Size(shape), tuple(strides), offset
        self.dtype, self.device = kind, device(on)
        self.requires_grad, self.grad, self.is_nested, self.is_sparse, self.layout = False, None, False, False, "strided"
        self.is_meta, self.is_quantized = False, False

    # ---- form ----
    shape = property(lambda self: self._shape)
    ndim = property(lambda self: len(self._shape))
    is_cuda = property(lambda self: self.device.type == "cuda")
    is_cpu = property(lambda self: self.device.type == "cpu")
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.numel() * self.dtype.itemsize)
    T = property(lambda self: self.permute(*reversed(range(self.ndim))))
    mT = property(lambda self: self.transpose(-2, -1))
    data = property(lambda self: self)

    def size(self, dim=None):
        return self._shape if dim is None else self._shape[dim]

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[dim]

    def dim(self):
        return len(self._shape)

    ndimension = dim

    def numel(self):
        return self._shape.numel()

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return self._storage.address + self._offset * self.dtype.itemsize

    def storage_offset(self):
        return self._offset

    def untyped_storage(self):
        return self._storage

    storage = untyped_storage

    def get_device(self):
        return self.device.index if self.is_cuda else -1

    def is_contiguous(self, memory_format=None):
        return all(s == c or e == 1 for s, c, e in zip(self._strides, contiguous_strides(self._shape), self._shape))

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def dim_order(self):
        return tuple(sorted(range(self.ndim), key=lambda i: (-self._strides[i], i)))

    def __len__(self):
        return self._shape[0]

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return _memory.capsule(self, self.is_cuda)

    def __dlpack_device__(self):
        return (2, 0) if self.is_cuda else (1, 0)

    def __repr__(self):
        body = f"{self.tolist()}, " if self.numel() <= 64 else "..., "
        return f"tensor({body}size={tuple(self._shape)}, dtype={self.dtype})"

    # ---- elements ----
    def is_small(self):
        return self.numel() <= SMALL

    def _offsets(self):
        ranges = [range(e) for e in self._shape]
        for index in itertools.product(*ranges):
            yield self._offset + sum(i * s for i, s in zip(index, self._strides))

    def elements(self):
        """Row-major list of a small tensor's elements."""
        size, kind = self.dtype.itemsize, self.dtype
        if self.is_contiguous():
            return _types.unpack(kind, self._storage.read(self._offset * size, self.numel() * size), self.numel())
        return [_types.unpack(kind, self._storage.read(o * size, size), 1)[0] for o in self._offsets()]

    def set_elements(self, values):
        size, kind = self.dtype.itemsize, self.dtype
        if self.is_contiguous():
            self._storage.write(self._offset * size, _types.pack(kind, values))
            return self
        for o, value in zip(self._offsets(), values):
            self._storage.write(o * size, _types.pack(kind, [value]))
        return self

    def item(self):
        return self.elements()[0] if self.is_small() else 0

    def tolist(self):
        flat = self.elements() if self.is_small() else [0] * self.numel()
        for extent in reversed(self._shape[1:]):
            flat = [flat[i:i + extent] for i in range(0, len(flat), extent)] if extent else []
        return flat if self.ndim else flat[0]

    def __bool__(self):
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    __index__ = __int__

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __hash__(self):
        return id(self)

    # ---- views ----
    def _view(self, shape, strides, offset=None, kind=None):
        return Tensor(self._storage, shape, strides, kind or self.dtype, self._offset if offset is None else offset, self.device)

    def permute(self, *order):
        order = [o % self.ndim for o in shape_of_order(order)]
        return self._view([self._shape[o] for o in order], [self._strides[o] for o in order])

    def transpose(self, a, b):
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.permute(*order)

    swapaxes = transpose

    def movedim(self, source, destination):
        order = [i for i in range(self.ndim) if i != source % self.ndim]
        order.insert(destination % self.ndim, source % self.ndim)
        return self.permute(*order)

    def t(self):
        return self.transpose(0, 1) if self.ndim == 2 else self

    def as_strided(self, shape, strides, offset=None):
        return self._view(shape, strides, offset)

    def unsqueeze(self, dim):
        dim %= self.ndim + 1
        stride = self._shape[dim] * self._strides[dim] if dim < self.ndim else 1
        return self._view(self._shape[:dim] + (1,) + self._shape[dim:], self._strides[:dim] + (stride,) + self._strides[dim:])

    def squeeze(self, dim=None):
        gone = [i for i, e in enumerate(self._shape) if e == 1 and (dim is None or i == dim % self.ndim)]
        keep = [i for i in range(self.ndim) if i not in gone]
        return self._view([self._shape[i] for i in keep], [self._strides[i] for i in keep])

    def expand(self, *shape):
        shape = list(shape_of(shape))
        lead = len(shape) - self.ndim
        strides = [0] * lead + [s if e != 1 or w in (1, -1) else 0 for s, e, w in zip(self._strides, self._shape, shape[lead:])]
        return self._view([self._shape[i - lead] if w == -1 else w for i, w in enumerate(shape)], strides)

    def expand_as(self, other):
        return self.expand(*other.shape)

    def view(self, *words, **keywords):
        kind = keywords.get("dtype", words[0] if words and isinstance(words[0], dtype) else None)
        if kind is not None:
            return self._as_type(kind)
        return self.reshape(*words)

    def _as_type(self, kind):
        ratio = self.dtype.itemsize / kind.itemsize
        if ratio == 1:
            return self._view(self._shape, self._strides, kind=kind)
        unit = next((i for i in range(self.ndim - 1, -1, -1) if self._strides[i] == 1), self.ndim - 1)
        scaled = [int(s * ratio) if i != unit else 1 for i, s in enumerate(self._strides)]
        shape = [int(e * ratio) if i == unit else e for i, e in enumerate(self._shape)]
        return self._view(shape, scaled, int(self._offset * ratio), kind)

    def reshape(self, *shape):
        shape = list(shape_of(shape))
        if -1 in shape:
            known = math.prod(e for e in shape if e != -1)
            shape[shape.index(-1)] = self.numel() // max(1, known)
        if math.prod(shape) != self.numel():
            raise RuntimeError(f"shape '{shape}' is invalid for input of size {self.numel()}")
        strides = reshaped_strides(self._shape, self._strides, shape)
        if strides is not None:
            return self._view(shape, strides)
        return self.contiguous().reshape(*shape)

    def view_as(self, other):
        return self.reshape(*other.shape)

    reshape_as = view_as

    def flatten(self, start=0, end=-1):
        start, end = start % max(1, self.ndim), end % max(1, self.ndim)
        return self.reshape(*self._shape[:start], -1, *self._shape[end + 1:])

    def unflatten(self, dim, sizes):
        dim %= self.ndim
        return self.reshape(*self._shape[:dim], *sizes, *self._shape[dim + 1:])

    def narrow(self, dim, start, length):
        dim %= self.ndim
        shape = list(self._shape)
        shape[dim] = length
        return self._view(shape, self._strides, self._offset + int(start) * self._strides[dim])

    def select(self, dim, index):
        return self.narrow(dim, index % self._shape[dim], 1).squeeze(dim)

    def split(self, sizes, dim=0):
        extent = self._shape[dim]
        if isinstance(sizes, int):
            sizes = [min(sizes, extent - i) for i in range(0, extent, sizes)]
        starts = list(itertools.accumulate([0, *sizes]))
        return tuple(self.narrow(dim, s, n) for s, n in zip(starts, sizes))

    def chunk(self, count, dim=0):
        return self.split(-(-self._shape[dim] // count), dim)

    def unbind(self, dim=0):
        return tuple(self.select(dim, i) for i in range(self._shape[dim]))

    def detach(self):
        return self

    def requires_grad_(self, _on=True):
        return self

    def record_stream(self, _stream):
        return None

    # ---- indexing ----
    def __getitem__(self, key):
        view, extra = self._basic(key)
        return view if extra is None else gathered(view, *extra)

    def _basic(self, key):
        """The view that integers, slices, None and Ellipsis make; the first index by tensor or list apart."""
        keys = list(key) if isinstance(key, tuple) else [key]
        taken = sum(1 for k in keys if k is not None and k is not Ellipsis)
        if any(k is Ellipsis for k in keys):
            at = next(i for i, k in enumerate(keys) if k is Ellipsis)
            keys[at:at + 1] = [slice(None)] * (self.ndim - taken)
        view, dim, extra = self, 0, None
        for k in keys:
            if k is None:
                view = view.unsqueeze(dim)
                dim += 1
            elif isinstance(k, slice):
                start, stop, step = k.indices(view.shape[dim])
                length = max(0, -(-(stop - start) // step))
                shape, strides = list(view.shape), list(view.stride())
                offset = view._offset + start * strides[dim]
                shape[dim], strides[dim] = length, strides[dim] * step
                view = view._view(shape, strides, offset)
                dim += 1
            elif isinstance(k, (Tensor, list)) and not (isinstance(k, Tensor) and k.ndim == 0):
                extra = extra or (dim, k)
                dim += 1
            else:
                view = view.select(dim, int(k))
        return view, extra

    def __setitem__(self, key, value):
        view, extra = self._basic(key)
        if extra is None:
            view.copy_(value)


def shape_of_order(words):
    return words[0] if len(words) == 1 and isinstance(words[0], (tuple, list)) else words


def gathered(view, dim, index):
    """Rows chosen by a list or tensor of indices or of truths."""
    values = index.tolist() if isinstance(index, Tensor) else index
    if isinstance(values, list) and values and isinstance(values[0], bool):
        values = [i for i, on in enumerate(values) if on]
    form = index.shape if isinstance(index, Tensor) and index.dtype is not ALL["bool"] else (len(values),)
    made = empty_like_shape((*view.shape[:dim], *form, *view.shape[dim + 1:]), view.dtype, view.device)
    if made.is_small() and view.is_small() and dim == 0 and len(form) == 1:
        for i, v in enumerate(values):
            made.select(0, i).copy_(view.select(0, int(v)))
    return made


def empty_like_shape(shape, kind, on="cuda"):
    shape = Size(int(e) for e in shape)
    for extent in shape:
        if extent < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {extent}: {list(shape)}")
    return Tensor(_memory.Storage(shape.numel() * kind.itemsize), shape, contiguous_strides(shape), kind, 0, on)


def reshaped_strides(shape, strides, wanted):
    """Strides of the view of another shape, or None where elements would have to move."""
    modes = [(e, s) for e, s in zip(shape, strides) if e != 1]
    result, left = [], []
    for extent in reversed(wanted):
        if extent == 1:
            result.append(result[-1] if result else 1)
            continue
        if not left:
            if not modes:
                return None
            size, step = modes.pop()
            left = [size, step]
        while left[0] % extent and modes and modes[-1][1] == left[0] * left[1]:
            left[0] *= modes.pop()[0]
        if left[0] % extent:
            return None
        result.append(left[1])
        left = [left[0] // extent, left[1] * extent] if left[0] != extent else []
    return tuple(reversed(result))
