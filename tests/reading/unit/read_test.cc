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

const evidence::Fact* fact_of(const evidence::Reading& reading, const char* kind) {
  for (const evidence::Fact& fact : reading.facts)
    if (fact.kind == kind) return &fact;
  return nullptr;
}

TEST(Read, AGridThatDoesNotFollowTheDeviceAssumesNone) {
  const std::string ask =
      "import cutlass\n"
      "import cutlass.cute as cute\n"
      "@cute.kernel\n"
      "def kernel(x):\n"
      "    x[0] = 1\n"
      "@cute.jit\n"
      "def host(x, n):\n"
      "    kernel(x).launch(grid=(n, 1, 1), block=[32, 1, 1])\n"
      "multiprocessors = cutlass.utils.HardwareInfo().get_device_multiprocessor_count()\n";
  for (const auto& [call, follows] :
       {std::pair{"host(None, 4)\n", false}, {"host(None, multiprocessors)\n", true}}) {
    const auto result = read_text(ask + call);
    ASSERT_TRUE(result.ok());
    const evidence::Fact* launch = fact_of(*result, "launch");
    ASSERT_NE(launch, nullptr);
    EXPECT_TRUE(launch->values.at("grid").determined()) << call;
    EXPECT_EQ(launch->values.count("assumed_multiprocessors") > 0, follows) << call;
  }
}

TEST(Read, ARegisterBudgetSaysWhatASpillWouldBeAndWhereToLook) {
  const auto result = read_text(
      "import cutlass.cute as cute\n"
      "@cute.kernel\n"
      "def kernel(x):\n"
      "    cute.arch.setmaxregister_increase(232)\n");
  ASSERT_TRUE(result.ok());
  const evidence::Fact* budget = fact_of(*result, "register-budget");
  ASSERT_NE(budget, nullptr);
  EXPECT_NE(budget->says.find("spilled to local memory"), std::string::npos) << budget->says;
  EXPECT_NE(budget->says.find("compiled kernel"), std::string::npos) << budget->says;

  reading::Request request;
  request.path = "/k/kernel.cu";
  const auto cpp = reading::read(
      request, TextFiles({"/k/kernel.cu"},
                         {"__global__ void kernel() { cutlass::arch::warpgroup_reg_alloc<232>(); }\n"}));
  ASSERT_TRUE(cpp.ok());
  budget = fact_of(*cpp, "register-budget");
  ASSERT_NE(budget, nullptr);
  EXPECT_EQ(budget->values.at("registers").text(), "232");
  EXPECT_NE(budget->says.find("spilled to local memory"), std::string::npos) << budget->says;
}

TEST(Read, StepsOfTheEpilogueAreNotThoseBetweenMultiplies) {
  reading::Request request;
  request.path = std::string(CUTELAB_SOURCE_DIR) + "/tests/reading/cases/fused_epilogue.py";
  const auto result = reading::read(request, DiskFileSource());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(std::count_if(result->facts.begin(), result->facts.end(),
                          [](auto& f) { return f.kind == "epilogue-step"; }),
            2);
}

/// A checkout's sources of the DSL are found above a path from where one stands as above one from the root,
/// and __file__ is Python's: whole.
TEST(Read, APathFromWhereOneStandsIsAsGoodAsAWholeOne) {
  const std::vector<std::string> alone = {"other"};
  for (const std::string above : {"", "../", "../../../"}) {
    const TextFiles files({above + "python/CuTeDSL/cutlass/__init__.py"}, {""});
    const std::vector<std::string> both = {above + "python/CuTeDSL", "other"};
    for (const char* path : {"main.py", "examples/main.py", "a/b/main.py"})
      EXPECT_EQ(reading::library_roots_for(path, files, alone), both) << path << " below " << above;
    EXPECT_EQ(reading::library_roots_for("/a/main.py", files, alone), alone);
  }
  reading::Request request;
  request.path = "main.py";
  const auto result = reading::read(request, TextFiles({"main.py"}, {R"(import cutlass.cute as cute
@cute.kernel
def k():
    pass
@cute.jit
def f():
    k().launch(grid=(7 if __file__[0] == '/' else 2, 1, 1), block=(32, 1, 1))
f()
)"}));
  ASSERT_TRUE(result.ok());
  const evidence::Fact* launch = fact_of(*result, "launch");
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->values.at("grid").text(), "(7, 1, 1)");
}

}  // namespace
}  // namespace cutelab
