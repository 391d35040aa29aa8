#include "reading/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/text_files.h"

namespace cutelab {
namespace {

Result<evidence::Reading> read_text(const std::string& text) {
  reading::Request request;
  request.path = "/k/kernel.py";
  return reading::read(request, TextFiles({"/k/kernel.py"}, {text}));
}

TEST(Read, RefusesWhatIsNoSourceAndSaysWhatToName) {
  reading::Request request;
  request.path = "/k/notes.txt";
  const auto result = reading::read(request, TextFiles({"/k/notes.txt"}, {"hello"}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(),
            "error: read /k/notes.txt: this kind of file is not read\n  at: /k/notes.txt\n"
            "  try: name a CuTe DSL (.py) or CUDA C++ (.cu, .cuh, .h, .hpp) source");
}

TEST(Read, CountsLinesAsEditorsDo) {
  EXPECT_EQ(read_text("x = 1\ny = 2\n")->files[0].lines, 2);
  EXPECT_EQ(read_text("x = 1\ny = 2")->files[0].lines, 2);
  EXPECT_EQ(read_text("x = 1\n\n")->files[0].lines, 2);
}

TEST(Read, EveryReadingHasTenPatternsInOrder) {
  const auto result = read_text("x = 1\n");
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->patterns.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(result->patterns[i].id, "P" + std::to_string(i + 1));
}

TEST(Read, ResolvesTheBlockThroughAttributesAndAnAlias) {
  const auto result = read_text(
      "import cutlass.cute as cute\n"
      "class K:\n"
      "    def __init__(self):\n"
      "        self.ids = (0, 1, 2, 3)\n"
      "        self.threads = 32 * len((*self.ids, 4, 5))\n"
      "    @cute.jit\n"
      "    def __call__(self, a):\n"
      "        self.kernel(a).launch(\n"
      "            grid=(8, 1, 1),\n"
      "            block=[self.threads, 1, 1])\n"
      "    @cute.kernel\n"
      "    def kernel(self, a):\n"
      "        pass\n");
  ASSERT_TRUE(result.ok());
  const auto launch =
      std::find_if(result->facts.begin(), result->facts.end(), [](auto& f) { return f.kind == "launch"; });
  ASSERT_NE(launch, result->facts.end());
  EXPECT_EQ(launch->at.line(), 8);
  EXPECT_EQ(launch->values.at("threads").text(), "192");
  EXPECT_EQ(launch->values.at("grid").text(), "(8, 1, 1)");
}

}  // namespace
}  // namespace cutelab
