#!/usr/bin/env python3
"""Writes random Python programs with what Python itself gives for them.

    random_programs.py SEED COUNT FOLDER [objects|unknown]

Each program leaves a tuple in `r`. FOLDER/N.py is a program, line N of FOLDER/expected.txt holds the repr of each
item of its `r`, separated by the unit separator, or "error" where the program ends with an exception. With
`objects` the programs are those of random_objects.py, with `unknown` those of random_unknown.py.
"""
import os
import random
import signal
import sys

sys.dont_write_bytecode = True
import random_objects  # noqa: E402
import random_unknown  # noqa: E402

KEYS = ["1", "1.0", "True", "0", "False", "0.0", "'a'", "'b'", "(1, 2)", "(1.0, 2)", "2", "None", "'1'"]
TEXTS = ["'abc'", "'é'", "'x\\ny'", "'naïve ☃'", "''", "'\\u00e9\\x41'", "r'\\n'", "'it\\'s'", "'a b  c'", "'😀!'"]
NUMBERS = ["3", "-7", "0", "12345", "2.5", "-0.125", "1e20", "True", "100.0", "1e-7", "255"]
SPECS = ["", "5", "05", "<6", ">6", "^7", "+", "+.2f", ".3f", "8.2f", "x", "#x", "b", "#010x", ",", "e", ".2e", "g",
         "*^9", "d", ".1%", "_", "-5", " d", "o", "X"]
PERCENTS = ["%d", "%5d", "%-5d|", "%05d", "%s", "%10s", "%-8s|", "%r", "%.2f", "%8.3f", "%x", "%+d", "%%", "%e", "%g",
            "%i", "%.3s", "%o", "%#x", "%c"]
# What may fail, with the types of what it raises.
RISKS = ["1 // {n}", "1 / {n}", "1 % {n}", "int({t})", "[1, 2][{n}]", "{{'a': 1}}[{k}]", "undefined_name", "L[{n}]",
         "None.attribute", "next(iter([]))", "L.index({n})", "L.remove({n})", "float({t})", "len({n})", "max([])",
         "chr({n})", "[1] + ({n},)", "'a' + {n}", "D[{k}]", "D.pop({k})", "(lambda: 1 // {n})()", "int(None)",
         "2 ** {n}", "1 << {n}", "sum([1, 'a'])", "'abc'[{n}]", "ord({t})", "S.remove({n})", "L.pop()", "L.pop({n})",
         "'%d' % {t}", "f({n})", "g({n})"]
