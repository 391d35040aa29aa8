#include "cli/progress.h"

#include <gtest/gtest.h>

#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {

TEST(Progress, WithoutATerminalIsALineAtEachEnd) {
  FakeContext fake;
  {
    Progress progress(fake.context);
    EXPECT_EQ(fake.err.str(), "");
    progress.begin("compiling k v0", usual_time({12, 41}));
    EXPECT_EQ(fake.err.str(), "compiling k v0 … (earlier ones took 12 to 41 s)\n");
  }
  EXPECT_EQ(fake.err.str(),
            "compiling k v0 … (earlier ones took 12 to 41 s)\ncompiling k v0: over after 0.0 s\n");
}

TEST(Progress, OnATerminalTheLineGoes) {
  FakeContext fake;
  fake.context.err_is_terminal = true;
  { Progress(fake.context).begin("compiling k v0", "x"); }
  EXPECT_EQ(fake.err.str(), "\r\x1b[Kcompiling k v0 … (x)\r\x1b[K");
}

TEST(Progress, ThatNeverBeganSaysNothing) {
  FakeContext fake;
  { const Progress progress(fake.context); }
  EXPECT_EQ(fake.err.str(), "");
}

TEST(UsualTime, IsThatOfTheMiddle) {
  EXPECT_EQ(usual_time({}), "the first one here: how long it takes is not known yet");
  EXPECT_EQ(usual_time({7.2}), "earlier ones took 7 s");
  std::vector<double> many(20, 30);
  many.front() = 1;
  many[1] = 2;
  many.back() = 300;
  EXPECT_EQ(usual_time(many), "earlier ones took 30 s") << "the fastest and the slowest tenth do not count";
}

}  // namespace
}  // namespace cutelab::cli
