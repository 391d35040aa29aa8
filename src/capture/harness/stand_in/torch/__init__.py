"""A stand-in for torch: tensors whose form, memory and address are real and whose arithmetic is not. Enough for programs that make
tensors, hand them to a kernel and look at the result; what is missing is an AttributeError that says so."""

import math as _math
import sys as _sys

from . import _factories, _operations, _types, cuda, nn, testing, utils
from ._operations import cat, einsum, index_select, matmul, stack, where
from ._tensor import Tensor
from ._types import Size, device, dtype, finfo, iinfo

_operations.install()
globals().update({name: value for name, value in vars(_factories).items() if not name.startswith("_")})
globals().update(_types.ALL)
globals().update({alias: _types.ALL[name] for alias, name in _types.ALIASES.items()})

__version__ = "2.99.0+stand.in"
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
strided, contiguous_format, preserve_format = "strided", "contiguous", "preserve"
concat = concatenate = cat
bmm = mm = matmul
_scaled_mm = _factories._scaled_mm


def __getattr__(name):
    """torch.add(a, b) is a.add(b)."""
    if name in ("softmax", "layer_norm", "rms_norm", "log_softmax", "dropout", "_grouped_mm"):
        return getattr(nn.functional, name.lstrip("_"))
    if not name.startswith("_") and (function := getattr(Tensor, name, None)) and callable(function):
        return lambda *arguments, input=None, **keywords: function(*(arguments if input is None else (input, *arguments)), **keywords)
    raise AttributeError(f"the stand-in for torch has no '{name}'")


profiler = _sys.modules[__name__ + ".profiler"] = cuda.Quiet("profiler")
backends = cuda.Quiet("backends")
_C = cuda.Quiet("_C")
_C._cuda_getCurrentRawStream = lambda _device: 1 << 20
version = type("version", (), {"cuda": "13.0", "hip": None})
