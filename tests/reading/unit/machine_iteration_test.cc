#include <gtest/gtest.h>

#include "support/ran_program.h"

// What is walked: lists that change meanwhile, iterators that are used up, keys that come twice.
namespace cutelab {
namespace {

std::string first_of(RanProgram& p, const std::string& name) { return p.text(name).substr(0, 1); }

TEST(MachineIteration, AListIsWalkedAsItIsThen) {
  RanProgram p(R"(
grown, removed, cut = [1], [1, 2, 3, 4], [1, 2, 3, 4, 5]
for x in grown:
    if len(grown) < 5: grown.append(x + 1)
for x in removed: removed.remove(x)
seen = []
for x in cut:
    seen.append(x)
    if x == 1: del cut[1]
r = grown, removed, seen
)");
  EXPECT_EQ(p.text("r"), "([1, 2, 3, 4, 5], [2, 4], [1, 3, 4, 5])");
}

TEST(MachineIteration, ADictThatChangesItsSizeEndsTheWalk) {
  RanProgram p(
      "d, n = {1: 1, 2: 2}, 0\ntry:\n    for k in d:\n        n += 1\n        d[k + 10] = 0\n"
      "except RuntimeError:\n    n += 100\nr = n\n");
  EXPECT_EQ(p.text("r"), "101");
}

TEST(MachineIteration, AnIteratorIsUsedUpOnce) {
  RanProgram p(R"(
z, m, e = zip([1, 2], [3, 4]), map(int, ["1", "2"]), enumerate([5, 6])
g = (i for i in range(3))
alias = g
first = next(alias)
r = list(z), list(z), list(m), list(m), next(e), next(e), first, sum(g), sum(g), next(g, "end")
it = iter([1, 2, 3, 4, 5])
pairs = list(zip(it, it))
rest = 5 in iter([5, 6]), 2 in it
back = list(reversed([1, 2])), [*filter(None, [0, 3])]
)");
  EXPECT_EQ(p.text("r"), "([(1, 3), (2, 4)], [], [1, 2], [], (0, 5), (1, 6), 0, 3, 0, 'end')");
  EXPECT_EQ(p.text("pairs"), "[(1, 2), (3, 4)]");
  EXPECT_EQ(p.text("rest"), "(True, False)");
  EXPECT_EQ(p.text("back"), "([2, 1], [3])");
}

TEST(MachineIteration, AGeneratorRunsWhenItIsAsked) {
  RanProgram p(R"(
log = []
def numbers(n):
    log.append("began")
    for i in range(n): yield i
    yield from (7, 8)
g = numbers(2)
before = len(log)
all = list(g)
after = len(log)
again = list(g)
lazy = [1]
late = (v for v in lazy)
lazy.append(2)
seen = list(late)
def pure():
    yield 1
    yield 2
p = pure()
steps = next(p), next(p), next(p, None)
)");
  EXPECT_EQ(p.text("before"), "0");
  EXPECT_EQ(p.text("all"), "[0, 1, 7, 8]");
  EXPECT_EQ(p.text("after"), "1");
  EXPECT_EQ(p.text("again"), "[]");
  EXPECT_EQ(p.text("seen"), "[1, 2]");
  EXPECT_EQ(p.text("steps"), "(1, 2, None)");
}

TEST(MachineIteration, WhatIsNotFollowedStepByStepIsNotKnown) {
  RanProgram p(R"(
log, out = [], []
def counted():
    log.append(1)
    yield 1
    log.append(2)
    yield 2
for x in counted():
    out.append(len(log))
r = len(log)
wide = []
[wide.append(i) for i in range(10**6)]
many = len(wide)
mapped = []
list(map(mapped.append, range(10**6)))
more = len(mapped)
order = list({3, 1, 2})[0]
)");
  for (const char* name : {"r", "many", "more", "order"}) EXPECT_EQ(first_of(p, name), "?") << name;
}

TEST(MachineIteration, KeysThatAreEqualAreOneKey) {
  RanProgram p(R"(
d = {1: "a", True: "b", 1.0: "c", "x": 1, "x": 2}
s = {1, 1.0, True, (1, 2), (1.0, 2)}
k = {**{"a": 1}, "a": 3}
r = d, len(s), k, {1, 2} == {2, 1.0}, {1: 2} == {1.0: 2}, {1} | {2} == {1, 2}, {i % 2 for i in range(5)} == {0, 1}
c = {i // 2: i for i in range(5)}
i = 1 is True, [] is [], None is None
)");
  EXPECT_EQ(p.text("r"), "({1: 'c', 'x': 2}, 2, {'a': 3}, True, True, True, True)");
  EXPECT_EQ(p.text("c"), "{0: 1, 1: 3, 2: 4}");
  EXPECT_EQ(p.text("i"), "(False, False, True)");
}

TEST(MachineIteration, AViewShowsWhatItsDictHolds) {
  RanProgram p("d = {1: 2}\nk, i = d.keys(), d.items()\nd[3] = 4\nr = len(k), list(i), 3 in k\n");
  EXPECT_EQ(p.text("r"), "(2, [(1, 2), (3, 4)], True)");
}

TEST(MachineTexts, CountCodePoints) {
  RanProgram p(R"(
r = len("é"), len("\u00e9\x41\n"), "naïve"[2], "😀!"[1], len(r"\n"), "aé"[::-1], "xé".find("é"), list("é!")
)");
  EXPECT_EQ(p.text("r"), "(1, 3, 'ï', '!', 2, 'éa', 1, ['é', '!'])");
}

TEST(MachineTexts, AreFormattedToTheLetter) {
  RanProgram p(R"(
n, x = 42, 2.5
r = ["%5d|%-5d|%05d" % (n, n, n), "%s %r" % ("a", "a"), "%.2f %e" % (x, x), f"{n:>6}|{n:<6}|{n:^6}|{n:+}", f"{x:.3f}",
     f"{n:#x} {n:b} {1234567:,}", "{:>4}|{1}".format(1, 2) if False else "{0}-{1}-{0}".format(1, "b"), f"{{{n}}}", f"{'a'!r:>5}",
     "%(k)s" % {"k": 3}, str([1, "a", 2.0, None]), repr("it's"), str(100.0), str(1e16), str(1e-05), " a ".rstrip(), "%%"]
long = len(str([7] * 1000)), len(str(list(range(100))))
)");
  EXPECT_EQ(p.text("r"),
            "['   42|42   |00042', \"a 'a'\", '2.50 2.500000e+00', '    42|42    |  42  |+42', '2.500', "
            "'0x2a 101010 1,234,567', '1-b-1', '{42}', \"  'a'\", '3', \"[1, 'a', 2.0, None]\", "
            "'\"it\\'s\"', '100.0', "
            "'1e+16', '1e-05', ' a', '%%']");
  EXPECT_EQ(p.text("long"), "(3000, 390)");
}

TEST(MachineTexts, SayNothingWhereTheyAreNotKnown) {
  RanProgram p(R"(
class C: pass
deep = (1,)
for i in range(40): deep = (deep, deep)
own = len(str(C()))
doubled = len(str(deep))
function = len("%s" % len)
)");
  for (const char* name : {"own", "doubled", "function"}) EXPECT_EQ(first_of(p, name), "?") << name;
}

}  // namespace
}  // namespace cutelab
