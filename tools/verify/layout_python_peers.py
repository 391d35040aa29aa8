"""The same cases through `pycute` (of the CUTLASS wheel) and, when it is installed, `tensor-layouts`.

Where an implementation differs, the operation's contract decides who is right; the contract is checked by evaluating both
results at every index, independently of all implementations (crd2idx below is written from the definition).
"""
import importlib
import itertools
import sys

from layout_cases import flat, layout_text, product, text


def crd2idx(index, shape, stride):
    if not isinstance(shape, tuple):
        return index * stride
    out = 0
    for i, (s, d) in enumerate(zip(shape, stride)):
        if i + 1 == len(shape):
            return out + crd2idx(index, s, d)
        out += crd2idx(index % product(s), s, d)
        index //= product(s)
    return out


LOOKED_AT = 4096  # indices of a layout that are evaluated: all of a usual one, the first of a huge one


def indices(size):
    return range(min(size, LOOKED_AT))


def value(layout, i):
    return crd2idx(i, *layout)


def parse(line):
    shape, stride = line.split(":")
    return eval(shape.replace(")", ",)").replace("(,)", "()")), eval(stride.replace(")", ",)").replace("(,)", "()"))


def contract(op, args, result):
    """Does the result keep the operation's contract?"""
    size = product(result[0])
    a = args[0][1]
    if op in ("coalesce", "coalesce_by_mode"):
        return size == product(a[0]) and all(value(result, i) == value(a, i) for i in indices(size))
    if op == "composition":
        b = args[1][1]
        return size == product(b[0]) and all(value(result, i) == value(a, value(b, i)) for i in indices(size))
    if op == "right_inverse":
        return all(value(a, value(result, i)) == i for i in indices(size))
    if op == "left_inverse":
        return all(value(a, value(result, value(a, i))) == value(a, i) for i in indices(product(a[0])))
    if op == "complement":
        image = {value(a, i) for i in indices(product(a[0]))}
        values = [value(result, i) for i in indices(size)]
        return all(x < y for x, y in zip(values, values[1:])) and not (set(values[1:]) & image)
    if op in ("logical_product",):
        values = [value(result, i) for i in indices(size)]
        return len(set(values)) == len(values)
    return None


class Peer:
    def __init__(self, name):
        self.name = name
        self.compared = self.equal = self.same_function = 0
        self.refused = self.absent = 0
        self.verdicts = {}
        self.examples = {}

    def add(self, op, args, line, ours, theirs):
        self.compared += 1
        if ours == theirs:
            self.equal += 1
            return
        if not isinstance(theirs, str) or ":" not in ours:
            verdict = "values differ"
        else:
            a, b = parse(ours), parse(theirs)
            if product(a[0]) == product(b[0]) and all(value(a, i) == value(b, i) for i in indices(product(a[0]))):
                self.same_function += 1
                return
            good = contract(op, args, a), contract(op, args, b)
            verdict = {(True, False): "only ours and CuTe's keep the contract", (False, True): "only theirs keeps the contract",
                       (True, True): "both keep the contract", (False, False): "neither keeps the contract (CuTe's gap, see carry_free)",
                       (None, None): "no contract to decide by"}[good]
        self.verdicts[op, verdict] = self.verdicts.get((op, verdict), 0) + 1
        self.examples.setdefault((op, verdict), (line, ours, theirs))

    def summary(self):
        return (f"{self.compared} compared, {self.equal} equal, {self.same_function} the same function spelled otherwise, "
                f"{sum(self.verdicts.values())} different, {self.refused} refused there")

    def markdown(self):
        out = [self.summary() + ".", ""]
        if not self.verdicts:
            return out[:1]
        out += ["| operation | verdict | cases | example | here | there |", "|---|---|---:|---|---|---|"]
        out += [f"| {op} | {verdict} | {n} | `{self.examples[op, verdict][0]}` | `{self.examples[op, verdict][1]}` | `{self.examples[op, verdict][2]}` |"
                for (op, verdict), n in sorted(self.verdicts.items())]
        return out


class PyCute:
    """Adapters: operation -> call on pycute's layouts."""
    OPERATIONS = ("coalesce", "coalesce_by_mode", "filter", "composition", "complement", "right_inverse", "left_inverse", "logical_divide",
                  "zipped_divide", "tiled_divide", "logical_product", "zipped_product", "tiled_product", "crd2idx", "idx2crd", "size", "cosize")

    def __init__(self, module):
        self.m = module

    def layout(self, pair):
        return self.m.Layout(*pair)

    def argument(self, kind, v):
        if kind == "layout":
            return self.layout(v)
        if kind == "tiler":
            return self.tiler(v)
        return v

    def tiler(self, tiler):
        kind, v = tiler
        if kind == "int":
            return v
        return self.layout(v) if kind == "layout" else tuple(self.tiler(mode) for mode in v)

    def run(self, op, args):
        values = [self.argument(kind, v) for kind, v in args]
        name = op.replace("_by_mode", "")
        if op == "crd2idx":
            return values[1](values[0])
        if op == "complement" and len(values) == 2:
            values[1] = product(values[1])
        return getattr(self.m, name)(*values)


class TensorLayouts(PyCute):
    # Its profile of coalesce gives sizes of modes, CuTe's gives nesting: another operation, not compared.
    OPERATIONS = PyCute.OPERATIONS[:1] + PyCute.OPERATIONS[3:] + ("flat_divide", "flat_product", "blocked_product", "raked_product", "upcast",
                                                               "downcast", "max_common_layout", "nullspace")

    def run(self, op, args):
        if op == "composition":
            return self.m.compose(self.layout(args[0][1]), self.layout(args[1][1]))
        if op == "crd2idx":
            return self.layout(args[1][1])(args[0][1])
        return super().run(op, args)


def spelled(result):
    if hasattr(result, "shape"):
        return layout_text((result.shape, result.stride))
    return text(result)


def find(deps):
    found = []
    sys.path.append(str(deps / "cutlass"))
    for name, title, adapter in (("pycute", "pycute (CUTLASS wheel)", PyCute), ("tensor_layouts", "tensor-layouts", TensorLayouts)):
        try:
            found.append((title, adapter(importlib.import_module(name))))
        except ImportError:
            pass
    return found


def compare(cases, ours, deps):
    out = {}
    for title, adapter in find(deps):
        peer = out[title] = Peer(title)
        for (op, args, line), mine in zip(cases, ours):
            if op not in adapter.OPERATIONS:
                continue
            try:
                theirs = spelled(adapter.run(op, args))
            except Exception:  # an assertion or error of theirs: the case is refused there
                peer.refused += not mine.startswith("error")
                continue
            if not mine.startswith("error"):
                peer.add(op, args, line, mine, theirs)
    return out
