"""Forms of the results only."""

from enum import Enum

from .. import _operations

silu, gelu, relu, sigmoid, tanh = (_operations.UNARY[n] for n in ("silu", "gelu", "relu", "sigmoid", "tanh"))
softmax = log_softmax = leaky_relu = hardswish = layer_norm = rms_norm = dropout = elu = softplus = _operations.same


def scaled_dot_product_attention(query, _key, value, *_arguments, **_keywords):
    return _operations.empty_like_shape((*query.shape[:-1], value.shape[-1]), query.dtype, query.device)


def linear(values, weight, _bias=None):
    return _operations.matmul(values, weight.t())


def pad(tensor, widths, *_arguments, **_keywords):
    shape = list(tensor.shape)
    for i in range(len(widths) // 2):
        shape[-1 - i] += widths[2 * i] + widths[2 * i + 1]
    return _operations.like(tensor, shape=shape)


def grouped_mm(a, b, *, offs=None, out_dtype=None, **_keywords):
    """Rows grouped against one matrix per group, or groups along the contracted mode: then one result per group."""
    shape = (a.shape[0], b.shape[-1]) if b.ndim == 3 else (offs.numel(), a.shape[0], b.shape[-1])
    return _operations.empty_like_shape(shape, out_dtype or a.dtype, a.device)


def scaled_grouped_mm(a, b, *_scales, offs=None, output_dtype=None, out_dtype=None, **_keywords):
    return grouped_mm(a, b, offs=offs, out_dtype=output_dtype or out_dtype)


class ScalingType(Enum):
    TensorWise, RowWise, BlockWise1x16, BlockWise1x32, BlockWise1x128, BlockWise128x128 = range(6)


class SwizzleType(Enum):
    NO_SWIZZLE, SWIZZLE_32_4_4 = range(2)
