#include <gtest/gtest.h>

#include <iterator>

#include "support/python_results.h"

// Dataclasses, enumerations, slices and what Python refuses, held against Python. Each program leaves its
// result in `r`.
namespace cutelab {
namespace {

const char* const slices_and_members[] = {
    "x = list(range(10))\nx[2:5] = [7]\ny = x[:]\ndel x[::3]\nx[0:0] = [1, 2]\nz = list(range(6))\nz[::2] = "
    "'abc'\n"
    "z[5:2] = (8, 9)\nw = [1, 2, 3]\nw[-2:] = []\nv = [1, 2]\nv[:] = v + [3]\ndel z[-1:0:-2]\nr = x, y, z, "
    "w, v",
    R"(said = []
x = [1, 2, 3]
def number(): x[0:2] = 5
def other(): x[::2] = [1]
def zero(): del x[::0]
for act in (number, other, zero, lambda: x[::0], lambda: "abc"[::0]):
    try:
        act()
        said.append("taken")
    except (TypeError, ValueError) as e:
        said.append(type(e).__name__)
r = said, x)",
    R"(from enum import IntEnum
class E(IntEnum):
    A = 3
    B = 5
r = (E.A + E.B * 2, E.A < E.B, sum(E), len(E), [10, 20, 30, 40][E.A], int(E.B), E(3) is E.A, E.A % 2, [*range(E.A)],
     "abcdef"[E.B], 2 ** E.A, E.A == 3, max(E) is E.B, E.B // 2, E.A / 2))",
    R"(from enum import Flag, IntFlag, auto
class F(Flag):
    A = auto()
    B = auto()
    C = 8
    D = auto()
class G(IntFlag):
    X = 1
    Y = 2
f, g = F.A | F.B, G.X | G.Y
r = (f.value, F.D.value, F.A in f, F.C in f, bool(f & F.C), (f ^ F.A) is F.B, (f & F.B) is F.B, len(F), int(g), G.X in g,
     g + 1, g & 1 == 1, (g | 4).value, f == F.B | F.A, f != F.A, not F.A & F.B))",
    R"(from enum import Enum
class E(str, Enum):
    A = "aa"
    B = "b"
r = len(E.A), E("b") == "b", E.A + E.B, E.A + "x", {"aa": 3}["aa"], E.A == "aa")",
    R"(class I:
    def __index__(self):
        return 2
x = [1, 2, 30]
r = x[I()], "abc"[I()], (4, 5, 6)[I()])",
};

const char* const dataclasses[] = {
    R"(from dataclasses import dataclass, asdict, astuple, is_dataclass, replace
@dataclass
class I:
    x: int = 2
@dataclass
class A:
    a: int
    i: I
    l: list
c = A(1, I(), [I(5), 2])
d = asdict(c)
d["l"].append(3)
r = d, astuple(c), len(c.l), is_dataclass(A), is_dataclass(c), is_dataclass(3), replace(c, a=9).a)",
    R"(from dataclasses import dataclass, field
said = []
try:
    @dataclass
    class A:
        a: int = 3
        b: int
except TypeError:
    said.append("order")
try:
    @dataclass
    class B:
        a: list = []
except ValueError:
    said.append("list")
try:
    @dataclass
    class C:
        a: dict = field(default={})
except ValueError:
    said.append("dict")
@dataclass
class D:
    a: int = 3
    b: list = field(default_factory=list)
    c: int = field(init=False)
    d: int = field(kw_only=True)
said.append(D(1, d=4).d)
try:
    @dataclass
    class E(D):
        e: int
except TypeError:
    said.append("derived")
@dataclass(kw_only=True)
class F(D):
    e: int
said.append(F(d=1, e=2).e)
r = said)",
};

const char* const refused[] = {
    R"(from abc import ABC, ABCMeta, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
    @property
    @abstractmethod
    def g(self): ...
class B(A):
    def f(self):
        return 1
class C(B):
    g = 5
class M(metaclass=ABCMeta):
    @abstractmethod
    def f(self): ...
class Plain:
    @abstractmethod
    def f(self):
        return 3
said = []
for klass in (A, B, C, M, Plain):
    try:
        klass()
        said.append("made")
    except TypeError:
        said.append("abstract")
r = said, C().f(), C().g)",
    R"(from typing import Protocol
