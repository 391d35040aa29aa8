#include <gtest/gtest.h>

#include <iterator>

#include "support/python_results.h"

// Python's own library held against Python. Each program leaves its result in `r`.
namespace cutelab {
namespace {

const char* const named_tuples[] = {
    R"(from collections import namedtuple
P = namedtuple("P", "a b c")
p = P(1, 2, c=3)
r = p.a, p[2], len(p), p == (1, 2, 3), isinstance(p, tuple), isinstance(p, P), type(p) is P, repr(p))",
    R"(from collections import namedtuple
P = namedtuple("P", ["a", "b"], defaults=[5])
r = P(1).b, P(b=3, a=2).a, P._fields, P(1)._replace(b=7).b, P._make([3, 4]).b, list(P(1)._asdict().items()))",
    R"(from collections import namedtuple
class Q(namedtuple("Q", "x, y")):
    @property
    def area(self):
        return self.x * self.y
    def scaled(self, by):
        return Q(self.x * by, self.y)
q = Q(3, y=4)
r = q.area, q.scaled(2).x, [*q], q < Q(3, 5), {q: 7}[Q(3, 4)])",
    R"(from typing import NamedTuple
class T(NamedTuple):
    m: int
    n: int = 8
    def size(self):
        return self.m * self.n
    @classmethod
    def one(cls):
        return cls(1)
    @staticmethod
    def two():
        return 2
t = T(2)._replace(m=4)
m, n = t
r = t.size(), T.one().n, T.two(), m, n, T._field_defaults["n"], repr(T(1)))",
    R"(from collections import namedtuple
P = namedtuple("P", "a b")
said = []
for make in (lambda: P(1), lambda: P(1, 2, 3), lambda: P(1, b=2, c=3), lambda: P(1, 2)._replace(z=1)):
    try:
        make()
        said.append("made")
    except TypeError:
        said.append("type")
    except ValueError:
        said.append("value")
try:
    P(1, 2).a = 3
except AttributeError:
    said.append("attribute")
r = tuple(said))",
    R"(from typing import NamedTuple
class T(NamedTuple):
    m: int
    def __add__(self, other):
        return 99
try:
    n = T(1) + T(2)
except TypeError:
    n = 0
r = 4)",
};

const char* const dictionaries[] = {
    R"(from collections import defaultdict
d = defaultdict(int)
for c in "abca":
    d[c] += 1
before = len(d), "z" in d, d.get("z", 4)
r = before, d["a"], d["z"], len(d), isinstance(d, dict))",
    R"(from collections import defaultdict
d = defaultdict(list)
for i in range(6):
    d[i % 3].append(i)
e = defaultdict(lambda: defaultdict(int))
e["x"]["y"] += 3
f = defaultdict(None, a=1)
try:
    f["b"]
    there = True
except KeyError:
    there = False
r = [*d.items()], e["x"]["y"], len(e), there, d.copy()[7], dict(d)[0])",
    R"(from collections import Counter
c = Counter("abracadabra")
d = Counter([1, 1, 2])
d.update([2, 2, 3])
d[9] += 4
d.subtract({1: 1})
r = c["a"], c["z"], len(c), c.most_common(2), sum(d.values()), [*d.items()], list(Counter(a=2, b=0).elements()))",
    R"(from collections import Counter
a, b = Counter(a=3, b=1), Counter(a=1, c=2)
r = [*(a + b).items()], [*(a - b).items()], [*(a | b).items()], [*(a & b).items()], a.total(), a == Counter(b=1, a=3))",
    R"(from collections import OrderedDict
d = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
d.move_to_end("a")
last = d.popitem()
first = d.popitem(last=False)
r = last, first, [*d], OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == dict(b=2, a=1))",
    R"(d = {"a": 1, "b": 2}
k, v = d.popitem()
d |= {"c": 5}
r = k, v, d, dict.fromkeys("xyz", 2)["y"], (d | {"z": 1})["z"], dict.fromkeys([1, 1]))",
    R"(from collections import deque
