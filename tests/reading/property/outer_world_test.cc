#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "support/parser_programs.h"
#include "support/python_lines.h"
#include "support/ran_program.h"

// What surrounds a program, as it is where Python runs it with no words on the command line and nothing of
// its own in the environment: parsers, the environment, modules that it changes, names that it computes, its
// end. Each leaves its result in `r`; Python, in a process for each, is the judge.
namespace cutelab {
namespace {
namespace fs = std::filesystem;

/// Of these the words that a person must give, or what the program does by itself, decides.
const char* const open_parsers[] = {
    R"(class Up(argparse.Action):
    def __call__(self, parser, space, values, option=None):
        setattr(space, "m", 99)
p.add_argument("--m", type=int, default=3)
p.add_argument("--up", action=Up, default=1)
r = p.parse_args(["--up", "1"]).m)",
    R"(import sys
sys.argv[1:] = ["--m", "6"]
p.add_argument("--m", type=int, default=3)
r = p.parse_args().m)",
    R"(class Parser(argparse.ArgumentParser):
    def parse_known_args(self, *a, **k):
        space, rest = super().parse_known_args(*a, **k)
        space.m = 77
        return space, rest
q = Parser()
q.add_argument("--m", type=int, default=5)
r = q.parse_args().m)",
    R"(import shlex
p.add_argument("--m", type=int, default=3)
r = p.parse_args(shlex.split("--m 7")).m)",
    R"(g = p.add_mutually_exclusive_group(required=True)
g.add_argument("--m", type=int, default=3)
r = p.parse_args().m)",
    R"(p.add_argument("m", type=int)
r = p.parse_args().m)",
};

const char* const changing[] = {
    R"(import os
os.environ["T"] = "6"
r = int(os.environ["T"]), os.getenv("T"), "T" in os.environ, os.environ.get("T", "1"))",
    R"(import os
first = os.environ.setdefault("TT", "6"), os.environ.setdefault("TT", "7")
gone = os.environ.pop("TT")
r = first, gone, os.environ.get("TT"), os.environ.pop("TT", "none"))",
    R"(import os
os.environ.update(A="3", B="4")
del os.environ["A"]
os.putenv("B", "9")
try:
    os.environ["A"]
    there = True
except KeyError:
    there = False
r = os.environ["B"], "A" in os.environ, there)",
    R"(from os import environ, getenv
environ["Q"] = "8"
r = getenv("Q", "2"))",
    R"(class A:
    v = 1
a = A()
a.__setattr__("v", 6)
object.__setattr__(a, "w", 2)
name = "".join(["x", "y"])
setattr(a, name, 3)
A.k = 4
r = a.v, a.w, a.xy, getattr(a, name), a.k, A.v)",
    R"(class A:
    def __init__(self, **names):
        self.__dict__.update(names)
a = A(m=3, n=4)
held = a.__dict__
a.__dict__["m"] += 5
a.__dict__.pop("n")
a.later = 7
seen = a.m, hasattr(a, "n"), held["later"], held is vars(a), sorted(held)
held.clear()
r = seen, hasattr(a, "m"))",
    R"(class A:
    v = 1
a = A()
a.__dict__ = {"v": 7, "w": 8}
r = a.v, a.w)",
    R"(class B:
    v = 9
class A:
    v = 1
a = A()
a.__class__ = B
r = a.v)",
    R"(import sys
n = 1
setattr(sys.modules["__main__"], "n", 5)
r = n)",
    R"(n = 1
vars()["n"] = 7
globals().setdefault("n", 3)
globals().setdefault("k", 4)
for name, value in {"a": 4, "b": 5}.items():
    globals()[name] = value
locals()["c"] = 6
r = n, k, a * b, c)",
    R"(import math
def forty(x):
    return 40
before = math.floor(2.5)
math.floor = forty
from math import floor
r = before, floor(2.5), math.floor(3))",
    R"(class math:
    @staticmethod
    def ceil(x):
        return 42
r = math.ceil(2.5))",
    R"(import builtins
builtins.max = lambda *a: 17
r = max(1, 2))",
    R"(pi = 3
from math import *
r = int(pi * 100))",
    R"(import sys
try:
    sys.exit(0)
except SystemExit:
    n = 4
r = n)",
    R"(import sys
n = 3
try:
    try:
        sys.exit(0)
    except Exception:
        n = 5
    finally:
        n += 10
except BaseException:
    pass
r = n)",
    R"(from dataclasses import dataclass
@dataclass(slots=True, kw_only=True)
class A:
    x: int = 1
    y: int
a = A(y=5)
try:
    a.z = 3
    r = 1
except AttributeError:
    r = a.x, a.y)",
    R"(n = 3
seen = []
for v in (n, "x", None, [1], {}):
    try:
        v()
    except TypeError:
        seen.append(1)
class A:
    pass
try:
    A()()
except TypeError:
    seen.append(2)
r = seen)",
};