class P(Protocol):
    def f(self): ...
class A(P):
    def f(self):
        return 3
try:
    P()
    n = 1
except TypeError:
    n = 2
r = n, A().f())",
    R"(said = []
d, s = {1: 2}, {1}
for act in (lambda: d.get([1], 3), lambda: d.setdefault({}, 3), lambda: d.pop([], 3), lambda: d[[1]], lambda: s.add([1]),
            lambda: [1] in s, lambda: [1] in d, lambda: {(1, [2]): 3}, lambda: {[1], 2}, lambda: {k: 1 for k in [[1]]},
            lambda: {[x] for x in (1,)}, lambda: dict([([1], 2)]), lambda: set([[1]]), lambda: d.update([([1], 2)]),
            lambda: (1, 2) in d, lambda: frozenset([1]) in s, lambda: d.get((1,), 4)):
    try:
        act()
        said.append("taken")
    except TypeError:
        said.append("refused")
r = said)",
    R"(class A:
    def __eq__(self, other):
        return True
class B(A):
    def __hash__(self):
        return 3
said = []
for key in (A(), B(), object):
    try:
        {key: 1}
        said.append("taken")
    except TypeError:
        said.append("refused")
r = said)",
    R"(said = []
for act in (lambda: range(2.0), lambda: range("3"), lambda: range(1, 4, 0), lambda: range(None), lambda: bool(1, 2)):
    try:
        act()
        said.append("taken")
    except TypeError:
        said.append("type")
    except ValueError:
        said.append("value")
r = said)",
    R"(from collections import namedtuple
class Q(namedtuple("Q", "x y")):
    def area(self):
        return 1
    side = 4
q = Q(1, 2)
r = [hasattr(v, n) for v in (3, 2.5, "a", (1, 2), None, True, q)
     for n in ("real", "lower", "count", "index", "__len__", "__add__", "__int__", "__index__", "stages", "x", "area",
               "side", "_asdict", "__class__", "bit_length")])",
    R"(said = []
try:
    class B(int, str):
        pass
    said.append("made")
except TypeError:
    said.append("refused")
try:
    isinstance(3, 3)
    said.append("told")
except TypeError:
    said.append("refused")
r = said)",
    R"(from enum import Enum, IntEnum, unique
class E(Enum):
    A = 1
    B = 2
said = []
def assign(): E.A = 5
def delete(): del E.A
def value(): E.A.value = 7
def name(): E.A.name = "x"
def other(): E.A.note = 3
def fresh(): E.later = 3
for act in (assign, delete, value, name, other, fresh, lambda: E(5), lambda: E["Z"]):
    try:
        act()
        said.append("taken")
    except (AttributeError, KeyError, ValueError) as e:
        said.append(type(e).__name__)
try:
    class F(E):
        C = 3
    said.append("extended")
except TypeError:
    said.append("final")
try:
    @unique
    class G(Enum):
        A = 1
        B = 1
    said.append("twice")
except ValueError:
    said.append("unique")
r = said, E.A.value, E(2).name)",
};

TEST(PythonClasses, SlicesAndMembers) {
  expect_same({std::begin(slices_and_members), std::end(slices_and_members)});
}
TEST(PythonClasses, Dataclasses) { expect_same({std::begin(dataclasses), std::end(dataclasses)}); }
TEST(PythonClasses, WhatPythonRefuses) { expect_same({std::begin(refused), std::end(refused)}); }

/// Numbers of the DSL have attributes that Python's have not.
TEST(PythonClasses, AttributesThatNumbersMayHave) {
  RanProgram p("try:\n    (3).stages\n    n = 2\nexcept AttributeError:\n    n = 8\nr = n");
  EXPECT_TRUE(p.value("r").is_unknown()) << p.text("r");
}

/// Whether a part of a package is there is not known: its handler may run.
TEST(PythonClasses, PartsThatMayBeMissing) {
  RanProgram p(
      "try:\n    import os.nothing\n    n = 2\nexcept ImportError:\n    n = 8\n"
      "try:\n    import os.path\n    k = 2\nexcept ImportError:\n    k = 8\nr = n\nrr = k");
  EXPECT_TRUE(p.value("r").is_unknown()) << p.text("r");
  EXPECT_EQ(p.text("rr"), "2");
}

}  // namespace
}  // namespace cutelab
