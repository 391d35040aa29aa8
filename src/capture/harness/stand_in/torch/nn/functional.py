"""Forms of the results only."""

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