/// None of these comes to its last line.
const char* const ended[] = {
    "import sys\nsys.exit(0)\nr = 1",
    "quit()\nr = 1",
    "raise SystemExit\nr = 1",
    "import os\ntry:\n    os._exit(0)\nfinally:\n    r = 1",
    "import os\ntry:\n    os._exit(0)\nexcept BaseException:\n    r = 1\nr = 2",
    "import sys\ndef check(ok):\n    if not ok:\n        sys.exit('bad')\ncheck(False)\nr = 1",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('', nargs='?', default=4)\nr = 1",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--m')\np.add_argument('--m')\nr = 1",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--m', choices=['a'], default='b')\n"
    "p.parse_args(['-h'])\nr = 1",
    "import argparse\nargparse.ArgumentParser().parse_args(['--m'])\nr = 1",
};

/// What may be undetermined, and must not be another value.
const char* const open_programs[] = {
    "n = 1\nexec('n = 5')\nr = n",
    "l = [1]\nexec('l.append(2)')\nr = len(l)",
    "class A:\n    n = 1\na = A()\ncode = 'a.n = 4'\nexec(code)\nr = a.n",
    "import mylib\nclass A:\n    v5 = 1\nsetattr(A, f'v{mylib.five()}', 9)\nr = A.v5",
    "import mylib\nclass A:\n    v5 = 1\na = A()\nsetattr(a, f'v{mylib.five()}', 9)\nr = a.v5",
    "import mylib\nn5 = 1\nglobals()[f'n{mylib.five()}'] = 8\nr = n5",
    "import os\nr = os.getenv('HOME') is None",
    "import os\nos.environ['W'] = '5'\nif os.getpid() > 0:\n    os.environ['W'] = '9'\nr = os.environ['W']",
    "import math\nimport os\nif os.getpid() > 0:\n    math.ceil = lambda x: 42\nr = math.ceil(2.5)",
    "import math\nimport unittest.mock as mock\nwith mock.patch('math.ceil', lambda x: 42):\n    r = "
    "math.ceil(2.5)",
    "import os\nfrom unittest import mock\nwith mock.patch.dict(os.environ, {'X': '5'}):\n    r = "
    "os.environ.get('X', '2')",
    "import sys\na = [len(sys.argv)]\nmatch a:\n    case [1]:\n        n = 1\n    case _:\n        n = 3\nr "
    "= n",
    "five = 1\nfrom mylib import *\nr = five",
    "from math import *\nr = pow(2, 3)",
    "# -*- coding: latin-1 -*-\nr = len('\xE9')",
    "# coding: latin-1\nr = len('\xC3\xA9')",
    "#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nr = ord('\x80')",
    "# coding: utf-8\nr = len('\xC3\xA9')",
    "\xEF\xBB\xBFr = len('\xC3\xA9')",
    "class A:\n    v = 1\na = A()\na.__class__ = type('B', (), {'v': 8})\nr = a.v",
};

/// What Python prints for repr(r) of each text; "" where it does not come to it; empty: there is no Python.
std::vector<std::string> judged(const std::vector<std::string>& texts) {
  const fs::path folder = fs::temp_directory_path() / ("outer-world-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "mylib.py") << "def five():\n    return 5\n";
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ofstream(folder / (std::to_string(i) + ".py")) << texts[i] << "\nprint('R', repr(r))\n";
  std::ofstream(folder / "run.py")
      << "import subprocess, sys, os\nkept = {k: os.environ[k] for k in ('PATH', "
         "'HOME') if k in os.environ}\nfor i in range("
      << texts.size() << "):\n    p = subprocess.run([sys.executable, '" << folder.string()
      << "/%d.py' % i], env=kept, capture_output=True, text=True)\n    print(([l[2:] for "
         "l in p.stdout.splitlines() if l.startswith('R ')] or [''])[-1])\n";
  std::vector<std::string> out = cutelab::testing::python_lines(folder / "run.py");
  fs::remove_all(folder);
  return out;
}

enum class Precise { yes, no };

void expect_judged(const std::vector<std::string>& texts, Precise precise) {
  const auto expected = judged(texts);
  if (expected.empty()) GTEST_SKIP() << "python3 is not on this machine";
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RanProgram p(texts[i]);
    const std::string told = p.text("r");
    if (told.starts_with("?") && precise == Precise::no) continue;
    EXPECT_EQ(told, expected[i].empty() ? "unbound" : expected[i]) << texts[i];
  }
}

template <std::size_t n>
std::vector<std::string> with_parser(const char* const (&texts)[n]) {
  std::vector<std::string> out;
  for (const char* text : texts)
    out.push_back(std::string("import argparse\np = argparse.ArgumentParser()\n") + text);
  return out;
}

TEST(OuterWorld, ParsersGiveWhatPythonGives) { expect_judged(with_parser(parsers), Precise::yes); }
TEST(OuterWorld, ParsersOfUnknownWordsGiveNothingElse) {
  expect_judged(with_parser(open_parsers), Precise::no);
}
TEST(OuterWorld, ProgramsThatChangeIt) {
  expect_judged({std::begin(changing), std::end(changing)}, Precise::yes);
}
TEST(OuterWorld, ProgramsThatEnd) { expect_judged({std::begin(ended), std::end(ended)}, Precise::yes); }
TEST(OuterWorld, WhatIsNotFollowedIsNotAnotherValue) {
  expect_judged({std::begin(open_programs), std::end(open_programs)}, Precise::no);
}

}  // namespace
}  // namespace cutelab