q = deque([1, 2, 3])
q.append(4)
q.appendleft(9)
q.extend([5, 6])
q.rotate(2)
one = q.popleft(), q.pop(), len(q), q[0], q[-1], [*q], 3 in q, bool(deque())
w = deque(maxlen=2)
for i in range(5):
    w.append(i)
w[0] = 7
r = one, [*w], w.maxlen, sum(w), deque([1]) == deque([1]), isinstance(w, deque), isinstance(w, list))",
    R"(from collections import deque
q = deque([(0, 1)])
seen = []
while q:
    n, step = q.popleft()
    seen.append(n)
    if n < 20:
        q.append((n * 2 + step, step))
        if n % 3 == 0:
            q.append((n + 7, step))
r = seen)",
};

const char* const iterations[] = {
    "from collections import deque\nq = deque([3, 1, 2])\np = q\nq.remove(1)\nq.insert(1, 9)\nq.reverse()\nq "
    "+= [4, "
    "5]\ndel q[0]\nr = [*p], q.index(9), q.count(4), p is q",
    "from collections import Counter\nc = Counter(a=2)\nd = c\nc += Counter(a=1, b=2)\nc -= Counter(b=1)\nr "
    "= "
    "[*d.items()], c is d",
    "import itertools as i\nr = [*i.chain([1, 2], (3,), range(2))], [*i.combinations(range(4), 2)], "
    "[*i.permutations([3, 1, 2], 2)], len([*i.permutations([1, 2, 3])]), "
    "[*i.combinations_with_replacement('ab', 2)], [*i.product([1, 2], repeat=2)]",
    "import itertools as i\nr = [*i.accumulate([1, 2, 3, 4])], [*i.accumulate([1, 2, 3], lambda a, b: a * "
    "b)], "
    "[*i.accumulate([1, 2], initial=10)], [*i.accumulate([])], [*i.accumulate([], initial=3)]",
    "import itertools as i\nr = [*i.islice([1, 2, 3, 4, 5], 1, 4)], [*i.islice(i.count(5), 3)], "
    "[*i.islice(i.cycle([1, 2]), 5)], [*i.islice(range(10), 1, None, 3)], [*i.islice([1], 5)], "
    "[*i.islice(i.count(4, -2), 3)]",
    "import itertools as i\nsource = iter(range(10))\na = [*i.islice(source, 3)]\nlazy = i.islice(source, "
    "2)\n"
    "b = next(source)\nr = a, b, [*lazy], [*source]",
    "import itertools as i\nr = [*i.repeat(3, 4)], [*i.zip_longest([1, 2], [3], fillvalue=0)], "
    "[*zip(i.count(), 'ab')], [*i.starmap(pow, [(2, 3), (3, 2)])], [*map(pow, [2, 3], i.repeat(2))]",
    "import itertools as i\nsmall = lambda x: x < 3\nr = [*i.takewhile(small, [1, 2, 3, 1])], "
    "[*i.dropwhile(small, [1, 2, 3, 1])], [*i.filterfalse(small, [1, 4, 2, 5])], "
    "[*i.compress([1, 2, 3], [1, 0, 1])], [*i.pairwise([1, 2, 3])]",
    "import itertools as i\ngroups = {k: [*g] for k, g in i.groupby([1, 1, 2, 3, 3])}\n"
    "late = [(k, [*g]) for k, g in [*i.groupby('aab')]]\n"
    "keyed = [(k, len([*g])) for k, g in i.groupby(sorted('bca'), key=lambda c: c > 'a')]\nr = groups, late, "
    "keyed",
    "import itertools as i\na, b = i.tee([1, 2, 3])\nfirst = next(b)\nr = [*a], first, [*b]",
    "import itertools as i\nit = i.count(3)\nr = next(it), next(it), [n for n, _ in zip(it, 'abc')], "
    "next(it)",
};

