#include <gtest/gtest.h>

#include "support/ran_program.h"

namespace cutelab {
namespace {
using reading::machine::Launch;
using reading::machine::Machine;

TEST(Machine, UnknownConditionRunsBothBranchesAndJoins) {
  RanProgram p(R"(import somewhere
flag = somewhere.flag()
a = 1
b = 1
if flag:
    a = 2
    b = 3
else:
    b = 3
)");
  EXPECT_EQ(p.text("flag").substr(0, 1), "?");
  RanProgram q(R"(import somewhere
a = 1
b = 1
if somewhere.flag():
    a = 2
    b = 3
else:
    b = 3
seen_a = a
seen_b = b
)");
  EXPECT_EQ(q.text("seen_b"), "3");
  EXPECT_EQ(q.text("seen_a").substr(0, 1), "?") << "1 or 2";
}

TEST(Machine, AForkLeavesWhatWasMadeInItAlone) {
  RanProgram p(R"(import somewhere
class Box:
    def __init__(self, n):
        self.n = n
def pick(flag):
    if flag:
        return Box(7)
    raise ValueError("never")
r = pick(somewhere.flag()).n
)");
  EXPECT_EQ(p.text("r"), "7");
}

TEST(Machine, ContainersThatABranchChangesAreJoinedItemByItem) {
  RanProgram p(R"(import somewhere
l = [1, 2]
d = {"a": 1, "b": 2}
s = {1}
if somewhere.flag():
    l[0] = 5
    l.append(3)
    d["a"] = 9
    s.add(7)
changed = l[0]
kept = l[1]
added = l[2]
key_changed = d["a"]
key_kept = d["b"]
member = 7 in s
sure = 1 in s
)");
  EXPECT_EQ(p.text("changed").substr(0, 1), "?") << "1 or 5";
  EXPECT_EQ(p.text("kept"), "2");
  EXPECT_EQ(p.text("added").substr(0, 1), "?") << "3 or nothing";
  EXPECT_EQ(p.text("key_changed").substr(0, 1), "?");
  EXPECT_EQ(p.text("key_kept"), "2");
  EXPECT_EQ(p.text("member").substr(0, 1), "?");
  EXPECT_EQ(p.text("sure"), "True");
}

// Found as wrong numbers of a launch: what was changed in place counted as changed once.
TEST(Machine, WhatUndecidedBranchesAndLoopsChangeInPlaceIsNotKnown) {
  RanProgram p(R"(import os, random, sys
class C:
    def __init__(self): self.n = 1
n = 1
def step():
    global n
    n = n + 1
listed, branched, waited, long, written, grown = [1], [1], [1], [1], [5], [1]
c, far, seen = C(), C(), set()
for f in os.listdir("/"): listed.append(f)
if len(os.listdir("/")) > 5: branched.append(2)
while os.getpid() > len(waited): waited.append(2)
for i in range(4200): long.append(i)
for i in range(4200): written[0] = i
for i in range(5000): c.n += 1
for i in range(10**6): far.n += 1
for i in range(10**6): seen.add(i)
for i in range(5000): step()
grown.extend(range(random.randint(3, 9)))
known = []
for i in range(7): known.append(i)
many = len(known)
unknown = [len(listed), len(branched), len(waited), len(long), written[0], c.n, far.n, len(seen), n, len(grown)]
)");
  EXPECT_EQ(p.text("many"), "7");
  const auto* all = p.value("unknown").as<reading::machine::List>();
  ASSERT_NE(all, nullptr);
  for (std::size_t i = 0; i < all->items.size(); ++i) EXPECT_TRUE(all->items[i].is_unknown()) << i;
}

TEST(Machine, ItemsAreDeletedAndSlicesWrittenOver) {
  RanProgram p(R"(class C: pass
l, d, c = [1, 2, 3, 4], {1: 2, 3: 4}, C()
c.x = 5
del l[0], d[1], c.x
first = l[0]
left = len(d)
gone = hasattr(c, "x")
cut, replaced = [1, 2, 3, 4], [1, 2, 3, 4]
del cut[1:3]
replaced[1:3] = []
open = [len(cut), len(replaced)]
)");
  EXPECT_EQ(p.text("first"), "2");
  EXPECT_EQ(p.text("left"), "1");
  EXPECT_NE(p.text("gone"), "True");
  EXPECT_EQ(p.text("open"), "[2, 2]");
}

TEST(Machine, ABranchThatRaisesIsNotTaken) {
  RanProgram p(R"(import somewhere
n = 4
if somewhere.flag():
    n = 5
    raise ValueError("unsupported")
r = n
)");
  EXPECT_EQ(p.text("r"), "4");
}

TEST(Machine, ReturnsOnUnknownBranchesJoin) {
  RanProgram p(R"(import somewhere
def f(same):
    if somewhere.flag():
        return 8
    return 8 if same else 9
r = f(True)
s = f(False)
)");
  EXPECT_EQ(p.text("r"), "8");
  EXPECT_EQ(p.text("s").substr(0, 1), "?");
}

TEST(Machine, ALoopOnTheDeviceIsOnePassWithAnUnknownIndex) {
  RanProgram p(R"(import cutlass
import cutlass.cute as cute
@cute.jit
def f():
    total = 0
    kept = 5
    for i in cutlass.range(8):
        total = total + 1
    r = total
    k = kept
f()
)");
  EXPECT_EQ(p.text("k"), "5");
  EXPECT_EQ(p.text("r").substr(0, 1), "?") << "changes in the loop";
}

TEST(Machine, AnUnrolledLoopRunsToItsEnd) {
  RanProgram p(R"(import cutlass
import cutlass.cute as cute
@cute.jit
def f():
    total = 0
    for i in cutlass.range_constexpr(4):
        total = total + i
    r = total
f()
)");
  EXPECT_EQ(p.text("r"), "6");
}

TEST(Machine, LaunchesSayWhatTheyAskFor) {
  RanProgram p(R"(import cutlass.cute as cute
@cute.kernel
def kernel(n):
    seen = n
@cute.jit
def host(n):
    kernel(n).launch(grid=[n // 128, 1, 1], block=[128, 1, 1], smem=2048)
host(1024)
)");
  ASSERT_EQ(p.machine().launches().size(), 1u);
  const Launch& launch = p.machine().launches()[0];
  EXPECT_EQ(p.machine().repr(launch.grid), "[8, 1, 1]");
  EXPECT_EQ(p.machine().repr(launch.block), "[128, 1, 1]");
  EXPECT_EQ(launch.smem.number(), 2048);
  EXPECT_FALSE(launch.cluster.bound());
  EXPECT_EQ(p.text("seen"), "1024");
}

TEST(Machine, FlagsHaveTheirDefaultsAndSettingsGoOverThem) {
  const std::string text = R"(import argparse
def ints(s):
    return tuple(int(x) for x in s.split(","))
parser = argparse.ArgumentParser()
parser.add_argument("--mnk", type=ints, default=(512, 256, 64))
parser.add_argument("--tile", type=ints, default="128,64")
parser.add_argument("--check", action="store_true")
args = parser.parse_args()
mnk = args.mnk
tile = args.tile
check = args.check
)";
  RanProgram p(text);
  EXPECT_EQ(p.text("mnk"), "(512, 256, 64)");
  EXPECT_EQ(p.text("tile"), "(128, 64)");
  EXPECT_EQ(p.text("check"), "False");
  Machine::Options options;
  options.settings = {{"mnk", "1,2,3"}};
  RanProgram q(text, options);
  EXPECT_EQ(q.text("mnk"), "(1, 2, 3)");
  EXPECT_EQ(q.machine().used_settings().count("mnk"), 1u);
}

TEST(Machine, AnEndlessLoopEndsByALimitThatIsReported) {
  RanProgram p("n = 0\nwhile True:\n    n += 1\n");
  ASSERT_FALSE(p.machine().give_ups().empty());
  EXPECT_NE(p.machine().give_ups()[0].reason.find("too long"), std::string::npos);
}

TEST(Machine, EndlessRecursionEndsByALimitThatIsReported) {
  RanProgram p("def f(n):\n    return f(n + 1)\nr = f(0)\n");
  EXPECT_EQ(p.text("r").substr(0, 1), "?");
  EXPECT_FALSE(p.machine().give_ups().empty());
}

TEST(Machine, RecursionOnAnUnknownConditionEnds) {
  RanProgram p(R"(import somewhere
def f(n):
    if somewhere.flag(n):
        return 1
    return f(n - 1) + f(n - 2)
r = f(40)
)");
  EXPECT_EQ(p.text("r").substr(0, 1), "?");
}

TEST(Machine, HugeNumbersAreUnknownNotWrong) {
  RanProgram p(
      "r = 2 ** 63\ns = 9223372036854775807 + 1\nt = (1 << 40) * (1 << 40)\nu = 99999999999999999999\n");
  for (const char* name : {"r", "s", "t", "u"}) EXPECT_EQ(p.text(name).substr(0, 1), "?") << name;
}

TEST(Machine, ModulesBesideTheProgramAreRun) {
  RanProgram p(
      "from helper import tile, Kind\nimport helper as h\nr = tile * 2\ns = h.tile\nk = Kind.B.value\n", {},
      {"/program/helper.py"},
      {"import enum\ntile = 64\nclass Kind(enum.Enum):\n    A = enum.auto()\n    B = enum.auto()\n"});
  EXPECT_EQ(p.text("r"), "128");
  EXPECT_EQ(p.text("s"), "64");
  EXPECT_EQ(p.text("k"), "2");
}

TEST(Machine, AnErrorOfTheProgramIsReportedWithItsText) {
  RanProgram p("def main():\n    raise ValueError('the tile does not fit')\nmain()\n");
  ASSERT_FALSE(p.machine().give_ups().empty());
  EXPECT_NE(p.machine().give_ups()[0].reason.find("the tile does not fit"), std::string::npos);
}

TEST(Machine, TheOrdinaryEndOfAProgramIsNoError) {
  for (const std::string status : {"", "0", "None", "0 if unknown() else 1"}) {
    RanProgram p("import sys\nfrom elsewhere import unknown\nsys.exit(" + status + ")\n");
    EXPECT_TRUE(p.machine().give_ups().empty()) << status << ": " << p.machine().give_ups()[0].reason;
  }
  RanProgram failing("import sys\nsys.exit(3)\n");
  ASSERT_FALSE(failing.machine().give_ups().empty());
  EXPECT_NE(failing.machine().give_ups()[0].reason.find("exits with 3"), std::string::npos);
}

TEST(Machine, SharedStorageIsLaidOutMemberByMember) {
  RanProgram p(R"(import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
@cute.struct
class Storage:
    bar: cute.struct.MemRange[cutlass.Int64, 3]
    holder: cutlass.Int32
    tile: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 100], 128]
@cute.kernel
def kernel():
    smem = utils.SmemAllocator()
    s = smem.allocate(Storage)
@cute.jit
def host():
    kernel().launch(grid=[1, 1, 1], block=[32, 1, 1])
host()
size = Storage.size_in_bytes()
)");
  EXPECT_EQ(p.text("size"), "384") << "24 + 4, up to 128, + 200, up to a multiple of 128";
  ASSERT_EQ(p.machine().launches().size(), 1u);
  EXPECT_TRUE(p.machine().launches()[0].allocated_known);
  EXPECT_EQ(p.machine().launches()[0].allocated, 384);
}

}  // namespace
}  // namespace cutelab
