#include <gtest/gtest.h>

#include "support/ran_program.h"

// Calls as the machine makes them: what an argument is when the call does not spell it.

namespace cutelab {
namespace {

TEST(Calls, AnUnpackedValueThatIsNotKnownLeavesNoDefaultStanding) {
  RanProgram p(R"(import somewhere
import dataclasses
def f(m=128, *rest, n=64, **more):
    return m, n
class Plan:
    def __init__(self, tile=32):
        self.tile = tile
@dataclasses.dataclass
class Shape:
    k: int = 16
options = somewhere.options()
by_name = f(**options)
by_place = f(1, *options)[0]
after = f(*options, 7)[0]
given = f(n=8, **options)[1]
tile = Plan(**options).tile
k = Shape(**options).k
least = range(*options)
)");
  for (const char* name : {"after", "tile", "k"}) EXPECT_EQ(p.text(name).substr(0, 1), "?") << name;
  EXPECT_NE(p.text("by_name"), "(128, 64)");
  EXPECT_EQ(p.text("by_place"), "1") << "stands before what is not known";
  EXPECT_EQ(p.text("given"), "8");
}

TEST(Calls, TheNamespaceOfACommandLineUnpacksIntoKeywords) {
  reading::machine::Machine::Options options;
  options.settings = {{"batch", "3"}};
  RanProgram p(R"(import argparse
def run(batch=1, tile=4):
    return batch, tile
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=2)
parser.add_argument("--tile", type=int, default=8)
kept = vars(parser.parse_args())
r = run(**kept)
)",
               options);
  EXPECT_EQ(p.text("r"), "(3, 8)");
}

}  // namespace
}  // namespace cutelab
