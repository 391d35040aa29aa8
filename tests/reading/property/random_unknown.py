"""Random programs that use a module which the reading does not have: `elsewhere` changes what it is given, calls
functions, raises, gives None. What it does is drawn anew for each program."""
import random
import sys
import types


def change(value, rng, depth=0):
    """Changes what can be changed, as deep as it goes."""
    if depth > 3:
        return
    if isinstance(value, list):
        for item in list(value):
            change(item, rng, depth + 1)
        rng.choice([lambda: value.append(7), value.clear, value.reverse, lambda: value.__iadd__([1, 2])])()
    elif isinstance(value, dict):
        for item in list(value.values()):
            change(item, rng, depth + 1)
        value[rng.choice(["a", "new"])] = rng.randint(50, 60)
    elif isinstance(value, set):
        value.add(rng.randint(0, 9))
    elif isinstance(value, tuple):
        for item in value:
            change(item, rng, depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, (type, types.FunctionType, types.MethodType)):
        for name in list(vars(value)):
            change(vars(value)[name], rng, depth + 1)
        setattr(value, rng.choice(["v", "w", "extra"]), rng.randint(20, 30))


class Elsewhere:
    """The module's functions, with a behaviour that is drawn once."""

    def __init__(self, rng):
        self.own = random.Random(rng.random())
        self.kept = []

    def run(self, f, *args):
        for _ in range(self.own.randint(0, 3)):
            try:
                f(*args)
            except TypeError:
                pass

    def touch(self, *values, **named):
        for value in [*values, *named.values()]:
            if self.own.random() < 0.8:
                change(value, self.own)
        for f in self.kept:
            self.run(f)

    def call(self, f, *args):
        self.run(f, *args)
        return self.own.choice([None, 3])

    def keep(self, value):
        self.kept.append(value if callable(value) else lambda: change(value, self.own))
        return value

    def maybe(self):
        return self.own.choice([None, None, 5, 0, [1], "x"])

    def flag(self):
        return self.own.random() < 0.5

    def things(self):
        return list(range(self.own.randint(0, 3)))

    def risky(self):
        if self.flag():
            raise self.own.choice([ValueError, KeyError, OSError])("elsewhere")
        return self.own.choice([4, None])

    def deco(self, f):
        how = self.own.randint(0, 2)
        if how == 0:
            return f
        return (lambda *a, **k: 9) if how == 1 else (lambda *a, **k: (f(*a, **k), f(*a, **k))[1])


def classes(own):
    """A base of the program's classes, and a manager that takes errors or does not."""
    takes = own.random() < 0.5

    class Base:
        v = 40

        def __init__(self, *a):
            if own.random() < 0.6:
                self.v = own.randint(30, 39)

        def base(self):
            if own.random() < 0.6:
                self.go()
            self.v = own.choice([1, 60])

        def go(self):
            self.w = 70

    class Manager:
        def __enter__(self):
            return own.choice([None, 6])

        def __exit__(self, kind, value, trace):
            return takes

    return Base, Manager


def set_up(rng):
    """The module, with a behaviour of its own for the next program."""
    what = Elsewhere(rng)
    module = types.ModuleType("elsewhere")
    for name in ["touch", "call", "keep", "maybe", "flag", "things", "risky", "deco"]:
        setattr(module, name, getattr(what, name))
    module.Base, module.manager = classes(what.own)
    module.VALUE = what.maybe()
    sys.modules["elsewhere"] = module


# Statements over n, m (numbers), L (a list), D (a dict), a (an object of A, with v, w, l), f (a function), fill.
PLAIN = ["n += 1", "n *= 2", "m = n + 1", "L.append({i})", "L.pop() if L else None", "D['a'] = {i}", "a.v += {i}", "a.l.append({i})",
         "a = A()", "L = [{i}, {i}]", "n = len(L)", "m = a.v", "a.go()", "f()", "fill(L)", "fill(a.l)", "D = {{'a': L}}", "bump()", "n = {i}"]
