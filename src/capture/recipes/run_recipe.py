"""One entry of a recipe, run as a program: argv[1] is the entry as JSON (docs/recipes.md), argv[2…] folders to import from.

A value of an entry is plain JSON, or an object with one of these members (others beside it are its own):
  {"call": "module:name", "arguments": [...], "keywords": {...}}   what the function, class or method gives
  {"name": "module:name"}                                          the object itself: a dtype, a class, a constant
  {"tensor": [extents], "dtype": "float16"}                        a torch tensor on the device; "fill": of integers, its value
  {"fake": [extents], "dtype": "Float16", "order": [...], "align": 16}
                                                                   a tensor that only compiles; a text as extent is a symbol, "n/8" one divisible by 8
  {"stream": true}                                                 a stream that only compiles
  {"tuple": [...]}                                                 a tuple
"""

import importlib
import json
import sys


def named(text):
    module, _, path = text.partition(":")
    found = importlib.import_module(module)
    for part in path.split(".") if path else []:
        found = getattr(found, part)
    return found


class Recipe:
    def __init__(self):
        self.symbols = {}
        self.kinds = {"call": self.call, "name": lambda v: named(v["name"]), "tensor": self.tensor, "fake": self.fake,
                      "stream": self.stream, "tuple": lambda v: tuple(self.value(i) for i in v["tuple"])}

    def value(self, value):
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            kind = next((k for k in self.kinds if k in value), None)
            return self.kinds[kind](value) if kind else {k: self.value(v) for k, v in value.items()}
        return value

    def call(self, value):
        arguments = [self.value(a) for a in value.get("arguments", [])]
        keywords = {k: self.value(v) for k, v in value.get("keywords", {}).items()}
        return named(value["call"])(*arguments, **keywords)

    def tensor(self, value):
        import torch

        dtype = getattr(torch, value.get("dtype", "float16"))
        if "fill" in value:
            made = torch.full(value["tensor"], value["fill"], dtype=dtype, device="cuda")
        else:
            made = torch.empty(value["tensor"], dtype=dtype, device="cuda")
        return made.permute(*value["permute"]) if "permute" in value else made

    def extent(self, extent):
        if not isinstance(extent, str):
            return extent
        import cutlass.cute as cute

        _, _, divisor = extent.partition("/")
        if extent not in self.symbols:
            self.symbols[extent] = cute.sym_int(divisibility=int(divisor or 1))
        return self.symbols[extent]

    def fake(self, value):
        import cutlass
        from cutlass.cute import runtime

        shape = tuple(self.extent(e) for e in value["fake"])
        order = value.get("order", list(reversed(range(len(shape)))))
        return runtime.make_fake_compact_tensor(getattr(cutlass, value.get("dtype", "Float16")), shape, stride_order=tuple(order),
                                                assumed_align=value.get("align", 16))

    @staticmethod
    def stream(_value):
        from cutlass.cute import runtime

        return runtime.make_fake_stream()


def main():
    entry = json.loads(sys.argv[1])
    sys.path[1:1] = sys.argv[2:]
    for setting in entry.get("set", []):
        module, _, path = setting["name"].partition(":")
        owner, _, attribute = path.rpartition(".")
        setattr(named(f"{module}:{owner}" if owner else module), attribute, Recipe().value(setting["value"]))
    Recipe().value(entry["run"])


if __name__ == "__main__":
    main()
