"""torch itself on a machine without a GPU: its CUDA devices are the host. Large computations are not made: what matters to a launch is
shape, strides, type and address, never the elements of a large tensor.
"""

import contextlib

import torch
from torch.overrides import TorchFunctionMode

import device_capsule
import host_operators
import quiet
import torch_cuda

LARGE = 1 << 20  # elements; below it values are computed, as group sizes and sequence lengths are

PRODUCTS = {"einsum", "matmul", "mm", "bmm", "addmm", "baddbmm", "__matmul__", "__rmatmul__", "scaled_dot_product_attention", "linear",
            "_scaled_mm", "_grouped_mm", "scaled_grouped_mm", "grouped_mm"}
FACTORIES = {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "empty_strided", "randperm", "linspace", "tensor",
             "as_tensor", "eye", "empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "randint_like"}
FILLS = {"random_", "normal_", "uniform_", "fill_", "zero_", "clamp_", "copy_", "mul_", "add_", "div_", "sub_", "exponential_",
         "bernoulli_", "round_", "trunc_", "trunc_normal_"}
VIEWS = {"permute", "view", "reshape", "transpose", "as_strided", "unsqueeze", "squeeze", "expand", "expand_as", "view_as", "__getitem__", "t", "detach",
         "narrow", "select", "split", "chunk", "unbind", "flatten", "unflatten", "data_ptr", "size", "stride", "element_size", "numel",
         "untyped_storage", "storage", "is_contiguous", "dim", "__get__", "__set__", "__dlpack__", "__len__", "storage_offset", "_make_subclass",
         "unfold", "diagonal", "movedim", "swapaxes", "mT", "T", "__setitem__", "requires_grad_", "ndimension", "get_device", "is_floating_point",
         "from_dlpack", "broadcast_to", "tolist", "item", "__bool__", "__hash__", "share_memory_"}
UNSET = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"}
CHECKS = {"allclose": True, "equal": True}


def on_host(value):
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    return value


def zeroed(made):
    """Integers that nobody has set are kept with a call, and could look like addresses: they are the same in every run."""
    whole = isinstance(made, torch.Tensor) and not made.dtype.is_floating_point and not made.dtype.is_complex
    return made.zero_() if whole and made.numel() <= LARGE and made.device_host.type != "meta" else made


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def like_meta(value):
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta") if value.layout == torch.strided else value
    if isinstance(value, (list, tuple)):
        return type(value)(like_meta(v) for v in value)
    if isinstance(value, str) and value == "cpu" or isinstance(value, torch.device):
        return "meta"
    return value


def from_meta(value):
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    if isinstance(value, (list, tuple)):
        parts = [from_meta(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts) if type(value) in (list, tuple) else tuple(parts)
    return value


class HostDevices(TorchFunctionMode):
    """Every call of torch: device arguments become the host, large computations become allocations."""

    def __torch_function__(self, function, kinds, arguments=(), keywords=None):
        keywords = dict(keywords or {})
        name = getattr(function, "__name__", "")
        if name in CHECKS:
            return CHECKS[name]
        if name == "cuda":
            return arguments[0]
        if name == "pin_memory":
            return arguments[0]
        keywords.pop("pin_memory", None)
        keywords.pop("non_blocking", None)
        arguments = tuple(on_host(a) for a in arguments)
        if "device" in keywords:
            keywords["device"] = on_host(keywords["device"])
        if name in FACTORIES and keywords.get("generator") is not None:
            keywords.pop("generator")
        large = any(t.numel() > LARGE for t in tensors_in(arguments) if t.device_host.type != "meta")
        if name in FILLS and large:
            return arguments[0]
        if name in ("rand", "randn", "randint", "rand_like", "randn_like"):
            return self.random(function, name, arguments, keywords)
        if name in ("ones", "full", "zeros") and self.wanted_elements(arguments) > LARGE:
            return self.shape_only(function, arguments, keywords)
        of_torch = name not in VIEWS and name not in FACTORIES and name not in FILLS and not host_operators.of_program(function)
        if (large or name in PRODUCTS) and of_torch:
            return self.shape_only(function, arguments, keywords)
        made = function(*arguments, **keywords)
        return zeroed(made) if name in UNSET else made

    @staticmethod
    def wanted_elements(arguments):
        shape = arguments[0] if arguments and isinstance(arguments[0], (list, tuple, torch.Size)) else [a for a in arguments if isinstance(a, int)]
        count = 1
        for extent in shape:
            count *= int(extent)
        return count

    def random(self, function, name, arguments, keywords):
        shape = arguments if name != "randint" else [a for a in arguments if isinstance(a, (list, tuple))] or [keywords.get("size", ())]
        if name.endswith("_like"):
            return torch.empty_like(arguments[0]) if arguments[0].numel() > LARGE else function(*arguments, **keywords)
        if self.wanted_elements(tuple(shape)) > LARGE:
            return self.shape_only(function, arguments, keywords)
        return function(*arguments, **keywords)

    @staticmethod
    def shape_only(function, arguments, keywords):
        meta_keywords = {k: like_meta(v) for k, v in keywords.items() if k not in ("generator",)}
        name = getattr(function, "__name__", "")
        if name in FACTORIES:
            meta_keywords["device"] = "meta"
        try:
            made = function(*like_meta(tuple(arguments)), **meta_keywords)
        except Exception:  # an operation without a meta form is computed
            return function(*arguments, **keywords)
        return from_meta(made)


def adapt_tensors():
    torch.Tensor.device_host = torch._C.TensorBase.device
    torch.Tensor.device = property(
        lambda self: torch.device("cuda", 0) if torch._C.TensorBase.device.__get__(self).type == "cpu"
        else torch._C.TensorBase.device.__get__(self))
    torch.Tensor.is_cuda = property(lambda self: True)

    def to_dlpack(tensor):
        with torch._C.DisableTorchFunction():
            return device_capsule.on_device(torch._C._to_dlpack(tensor.detach()))

    def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return to_dlpack(self)

    torch.utils.dlpack.to_dlpack = to_dlpack
    torch._C._cuda_getCurrentRawStream = lambda _device: torch_cuda.STREAM
    torch.Tensor.__dlpack__ = dlpack
    torch.Tensor.__dlpack_device__ = lambda self: (device_capsule.CUDA, 0)
    torch.Tensor.cuda = lambda self, *_a, **_k: self
    torch.Tensor.record_stream = torch_cuda.nothing()
    for name in ("__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"):
        for kind in (torch.Tensor, torch._C.TensorBase):
            with contextlib.suppress(Exception):
                delattr(kind, name)


def adapt(arch):
    torch_cuda.adapt(torch, arch)
    adapt_tensors()
    torch.testing.assert_close = torch_cuda.nothing()
    torch.profiler.profile = torch.profiler.record_function = quiet.Quiet("profile")
    torch.set_num_threads(1)
    host_operators.serve(torch.library, HostDevices)
    HostDevices().__enter__()