UNKNOWN = ["e.touch(L)", "e.touch(a)", "e.touch(D)", "e.touch((L, 1))", "e.touch(x=L)", "e.touch([a])", "e.call(f)", "e.call(a.go)", "e.call(lambda: L.append(5))",
           "e.call(fill, L)", "e.keep(f)", "e.keep(L)", "e.keep(bump)", "e.call(bump)", "m = e.maybe()", "n = 3 if e.maybe() is None else 4",
           "L.append(1) if e.flag() else L.append(2)", "e.flag() and bump()", "e.flag() or a.go()", "n = (m := 6) if e.flag() else 2", "(e.flag() or L) and bump()",
           "n = 5 if e.VALUE is None else 8", "n = 5 if e.VALUE else 8", "m = e.VALUE == None", "L = [x for x in L if e.flag()]", "m = [bump() for x in L if e.flag()]",
           "m = sum(1 for x in L if (bump() or e.flag()))", "m = g({i})", "b = B()\nn = b.v", "b = C()\nn = b.v", "b = C()\nb.base()\nn = b.w",
           "m = hasattr(B(), 'w')", "m = getattr(C(), 'v', 2)", "m = deep({i})", "m = [e.maybe()]\nmatch m:\n    case [[*_]]: n = 1\n    case [int()]: n = 2\n    case _: n = 3",
           "o = L if e.flag() else D\no.clear()", "o = a if e.flag() else B()\no.v = {i}", "o = e.keep(L)\nif o: o.append({i})", "o = e.maybe() or L\nif isinstance(o, list): o.append(4)", "o = [L, a.l][e.flag()]\no.append(1)", "o, p = [L, a.l][::-1 if e.flag() else 1]\no += [3]", "(f if e.flag() else bump)()", "h = e.call if e.flag() else f\nh() if h is f else h(bump)", "m = early({i})", "m = early2()", "for x in e.things(): bump()", "for x in e.things():\n    L.append(x)\n    a.v = x", "m = e.flag() or True", "m = e.maybe() and 0",
           "try:\n    from math import nothing\n    m = 1\nexcept ImportError:\n    m = 2", "L.sort(key=lambda x: bump() or 0)", "m = next((x for x in L if e.flag()), 9)"]
BLOCKS = ["try:\n{0}\nexcept ValueError:\n{1}", "try:\n{0}\nexcept (KeyError, OSError) as error:\n{1}\nexcept Exception:\n{2}",
          "try:\n{0}\nexcept Exception:\n{1}\nelse:\n{2}", "try:\n{0}\nexcept Exception:\n{1}\nfinally:\n{2}",
          "try:\n    try:\n        n = 20\n        e.risky()\n        n = 21\n    finally:\n        m = 4\nexcept Exception:\n{0}",
          "with suppress(Exception):\n{0}", "with e.manager():\n{0}", "with Taking():\n{0}", "if e.flag():\n{0}\nelse:\n{1}", "if e.maybe() is not None:\n{0}",
          "for x in L[:3]:\n    if e.flag(): break\n{0}\nelse:\n{1}", "for x in (1, 2):\n{0}", "while e.flag():\n{0}"]
HEAD = """import elsewhere as e
from contextlib import suppress
n = m = 1
L = [1, 2]
D = {'a': 1}
class A:
    def __init__(self): self.v, self.w, self.l = 1, 2, []
    def go(self): self.v += 10
class B(e.Base):
    v = 3
class C(e.Base):
    v = 3
    def __init__(self):
        self.w = 5
        super().__init__()
    def go(self): self.w += 1
class Taking:
    def __enter__(self): return self
    def __exit__(self, kind, value, trace):
        global m
        m = 50 if kind else 51
        return kind is not None
a = A()
def f(): L.append(8)
def fill(l): l.append(9)
def bump():
    global n
    n += 1
@e.deco
def g(k):
    bump()
    return k
def deep(k, left=75):
    L.append(left)
    return deep(k, left - 1) if left else k
def early(k):
    global m
    if e.flag():
        m = 30
        return k
    m = 31
    return 4
def early2():
    try:
        a.v = 80
        e.risky()
        a.v = 81
        return 1
    except ValueError:
        return 2
    except Exception:
        a.w = 9
    return 3
"""


def indented(text):
    return "\n".join("    " + line for line in text.split("\n"))


def piece(rng, depth=0):
    roll = rng.random()
    if roll < 0.35 and depth < 2:
        return rng.choice(BLOCKS).format(*(indented(body(rng, depth + 1)) for _ in range(3)))
    chosen = rng.choice(UNKNOWN if roll < 0.7 else PLAIN)
    return chosen.format(i=rng.randint(0, 6))


def body(rng, depth):
    return "\n".join(piece(rng, depth) for _ in range(rng.randint(1, 3)))


def program(rng):
    text = HEAD + "\n".join(piece(rng) for _ in range(rng.randint(2, 5)))
    return text + "\nr = (n, m, len(L), D.get('a'), a.v, a.w, len(a.l), sum(x for x in L if isinstance(x, int)))\n"
