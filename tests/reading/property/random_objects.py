"""Random programs over Python's object model, as pieces of text: classes, managers, calls, patterns, copies.

Each piece is told apart from the others by its number, notes what it sees in `log` and changes nothing else.
"""


class Pieces:
    def __init__(self, rng):
        self.rng = rng
        self.made = 0

    def pick(self, items):
        return self.rng.choice(items)

    def some(self, items, most):
        return self.rng.sample(items, self.rng.randint(0, min(most, len(items))))

    def number(self):
        return self.rng.randint(-3, 7)

    def piece(self):
        self.made += 1
        kind = self.pick([self.line_of_classes, self.attributes, self.managers, self.calls, self.patterns, self.operators,
                          self.closures, self.endings, self.dataclasses, self.enums, self.slices, self.arithmetic,
                          self.copies, self.caches, self.decorators, self.descriptors, self.special_names, self.in_place,
                          self.orders, self.returns])
        return kind(self.made)

    def tried(self, text, errors="Exception"):
        inner = "\n".join("    " + line for line in text.split("\n"))
        return f"try:\n{inner}\nexcept {errors} as e:\n    log.append(type(e).__name__)\n"

    def line_of_classes(self, i):
        out = []
        for name, bases in (("A", ""), ("B", f"(A{i})"), ("C", f"(A{i})"), ("D", self.pick([f"(B{i}, C{i})", f"(C{i}, B{i})", f"(B{i})"]))):
            body = self.some([f"    v = {self.number()}", f"    def f(self): return '{name}'",
                              "    def g(self): return self.f() + str(self.v)", f"    def __init__(self): self.w = {self.number()}"], 4)
            if bases and self.rng.random() < 0.6:
                body = [line for line in body if "def f" not in line]
                body.append(self.pick([f"    def f(self): return super().f() + '{name}'",
                                       f"    def f(self): return super({name}{i}, self).f() + '{name}'"]))
            if bases and self.rng.random() < 0.3:
                body = [line for line in body if "__init__" not in line]
                body.append(f"    def __init__(self):\n        super().__init__()\n        self.u = {self.number()}")
            if not bases:
                body = [line for line in body if "def f" not in line] + ["    def f(self): return 'a'", "    v = 1", "    w = 2"]
            out.append(f"class {name}{i}{bases}:\n" + "\n".join(body or ["    pass"]))
        out.append(self.tried(f"d = D{i}()\nlog.append((d.f(), d.v, d.w, getattr(d, 'u', None), isinstance(d, C{i})))"))
        return "\n".join(out)

    def attributes(self, i):
        body = ["    def __init__(self): self._x = 1", "    @property\n    def x(self): return self._x * 2"]
        if self.rng.random() < 0.6:
            body.append("    @x.setter\n    def x(self, v): self._x = v + 1")
        if self.rng.random() < 0.2:
            body.append("    @x.deleter\n    def x(self): self._x = 50")
        if self.rng.random() < 0.2:
            body.append("    def __setattr__(self, n, v): object.__setattr__(self, n, (v * 3) if n != '_x' else v)")
        if self.rng.random() < 0.2:
            body.append("    __slots__ = ('_x', 'y')")
        if self.rng.random() < 0.2:
            body.append("    def __getattr__(self, n): return len(n)")
        if self.rng.random() < 0.2:
            body.append("    def __getattribute__(self, n): return object.__getattribute__(self, n)")
        steps = [self.pick(["p.x = 4", "p.y = 5", "p.x += 2", "del p.x", "setattr(p, 'x', 7)", "setattr(p, 'z', 8)",
                            "p.__dict__['y'] = 3", "del p.y", "delattr(p, 'y')", "p.items = []", "p.z = p.x",
                            "log.append(sorted(vars(p)))", "log.append(hasattr(p, 'y'))"]) for _ in range(self.rng.randint(1, 4))]
        tries = "".join(self.tried(step) for step in steps)
        return f"class P{i}:\n" + "\n".join(body) + f"\np = P{i}()\n{tries}" + self.tried("log.append((p.x, p._x, getattr(p, 'y', 'none')))")

    def managers(self, i):
        says = self.pick(["True", "False", "None", "t is KeyError", "t is not None and issubclass(t, LookupError)"])
        raised = self.pick(["KeyError(1)", "ValueError(2)", "IndexError(3)"])
        after = self.pick(["", "", f"raise {raised}", "return 'left'", "1 // 0"])
        made = self.pick([f"M{i}()", f"M{i}()", f"m{i}()", f"m{i}()", "contextlib.suppress(KeyError, ZeroDivisionError)",
                          "contextlib.nullcontext(5)", f"M{i}() as a, m{i}() as b", f"contextlib.ExitStack() as st, M{i}()"])
        kept = self.pick(["    try:\n        yield 2\n    finally:\n        log.append('out')", "    yield 2\n    log.append('after')",
                          "    try:\n        yield 2\n    except KeyError:\n        log.append('caught')",
                          "    try:\n        yield 2\n    except ValueError as e:\n        raise LookupError(9)"])
        named = " as c" if " as " not in made else ""
        return (f"import contextlib\nclass M{i}:\n    def __enter__(self):\n        log.append('in')\n        return 1\n"
                f"    def __exit__(self, t, v, tb):\n        log.append((t is None, v is None))\n        return {says}\n"
                f"@contextlib.contextmanager\ndef m{i}():\n    log.append('start')\n{kept}\n"
                f"def f{i}():\n    with {made}{named}:\n        log.append('body')\n        {after or 'pass'}\n    return 'end'\n"
                + self.tried(f"log.append(f{i}())"))

    def calls(self, i):
        signature = self.pick(["a, b=2", "a, /, b", "a, *, b=3", "*a, b=1", "a, b=2, **k", "a=1, *c, **k", "", "a, b", "**k", "*, b"])
        body = "return sorted(locals().items(), key=lambda kv: kv[0])"
        given = self.pick(["", "1", "1, 2", "1, 2, 3", "a=1", "1, b=4", "1, a=2", "b=5", "1, q=7", "*[1, 2]", "**{'a': 1}",
                           "1, **{'b': 2}", "b=1, **{'b': 2}", "*(1,), *(2,)", "1, *[], b=3"])
        made = self.pick([f"def f{i}({signature}): {body}", f"f{i} = lambda {signature}: 'called'",
                          f"class K{i}:\n    def __call__(self{', ' if signature else ''}{signature}): return 'object'\nf{i} = K{i}()",
                          f"class K{i}:\n    def __init__(self{', ' if signature else ''}{signature}): self.r = 3\nf{i} = lambda *p, **n: K{i}(*p, **n).r"])
        made = made.replace(body, "return [" + ", ".join(n for n in ("a", "b", "c", "k") if n + "=" in signature.replace(" ", "") + "=" or f"*{n}" in signature or f"{n}," in signature or signature.endswith(n)) + "]")
        return made + "\n" + self.tried(f"log.append(f{i}({given}))", self.pick(["TypeError", "Exception"]))

    def patterns(self, i):
        subject = self.pick(["1", "5", "True", "1.0", "'ab'", "[1, 2]", "(1, 2, 3)", "{'k': 1, 'q': [2, 3]}", "None", "range(2)", "-1",
                             f"T{i}(1, 2)", "[]", "[[1, 2], 3]", "{1, 2}", "b'ab'", f"R{i}.red", "{'k': {'z': 4}}"])
        cases = [self.pick(["1 | 5 as q: log.append(('or', q))", "True: log.append('true')", "int(): log.append('int')",
                            "float(x): log.append(('float', x))", "str() as t: log.append(t)", "[x, y]: log.append(('two', x, y))",
                            "(x, *rest): log.append((x, rest))", "{'k': v, **kw}: log.append((v, sorted(kw)))", "None: log.append('none')",
                            f"T{i}(a, b=2): log.append(('T', a))", f"T{i}(): log.append('any T')", "[]: log.append('empty')",
                            "[[a, b], c]: log.append((a, b, c))", "-1: log.append('minus')", "bool() | int(): log.append('number')",
                            "x if x == 5: log.append('guard')", f"R{i}.red: log.append('red')", "{'k': {'z': z}}: log.append(z)",
                            "[1, *_]: log.append('one first')", "(x): log.append(('group', x))", "{}: log.append('mapping')",
                            "1, 2: log.append('bare')", "'ab' | 'cd': log.append('text')", "[_, _]: log.append('pair')",
                            "list() | tuple(): log.append('sequence')", f"T{i}(1, 3): log.append('T13')", "*x, 3: log.append(('last', x))"])
                 for _ in range(self.rng.randint(1, 5))]
        cases = [c for c in cases[:-1] if not c.startswith("(x)")] + cases[-1:]
        text = "\n".join(f"    case {case}" for case in cases)
        if not cases[-1].startswith("(x)"):
            text += "\n    case _: log.append('other')"
        args = self.pick(["__match_args__ = ('a', 'b')", "__match_args__ = ('b', 'a')"])
        return (f"class R{i}: red = 5\nclass T{i}:\n    {args}\n    def __init__(self, a, b): self.a, self.b = a, b\n"
                + self.tried(f"match {subject}:\n{text}"))

    def operators(self, i):
        body = [f"    def {name}(self, o): {self.pick(['return NotImplemented', f'return {self.number()}', 'return (self.n, getattr(o, chr(110), o))'])}"
                for name in self.some(["__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__iadd__", "__lt__", "__gt__",
                                       "__eq__", "__contains__", "__ne__", "__le__", "__or__", "__ror__"], 6)]
        body += self.some(["    def __bool__(self): return self.n > 1", "    def __len__(self): return 0", "    def __neg__(self): return 'neg'",
                           "    def __int__(self): return 4", "    def __hash__(self): return 3", "    def __call__(self, *a): return len(a)",
                           "    def __iter__(self): return iter([1, 2])", "    def __getitem__(self, k): return [5, 6, 7][k]"], 3)
        derived = self.pick([f"class W{i}(V{i}): pass", f"class W{i}(V{i}):\n    def __radd__(self, o): return 'W'"])
        steps = "".join(self.tried(f"log.append({self.pick(['v + w', 'w + v', 'v + 1', '1 + v', 'v - w', '2 - v', 'v * v', 'v < w', 'v > 1', 'v == w', 'v == 1', '1 == v', 'v != w', '3 in v', 'bool(v)', '-v', 'not v', '1 if v else 2', 'v or 5', 'list(v)', 'v[1]', 'v(1, 2)', 'v <= w', 'v | 1', '1 | v'])})")
                        for _ in range(3))
        return (f"class V{i}:\n    def __init__(self, n): self.n = n\n" + "\n".join(body) + f"\n{derived}\nv, w = V{i}(1), W{i}(2)\n{steps}"
                + self.tried("v += 1\nlog.append(v if not hasattr(v, 'n') else 'object')"))

    def closures(self, i):
        return self.pick([
            f"def f{i}():\n    c = {self.number()}\n    def g():\n        nonlocal c\n        c += 1\n        return c\n    g()\n    return g(), c\nlog.append(f{i}())",
            f"x{i} = 1\ndef f{i}():\n    x{i} = 2\n    def g():\n        global x{i}\n        x{i} += 5\n        return x{i}\n    return g(), x{i}\nlog.append((f{i}(), x{i}))",
            f"y{i} = 3\ndef f{i}():\n    " + self.pick([f"log.append(y{i})\n    y{i} = 4", f"for y{i} in []: pass\n    return y{i}", f"if n > 100: y{i} = 4\n    return y{i}",
                                                        f"return y{i}\n    y{i} = 1", f"del y{i}", f"y{i} += 1"]) + "\n" + self.tried(f"log.append(f{i}())", "(NameError, KeyError)"),
            f"fs = [lambda: v for v in range(3)]\nlog.append([f() for f in fs])",
            f"fs = [lambda v=v: v for v in range(3)]\nlog.append([f() for f in fs])",
            f"def f{i}():\n    r = [last := v * 2 for v in range(4) if v % 2]\n    return r, last\nlog.append(f{i}())",
            f"v = 9\nr = [v for v in range(3)]\nlog.append((r, v))",
            f"class K{i}:\n    a = 2\n    b = [k for k in range(a)]\n    c = (lambda q=a: q)()\nlog.append((K{i}.b, K{i}.c))",
            f"def f{i}(a, acc=[]):\n    acc.append(a)\n    return acc\nf{i}(1)\nlog.append((f{i}(2), f{i}(3, [])))",
            f"def f{i}():\n    try:\n        raise KeyError('k')\n    except KeyError as err:\n        pass\n    return err\n" + self.tried(f"f{i}()"),
            f"if (m := {self.number()}) > 2 or (k := m + 1) < 0:\n    log.append(m)\nelse:\n    log.append((m, k))",
            f"def f{i}():\n    def g(): return h\n    try:\n        return g()\n    except NameError:\n        pass\n    h = 4\n    return g()\nlog.append(f{i}())"])

    def endings(self, i):
        first = self.pick(["return 1", "raise ValueError(1)", "1 // 0", "pass", "log.append('try')"])
        last = self.pick(["return 2", "log.append('finally')", "pass", "raise KeyError(2)"])
        looped = self.pick(["break", "continue", "log.append(k)", "return k", "raise IndexError(k)"])
        return (f"def f{i}():\n    try:\n        {first}\n    except ValueError as e:\n        {self.pick(['return 3', 'raise', 'raise LookupError(4) from e', 'pass'])}\n"
                f"    else:\n        log.append('else')\n    finally:\n        {last}\n    return 5\n" + self.tried(f"log.append(f{i}())")
                + f"def g{i}():\n    for k in range(3):\n        try:\n            if k == 1: {looped}\n        finally:\n            log.append(('f', k))\n            {self.pick(['pass', 'pass', 'continue', 'if k == 2: break'])}\n"
                f"    else:\n        return 'else'\n    return k\n" + self.tried(f"log.append(g{i}())"))

    def dataclasses(self, i):
        options = ", ".join(self.some(["frozen=True", self.pick(["order=True", "eq=False"]), "kw_only=True"], 2))
        fields = self.pick(["a: int\n    b: int = 2", "a: int = 1\n    b: list = field(default_factory=list)", "b: int = 3\n    a: int = 4"])
        after = self.pick(["", "    def __post_init__(self): object.__setattr__(self, 'c', 7)\n", "    def f(self): return self.a\n"])
        base = self.pick(["", f"@dataclass{'(frozen=True)' if 'frozen' in options else ''}\nclass Q{i}:\n    z: int = 0\n    a: int = 9\n"])
        if base and "a: int\n" in fields:
            base = ""
        steps = "".join(self.tried(self.pick([f"log.append(D{i}(1) == D{i}(1))", f"D{i}(1).a = 3", f"log.append(D{i}(a=1) < D{i}(a=2))",
                                              f"log.append(replace(D{i}(a=1), a=5).a)", f"log.append([f.name for f in fields(D{i})])",
                                              f"log.append(D{i}(1, 2, 3, 4, 5))", f"log.append(D{i}(q=1))", f"log.append(D{i}().a)",
                                              f"d = D{i}(a=1)\nd.new = 4\nlog.append(d.new)", f"log.append((D{i}(a=1).b, getattr(D{i}(a=1), 'c', 0)))"]))
                        for _ in range(3))
        return (f"from dataclasses import dataclass, field, fields, replace\n{base}@dataclass({options})\n"
                f"class D{i}{f'(Q{i})' if base else ''}:\n    {fields}\n{after}{steps}")

    def enums(self, i):
        base = self.pick(["Enum", "IntEnum", "Enum"])
        values = self.pick(["A = 1\n    B = 2\n    C = 1", "A = auto()\n    B = auto()\n    C = 7", "A = 4\n    B = auto()"])
        asked = [self.pick([f"len(E{i})", f"[e.name for e in E{i}]", f"E{i}.A == 1", f"E{i}(1).name if 1 in [e.value for e in E{i}] else 0",
                            f"E{i}['B'].value", f"E{i}.A is E{i}['A']", f"E{i}['Q']", f"E{i}.B.value + 1", f"E{i}.A != E{i}.B",
                            f"{{E{i}.A: 3}}[E{i}.A]", f"list(E{i})[-1].name", f"isinstance(E{i}.A, int)"]) for _ in range(3)]
        return f"from enum import Enum, IntEnum, auto\nclass E{i}({base}):\n    {values}\n" + "".join(self.tried(f"log.append({a})") for a in asked)

    def slices(self, i):
        def part():
            return self.pick(["", str(self.rng.randint(-5, 7))])
        over = self.pick(["[1, 2, 3, 4, 5]", "(1, 2, 3)", "'abcdef'", "range(10)", "[]"])
        cut = f"{part()}:{part()}" + self.pick(["", ":" + self.pick(["1", "2", "-1", "-2"])])
        change = self.pick([f"l[{cut}] = [7, 8]", f"del l[{cut}]", f"l[{self.number()}] = 9", f"del l[{self.number()}]", "l *= 2", "l += (1,)", f"l[{part()}:{part()}] = []",
                            f"l.insert({self.number()}, 0)", "l.sort(reverse=True)"])
        return (self.tried(f"s = {over}\nlog.append((list(s[{cut}]), s[{self.number()}]))")
                + f"l = [1, 2, 3, 4, 5]\n{self.tried(change)}log.append(l)\n" + self.tried(f"t = (1, [2])\nt[{self.pick(['0', '1'])}] += [3]") + "")

    def expression(self, depth=0):
        if depth > 2 or self.rng.random() < 0.2:
            return self.pick([str(self.number()), "2.5", "True", "0.1", "-7", "10", "n", "3"])
        a, b = self.expression(depth + 1), self.expression(depth + 1)
        return self.pick([f"({a} {self.pick(['+', '-', '*', '//', '%', '/', '&', '|', '^', '<<', '>>'])} {b})", f"({a} < {b} <= {self.number()})",
                          f"({a} if {b} else {self.number()})", f"(not {a})", f"({a} or {b})", f"({a} and {b})", f"-{a}", f"abs({a})",
                          f"int({a})", f"round({a})", f"min({a}, {b})", f"divmod({a}, {b})[1]", f"float({a})", f"({a} == {b} != {a})"])

    def arithmetic(self, i):
        return self.tried(f"log.append({self.expression()})")

    def copies(self, i):
        held = self.pick(["[[1], {'a': [2]}]", "{'k': [1, 2]}", "([1],)", f"H{i}()", f"[H{i}()] * 2"])
        change = self.pick(["[0]", "['k']", ".l", "[0].l"])
        return (f"import copy\nclass H{i}:\n    def __init__(self): self.l = [1]\na = {held}\nb, c = copy.copy(a), copy.deepcopy(a)\n"
                + self.tried(f"a{change}.append(5)") + self.tried(f"log.append((b{change}, c{change}, b is a, c is a))"))

    def caches(self, i):
        how = self.pick(["@functools.lru_cache", "@functools.lru_cache(maxsize=1)", "@functools.lru_cache(maxsize=None)", "@functools.cache"])
        calls = "; ".join(f"f{i}({self.rng.randint(1, 2)})" for _ in range(self.rng.randint(2, 5)))
        return (f"import functools\ncount = []\n{how}\ndef f{i}(k):\n    count.append(k)\n    return [k]\n{calls}\nlog.append((count, f{i}(1) is f{i}(1)))\n"
                f"class C{i}:\n    k = 0\n    @functools.cached_property\n    def p(self):\n        self.k += 1\n        return self.k\n"
                f"c = C{i}()\nc.p; c.p\nlog.append((c.p, c.k))\n")

    def decorators(self, i):
        how = self.pick([f"def deco{i}(f):\n    def w(*a, **k):\n        return f(*a, **k) + 1\n    return w",
                         f"class deco{i}:\n    def __init__(self, f): self.f = f\n    def __call__(self, *a): return self.f(*a) * 2",
                         f"def deco{i}(f): return 31", f"def deco{i}(f):\n    f.tag = 5\n    return f", f"def deco{i}(f): return None",
                         f"import functools\ndef deco{i}(f):\n    @functools.wraps(f)\n    def w(*a): return f(*a)\n    return w"])
        return f"{how}\n@deco{i}\ndef f{i}(x): return x\n" + self.tried(f"log.append(f{i}(3))") + self.tried(f"log.append(f{i} if not callable(f{i}) else getattr(f{i}, 'tag', getattr(f{i}, '__name__', 'object')))")

    def descriptors(self, i):
        body = self.some(["    def __set__(self, o, v): o.kept = v + 1", "    def __get__(self, o, t=None): return 12 if o is None else getattr(o, 'kept', 0) * 10",
                          "    def __set_name__(self, o, n): self.n = n", "    def __delete__(self, o): o.kept = 99"], 4)
        return (f"class X{i}:\n" + "\n".join(body or ["    pass"]) + f"\nclass P{i}:\n    d = X{i}()\np = P{i}()\n" + self.tried("p.d = 4")
                + self.tried("log.append(p.d if isinstance(p.d, int) else 'object')") + self.tried("del p.d") + self.tried(f"log.append((sorted(p.__dict__), P{i}.d if isinstance(P{i}.d, int) else 0))"))

    def special_names(self, i):
        return self.pick([
            f"class P{i}:\n    def __v(self): return 4\n    def go(self): return self.__v()\nclass Q{i}(P{i}):\n    def __v(self): return 40\nlog.append((Q{i}().go(), hasattr(Q{i}(), '__v'), Q{i}()._Q{i}__v()))",
            f"class P{i}:\n    __v = 3\n    def __init__(self, __w=2): self.__z = __w\n    def get(self): return self.__v + self.__z\nclass Q{i}(P{i}):\n    __v = 30\nlog.append((Q{i}().get(), sorted(vars(P{i}()))))",
            f"class P{i}:\n    all = []\n    def __init_subclass__(cls, tag=1, **k): P{i}.all.append((cls.__name__, tag))\nclass Q{i}(P{i}): pass\nclass S{i}(Q{i}, tag=5): pass\nlog.append(P{i}.all)",
            f"class P{i}:\n    made = None\n    def __new__(cls, *a):\n        if cls.made is None: cls.made = super().__new__(cls)\n        return cls.made\n    def __init__(self, v): self.v = v\nlog.append((P{i}(1) is P{i}(2), P{i}(3).v))",
            f"class P{i}:\n    n = 0\n    @classmethod\n    def bump(cls):\n        cls.n += 1\n        return cls\n    @staticmethod\n    def s(a): return a + 1\nclass Q{i}(P{i}): pass\nQ{i}.bump()\nlog.append((P{i}.n, Q{i}.n, P{i}.s(1), Q{i}().s(2)))",
            f"class P{i}:\n    def __getattr__(self, n):\n        if n.startswith('q'): return n\n        raise AttributeError(n)\nlog.append((P{i}().qq, hasattr(P{i}(), 'z'), getattr(P{i}(), 'z', 3)))",
            f"class P{i}:\n    xs = []\n    def add(self, v):\n        self.xs += [v]\nP{i}().add(1)\na = P{i}()\na.add(2)\nlog.append((P{i}.xs, 'xs' in vars(a)))"])

    def in_place(self, i):
        return (f"seen = []\ndef at{i}():\n    seen.append(1)\n    return 0\nl = [1, [2]]\nl[at{i}()] += 4\nlog.append((l, len(seen)))\n"
                + self.tried(self.pick(["l[1].__iadd__([3])", "l.__setitem__(0, 8)", "l[1] *= 2", "a = b = l\nb += [9]\nlog.append(a is l)", "l.__delitem__(0)"])) + "log.append(l)\n")

    def orders(self, i):
        return self.pick([
            f"d = {{'b': 1, 'a': 2}}\nd['c'] = {self.number()}\ndel d['b']\nd['b'] = 4\nlog.append((list(d.items()), list(reversed(d))[0], max(d, key=d.get)))",
            f"a, *b, (c, *d) = {self.number()}, 2, 3, (4, 5, 6)\nlog.append((a, b, c, d))",
            "def t(v):\n    log.append(v)\n    return v\n{t(1): t(2), t(3): t(4)}\nt(5) + t(6) * t(7)\nt(8) < t(9) < t(3) < t(1)\n",
            "l = [0, 0, 0]\ni = 0\ni, l[i] = 2, 7\nlog.append((i, l))",
            "x = [3, 1]\nx[0], x[1] = x[1], x[0]\nlog.append(x)",
            f"log.append((sorted([3, -1, 2], key=abs), sorted('bAc', key=str.lower) if {self.number()} > 0 else 0))",
            "log.append(({**{'a': 1}, 'b': 2, **{'a': 3}}, [*range(2), *'ab'], (*[], 1)))"])

    def returns(self, i):
        return (f"def f{i}(k):\n    for v in range(5):\n        if v == k: return v\n        while True:\n            if v > 2: break\n            v += 2\n"
                f"    else:\n        return 'none', v\nlog.append((f{i}({self.number()}), f{i}(1)))\n")


def program(rng, most=4):
    pieces = Pieces(rng)
    text = "log = []\nn = 1\n" + "\n".join(pieces.piece() for _ in range(rng.randint(1, most)))
    return text + "\nr = (*log, n)\n"