const char* const numbers_and_texts[] = {
    "s = {1, 2}\nt = s.union([5], (6,))\nu = {1, 2, 3}\nu.intersection_update({2, 7})\nv = {1, 2}\n"
    "v.difference_update([2])\nr = (sorted(t), sorted(s.difference({1})), {1}.issubset([1, 2]), "
    "{1}.isdisjoint({2}), "
    "s.isdisjoint([2]), sorted(s.intersection([2, 3])), sorted({1}.symmetric_difference([2])), "
    "s.issuperset([3]), "
    "sorted(u), sorted(v), sorted(s))",
    "import sys\nv = sys.version_info\nr = (v >= (3, 8), v[0] == 3, v.major >= 3, v < (3, 6), v[:2] >= (3, "
    "7), v >= (3, "
    "10), v > (3, 9), v <= (3, 9), v < (3, 10), v >= (4,), v > (3,), v[:2] < (2, 7))",
    "r = ('abc'.startswith('b', 1), 'abc'.endswith('b', 0, 2), 'abc'.startswith(('x', 'a'), 0), "
    "'abc'.startswith('', 3), "
    "'abc'.startswith('', 4), pow(3, 4, 5), pow(2, 0, 1), (3).real, (7).numerator, (7).denominator, "
    "(2.0).is_integer())",
    "from functools import partial\nf = partial(max, 3, key=abs)\nr = f(-5, 2), f.args, f.func is max, "
    "list(f.keywords)",
    "import math\nr = math.isqrt(50), math.isqrt(2**62 - 1), math.factorial(5), math.comb(5, 2), "
    "math.comb(40, 20), "
    "math.perm(5, 2), math.perm(4), math.comb(2, 5), math.prod([2, 3, 4]), math.prod([2], start=5)",
    "import math\nr = math.pow(2, 5), math.trunc(-3.7), math.fsum([1.5, 2.5]), math.log(8, 2), "
    "math.fabs(-3), "
    "math.fmod(7, 3), math.isclose(1.0, 1.0 + 1e-12), math.isnan(math.nan), math.isinf(math.inf), "
    "math.frexp(8), "
    "math.copysign(3, -1), math.ldexp(1, 4), math.modf(3.5), math.isfinite(2.0), (10).bit_count()",
    "import operator as o\nr = (o.add(1, 2), o.sub(5, 2), o.floordiv(7, 2), o.neg(-3), o.lshift(1, 3), "
    "o.and_(6, 3), "
    "o.or_(4, 1), o.xor(5, 1), o.lt(1, 2), o.eq(1, 1), o.getitem([5, 6], 1), o.pow(2, 3), o.rshift(8, 1), "
    "o.not_(0), "
    "o.contains([1], 1), o.truth([1]), o.invert(5), o.mod(7, 4), o.ge(1, 2))",
    R"(from operator import itemgetter, attrgetter, methodcaller
class B:
    n = 9
class A:
    def __init__(self, x):
        self.x = x
        self.b = B()
    def f(self, k, by=1):
        return (self.x + k) * by
rows = [(2, "b"), (1, "c"), (1, "a")]
r = (itemgetter(1)([3, 4]), itemgetter(0, 2)([3, 4, 5]), attrgetter("x")(A(6)), attrgetter("b.n", "x")(A(5)),
     methodcaller("f", 2, by=3)(A(1)), sorted(rows, key=itemgetter(0)), itemgetter("k")({"k": 4}),
     [a.x for a in sorted([A(3), A(1)], key=attrgetter("x"))]))",
    "s = 'abcabc'\nr = (s.rfind('b'), s.find('c', 3), s.find('a', 1, 3), s.find('', 9), s.partition('b'), "
    "s.rpartition('b'), s.partition('z'), s.rpartition('z'), s.rindex('a'), s.count('ab', 1), s.replace('a', "
    "'X', 1))",
    "r = ('7'.zfill(4), '-42'.zfill(5), 'abc'.ljust(5), 'abc'.rjust(5, 'x'), 'abc'.center(6), "
    "'abcd'.center(7), "
    "'a b'.title(), 'aBc'.capitalize(), 'aBc'.swapcase(), 'x1'.zfill(1), \"they're\".title())",
    "r = ('abc'.isalpha(), 'a1'.isalnum(), ' '.isspace(), 'ab1'.islower(), 'AB'.isupper(), '1'.isupper(), "
    "''.isalpha(), 'a_1'.isidentifier(), '1a'.isidentifier(), 'abc'.isascii(), '12'.isnumeric())",
    "r = ('a\\nb\\r\\nc\\n'.splitlines(), 'a.b.c'.rsplit('.', 1), 'a.b'.rsplit('.'), "
    "'prefix_a'.removeprefix('prefix_'), "
    "'a.py'.removesuffix('.py'), 'a.py'.removesuffix('.cc'), ''.splitlines())",
};

