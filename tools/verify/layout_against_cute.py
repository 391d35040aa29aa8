#!/usr/bin/env python3
"""Compare the layout algebra with CuTe C++ (compiled from the CUTLASS headers) and with Python implementations.

usage: layout_against_cute.py --cutelab PROGRAM [--cases N] [--seed S] [--jobs J] [--work DIR] [--report FILE.md]
                              [--cutlass INCLUDE_DIR] [--cuda INCLUDE_DIR] [--compiler CXX]

Every case is one expression. CuTe gets it as a static type (so that its checks run), we as text; results must be spelled alike.
Cases that we refuse are compiled one by one, a sample of them, to see that CuTe refuses them too.
Exit code: 0 all equal, 1 a disagreement, 77 skipped (the reason is printed), 2 wrong use.
"""
import argparse
import collections
import concurrent.futures
import datetime
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import layout_cases as cases
import layout_python_peers as peers

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("CUTELAB_DEPS", ROOT / "build" / "deps"))

PRELUDE = r"""
#include <cute/layout.hpp>
#include <cute/swizzle.hpp>
#include <cute/swizzle_layout.hpp>
#include <cstdio>
#include <string>
using namespace cute;
template <int... B> void basis(std::string& o) { int b[] = {B..., 0}; for (int i = sizeof...(B); i-- > 0;) o += "@" + std::to_string(b[i]); }
template <class T> struct Leaf { static void text(std::string& o) { o += std::to_string(long(T::value)); } };
template <class T, int... B> struct Leaf<ScaledBasis<T, B...>> { static void text(std::string& o) { o += std::to_string(long(T::value)); basis<B...>(o); } };
template <class T> void text(std::string& o) {
  if constexpr (is_tuple<T>::value) {
    o += "(";
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((I ? void(o += ",") : void(), text<remove_cvref_t<decltype(get<I>(T{}))>>(o)), ...); }(std::make_index_sequence<tuple_size<T>::value>{});
    o += ")";
  } else Leaf<T>::text(o);
}
template <class T> struct Show { static std::string of() { std::string o; text<T>(o); return o; } };
template <class S, class D> struct Show<Layout<S, D>> { static std::string of() { std::string o; text<S>(o); o += ":"; text<D>(o); return o; } };
template <int B, int M, int H, class O, class L> struct Show<ComposedLayout<Swizzle<B, M, H>, O, L>> {
  static std::string of() { std::string o; text<O>(o); return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(H) + "> o " + o + " o " + Show<L>::of(); } };
#define CASE(id, ...) std::printf("%d\t%s\n", id, Show<remove_cvref_t<decltype(__VA_ARGS__)>>::of().c_str());
"""


def shape_type(t, kind):
    if isinstance(t, tuple):
        return f"{kind}<" + ",".join(shape_type(mode, kind) for mode in t) + ">"
    return "_" if t is None else f"C<{t}>"


def layout_value(layout):
    return f"Layout<{shape_type(layout[0], 'Shape')},{shape_type(layout[1], 'Stride')}>{{}}"


def tiler_value(tiler):
    kind, value = tiler
    if kind == "int":
        return f"C<{value}>{{}}"
    if kind == "layout":
        return layout_value(value)
    return "make_tile(" + ",".join(tiler_value(mode) for mode in value) + ")"


def argument_value(kind, value):
    if kind == "layout":
        return layout_value(value)
    if kind == "tiler":
        return tiler_value(value)
    if kind == "slicer":
        return "make_coord(" + ",".join("_" if mode is None else shape_type(mode, "Coord") + "{}" for mode in value) + ")"
    return shape_type(value, "Shape") + "{}"


SPELLED = {
    "row_major": "make_layout({0}, LayoutRight{{}})", "identity": "make_layout({0}, make_basis_like({0}))",
    "upcast": "upcast<{1n}>({0})", "downcast": "downcast<{1n}>({0})", "group": "group<{1n},{2n}>({0})", "take": "take<{1n},{2n}>({0})",
    "slice": "slice({1}, {0})", "ceil_div": "shape(ceil_div({0}, {1}))",
}


def cpp_expression(op, args):
    values, numbers, pending = [], [], None
    for kind, value in args:
        if kind == "swizzle":
            pending = value
            continue
        spelled = argument_value(kind, value)
        if pending is not None:
            spelled = f"make_composed_layout(Swizzle<{pending[0]},{pending[1]},{pending[2]}>{{}}, Int<0>{{}}, {spelled})"
            pending = None
        values.append(spelled)
        numbers.append(value)
    name = op.replace("swizzle_", "").replace("_by_mode", "")
    if name == "select":
        return f"select<{','.join(str(n) for n in numbers[1:])}>({values[0]})"
    if op == "swizzle_crd2idx":
        return f"({values[1]})({values[0]})"
    if name in SPELLED:
        fields = {f"{i}n": n for i, n in enumerate(numbers)}
        out = SPELLED[name]
        for i, value in enumerate(values):
            out = out.replace("{" + f"{i}n" + "}", str(fields[f"{i}n"])).replace("{" + str(i) + "}", value)
        return out.replace("{{", "{").replace("}}", "}") if "{{" in SPELLED[name] else out
    return f"{name}({', '.join(values)})"


