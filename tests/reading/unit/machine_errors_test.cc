#include <gtest/gtest.h>

#include "support/ran_program.h"

// Python's own errors: raised where they are sure, taken by the clause that takes them.
namespace cutelab {
namespace {

std::string mark_of(RanProgram& p, const std::string& name) { return p.text(name).substr(0, 1); }

TEST(MachineErrors, TheClauseForTheTypeTakesThem) {
  RanProgram p(R"(
def outcome(run):
    try:
        run()
    except (KeyError, IndexError) as e:
        return "lookup"
    except ArithmeticError:
        return "arithmetic"
    except ValueError:
        return "value"
    except Exception:
        return "other"
    return "none"
def missing():
    return nowhere
r = [outcome(lambda: 1 // 0), outcome(lambda: {}["a"]), outcome(lambda: [1][4]), outcome(lambda: int("x")),
     outcome(lambda: nowhere), outcome(lambda: None.x), outcome(lambda: 1 + "a"), outcome(lambda: 1)]
)");
  EXPECT_EQ(p.text("r"), "['arithmetic', 'lookup', 'lookup', 'value', 'other', 'other', 'other', 'none']");
}

// Python ends them with a RecursionError or in hours: here they end, and nothing is told.
TEST(MachineErrors, QuestionsWithoutAnEndAreNotAnswered) {
  for (const char* program :
       {"l = []\nl.append(l)\nm = []\nm.append(m)\nr = l == m\n",
        "l = []\nl.append(l)\nm = []\nm.append(m)\nr = l < m\n",
        "l = []\nl.append(l)\nm = []\nm.append(m)\nr = l in [m]\n",
        "class A:\n    def __bool__(s): return bool(s)\nr = 1 if A() else 2\n",
        "a = [1]\nb = [1]\nfor i in range(60):\n    a = [a, a]\n    b = [b, b]\nr = a == b\n",
        "a = [1]\nfor i in range(60): a = [*a, *a]\nr = len(a)\n",
        "a = 'x'\nfor i in range(60): a = a.replace('x', 'xx')\nr = len(a)\n"}) {
    RanProgram p(program);
    EXPECT_TRUE(mark_of(p, "r") == "?" || p.text("r") == "unbound") << program << p.text("r");
  }
}

TEST(MachineErrors, WhatStandsBehindThemDoesNotRun) {
  RanProgram p(
      "x = 1\ntry:\n    x = 2\n    1 // 0\n    x = 3\nexcept ZeroDivisionError:\n    x += 10\nelse:\n    x = "
      "99\n"
      "finally:\n    x += 100\nr = x\n");
  EXPECT_EQ(p.text("r"), "112");
  RanProgram q("x = 1\na, b = (1, 2, 3)\nr = 5\n");
  EXPECT_EQ(q.text("r"), "unbound");
  EXPECT_NE(q.machine().error().find("ValueError"), std::string::npos);
}

TEST(MachineErrors, AnotherClauseLetsThemPass) {
  RanProgram p(R"(
class Own(Exception): pass
class Derived(Own): pass
def f():
    try:
        raise Derived("no")
    except ValueError:
        return 1
    except Own:
        return 2
def g():
    try:
        try:
            raise KeyError("k")
        except ValueError:
            return 1
    except LookupError as e:
        return str(e)
def h():
    try:
        try:
            1 // 0
        except ZeroDivisionError:
            raise
    except ArithmeticError:
        return "again"
r = f(), g(), h()
)");
  EXPECT_EQ(p.text("r"), R"((2, "'k'", 'again'))");
}

TEST(MachineErrors, WhereOneMayHappenBothWaysAreFollowed) {
  RanProgram p(R"(import somewhere
x = 1
try:
    somewhere.call()
    x = 2
except ValueError:
    x = 3
seen = x
try:
    import a_package_that_may_be_there
    there = True
    y = 1
except ImportError:
    there = False
    y = 1
y_seen = y
there_seen = there
try:
    if somewhere.flag(): raise KeyError
    z = 4
except KeyError:
    z = 5
z_seen = z
)");
  EXPECT_EQ(mark_of(p, "seen"), "?");
  EXPECT_EQ(mark_of(p, "there_seen"), "?");
  EXPECT_EQ(p.text("y_seen"), "1");
  EXPECT_EQ(mark_of(p, "z_seen"), "?");
}

TEST(MachineErrors, AnExitIsNoException) {
  RanProgram p("import sys\nx = 1\ntry:\n    sys.exit(0)\nexcept Exception:\n    x = 2\nr = x\n");
  EXPECT_EQ(p.text("r"), "unbound");
  EXPECT_EQ(p.machine().error(), reading::machine::Machine::exit_text) << "nothing may have launched before";
  EXPECT_TRUE(p.machine().give_ups().empty());
}

TEST(MachineErrors, ALoopThatMayHaveEndedIsNotKnown) {
  RanProgram p(R"(import somewhere
stage, l = 0, []
for stage in range(8, 0, -1):
    if somewhere.fits(stage): break
    l.append(stage)
seen = stage
many = len(l)
)");
  EXPECT_EQ(mark_of(p, "seen"), "?");
  EXPECT_EQ(mark_of(p, "many"), "?");
}

TEST(MachineErrors, EachLimitSaysWhereAndOfWhatItIs) {
  const auto give_up_of = [](const std::string& text) {
    RanProgram p(text);
    const auto& all = p.machine().give_ups();
    if (all.empty()) return std::string("none");
    const std::string line = all[0].node ? std::to_string(all[0].node.line()) : "?";
    return line + ": " + all[0].reason;
  };
  std::string chain = "class C0:\n    x = 3\n";
  for (int i = 1; i < 1500; ++i)
    chain += "class C" + std::to_string(i) + "(C" + std::to_string(i - 1) + "):\n    pass\n";
  EXPECT_NE(give_up_of(chain).find("a class stands below more than 1000 others"), std::string::npos);
  EXPECT_EQ(give_up_of("x = 1\nr = " + std::string(600, '(') + "3" + std::string(600, ')')),
            "2: the expression nests too deep");
  EXPECT_EQ(give_up_of("x = 'a' * 60000\nr = x + x"), "2: a sequence of more than 65536 items");
  EXPECT_EQ(give_up_of("d = {str(i): i for i in range(4000)}\nfor i in range(4000):\n    d[str(i)] += i"),
            "3: more than 4,000,000 values are held against each other");
  EXPECT_EQ(give_up_of("r = list(iter(range(70000)))"), "1: more than 65536 items to walk over");
}

}  // namespace
}  // namespace cutelab
