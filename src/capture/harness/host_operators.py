"""Operators that a program registers with torch (torch.library), on the host that stands in for the device: those for CUDA devices serve the
host's tensors, and their own code runs, whatever the tensors' size. The form that an operator has for shapes alone would launch nothing.
"""

import functools

OF_TORCH = ("aten", "prim", "prims", "quantized", "inductor", "c10d", "_c10d_functional")


def of_program(function):
    """Whether a function is an operator that is not torch's own."""
    name = getattr(function, "_qualified_op_name", None) or getattr(function, "_name", None)
    return isinstance(name, str) and "::" in name and name.split("::")[0] not in OF_TORCH


def serve(library, devices):
    """`devices`: the mode in which an operator's code runs. Torch switches it off while it answers, and that code wants it again."""
    if not hasattr(library, "CustomOpDef"):  # not in every version
        return

    def on_host(function):
        @functools.wraps(function)
        def hosted(*arguments, **keywords):
            with devices():
                return function(*arguments, **keywords)

        return hosted

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
