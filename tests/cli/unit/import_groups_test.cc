// Imports of programs whose operands lie behind tables of addresses, and whose options are tuples.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cli/import_operator.h"
#include "cli/import_probe.h"
#include "cli/import_write.h"
#include "kernel/operator_groups.h"
#include "support/exported_tensor.h"

namespace cutelab::cli {
namespace {

using kernel::ExportedCall;
using kernel::testing::exported_tensor;

/// Products of a group behind a table; `groups` are m, n, k.
ExportedCall products(const std::vector<std::array<std::int64_t, 3>>& groups) {
  ExportedCall call;
  const auto count = static_cast<std::int64_t>(groups.size());
  auto table = exported_tensor("at", {count, 3}, {3, 1}, 0, "Int64");
  table.content = std::vector<std::byte>(groups.size() * 24);
  call.tensors = {exported_tensor("first", {8, 8}, {8, 1}, 1), table};
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [m, n, k] = groups[g];
      const int buffer = static_cast<int>(call.tensors.size());
      const std::int64_t rows = i == 1 ? n : m, columns = i == 2 ? n : k;
      call.tensors[1].relocations.push_back({8 * (3 * g + i), buffer, 0});
      call.tensors.push_back(exported_tensor("at[" + std::to_string(g) + "," + std::to_string(i) + "]",
                                             {rows, columns}, {columns, 1}, buffer, "Float16"));
    }
  return call;
}

TEST(GroupGuess, IsAProductForEachProblem) {
  auto call = products({{64, 32, 16}, {8, 8, 8}});
  call.uses_known = true;
  call.writes_elsewhere = 1;
  const auto guess = guess_operator(call, {}, "grouped_gemm GroupedGemm", "");
  ASSERT_EQ(guess.op.name, "gemm") << (guess.undetermined.empty() ? "" : guess.undetermined[0]);
  EXPECT_EQ(guess.op.roles.at("d").tensor, "at[*,2]");
  EXPECT_EQ(guess.op.roles.at("b").modes, (std::vector<std::string>{"n", "k"}));
  EXPECT_TRUE(guess.undetermined.empty());
  EXPECT_EQ(guess_operator(call, {}, "grouped_gemm", "softmax").op.name, "") << "it has no such tensors";
}

TEST(GroupGuess, EveryProblemHasToFit) {
  // (8, 8), (8, 8), (8, 8) alone could be anything: the other problem decides.
  auto call = products({{8, 8, 8}, {64, 32, 16}});
  std::swap(call.tensors[6].shape[0], call.tensors[6].shape[1]);  // b of the second one is (k, n)
  EXPECT_EQ(guess_operator(call, {}, "grouped", "").op.roles.at("b").modes,
            (std::vector<std::string>{"k", "n"}));
  call.tensors[6].shape = {15, 32};
  const auto guess = guess_operator(call, {}, "grouped", "");
  EXPECT_FALSE(guess.op.known());
  EXPECT_FALSE(guess.undetermined.empty());
}

TEST(GroupGuess, AnAddressWithoutATensorLeavesItOpen) {
  auto call = products({{64, 32, 16}});
  call.tensors[1].relocations[1].offset = 2;
  EXPECT_FALSE(guess_operator(call, {}, "grouped", "").op.known());
  call = products({{64, 32, 16}});
  call.tensors[0] = exported_tensor("scales", {2}, {1}, 1, "Int64");
  call.tensors[0].content = std::vector<std::byte>(16);
  call.tensors[0].relocations = {{0, 2, 0}, {8, 3, 0}};
  EXPECT_FALSE(guess_operator(call, {}, "grouped", "").op.known()) << "a table more: not a plain product";
}

ExportedCall::Flag option(const std::string& name, const std::string& kind, const std::string& value) {
  ExportedCall::Flag made;
  made.option = name;
  made.kind = kind;
  made.value = value;
  made.has_value = true;
  return made;
}

/// A program with --sizes, of which it wants --groups, and --skip, with which it makes another call.
class Grouped final : public kernel::Exporter {
 public:
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
    std::string sizes = "(64,32,16),(8,8,8)";
    std::string groups = "2";
    bool skips = false;
    for (const std::string& word : wanted.flags) {
      if (word.starts_with("--sizes=")) sizes = word.substr(8);
      if (word.starts_with("--groups=")) groups = word.substr(9);
      skips = skips || word == "--skip";
    }
    seen.push_back(sizes);
    std::vector<std::array<std::int64_t, 3>> all;
    for (std::size_t at = sizes.find('('); at != std::string::npos; at = sizes.find('(', at + 1)) {
      std::array<std::int64_t, 3> one{};
      const char* text = sizes.c_str() + at + 1;
      for (auto& n : one) {
        char* end = nullptr;
        n = std::strtoll(text, &end, 10);
        text = end + 1;
      }
      all.push_back(one);
    }
    if (std::to_string(all.size()) != groups)
      return Error{ErrorKind::usage, "export", "as many tuples as groups", "", ""};
    kernel::Exported made;
    made.call = products(all);
    if (skips) made.call.tensors[1].relocations.clear();
    made.call.flags = {option("--groups", "integer", "2"), option("--sizes", "tuples", "(64,32,16),(8,8,8)"),
                       option("--skip", "switch", "False")};
    return made;
  }
  mutable std::vector<std::string> seen;
};

