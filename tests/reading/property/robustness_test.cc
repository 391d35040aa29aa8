// Whatever the text, read() ends with a reading or an error: truncated, shuffled, nested and huge inputs.
#include <gtest/gtest.h>

#include <ctime>

#include <random>

#include "reading/read.h"
#include "support/text_files.h"

namespace cutelab {
namespace {

Result<evidence::Reading> read_as(const std::string& name, const std::string& text) {
  reading::Request request;
  request.path = "/k/" + name;
  return reading::read(request, TextFiles({"/k/" + name}, {text}));
}

const char* const kernel =
    "import cutlass.cute as cute\nimport cutlass.pipeline as pipeline\n"
    "class K:\n"
    "    def __init__(self, n=4):\n        self.n = n\n        self.m = (self.n, *(1, 2), self.n // 2)\n"
    "    @cute.jit\n    def __call__(self, a):\n"
    "        self.kernel(a).launch(grid=(self.m[0], 1, 1), block=[32 * len(self.m), 1, 1])\n"
    "    @cute.kernel\n    def kernel(self, a):\n        w = cute.arch.warp_idx()\n"
    "        if w == 0:\n            for k in range(4):\n                cute.copy(a, a, a, tma_bar_ptr=a)\n"
    "        p = pipeline.PipelineTmaAsync.create(num_stages=self.n)\n        p.producer_tail(w)\n";

TEST(Robustness, EveryPrefixReads) {
  const std::string text = kernel;
  for (std::size_t length = 1; length <= text.size(); ++length)
    ASSERT_TRUE(read_as("k.py", text.substr(0, length)).ok()) << length;
}

TEST(Robustness, MutatedTextReads) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text = kernel;
    for (int change = 0; change < 8; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 9);
      else
        text[at] = static_cast<char>(1 + random() % 255);
    }
    ASSERT_TRUE(read_as("k.py", text).ok());
    ASSERT_TRUE(read_as("k.cu", text).ok());
  }
}

TEST(Robustness, DeepNestingEndsByALimitNotByTheStack) {
  const std::string deep = "x = " + std::string(100000, '(') + "1" + std::string(100000, ')') + "\n";
  EXPECT_TRUE(read_as("deep.py", deep + kernel).ok());
  std::string chain = "x = 1\n";
  for (int i = 0; i < 20000; ++i) chain += "x = x + 1\n";
  EXPECT_TRUE(read_as("chain.py", chain + "f(x).launch(grid=x, block=x)\n").ok());
  std::string sum = "y = 1";
  for (int i = 0; i < 50000; ++i) sum += " + 1";
  EXPECT_TRUE(read_as("sum.py", sum + "\nf(y).launch(grid=y, block=y)\n").ok());
  for (const char* condition : {"0", "somewhere"}) {
    std::string branches = "if 0: pass\n";
    for (int i = 0; i < 50000; ++i) branches += std::string("elif ") + condition + ": z = 2\n";
    EXPECT_TRUE(read_as("branches.py", branches + kernel).ok()) << condition;
    std::string cases = std::string("match ") + condition + ":\n";
    for (int i = 0; i < 50000; ++i) cases += "  case 1: z = 2\n";
    EXPECT_TRUE(read_as("cases.py", cases + kernel).ok()) << condition;
  }
  EXPECT_TRUE(read_as("braces.cu", std::string(50000, '{') + std::string(50000, '}')).ok());
}

/// Seconds of this process's own time that a reading takes.
double seconds_for(const std::string& text) {
  const std::clock_t before = std::clock();
  EXPECT_TRUE(read_as("chain.cu", text).ok());
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

TEST(Robustness, LongChainsOfCppCostAsMuchAsTheyAreLong) {
  const auto branches = [](int count) {
    std::string out = "__global__ void k(int* p) { if (p[0]) p[0] = 1;";
    for (int i = 0; i < count; ++i) out += "else if (p[1]) p[1] = 2;";
    return out + " }";
  };
  const auto nested = [](int count) {
    std::string out = "template <class T> struct S {};\nusing X = ";
    for (int i = 0; i < count; ++i) out += "S<";
    return out + "int" + std::string(static_cast<std::size_t>(count), '>') + ";";
  };
  // Four times as much: four times the time, and sixteen times where each looks through all in front of it.
  EXPECT_LT(seconds_for(branches(16000)), 9 * (seconds_for(branches(4000)) + 0.02));
  EXPECT_LT(seconds_for(nested(16000)), 9 * (seconds_for(nested(4000)) + 0.02));
}

TEST(Robustness, CirclesAreUndetermined) {
  const auto result =
      read_as("circle.py",
              "a = b\nb = a\ndef f(n):\n    return g(n)\ndef g(n):\n    return f(n)\n"
              "class A(A):\n    def __init__(self):\n        self.x = self.y\n        self.y = self.x\n"
              "    def go(self):\n        k(a).launch(grid=(a, f(1), self.x), block=[128, 1, 1])\n");
  ASSERT_TRUE(result.ok());
  bool launched = false;
  for (const auto& fact : result->facts)
    if (fact.kind == "launch") {
      launched = true;
      EXPECT_FALSE(fact.values.at("grid").determined());
      EXPECT_EQ(fact.values.at("threads").text(), "128");
    }
  EXPECT_TRUE(launched);
}

TEST(Robustness, AnUnknownSettingNamesTheNearestFlag) {
  reading::Request request;
  request.path = "/k/k.py";
  request.settings = {{"tile_shap", "128x64"}};
  const auto result = reading::read(
      request,
      TextFiles(
          {"/k/k.py"},
          {"import argparse\np = argparse.ArgumentParser()\np.add_argument('--tile_shape', default=1)\n"}));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("did you mean 'tile_shape'?"), std::string::npos);
}

TEST(Robustness, ASettingReplacesTheDefault) {
  reading::Request request;
  request.path = "/k/k.py";
  request.settings = {{"n", "7"}};
  const std::string text =
      "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=3)\n"
      "args = parser.parse_args()\nkernel(1).launch(grid=(args.n, 1, 1), block=(64, 1, 1))\n";
  const auto given = reading::read(request, TextFiles({"/k/k.py"}, {text}));
  request.settings.clear();
  const auto plain = reading::read(request, TextFiles({"/k/k.py"}, {text}));
  ASSERT_TRUE(given.ok());
  ASSERT_TRUE(plain.ok());
  const auto grid = [](const evidence::Reading& r) {
    for (const auto& f : r.facts)
      if (f.kind == "launch") return f.values.at("grid").text();
    return std::string();
  };
  EXPECT_EQ(grid(*given), "(7, 1, 1)");
  EXPECT_EQ(grid(*plain), "(3, 1, 1)");
}

}  // namespace
}  // namespace cutelab
