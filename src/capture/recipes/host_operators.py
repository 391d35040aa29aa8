"""Operators that a package registers with torch (torch.library), on the host that stands in for the device: each is registered for whatever
device its tensors are on, and its own code runs, whatever their size. Its form for shapes alone would launch nothing.
"""

import functools
import sys


def of_package(function):
    """Whether a function is an operator that is not torch's own."""
    name = getattr(function, "_qualified_op_name", None) or getattr(function, "_name", None)
    if not isinstance(name, str) or "::" not in name:
        return False
    return name.split("::")[0] not in ("aten", "prim", "prims", "quantized", "inductor", "c10d", "_c10d_functional")


def adapt():
    """Does nothing with the stand-in for torch, which has no operators."""
    host = sys.modules.get("adapt_torch")
    if host is None:
        return
    import torch

    def on_host(function):
        """Torch switches a mode off while it answers; an operator's code wants the host's devices again."""

        @functools.wraps(function)
        def hosted(*arguments, **keywords):
            with host.HostDevices():
                return function(*arguments, **keywords)

        return hosted

    run_operators(host.HostDevices)
    register_on_host(torch.library, on_host)


def run_operators(devices):
    shape_only = devices.shape_only

    def run_or_shape_only(function, arguments, keywords):
        if of_package(function):
            return function(*arguments, **keywords)
        return shape_only(function, arguments, keywords)

    devices.shape_only = staticmethod(run_or_shape_only)


def register_on_host(library, on_host):
    register_kernel, implement = library.CustomOpDef.register_kernel, library.Library.impl

    def register_for_every_device(self, device_types, fn=None, /):
        types = [device_types] if device_types is None or isinstance(device_types, str) else list(device_types)

        def register(function):
            if None in types or "cuda" in types:
                register_kernel(self, None)(on_host(function))
            return function

        return register if fn is None else register(fn)

    def implement_for_both(self, op_name, fn, dispatch_key="", **others):
        implement(self, op_name, fn, dispatch_key, **others)
        if dispatch_key == "CUDA":
            implement(self, op_name, on_host(fn), "CPU", **others)

    library.CustomOpDef.register_kernel = register_for_every_device
    library.Library.impl = implement_for_both