CLAUSES = ["ZeroDivisionError", "ValueError", "KeyError", "IndexError", "LookupError", "ArithmeticError", "Exception",
           "NameError", "TypeError", "AttributeError", "StopIteration", "(KeyError, ValueError)", "OSError",
           "(ZeroDivisionError, LookupError)", "BaseException", "ImportError", "Own", "AssertionError"]


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.depth = 0

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, items):
        return self.rng.choice(items)

    def number(self):
        return str(self.rng.randint(-3, 6))

    def filled(self, text):
        return text.format(n=self.pick(["0", "1", "2", "5", "-1", "n"]), t=self.pick(["'4'", "'x'", "' 7 '", "'1_0'", "'é'", "'2.5'"]),
                           k=self.pick(KEYS))

    def mutation(self):
        n = self.number()
        return self.pick([f"if len(L) < 9: L.append({n})", "if L: L.pop()", "if L: L.pop(0)", "if L: del L[0]",
                          "if len(L) > 2: del L[1]", f"if {n} in L: L.remove({n})", "if x in L: L.remove(x)",
                          f"if len(L) < 9: L.insert(0, {n})", f"if len(L) < 8: L.extend([{n}, 1])",
                          f"if len(L) < 8: L += [{n}]", "if L: L[-1] = L[-1] + 1", "if len(L) > 3: L.reverse()",
                          "if x == 2: break", "if x == 1: continue", "if len(L) < 9: L.append(x)", "L.sort()"])

    def walk(self):
        over = self.pick(["L", "L", "L", "enumerate(L)", "reversed(L)", "zip(L, L)", "iter(L)", "L[:]", "list(L)", "it"])
        self.put(f"for x in {over}:")
        self.depth += 1
        if over in ("enumerate(L)", "zip(L, L)"):
            self.put("x = x[1]")
        self.put("n += 1")
        self.put("if n > 60: break")
        for _ in range(self.rng.randint(1, 3)):
            self.put(self.mutation())
        self.depth -= 1
        if self.rng.random() < 0.3:
            self.put("else:")
            self.put("    n += 100")

    def walk_of_dict(self):
        over = self.pick(["D", "D.keys()", "D.items()", "D.values()", "list(D)", "list(D.items())"])
        self.put(f"for y in {over}:")
        self.depth += 1
        self.put("n += 1")
        self.put("if n > 60: break")
        self.put(self.pick(["pass", f"D['new'] = {self.number()}", f"D[{self.pick(KEYS)}] = n", "D.pop('a', None)",
                            "last = y", "if len(D) > 3: D.clear()"]))
        self.depth -= 1

    def display(self):
        size = self.rng.randint(0, 6)
        pairs = ", ".join(f"{self.pick(KEYS)}: {self.number()}" for _ in range(size))
        keys = ", ".join(self.pick(KEYS) for _ in range(max(1, size)))
        self.put(self.pick([f"D = {{{pairs}}}", f"D = {{{pairs}}}", f"S = {{{keys}}}", f"S = set([{keys}])",
                            f"D = dict([{', '.join('(%s, %s)' % (self.pick(KEYS), self.number()) for _ in range(size))}])",
                            f"D = {{**D, {pairs}}}", f"S |= {{{keys}}}", f"S = S & {{{keys}}}", f"S = S - {{{keys}}}",
                            f"S = S ^ {{{keys}}}", f"D = D | {{{pairs}}}", f"D = {{k: v for v, k in enumerate([{keys}])}}",
                            f"S = {{v for v in [{keys}]}}", f"D.update({{{pairs}}})", f"b = S == {{{keys}}}",
                            f"b = {{{pairs}}} == D", f"b = {self.pick(KEYS)} in S", f"b = D.get({self.pick(KEYS)}, 'no')",
                            f"b = S <= {{{keys}}}", f"b = D is {{}}", f"b = {self.pick(KEYS)} in D"]))

    def make_iterator(self):
        n = self.number()
        self.put(self.pick([f"it = iter([1, {n}, 3, 4])", "it = iter(L)", "it = zip(L, range(5))", "it = enumerate(L)",
                            "it = map(lambda v: v + 1, L)", f"it = filter(lambda v: v > {n}, L)", "it = reversed(L)",
                            "it = (v * 2 for v in L)", "it = (v for v in L if v != 1)", "it = count_to(4)",
                            "it = (v + w for v in L for w in range(2))", "it = zip(it, it)", "it = enumerate(it, 3)",
                            "it = map(lambda v: (v, n), it)", "other = it", "it = other", "it = iter(D)",
                            "it = watched(L)", f"it = iter(range({n}, 5))", "it = iter('aé')", "it = twice(it)"]))

    def use_iterator(self):
        self.put(self.pick(["b = next(it, 'end')", "b = next(it)", "b = list(it)", "b = tuple(it)", "b = sum(1 for _ in it)",
                            "b = 3 in it", "b = list(zip(it, range(2)))", "b = any(v == 3 for v in it)", "b = next(other, None)",
                            "b = [next(it, 0), next(it, 0)]", "b = [v for v in it]", "b = list(other)", "b = len(list(it))",
                            "b = max(it, default=-1)", "p, *q = it", "p, q = it", "b = all(it)", "b = sorted(it, key=str)",
                            "b = dict(zip(it, it))", "L.extend(list(it))", "b = bool(it)", "b = it is other", "L.append(7)",
                            "b = [*it]", "b = iter(it) is it", "b = sum(map(bool, it))"]))

    def text(self):
        t, v = self.pick(TEXTS), self.pick(NUMBERS)
        spec = self.pick(SPECS)
        held = self.pick([t, v, "[1, 'a']", "(1,)", "{}", "None", "{'k': 1.5}", "()", "L", "[L, 'é']"])
        self.put(self.pick([f"b = len({t})", f"b = {t}[{self.rng.randint(-2, 2)}]", f"b = {t}[::-1]", f"b = {t}.upper()",
                            f"b = list({t})", f"b = '{self.pick(PERCENTS)}' % {v}", f"b = '{self.pick(PERCENTS)}' % ({t},)",
                            f"b = '{self.pick(PERCENTS)} {self.pick(PERCENTS)}' % ({v}, {v})", f"b = f'{{{v}:{spec}}}'",
                            f"b = format({v}, '{spec}')", f"b = '{{:{spec}}}'.format({v})", f"b = f'{{{held}}}|{{{held}!r}}'",
                            f"b = str({held})", f"b = repr({held})", f"b = '%s and %r' % ({held}, {held})", f"b = {t}.strip()",
                            f"b = {t}.find('b')", f"b = {t}.split()", f"b = {t}.count('a')", f"b = f'{{{t}:{self.pick(['>8', '^9', '<7', '.2', '5'])}}}'",
                            f"b = 'a\\tb' + {t} + 'z'", f"b = {t} * 2", f"b = '{{0}}-{{1}}-{{0}}'.format({v}, {t})",
                            f"b = f'{{{{x}}}}{{n}}'", f"b = {t} < 'b'", f"b = ' pad '.rstrip() + ' pad '.lstrip()", f"b = ord({t}[0])",
                            f"b = '%(a)s' % {{'a': {v}}}", f"b = '%*d' % (6, 42)", f"b = {t} in 'abc'", f"b = len(str([{v}] * 300))",
                            f"b = hex({self.number()}) + bin({self.number()})", f"b = f'{{n!r:>5}}'", f"b = f'{{n:{{n}}}}'"]))

    def attempt(self, level=0):
        self.put("try:")
        self.depth += 1
        self.put("n += 1")
        inside = self.rng.random()
        if inside < 0.2 and level < 2:
            self.attempt(level + 1)
        elif inside < 0.3:
            self.put(self.pick(["raise ValueError('v', n)", "raise KeyError('k')", "raise Own(n)", "assert n > 2, 'small'",
                                "raise IndexError", "raise Own", "raise StopIteration(3)"]))
        elif inside < 0.4:
            self.put("for x in (1, 2, 0):")
            self.put("    n += 10 // x")
        elif inside < 0.5:
            self.put(self.pick(["p, q = (1, 2, 3)", "p, q = (1,)", "p, (q, n) = 1, (2, 3)", "p, q = n", "[p, q] = L"]))
        else:
            self.put("b = " + self.filled(self.pick(RISKS)))
        self.put("n += 20")
        self.depth -= 1
        for _ in range(self.rng.randint(0, 2)):
            named = self.rng.random() < 0.4
            self.put(f"except {self.pick(CLAUSES)}{' as e' if named else ''}:")
            self.put(self.pick(["    n += 300", "    n = -n", "    L.append(n)", "    raise" if self.rng.random() < 0.3 else "    pass",
                                "    n = len(str(e))" if named else "    n = 0", "    b = e.args" if named else "    b = 9"]))
        last = self.rng.random()
        if last < 0.5 or self.lines[-1].strip().startswith("n += 20"):
            self.put("except Exception:" if last < 0.45 else "except:")
            self.put("    n += 4000")
        if last < 0.3:
            self.put("else:")
            self.put("    n += 50000")
        if self.rng.random() < 0.3:
            self.put("finally:")
            self.put(self.pick(["    n += 7", "    L.append(n)", "    b = n"]))

    def program(self):
        self.put("class Own(Exception): pass")
        self.put("def count_to(k):")
        self.put("    for i in range(k): yield i")
        self.put("def watched(items):")
        self.put("    for i in items:")
        self.put("        yield i + len(items)")
        self.put("def twice(items):")
        self.put("    for i in items: yield from (i, i)")
        self.put("def f(k):")
        self.put("    try:")
        self.put("        return 6 // k")
        self.put("    except ZeroDivisionError:")
        self.put("        return 'zero'")
        self.put("    finally:")
        self.put("        L.append(k)")
        self.put("def g(k):")
        self.put("    if k > 1: raise Own(k)")
        self.put("    return [5][k]")
        self.put(f"n = {self.rng.randint(0, 3)}")
        self.put("b = p = q = None")
        self.put(f"L = [{', '.join(self.number() for _ in range(self.rng.randint(0, 6)))}]")
        self.put("D = {'a': 1, 2: 'two'}")
        self.put("S = {1}")
        self.put("it = other = iter([5, 6, 7])")
        kinds = [self.walk, self.walk_of_dict, self.display, self.make_iterator, self.use_iterator, self.text, self.attempt]
        chosen = self.rng.sample(kinds, self.rng.randint(1, 3))
        for _ in range(self.rng.randint(2, 6)):
            step = self.pick(chosen)
            step()
            if step == self.make_iterator:
                self.use_iterator()
            if step == self.text or step == self.use_iterator:
                self.put("seen = b")
        self.put("r = (n, b, p, q, L, D, len(S), sorted(map(str, S)), list(it))")
        return "\n".join(self.lines) + "\n"


def told(text):
    def late(*_):
        raise TimeoutError

    scope = {"__name__": "__main__"}
    signal.signal(signal.SIGALRM, late)
    signal.alarm(2)
    try:
        exec(compile(text, "program", "exec"), scope)
        return "\x1f".join(repr(item) for item in scope["r"])
    except TimeoutError:
        return None
    except BaseException:
        return "error"
    finally:
        signal.alarm(0)


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    expected = []
    while len(expected) < count:
        maker = random_objects.program if "objects" in sys.argv[4:] else random_unknown.program
        text = maker(rng) if sys.argv[4:] else Maker(rng).program()
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue
        random_unknown.set_up(rng)
        result = told(text)
        if "unknown" in sys.argv[4:] and result == "error":  # of code that is not seen
            continue
        if result is None or "\n" in result or " at 0x" in result:
            continue
        with open(os.path.join(folder, f"{len(expected)}.py"), "w", encoding="utf-8") as out:
            out.write(text)
        expected.append(result)
    with open(os.path.join(folder, "expected.txt"), "w", encoding="utf-8") as out:
        out.write("".join(line + "\n" for line in expected))


main()
