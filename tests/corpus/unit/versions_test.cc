// What an example asks of the installed wheel and of other packages: names newer than the wheel (P07), names
// that were removed (P11), the rule of bulk copies by release (P12), modules of others (P14).
#include <gtest/gtest.h>

#include "corpus/api_changes.h"
#include "corpus/modules.h"
#include "corpus/select.h"
#include "corpus/tree.h"

namespace cutelab::corpus {
namespace {
using namespace test;

class Api : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = ApiChanges::load(DiskFileSource(), data_folder());
    ASSERT_TRUE(table) << table.error().message();
    table_ = std::move(*table);
  }
  std::vector<std::string> says(std::string_view source, const std::string& wheel) {
    std::vector<std::string> out;
    for (const ApiUse& use : table_.uses_in(source)) out.push_back(text_of(use, parse_release(wheel)));
    return out;
  }
  static std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    return all;
  }
  ApiChanges table_;
};

TEST_F(Api, ANameNewerThanTheWheel) {  // P07
  const char* source =
      "import cutlass.cute as cute\n# cute.arch.griddepcontrol_wait in a comment\n"
      "@cute.kernel\ndef k():\n    cute.arch.griddepcontrol_launch_dependents()\n";
  const auto uses = table_.uses_in(source);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].line, 5);
  EXPECT_EQ(wheel_range(uses).least, (Release{4, 3, 4}));
  EXPECT_FALSE(wheel_range(uses).before);
  EXPECT_TRUE(breaks(uses[0], {4, 3, 0}));
  EXPECT_FALSE(breaks(uses[0], {4, 3, 4}));
  EXPECT_EQ(says(source, "4.3.0")[0],
            "arch.griddepcontrol_launch_dependents (line 5) is not in wheel 4.3.0; it came with 4.3.4");
  EXPECT_EQ(says(source, "4.3.4")[0], "");
  EXPECT_EQ(says(source, "")[0], "arch.griddepcontrol_launch_dependents (line 5) needs wheel >= 4.3.4");
}

TEST_F(Api, ARemovedNameAndItsNeighbourThatStays) {  // P11
  const char* source =
      "def k(tv):\n    a = cute.make_fragment((4,), cute.Float32)\n    b = cute.make_fragment_like(a)\n"
      "    c: cute.core.ThrMma = None\n    d = tiled_mma.make_fragment_A(a)\n";
  const auto uses = table_.uses_in(source);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(wheel_range(uses).before, (Release{4, 6, 0}));
  EXPECT_FALSE(breaks(uses[0], {4, 5, 3}));
  EXPECT_TRUE(breaks(uses[0], {4, 6, 0}));
  EXPECT_EQ(says(source, "4.6.2")[0],
            "cute.make_fragment (line 2) is not in wheel 4.6.2; removed in 4.6.0; instead: "
            "cute.make_rmem_tensor (since 4.3.0); cute.make_fragment_like stays");
  EXPECT_EQ(says(source, "4.5.3")[0],
            "cute.make_fragment (line 2) warns since 4.3.0; instead: cute.make_rmem_tensor (since 4.3.0); "
            "cute.make_fragment_like stays");
  EXPECT_EQ(says(source, "4.2.1")[0], "");
  EXPECT_EQ(says(source, "")[0],
            "cute.make_fragment (line 2) was removed in 4.6.0; instead: cute.make_rmem_tensor (since 4.3.0); "
            "cute.make_fragment_like stays");
  EXPECT_EQ(uses[1].name, "core.ThrMma");
}

TEST_F(Api, TheRuleOfBulkCopiesIsThatOfTheExactWheel) {  // P12
  const char* source = "def k():\n    op = cpasync.CopyBulkG2SOp()\n";
  for (const char* wheel : {"4.6.0", "4.6.1"})
    EXPECT_NE(joined(says(source, wheel)).find("elects the thread itself"), std::string::npos) << wheel;
  for (const char* wheel : {"4.5.2", "4.6.2", "4.7.0"})
    EXPECT_NE(joined(says(source, wheel)).find("must stand in `with cute.arch.elect_one():`"),
              std::string::npos)
        << wheel;
  EXPECT_TRUE(says("def k():\n    op = cpasync.CopyBulkTensorTileG2SOp()\n", "4.6.0").empty())
      << "tensor copies were never affected";
}

TEST_F(Api, AModuleMayTakeOverTheName) {
  EXPECT_EQ(says("def f():\n    cute.testing.benchmark(g)\n", "").size(), 1u);
  EXPECT_TRUE(says("import cutlass.testing as testing\ndef f():\n    testing.benchmark(g)\n", "").empty());
}

class AskedFor final : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    asked.assign(words.begin() + 3, words.end());
    return SystemProcesses().run(words);
  }
  mutable std::vector<std::string> asked;
};

class NoPython final : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    return Error{ErrorKind::unavailable, "run " + words[0], "there is none", "", ""};
  }
};

TEST(ThirdPartyModules, AreListedWithWhetherTheyResolve) {  // P14
  MemoryFiles files;
  const ScratchFolder scratch;
  put_checkout(files, "/checkout", "4.7.0");
  const std::string tree = "/checkout/examples/python/CuTeDSL/";
  files.put(tree + "helpers/mine.py", "import cutlass\n");
  files.put(tree + "cute/hopper/kernel/attention/fmha.py",
            "import os, json.decoder\nfrom cuda.no_such_core.experimental import Device\n"
            "from helpers import mine\nfrom . import near\nimport pip._internal\n" +
                kernel_text("hopper"));
  const auto w =
      Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR}, environment_in(scratch.path()), files);
  ASSERT_TRUE(w) << w.error().message();
  const Example* e = (*w)->catalog->find(0, "examples/python/CuTeDSL/cute/hopper/kernel/attention/fmha.py");
  ASSERT_TRUE(e);
  const AskedFor processes;
  const auto modules = third_party(*e, *(*w)->catalog, processes);
  ASSERT_TRUE(modules) << "there is a python3 where this is built";
  const auto find = [&](const std::string& name) {
    for (const ThirdParty& m : *modules)
      if (m.module == name) return &m;
    return static_cast<const ThirdParty*>(nullptr);
  };
  ASSERT_TRUE(find("cuda.no_such_core.experimental"));
  EXPECT_EQ(find("cuda.no_such_core.experimental")->line, 2);
  EXPECT_FALSE(find("cuda.no_such_core.experimental")->found);
  for (const char* own : {"os", "json.decoder", "helpers", "helpers.mine", "near"})
    EXPECT_FALSE(find(own)) << own;
  EXPECT_FALSE(third_party(*e, *(*w)->catalog, NoPython())) << "without a Python nothing is claimed";
}

}  // namespace
}  // namespace cutelab::corpus
