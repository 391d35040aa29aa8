#pragma once

namespace cutelab {

/// Programs that parse a command line: of each, Python says what `r` is. `p` is a parser.
inline const char* const parsers[] = {
    R"(p.add_argument("--z", type=int, default=3)
p.set_defaults(z=5, w=7)
p.add_argument("--w", type=int, default=2)
a = p.parse_args()
r = a.z, a.w, p.get_default("z"), p.get_default("w"), p.get_default("none"))",
    R"(p.add_argument("--x", dest="q", action="store_true", default=False)
p.add_argument("--y", dest="q", action="store_false", default=True)
p.add_argument("--z", type=int, default=3)
p.add_argument("--z2", dest="z", type=int, default=9)
r = sorted(vars(p.parse_args()).items()))",
    R"(sub = p.add_subparsers(dest="cmd", required=False)
p.set_defaults(cmd="attn")
g = sub.add_parser("gemm")
g.add_argument("--m", type=int, default=3)
g.set_defaults(f=11)
r = p.parse_args().cmd, sorted(vars(p.parse_args(["gemm", "--m", "4"])).items()))",
    R"(par = argparse.ArgumentParser(add_help=False)
par.add_argument("--m", type=int, default=11)
par.set_defaults(k=2)
q = argparse.ArgumentParser(parents=[par])
q.add_argument("--n", type=int, default=2)
a = q.parse_args([], namespace=argparse.Namespace(n=50))
r = a.m, a.n, a.k)",
    R"(class Space:
    m = 50
    q = 4
p.add_argument("--m", type=int, default=3)
p.add_argument("--n", type=int, default=5)
s = Space()
p.parse_args([], namespace=s)
r = s.m, s.n, s.q)",
    R"(p.add_argument("--m", type=int, default=64)
p.add_argument("files", nargs="*", default=["a", "b", "c"])
p.add_argument("--opt", nargs="?", const=7, default=2, type=int)
p.add_argument("--list", nargs="+", type=int, default=[1, 2])
p.add_argument("--cnt", action="count", default=0)
p.add_argument("-v", "--verbose", action="count")
r = sorted(vars(p.parse_args(["--m", "5", "--opt", "--list", "3", "4", "5", "-v", "--cnt", "--cnt", "--verb"])).items()))",
    R"(p.add_argument("a", type=int)
p.add_argument("b", type=int, nargs="?", default="7")
p.add_argument("c", type=int, nargs=2)
p.add_argument("--x", type=lambda s: int(s) * 3, default="4")
p.add_argument("--y", type=lambda s: int(s) * 3, default=4)
p.add_argument("--z", action=argparse.BooleanOptionalAction, default=True)
r = sorted(vars(p.parse_args(["1", "2", "3", "--no-z"])).items()), sorted(vars(p.parse_args(["1", "2", "3", "-4", "--x=5"])).items()))",
    R"(q = argparse.ArgumentParser(argument_default=6)
q.add_argument("--m", type=int)
q.add_argument("--s", action="store_true")
q.add_argument("--k", action="store_const", const=9)
g = q.add_argument_group("group", argument_default=8)
g.add_argument("--n", type=int)
g.set_defaults(extra=3)
r = sorted(vars(q.parse_args()).items()))",
    R"(q = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
q.add_argument("--m", type=int)
q.add_argument("--n", type=int, default=5)
a = q.parse_args()
r = getattr(a, "m", 70), a.n, vars(a), hasattr(a, "m"), hasattr(a, "n"))",
    R"(p.add_argument("--m", type=int, default=3)
a, rest = p.parse_known_args(["--m", "4", "--zz", "5", "foo"])
r = a.m, rest)",
    R"(p.add_argument("--m", type=int, default=3, choices=[1, 2])
p.add_argument("--n", type=int, default="2", choices=[1, 2])
a = p.parse_args()
r = a.m, a.n)",
    R"(x = p.add_argument("--m", type=int, default=3)
x.default = 8
y = p.add_argument("--n", type=str, default="3")
y.type = int
p.add_argument("--k", type=int, default=4)
for action in p._actions:
    if action.dest == "k":
        action.default = 6
a = p.parse_args()
a.sum = a.m + a.n
del a.m
vars(a)["n"] = 5
a.__dict__.update(more=9)
r = a.sum, hasattr(a, "m"), a.n, a.k, a.more, sorted(vars(a)))",
    R"(q = argparse.ArgumentParser(conflict_handler="resolve")
q.add_argument("--m", type=int, default=3)
q.add_argument("--m", type=int, default=4)
r = q.parse_args().m)",
    R"(def positive(s):
    v = int(s)
    if v <= 0:
        raise argparse.ArgumentTypeError("not positive")
    return v
p.add_argument("--m", type=positive, default="5")
seen = []
for words in (["--m", "-3"], ["--m", "4"], ["--m"], ["--other"], ["--m=2", "--m", "8"]):
    try:
        seen.append(p.parse_args(words).m)
    except SystemExit:
        seen.append(None)
r = seen, p.parse_args([]).m)",
    R"(p.add_argument("--m", type=int, default=3)
b = argparse.Namespace(**vars(p.parse_args()))
b.m += 4
d = vars(b)
b.k = 10
d["j"] = 100
r = b.m, d["k"], b.j, "m" in d, len(d), d is vars(b))",
    R"(import sys
p.add_argument("--m", type=int, default=3)
before = p.parse_args().m
sys.argv.extend(["--m", "6"])
r = before, p.parse_args().m, p.parse_args(sys.argv[1:]).m, len(sys.argv))",
    R"(import sys
p.add_argument("--m", type=int, default=3)
sys.argv = ["x", "--m", "5"]
seen = p.parse_args().m
sys.argv += ["--m", "9"]
r = seen, p.parse_args().m)",
    R"(for name, usual in [("m", 3), ("n", "4")]:
    p.add_argument(f"--{name}", type=int, default=usual)
a = p.parse_args()
for name in list(vars(a)):
    setattr(a, name, getattr(a, name) * 5)
r = sum(vars(a).values()))",
    R"(class Parser(argparse.ArgumentParser):
    def __init__(self, **names):
        super().__init__(**names)
        self.add_argument("--m", type=int, default=4)
        self.size = 100
    def parse_args(self, *words):
        out = super().parse_args(*words)
        out.m *= 3
        return out
q = Parser(description="x")
q.add_argument("--n", type=int, default=5)
a = q.parse_args()
r = a.m, a.n, q.size)",
    R"(p.add_argument("--a", action="append", type=int, default=[1])
p.add_argument("--b", action="append")
p.add_argument("--c", action="extend", nargs="+", type=int, default=[2])
p.add_argument("--d", action="append_const", const=4, dest="b")
r = sorted(vars(p.parse_args(["--a", "5", "--b", "x", "--c", "3", "4", "--d"])).items()), p.parse_args([]).b)",
    R"(q = argparse.ArgumentParser(prefix_chars="+-")
q.add_argument("+x", type=int, default=4)
q.add_argument("--tile-shape", "-t", type=int, default=5)
q.add_argument("-s", type=int, default=6)
a = q.parse_args()
r = a.x, a.tile_shape, a.s)",
    R"(from types import SimpleNamespace
a = SimpleNamespace(m=3, n=4)
a.m += 2
a.__dict__["k"] = 7
r = a.m, a.n, a.k, len(vars(a)))",
};

}  // namespace cutelab
