#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/python_results.h"

// The machine gives what Python gives: the same texts run by both, results compared as repr. Each program
// leaves its result in `r`.
namespace cutelab {
namespace {
const char* const programs[] = {
    "r = [7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 2 ** 10, 1 << 5, 255 >> 3, 6 & 3, 6 | 3, 6 ^ 3, ~5, -3]",
    "r = (7 / 2, 1.5 * 2, 2.0 ** 3, 7.5 // 2, -7.5 % 2, 1e-3, 3.0, 1e16, 1e22, 0.1 + 0.2)",
    "r = [True + 1, True and 0, None or 'x', not [], 3 and 4, 0 or (), 1 < 2 < 3, 1 < 3 < 2, 2 == 2.0]",
    "a, (b, *c), d = 1, (2, 3, 4), 5\nr = (a, b, c, d)",
    "x = [0, 1, 2, 3, 4, 5]\nr = (x[1:4], x[::-1], x[-2:], x[:-1:2], x[5:1:-2], x[10:], x[-1])",
    "r = tuple(i * j for i in range(3) for j in range(4) if i != j)",
    "r = {k: v for k, v in zip('abc', range(3))}['b'], {1: 'x'}.get(2, 'none'), [*range(3), *(7, 8)]",
    "def f(a, b=2, *c, d=4, **e):\n    return a, b, c, d, sorted(e.items())\nr = f(1), f(1, 3, 5, 7, d=9, "
    "z=1), f(*[1, 2], **{'d': 3})",
    "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nr = f(12)",
    "r = (lambda a, b=3: a * b)(4), list(map(lambda x: x + 1, (1, 2))), [x for x in filter(None, [0, 1, 2])]",
    "class A:\n    k = 3\n    def __init__(self, n):\n        self.n = n\n    @property\n    def "
    "twice(self):\n        return self.n * 2\n    "
    "@staticmethod\n    def s(x):\n        return x + 1\n    @classmethod\n    def make(cls, n):\n        "
    "return cls(n)\n    def "
    "__call__(self, y):\n        return self.n + y\na = A.make(5)\nr = a.twice, A.s(1), a(7), a.k, A.k",
    "class A:\n    def __init__(self):\n        self.x = 1\n    def f(self):\n        return 'A'\nclass "
    "B(A):\n    def __init__(self):\n    "
    "    super().__init__()\n        self.y = self.x + 1\n    def f(self):\n        return super().f() + "
    "'B'\nb = B()\nr = b.y, b.f(), "
    "isinstance(b, A), isinstance(b, int), issubclass(B, A)",
    "import dataclasses\n@dataclasses.dataclass\nclass P:\n    a: int\n    b: int = 4\n    c: list = "
    "dataclasses.field(default_factory=list)\np = "
    "P(1)\nq = dataclasses.replace(p, b=9)\nr = p.a, p.b, p.c, q.b, q.a, p == P(1), p == q",
    "import inspect\ndef f(first, tile=4, *rest, k=2, **more):\n    pass\nclass A:\n    def g(self, n):\n    "
    "    pass\n"
    "p = inspect.signature(f).parameters\nr = [name for name in p.keys()], p['tile'].default, "
    "p['first'].default is "
    "inspect.Parameter.empty, list(inspect.signature(A().g).parameters), p['rest'].kind == "
    "inspect.Parameter.VAR_POSITIONAL",
    "import inspect\nnames = ['x', 'y']\ndef named(names, func):\n    s = "
    "inspect.Signature([inspect.Parameter(n, "
    "inspect.Parameter.POSITIONAL_OR_KEYWORD, default=7) for n in names])\n    def wrapper(*args, "
    "**kwargs):\n        "
    "bound = s.bind(*args, **kwargs)\n        bound.apply_defaults()\n        return "
    "func(*[bound.arguments[n] for n in "
    "names])\n    wrapper.__signature__ = s\n    wrapper.__name__ = 'w'\n    return wrapper\nw = "
    "named(names, lambda a, b: "
    "a - b)\nr = w(5, y=2), w(1), list(inspect.signature(w).parameters), w.__name__",
    "import dataclasses, typing\nP = dataclasses.make_dataclass('P', [('a', typing.Any), ('b', int, "
    "dataclasses.field(default=3))], slots=True)\ndef getitem(self, name):\n    return getattr(self, "
    "name)\ndef "
    "setitem(self, name, value):\n    setattr(self, name, value)\nP.__getitem__ = getitem\nP.__setitem__ = "
    "setitem\np = "
    "P(1)\np['a'] = 5\nr = tuple(p[f.name] for f in dataclasses.fields(p)), p.a, [f.name for f in "
    "dataclasses.fields(P)]",
    "import types\nclass A:\n    n = 4\n    def __getattr__(self, name):\n        def by_name(self, k):\n    "
    "        "
    "return name, self.n * k\n        return types.MethodType(by_name, self)\nr = A().anything(3), A().n",
    "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 'two'\nr = E.A.value, E.B.name, E.A is E.A, E.A == "
    "E.B, E('two') is E.B, [e.name for e in E]",
    "from typing import NamedTuple\nclass T(NamedTuple):\n    m: int\n    n: int = 2\nt = T(1)\nr = t.m, "
    "t.n, t[0], len(t), t == (1, 2)",
    "n = 0\nfor i in range(10):\n    if i == 3:\n        continue\n    if i == 7:\n        break\n    n += "
    "i\nelse:\n    n = -1\nr = n, i",
    "n = 10\nsteps = 0\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    steps += 1\nr = "
    "steps",
    "def f(x):\n    try:\n        if x:\n            raise ValueError('bad')\n        return 'fine'\n    "
    "except ValueError:\n        return 'caught'\n    "
    "finally:\n        pass\nr = f(0), f(1)",
    "try:\n    {}['k']\n    r = 'no'\nexcept KeyError:\n    r = 'key'",
    "try:\n    r = [1, 2][5]\nexcept IndexError:\n    r = 'index'",
    "def outer():\n    n = 1\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    "
    "inner()\n    return inner(), n\nr = outer()",
    "count = 0\ndef bump():\n    global count\n    count += 2\nbump()\nbump()\nr = count",
    "def g(n):\n    for i in range(n):\n        yield i * i\nr = list(g(4)), sum(g(5))",
    "import math\nr = math.prod([2, 3, 4]), math.ceil(7 / 2), math.floor(-0.5), math.gcd(12, 18), "
    "math.sqrt(16.0), math.log2(8)",
    "import functools, operator, itertools\nr = functools.reduce(operator.mul, [1, 2, 3, 4]), "
    "list(itertools.product([1, 2], 'ab')), "
    "functools.partial(lambda a, b: a - b, 10)(3), list(itertools.accumulate([1, 2, 3])), "
    "list(itertools.chain([1], (2, 3)))",
    "r = min(3, 1, 2), max([4, 9, 2]), min([(2, 'b'), (1, 'z')]), max('a', 'c', key=lambda s: s), sorted([3, "
    "1, 2], reverse=True), sum([1, 2], 10)",
    "r = 'a,b,,c'.split(','), '-'.join(['x', 'y']), ' pad '.strip(), 'Hopper'.lower(), 'abc'.replace('b', "
    "'X'), 'abc'.startswith(('x', 'ab'))",
    "m, n = 128, 64\nr = f'{m}x{n}', f\"tile_{m}\", 'k' * 3, 'ab' + 'cd', 'a' in 'cat', 3 in (1, 2, 3), 'z' "
    "not in {'y': 1}",
    "d = {}\nd['a'] = 1\nd.update(b=2)\nd.setdefault('c', []).append(5)\nr = sorted(d.items()), list(d), "
    "len(d), d.pop('a'), 'a' in d",
    "x = [3]\nx.append(4)\nx.extend((5, 6))\nx.insert(0, 1)\nx[1] = 9\ny = x\ny.pop()\nr = x, x.index(4), "
    "(1, 2, 1).count(1), list(reversed(x))",
    "a = b = [1]\nb.append(2)\nr = a, a is b, a == [1, 2]",
    "if (n := 5) > 3:\n    r = n\nelse:\n    r = 0",
    "r = any(x > 2 for x in (1, 2, 3)), all([]), all([1, 0]), bool([0]), int('12'), int(3.9), float('2.5'), "
    "str(4), abs(-3), divmod(17, 5)",
    "def f(kind):\n    match kind:\n        case 'a' | 'b':\n            return 1\n        case (x, y):\n    "
    "        return x + y\n        case _:\n            return "
    "0\nr = f('a'), f('z')",
    "with_default = getattr(object(), 'nothing', 7) if False else 7\nclass C:\n    pass\nc = C()\nsetattr(c, "
    "'v', 3)\nr = c.v, hasattr(c, 'v'), hasattr(c, "
    "'w'), getattr(c, 'w', 'none')",
    "class V:\n    def __init__(self, n):\n        self.n = n\n    def __add__(self, o):\n        return "
    "V(self.n + o.n)\n    def __eq__(self, o):\n        return "
    "self.n == o.n\n    def __len__(self):\n        return self.n\n    def __getitem__(self, i):\n        "
    "return self.n * i\nv = V(2) + V(3)\nr = v.n, V(2) == "
    "V(2), len(v), v[4]",
    "x = [3, 1, 2]\nx.sort()\ny = [(1, 'a'), (2, 'b'), (1, 'c')]\ny.sort(key=lambda t: t[0], "
    "reverse=True)\nz = "
    "[5, 6, 5]\nz.remove(5)\ns = {1}\ns.update((2, 3), [1])\ns.discard(9)\ns.remove(2)\nd = {1: "
    "2}\nd.clear()\nr = "
    "x, y, z, len(s), 2 in s, d, sorted([(1, 'a'), (1, 'b')], key=lambda t: t[0], reverse=True)",
    "n = 1\ndef f(a=n, *, b=[n]):\n    return a, b\nn = 2\ng = [lambda x, i=i: x + i for i in range(3)]\nr = "
    "f(), "
    "[h(10) for h in g]",
    "a, b = [1], [1]\nseen = {id(a)}\nr = id(a) in seen, id(b) in seen, id(a) == id(a)",
    "from dataclasses import dataclass, field\n@dataclass(kw_only=True)\nclass Base:\n    name: str = ''\n   "
    " stages: "
    "int = 2\n    made: list = field(init=False, default_factory=list)\n@dataclass\nclass Own(Base):\n    "
    "tile: int = "
    "8\n    def __init__(self, tile, **kw):\n        super().__init__(**kw)\n        self.tile = "
    "tile\n@dataclass\n"
    "class Made(Own):\n    extra: int = 5\n    def __post_init__(self):\n        self.extra += 1\nclass "
    "Plain(Base):\n "
    "   depth: int = 9\no, m = Own(4, name='a', stages=3), Made(6, 7, name='b')\np = Plain(stages=4)\nr = "
    "(o.name, "
    "o.stages, o.tile, o.made, m.tile, m.extra, m.name, m.stages, p.stages, p.depth)",
    "class P:\n    def __init__(self, a, b=2):\n        self.a, self.b = a, b\ndef f(b, a=1):\n    return a, "
    "b\nr = vars(P(1)), f(**vars(P(5)))",
    "assert 1 < 2, 'fine'\nr = 0x1F, 0b101, 0o17, 1_000, 'a' 'b', [], (), {}, (1,)",
    "def f():\n    '''doc'''\n    return\nr = f(), type(3) is int, type('s') == str, callable(f), "
    "callable(3)",
    "r = [[i + j for j in range(2)] for i in range(2)], [(i, c) for i, c in enumerate('ab', 1)], "
    "list(zip([1, 2], [3, 4], 'xy'))",
    "x = 5\ndel x\ntry:\n    r = 'x' in dir() and x\nexcept NameError:\n    r = False\nr = False",
};

/// A random expression over small integers, tuples and their operations.
std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) return std::to_string(pick(40) - 8);
  const auto sub = [&] { return random_expression(random, depth - 1); };
  static const char* const ops[] = {"+", "-", "*", "//", "%", "&", "|", "^"};
  switch (pick(8)) {
    case 0:
      return "(" + sub() + " if " + sub() + " < " + sub() + " else " + sub() + ")";
    case 1:
      return "min(" + sub() + ", " + sub() + ", " + sub() + ")";
    case 2:
      return "(" + sub() + ", " + sub() + ", " + sub() + ")[" + std::to_string(pick(6) - 3) + "]";
    case 3:
      return "(" + sub() + " << " + std::to_string(pick(5)) + ")";
    case 4:
      return "sum([" + sub() + ", " + sub() + "][::" + (pick(2) ? "-1" : "1") + "])";
    case 5:
      return "(" + sub() + " and " + sub() + " or " + sub() + ")";
    default:
      return "(" + sub() + " " + ops[pick(8)] + " " + sub() + ")";
  }
}

TEST(MachineAgainstPython, Programs) { expect_same({std::begin(programs), std::end(programs)}); }

TEST(MachineAgainstPython, RandomExpressions) {
  std::mt19937 random(20261129);
  std::vector<std::string> texts;
  for (int i = 0; i < 1500; ++i) texts.push_back("r = " + random_expression(random, 1 + i % 4));
  expect_same(texts);
}

}  // namespace
}  // namespace cutelab