def find_headers(args):
    cutlass = [args.cutlass] if args.cutlass else [DEPS / "cutlass/cutlass_library/source/include", *([Path(os.environ["CUTLASS_DIR"]) / "include"] if os.environ.get("CUTLASS_DIR") else [])]
    cutlass = next((Path(p) for p in cutlass if p and (Path(p) / "cute/layout.hpp").exists()), None)
    if not cutlass:
        return None, "CuTe's headers are not there; `cutelab setup --with cutlass` brings them"
    roots = [args.cuda] if args.cuda else [os.environ.get("CUDA_HOME", "") + "/include", *glob.glob(str(DEPS / "cuda-compiler/**/include"), recursive=True), "/usr/local/cuda/include"]
    cuda = next((Path(p) for p in roots if p and (Path(p) / "cuda_runtime.h").exists()), None)
    if not cuda:
        return None, "CUDA's headers (cuda_runtime.h) are not there; `cutelab setup --with cuda-compiler` brings them"
    folders = [cutlass, cuda]
    for folder in roots:
        if folder and (Path(folder) / "cccl").exists():
            folders.append(Path(folder) / "cccl")
    return folders, ""


class Compiler:
    def __init__(self, program, folders, work):
        self.work = Path(work)
        command = [program, "-std=c++20", "-O0", "-w"] + [f"-I{folder}" for folder in folders]
        self.command = (["ccache"] if shutil.which("ccache") else []) + command
        self.fold = command

    def run(self, name, indexed):
        """{index: text}, and the indices that CuTe's static assertions refuse."""
        refused = set()
        for _ in range(60):
            kept = [(i, text) for i, text in indexed if i not in refused]
            lines = PRELUDE.strip("\n").split("\n") + ["int main() {"]
            first = len(lines) + 1
            lines += [f"CASE({i}, {text})" for i, text in kept] + ["}"]
            source = self.work / f"{name}.cc"
            source.write_text("\n".join(lines) + "\n")
            done = subprocess.run(self.command + ["-c", str(source), "-o", str(source.with_suffix(".o"))], capture_output=True, text=True)
            if done.returncode == 0:
                break
            bad = {int(m) - first for m in re.findall(rf"{name}\.cc:(\d+):", done.stderr)}
            bad = {kept[b][0] for b in bad if 0 <= b < len(kept)}
            if not bad:
                raise RuntimeError(done.stderr[-2000:])
            refused |= bad
        program = source.with_suffix("")
        subprocess.run([self.fold[0], str(source.with_suffix(".o")), "-o", str(program)], check=True)
        out = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
        return {int(line.split("\t")[0]): line.split("\t")[1] for line in out.splitlines()}, refused


def evaluate(program, lines, work):
    path = Path(work) / "expressions.txt"
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run([program, "layout", "--file", str(path)], capture_output=True, text=True)
    out = done.stdout.splitlines()
    if len(out) != len(lines):
        raise RuntimeError(f"{program}: {len(out)} results for {len(lines)} expressions\n{done.stderr[-2000:]}")
    return out


def normal(text, op=""):
    """An identity swizzle with offset 0 is no swizzle; CuTe's slice of a layout leaves the offset to its caller."""
    return re.sub(r"^Sw<0,-?\d+,-?\d+> o " + (r"\d+" if op == "slice" else "0") + " o ", "", text)


def against_cute(compiler, indexed, jobs, batch=250):
    theirs, refused = {}, set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [indexed[i:i + batch] for i in range(0, len(indexed), batch)]
        for values, no in pool.map(lambda pair: compiler.run(f"batch_{pair[0]}", pair[1]), enumerate(parts)):
            theirs.update(values)
            refused |= no
    return theirs, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cutelab", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--refused-sample", type=int, default=0, metavar="N", help="compile N cases that we refuse")
    parser.add_argument("--work")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--cutlass")
    parser.add_argument("--cuda")
    parser.add_argument("--compiler", default="g++")
    args = parser.parse_args()
    folders, reason = find_headers(args)
    if reason:
        print(f"skipped: {reason}")
        return 77
    work = args.work or tempfile.mkdtemp(prefix="layout-against-cute-")
    Path(work).mkdir(parents=True, exist_ok=True)
    all_cases = cases.cases(args.cases, args.seed)
    ours = evaluate(args.cutelab, [c[2] for c in all_cases], work)
    accepted = [i for i, text in enumerate(ours) if not text.startswith("error")]
    refused_by_us = [i for i, text in enumerate(ours) if text.startswith("error")]
    compiler = Compiler(args.compiler, folders, work)
    theirs, refused = against_cute(compiler, [(i, cpp_expression(*all_cases[i][:2])) for i in accepted], args.jobs)
    sample = refused_by_us[: args.refused_sample]
    accepted_there, _ = against_cute(compiler, [(i, cpp_expression(*all_cases[i][:2])) for i in sample], args.jobs, 25)
    result = Comparison(all_cases, ours, theirs, refused, refused_by_us, sample, accepted_there)
    result.python = peers.compare(all_cases, ours, DEPS)
    print(result.summary())
    if args.report:
        args.report.write_text(result.markdown(args, compiler, folders))
    if not args.work:
        shutil.rmtree(work)
    return 1 if result.different or result.refused_there else 0