TEST(GroupProbe, TuplesAndTheirNumberAreTheProblem) {
  const Grouped program;
  const ProbeRequest request{program, {"p.py", "", {}, "sm_90a"}, 1, {}};
  const auto base = program.get(request.base)->call;
  kernel::PackageDescription d;
  const auto flags = probe_flags(request, base, {}, d.passed_over);
  describe_parameters(flags, d);
  ASSERT_EQ(d.parameters.size(), 3u);
  EXPECT_EQ(d.parameters[0].name, "groups");
  EXPECT_EQ(d.parameters[1].kind, "tuples");
  EXPECT_NE(std::find(program.seen.begin(), program.seen.end(), "(128,64,32),(16,16,16)"),
            program.seen.end());
  EXPECT_NE(std::find(program.seen.begin(), program.seen.end(), "(64,32,16),(8,8,8),(8,8,8)"),
            program.seen.end());
  d.op = guess_operator(base, flags, "grouped", "").op;
  ASSERT_TRUE(d.op.known());
  leave_out_misfits(program, request.base, d);
  ASSERT_EQ(d.parameters.size(), 2u) << "with --skip there is no address that leads to a tensor";
  EXPECT_EQ(d.passed_over.back().rfind("--skip: ", 0), 0u) << d.passed_over.back();
}

TEST(GroupProbe, ARaggedProblemIsALittleLess) {
  class Large final : public kernel::Exporter {
   public:
    Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
      last = wanted.flags.back();
      return kernel::Exported();
    }
    mutable std::string last;
  };
  const Large program;
  ProbedFlag sizes;
  sizes.parameter = {"sizes", "--sizes", -1, "tuples", "(512,256,16,1),(300,16,400,1)", false, {}, ""};
  sizes.effect = FlagEffect::problem;
  kernel::PackageDescription d;
  d.parameters = {sizes.parameter};
  const auto ragged = probe_ragged({program, {"p.py", "", {}, "sm_90a"}, 1, {}}, {sizes}, d);
  EXPECT_EQ(ragged.at("sizes"), "(504,240,16,1),(276,16,368,1)");
  EXPECT_EQ(program.last, "--sizes=(504,240,16,1),(276,16,368,1)");
  sizes.parameter.value = "(48,24,16)";
  EXPECT_TRUE(probe_ragged({program, {"p.py", "", {}, "sm_90a"}, 1, {}}, {sizes}, d).empty())
      << "the problem itself is none";
}

TEST(GroupReadme, NamesTheRoleOfEachTensor) {
  kernel::PackageDescription d;
  kernel::Exported exported;
  exported.call = products({{64, 32, 16}});
  d.op = guess_operator(exported.call, {}, "grouped", "").op;
  const std::string text = package_readme(d, exported);
  EXPECT_NE(text.find("`at[0,1]` Float16 (32, 16) : (16, 1): b (n, k)"), std::string::npos) << text;
  EXPECT_NE(text.find("`at` Int64 (1, 3) : (3, 1); holds addresses of others"), std::string::npos) << text;
}

}  // namespace
}  // namespace cutelab::cli
