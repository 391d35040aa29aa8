#include <gtest/gtest.h>

#include "support/ran_program.h"

// What is not followed - a library that is not there, calls that nest too deep, errors that may come - leaves
// open what it may change, and nothing else.
namespace cutelab {
namespace {

void not_known(const std::string& program) {
  RanProgram p(program);
  EXPECT_EQ(p.text("r").substr(0, 1), "?") << program;
}
void known(const std::string& program, const std::string& expected) {
  RanProgram p(program);
  EXPECT_EQ(p.text("r"), expected) << program;
}
const std::string lib = "import elsewhere as e\n";

TEST(UnknownCode, ATryIsLeftWithOrWithoutAnError) {
  for (const char* clauses :
       {"except ValueError:\n    n = 5\n", "except ValueError:\n    n += 5\nexcept OSError:\n    n = 6\n",
        "except OSError as error:\n    n = len(str(error))\n",
        "except Exception:\n    pass\nelse:\n    n = 9\n",
        "except Exception:\n    n = 8\nfinally:\n    n += 4\n"})
    not_known(lib + "n = 1\ntry:\n    e.run()\n    n += 2\n" + clauses + "r = n\n");
  not_known(lib +
            "def f():\n    try:\n        e.run()\n        return 1\n    except OSError:\n        return 2\nr "
            "= f()\n");
  not_known(lib +
            "n = 0\ndef f():\n    global n\n    n = 3\n    e.run()\n    n = 0\ntry: f()\nexcept OSError: "
            "pass\nr = n\n");
  not_known(lib +
            "l = []\ntry:\n    l.append(1)\n    e.run()\n    l.pop()\nexcept OSError: pass\nr = len(l)\n");
  not_known(lib +
            "n = 1\ntry:\n    if e.flag():\n        n = 2\n        raise KeyError\n    n = 1\nexcept "
            "KeyError: pass\nr = n\n");
  not_known("try:\n    from math import perhaps\n    n = 1\nexcept ImportError:\n    n = 2\nr = n\n");
  not_known(
      lib +
      "from contextlib import suppress\nn = 1\nwith suppress(OSError):\n    e.run()\n    n = 2\nr = n\n");
  not_known(lib +
            "class T:\n    def __enter__(self): return 1\n    def __exit__(self, t, v, b): return True\n"
            "n = 1\nwith T():\n    e.run()\n    n = 2\nr = n\n");
  // The rest stays: an error that ends the program, values that no way through changes.
  known(lib + "n = 1\ntry:\n    e.run()\n    n = 2\nexcept OSError:\n    raise\nr = n\n", "2");
  known(lib + "n = 1\nk = 7\ntry:\n    e.run()\n    n = 2\nexcept OSError: n = 3\nr = k\n", "7");
  known(lib + "try:\n    e.run()\n    n = 2\nexcept OSError: n = 2\nr = n\n", "2");
  known("n = 1\ntry:\n    n = 2\n    raise KeyError\nexcept KeyError: n += 4\nr = n\n", "6");
}

TEST(UnknownCode, OneSideOfAnExpressionRuns) {
  const std::string head = lib + "l = []\nn = 1\ndef bump():\n    global n\n    n += 1\n    return n\n";
  for (const char* line :
       {"l.append(1) if e.flag() else l.append(2)\nr = l[0]", "bump() if e.flag() else 0\nr = n",
        "e.flag() and bump()\nr = n", "e.flag() or bump()\nr = n", "(n := 5) if e.flag() else 0\nr = n",
        "[x for x in (1, 2) if e.flag() and bump()]\nr = n",
        "any(e.flag() and bump() for x in (1, 2))\nr = n", "r = e.flag() or 5", "r = e.flag() and 0",
        "it = iter((1, 2))\nnext(it) if e.flag() else 0\nr = next(it)"})
    not_known(head + line + "\n");
  known(head + "if e.flag() or 1: r = 4\n", "4");
  known(head + "if e.flag() and 0: r = 4\nelse: r = 5\n", "5");
  known(head + "r = 3 if e.flag() else 3\n", "3");
  known(head + "bump() if e.flag() else bump()\nr = n\n", "2");
}

TEST(UnknownCode, AnUnknownMayBeNone) {
  for (const char* test :
       {"e.maybe() is None", "e.VALUE is None", "e.VALUE == None", "e.VALUE", "e.VALUE == 'a'",
        "e.maybe() != None", "isinstance(e.maybe(), int)", "callable(e.maybe())"})
    not_known(lib + "r = 1 if " + test + " else 2\n");
  known("import cutlass\nr = 1 if cutlass.Float16 is None else 2\n", "2");
}

TEST(UnknownCode, WhatItIsGivenChanges) {
  const std::string head =
      lib +
      "class A:\n    k = 3\n    def __init__(self): self.v, self.l = 1, [1]\n    def go(self): self.v = 2\n"
      "l, d, a, s, n = [1], {'x': 1}, A(), {1}, 1\ndef f():\n    global n\n    n = 9\n";
  for (const char* line : {"e.f(l)\nr = len(l)",
                           "e.f(l)\nr = l[0]",
                           "e.f(d)\nr = d['x']",
                           "e.f(a)\nr = a.v",
                           "e.f(a)\nr = a.k",
                           "e.f([a])\nr = len(a.l)",
                           "e.f(x={'y': (l,)})\nr = l[0]",
                           "e.f(f)\nr = n",
                           "e.f(lambda: l.append(1))\nr = len(l)",
                           "e.f(a.go)\nr = a.v",
                           "e.f(l)\nl = l\nl.clear()\nl.append(2)\ne.g()\nr = len(l)",
                           "e.f(f)\nn = 1\ne.g()\nr = n",
                           "e.x.f(l)\nr = len(l)",
                           "e.f()(l)\nr = len(l)",
                           "x = e.f(l)\nl = [1]\nr = x[0]",
                           "e.f(a)\nr = hasattr(a, 'q')",
                           "e.f(a)\nr = getattr(a, 'q', 1)",
                           "import operator\noperator.setitem(l, 0, 2)\nr = l[0]",
                           "import re\nre.sub('a', lambda m: f() or '', 'aa')\nr = n",
                           "x = l if e.flag() else d\nx.clear()\nr = len(l)",
                           "x = [l, d][e.flag()]\nx.clear()\nr = len(l)",
                           "x = e.maybe() or a\nx.v = 6\nr = a.v",
                           "(f if e.flag() else a.go)()\nr = n"})
    not_known(head + line + "\n");
  known(head + "e.f(1, 'a', (2, 3))\nr = len(l), a.v, n\n", "(1, 1, 1)");
  known(head + "e.f(d)\nr = len(l), a.v, n\n", "(1, 1, 1)");
  known(head + "import json, math\njson.dumps(l)\nmath.fsum(l)\nr = l\n", "[1]");
  known(head + "import cutlass.cute as cute\ncute.anything(l, a)\nr = l, a.v\n", "([1], 1)");
}

TEST(UnknownCode, ClassesAndFunctionsOfUnknownMaking) {
  const std::string head = lib +
                           "t = []\nclass A(e.Base):\n    n = 4\n    def __init__(self):\n        self.v = "
                           "1\n        super().__init__()\n        self.w = 2\n"
                           "    def go(self): t.append(1)\nclass B(e.Base):\n    n = 4\nclass "
                           "M(metaclass=e.Meta):\n    n = 4\n@e.deco\nclass D:\n    n = 4\n";
  for (const char* line :
       {"r = A().v", "r = A().n", "r = B().n", "r = M.n", "r = D.n", "r = hasattr(B(), 'q')",
        "A().run()\nr = len(t)", "@e.deco\ndef f(): return 3\nr = f()",
        "@e.deco\ndef f(): t.append(1)\nf()\nr = len(t)"})
    not_known(head + line + "\n");
  known(head + "r = A().w\n", "2");
  not_known(
      "from contextlib import ContextDecorator\nt = []\nclass T(ContextDecorator):\n    def __enter__(self): "
      "t.append(1)\n"
      "    def __exit__(self, *a): t.append(2)\n@T()\ndef f(): t.append(3)\nf()\nr = len(t)\n");
}

TEST(UnknownCode, AnObjectOfAnotherClass) {
  const std::string head = "class A:\n    x = 1\nclass B:\n    x = 2\na = A()\n";
  not_known(head + "a.__class__ = type('C', (), {'x': 8})\nr = a.x\n");
  known(head + "a.__class__ = B\nr = a.x\n", "2");
}

TEST(UnknownCode, CallsThatNestTooDeepLeaveOpenWhatTheyChange) {
  const std::string head = "l, n = [], 0\nclass T: k = 0\nt = T()\nt.v = 0\n";
  for (const char* program :
       {"def f(i):\n    l.append(i)\n    if i: f(i - 1)\nf(200)\nr = len(l)\n",
        "def f(i):\n    if i: f(i - 1)\n    t.v += 1\nf(200)\nr = t.v\n",
        "def f(i):\n    global n\n    if i == 0: n = 5\n    else: f(i - 1)\nf(200)\nr = n\n",
        "def f(i): return i + f(i - 1) if i else 0\nr = f(200)\n",
        "def f(i):\n    if i: g(i - 1)\ndef g(i):\n    l.append(i)\n    if i: f(i - 1)\nf(300)\nr = "
        "len(l)\n"})
    not_known(head + program);
  known(head + "def f(i):\n    l.append(i)\n    if i: f(i - 1)\nf(20)\nr = len(l)\n", "21");
  known(head + "def f(i): return i + f(i - 1) if i else 0\nr = f(20)\n", "210");
  known(head + "def f(i):\n    l.append(i)\n    if i: f(i - 1)\nf(200)\nr = t.v\n", "0");
}

TEST(UnknownCode, LoopsThatAreNotFollowedToTheirEnd) {
  not_known("n = 1\nfor i in range(9000):\n    if i == 8000: break\nelse:\n    n = 2\nr = n\n");
  not_known(
      "class C:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        C.n += 1\n "
      "       if C.n > 9000: raise StopIteration\n"
      "        return C.n\nfor x in C(): pass\nr = C.n\n");
  not_known(
      "t = [0]\ndef add(i):\n    t[0] += 1\n    return False\nnext((i for i in range(90000) if add(i)), "
      "5)\nr "
      "= t[0]\n");
  not_known(
      "import elsewhere as e\nm = [e.maybe()]\nmatch m:\n    case [[*_]]: r = 1\n    case [int()]: r = 2\n   "
      " case _: r = 3\nr = r\n");
}

TEST(UnknownCode, WhatASideThatReturnedChanged) {
  const std::string head = lib + "t = [0]\n";
  not_known(head +
            "def f():\n    if e.flag():\n        t[0] = 1\n        return 1\n    return 2\nf()\nr = t[0]\n");
  not_known(head + "def f():\n    if e.flag(): return 1\n    else: t[0] = 1\n    return 2\nf()\nr = t[0]\n");
  known(head + "def f():\n    if e.flag(): return 1\n    return 1\nr = f(), t\n", "(1, [0])");
}

TEST(UnknownCode, PlainValuesAreNotCalled) {
  for (const char* call : {"3()", "'a'()", "[1]()", "None()", "A()()"})
    known(std::string("class A: pass\ntry:\n    ") + call + "\n    r = 1\nexcept TypeError:\n    r = 2\n",
          "2");
  known("class A:\n    def __format__(self, s): return 'f' + s\nr = f'{A():>3}', format(A(), 'q')\n",
        "('f>3', 'fq')");
  known(
      "from dataclasses import dataclass\n@dataclass(slots=True)\nclass A:\n    x: int = 1\na = A()\ntry:\n  "
      "  a.z = 3\n    r = 1\n"
      "except AttributeError:\n    r = 2\n",
      "2");
}

TEST(UnknownCode, ArgumentsThatAreUnpackedAndNotKnown) {
  const std::string head =
      lib + "import math, operator, dataclasses, functools, itertools\nx, d = e.items(), e.named()\n";
  for (const char* value : {"math.gcd(256, *x)",
                            "math.lcm(*range(1, 3), *x)",
                            "math.log(8, *x)",
                            "pow(3, 3, *x)",
                            "len(range(10, *x))",
                            "{}.get('a', *x)",
                            "next(iter([1]), *x)",
                            "int('11', *x)",
                            "round(2.5, *x)",
                            "[1, 2].pop(*x)",
                            "{1: 2}.pop(1, *x)",
                            "'abc'.strip(*x)",
                            "'aba'.replace('a', 'b', *x)",
                            "'abc'.startswith('b', *x)",
                            "'a b'.split(*x)",
                            "len({9}.difference(*x))",
                            "operator.itemgetter(0, *x)([1])",
                            "sorted([2, 1], **d)",
                            "sum([1], *x)",
                            "list(itertools.islice(range(10), *x))",
                            "ValueError(*x).args"})
    not_known(head + "r = " + value + "\n");
  for (const char* changed :
       {"s = {9}\ns.update(*x)\nr = len(s)\n", "s = [1]\ns.append(*x)\nr = len(s)\n",
        "s = [1, 2]\ns.pop(*x)\nr = len(s)\n", "s = {'a': 1}\ns.update(*x)\nr = s['a']\n",
        "s = iter([1, 2])\nsum(s, *x)\nr = next(s, 9)\n",
        "s = []\ndef f(v): s.append(v)\nlist(map(f, [1], *x))\nr = len(s)\n"})
    not_known(head + changed);
  not_known(head + "@dataclasses.dataclass\nclass D:\n    a: int = 1\nr = dataclasses.replace(D(), **d).a\n");
  not_known(head + "n = 1\ntry:\n    math.gcd(*x)\n    n = 2\nexcept TypeError:\n    n = 3\nr = n\n");
  not_known(head + "def f(a, b=2): return b\nr = functools.partial(f, 1)(*x)\n");
  known(head + "def f(a, b=2): return a\nprint(*x)\nr = functools.partial(f, 1)(*x)\n", "1");
  known(head + "y = [4, 6]\nr = math.gcd(*y), pow(2, *[3]), {}.get('a', *[7]), dict(**{'a': 1})\n",
        "(2, 8, 7, {'a': 1})");
  known(head + "class A: pass\ndef f(*a, **k): return 5\ns = [1]\ns.count(*x)\nr = f(*x, **d), s\n",
        "(5, [1])");
}

}  // namespace
}  // namespace cutelab