class Comparison:
    def __init__(self, all_cases, ours, theirs, refused, refused_by_us, sample, accepted_there):
        self.cases, self.ours, self.theirs = all_cases, ours, theirs
        self.refused_by_us, self.sample, self.accepted_there = refused_by_us, sample, accepted_there
        self.refused_there = sorted(refused)
        self.different = [i for i in theirs if not self.equal(i)]
        self.python = {}

    def equal(self, i):
        return normal(self.ours[i], self.cases[i][0]) == normal(self.theirs[i])

    def rows(self):
        table = collections.OrderedDict()
        for i, (op, _, _) in enumerate(self.cases):
            row = table.setdefault(op, [0, 0, 0])
            if i in self.theirs:
                row[0] += 1
                row[1] += self.equal(i)
            elif self.ours[i].startswith("error"):
                row[2] += 1
        return sorted(table.items())

    def summary(self):
        lines = [f"{len(self.theirs)} cases compared with CuTe C++, {len(self.theirs) - len(self.different)} equal, "
                 f"{len(self.different)} different; {len(self.refused_there)} accepted here and refused by CuTe; "
                 f"{len(self.refused_by_us)} refused here, of a sample of {len(self.sample)} CuTe accepts {len(self.accepted_there)}"]
        for i in self.different[:20]:
            lines.append(f"  different: {self.cases[i][2]}\n    ours {self.ours[i]}\n    CuTe {self.theirs[i]}")
        for i in self.refused_there[:20]:
            lines.append(f"  CuTe refuses: {self.cases[i][2]} = {self.ours[i]}")
        for i in list(self.accepted_there)[:20]:
            lines.append(f"  CuTe accepts: {self.cases[i][2]} = {self.accepted_there[i]}\n    ours {self.ours[i]}")
        for name, peer in self.python.items():
            lines.append(f"{name}: {peer.summary()}")
        return "\n".join(lines)

    def markdown(self, args, compiler, folders):
        version = subprocess.run([args.compiler, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
        header = (folders[0] / "cutlass/version.h").read_text()
        cutlass = ".".join(re.search(rf"define CUTLASS_{p}\s+(\d+)", header).group(1) for p in ("MAJOR", "MINOR", "PATCH"))
        out = ["# Layout algebra against CuTe C++ and Python implementations", "",
               "Generated by `tools/verify/layout_against_cute.py"
               f" --cases {args.cases} --seed {args.seed} --refused-sample {args.refused_sample} --report docs/verification/layout.md`.", "",
               f"- date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", f"- CuTe: CUTLASS {cutlass} headers, compiled with {version}",
               f"- compared with CuTe C++: {len(self.theirs)} random cases, {len(self.theirs) - len(self.different)} equal, {len(self.different)} different",
               f"- accepted here, refused by CuTe's static assertions: {len(self.refused_there)}",
               f"- refused here: {len(self.refused_by_us)}; of a sample of {len(self.sample)} compiled one by one CuTe accepts {len(self.accepted_there)}", "",
               "| operation | compared | equal | refused here |", "|---|---:|---:|---:|"]
        out += [f"| {op} | {row[0]} | {row[1]} | {row[2]} |" for op, row in self.rows()]
        for title, items in (("Different", [(self.cases[i][2], self.ours[i], self.theirs[i]) for i in self.different]),
                             ("Accepted here, refused by CuTe", [(self.cases[i][2], self.ours[i], "refused") for i in self.refused_there]),
                             ("Refused here, accepted by CuTe", [(self.cases[i][2], self.ours[i], self.accepted_there[i]) for i in self.accepted_there])):
            if items:
                out += ["", f"## {title}", "", "| expression | here | CuTe |", "|---|---|---|"]
                out += [f"| `{e}` | `{a}` | `{b}` |" for e, a, b in items[:60]]
                out += [f"| … {len(items) - 60} more | | |"] if len(items) > 60 else []
        for name, peer in self.python.items():
            out += ["", f"## {name}", "", *peer.markdown()]
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(main())