/// What an object is and what its parts are: right, or not determined, never a plain no.
TEST(PythonLibrary, KindsOfObjectsAndPartsOfRanges) {
  expect_same({
      R"(import collections.abc
from collections import deque
r = [isinstance(x, t) for x in ("a", (), [], {}, 1, None, range(3)) for t in
     (collections.abc.Iterable, collections.abc.Sequence, collections.abc.Mapping, collections.abc.Sized)]
)",
      "r = isinstance(slice(1), slice), isinstance(range(9)[0:1], range), isinstance(1, slice), "
      "isinstance([1], range)",
      "r = range(10)[::-2] == range(9, -1, -2), range(10)[::-2], range(20)[3:15:4], range(9)[5:2], "
      "range(8)[-3:]",
      "s = slice(1, None, 2)\nr = s.start == 1, s.step, s.stop is None",
      R"(class Items:
    def __getitem__(self, i):
        return (i.start, i.stop) if isinstance(i, slice) else i
r = Items()[2:5], Items()[3]
)",
      R"(import copy
from collections import Counter, deque, namedtuple
q = deque([1, 2, 3], maxlen=3)
other = copy.copy(q)
other.append(9)
c = Counter("aab")
del c["z"], c["a"]
try:
    kind = namedtuple("Q", "def x")
except ValueError:
    kind = 0
r = list(q), list(other), dict(c), kind
)",
      R"(import copy
u = frozenset([1, 2]); w = u; u |= {3}; x = u; u &= {1}; y = w; y -= {2}
def grow(s):
    s |= {9}
    return s
z = grow(w)
v = {1}; t = v; v |= {2}
r = sorted(w), sorted(x), sorted(u), sorted(y), sorted(z), sorted(t), copy.copy(w) is w, frozenset(w) is w
)",
      R"(import numbers
from collections.abc import Callable
class C:
    def __call__(self):
        return 1
r = [isinstance(x, t) for x in (1, 1.0, True, "a") for t in (numbers.Number, numbers.Real, numbers.Integral)], isinstance(C(), Callable)
)",
  });
  for (const char* text : {
           "import sys\nr = isinstance(sys.version_info, tuple)",
           "r = isinstance(frozenset(), set)",
           "from collections.abc import Callable\nr = isinstance(len, Callable)",
           "r = slice(1, 2) == slice(1, 2)",
           "from collections import Counter\nr = (-Counter(x=-3))['x']",
           "class C:\n    def __class_getitem__(cls, key):\n        return ('C', key)\nr = C[5] == ('C', 5)",
           "from enum import IntEnum, auto\nclass E(IntEnum):\n    A = 3\n    B = 1\n    C = auto()\nr = "
           "E.C.value",
       })
    EXPECT_TRUE(RanProgram(text).text("r").starts_with("?")) << text;
}

TEST(PythonLibrary, NamedTuples) { expect_same({std::begin(named_tuples), std::end(named_tuples)}); }
TEST(PythonLibrary, Dictionaries) { expect_same({std::begin(dictionaries), std::end(dictionaries)}); }
TEST(PythonLibrary, Iterations) { expect_same({std::begin(iterations), std::end(iterations)}); }
TEST(PythonLibrary, NumbersAndTexts) {
  expect_same({std::begin(numbers_and_texts), std::end(numbers_and_texts)});
}
}  // namespace
}  // namespace cutelab
