// Operators whose tensors lie behind the addresses of tables: one for each problem of a group.
#include "kernel/operator_groups.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernel/imported_plan.h"
#include "support/exported_tensor.h"

namespace cutelab::kernel {
namespace {

using testing::exported_tensor;

/// Two products, (3, 2) · (2, 2)ᵀ and (1, 5) · (4, 5)ᵀ, behind a table of two rows: a, b, d.
ExportedCall grouped_call() {
  ExportedCall call;
  call.entry = "f";
  call.device_code = "kernel.cubin";
  auto table = exported_tensor("at", {2, 3}, {3, 1}, 0, "Int64");
  table.bytes = 48;
  table.content = std::vector<std::byte>(48, std::byte{0});
  for (int i = 0; i < 6; ++i) table.relocations.push_back({static_cast<std::size_t>(8 * i), 1 + i, 0});
  call.tensors = {table,
                  exported_tensor("at[0,0]", {3, 2}, {2, 1}, 1),
                  exported_tensor("at[0,1]", {2, 2}, {2, 1}, 2),
                  exported_tensor("at[0,2]", {3, 2}, {1, 3}, 3),
                  exported_tensor("at[1,0]", {1, 5}, {5, 1}, 4),
                  exported_tensor("at[1,1]", {4, 5}, {5, 1}, 5),
                  exported_tensor("at[1,2]", {1, 4}, {4, 1}, 6)};
  call.buffers = {48, 24, 16, 24, 20, 80, 16};
  ExportedCall::Argument argument;
  argument.content.resize(8);
  argument.relocations = {{0, 0, 0}};
  call.arguments = {argument};
  return call;
}

Operator grouped_product() {
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"at[*,0]", {"m", "k"}}}, {"b", {"at[*,1]", {"n", "k"}}}, {"d", {"at[*,2]", {"m", "n"}}}};
  return op;
}

class GroupExporter final : public Exporter {
 public:
  Result<Exported> get(const ExportWanted&) const override {
    Exported made;
    made.folder = "somewhere";
    made.call = call;
    return made;
  }
  ExportedCall call = grouped_call();
};

PackageDescription grouped_package() {
  PackageDescription d;
  d.layer = "gemm";
  d.design = "grouped";
  d.version = "v0";
  d.arch = "sm_90a";
  d.program = "grouped.py";
  d.parameters = {{"sizes", "--sizes", -1, "tuples", "(3,2,2),(1,4,5)", false, {}, ""}};
  d.configurations = {{}};
  d.op = grouped_product();
  return d;
}

TEST(Families, AreTheColumnsOfTablesOfAddresses) {
  const ExportedCall call = grouped_call();
  EXPECT_EQ(families_of(call), (std::vector<std::string>{"at[*,0]", "at[*,1]", "at[*,2]"}));
  const auto results = members_of("at[*,2]", call);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1]->name, "at[1,2]");
  EXPECT_TRUE(members_of("at[*,3]", call).empty()) << "no such column";
  EXPECT_TRUE(members_of("other[*,0]", call).empty());
  EXPECT_FALSE(is_family("at[1,2]"));
  EXPECT_FALSE(is_family("at[*,*]"));
  EXPECT_FALSE(is_family("at"));
}

TEST(Families, AnAddressInTheMiddleOfATensorIsNone) {
  ExportedCall call = grouped_call();
  call.tensors[0].relocations[4].offset = 4;
  EXPECT_EQ(members_of("at[*,1]", call)[1], nullptr);
  const auto refused = groups_of(grouped_product(), call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().wrong, "at[*,1]: no tensor begins at address 1");
}

TEST(Groups, AreTheOperatorsOfTheProblems) {
  const auto groups = groups_of(grouped_product(), grouped_call());
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[1].roles.at("a").tensor, "at[1,0]");
  EXPECT_TRUE(check_operator(grouped_product(), grouped_call()));
  Operator plain = (*groups)[0];
  EXPECT_EQ(groups_of(plain, grouped_call())->size(), 1u) << "without a family itself";
  Operator wrong = grouped_product();
  wrong.roles["b"].modes = {"k", "n"};
  EXPECT_FALSE(check_operator(wrong, grouped_call())) << "extents contradict in the second problem";
  wrong = grouped_product();
  wrong.roles["d"].tensor = "at[*]";
  EXPECT_FALSE(check_operator(wrong, grouped_call()));
  ExportedCall shared = grouped_call();
  shared.tensors[0].relocations[5].buffer = 3;
  const auto twice = groups_of(grouped_product(), shared);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().wrong, "at[0,2] is the result of two problems");
}

TEST(Groups, WorkIsTheirSumAndEachResultHasItsOwnTolerance) {
  const auto work = operator_work(grouped_product(), grouped_call());
  EXPECT_EQ(work.flops.at("fp32"), 2.0 * (3 * 2 * 2 + 1 * 4 * 5));
  const ImportedPlan plan(grouped_package(), std::make_shared<GroupExporter>());
  const auto params = *parse_parameters("grouped", plan.parameters(), {});
  EXPECT_GT(plan.tolerance_of(params, "at[1,2]").floor, plan.tolerance_of(params, "at[0,2]").floor)
      << "sums of 5 lose more than sums of 2";
  EXPECT_EQ(plan.tolerance(params).floor, plan.tolerance_of(params, "at[1,2]").floor);
}

TEST(GroupedPlan, HasAReferenceForEachResult) {
  const ImportedPlan plan(grouped_package(), std::make_shared<GroupExporter>());
  const auto params = *parse_parameters("grouped", plan.parameters(), {});
  EXPECT_EQ(plan.cannot_run_because(), "");
  const Outputs outputs = plan.prepare_outputs(params);
  ASSERT_EQ(outputs.tensors.size(), 2u);
  Inputs inputs = plan.prepare_inputs(params, Fill::uniform, 1);
  ASSERT_EQ(inputs.tensors.size(), 5u) << "the table and two operands for each problem";
  EXPECT_EQ(inputs.find("at[0,2]"), nullptr);
  for (Tensor& tensor : inputs.tensors)
    if (tensor.name != "at")
      for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, static_cast<double>(i + 1));
  const Outputs d = plan.reference_fn(params, inputs);
  ASSERT_EQ(d.tensors.size(), 2u);
  const double first[] = {1 + 4, 3 + 8, 5 + 12, 3 + 8, 9 + 16, 15 + 24};  // column by column
  for (int i = 0; i < 6; ++i) EXPECT_EQ(d.find("at[0,2]")->at(i), first[i]) << i;
  EXPECT_EQ(d.find("at[1,2]")->at(3), 16 + 2 * 17 + 3 * 18 + 4 * 19 + 5 * 20);
}

TEST(GroupedPlan, TablesGetTheAddressesOfTheirTensors) {
  const ImportedPlan plan(grouped_package(), std::make_shared<GroupExporter>());
  const auto params = *parse_parameters("grouped", plan.parameters(), {});
  const auto kernel = plan.plan(params, plan.autotune_configs(params)[0]);
  ASSERT_TRUE(kernel) << kernel.error().message();
  Addresses at;
  for (const auto& tensor : grouped_call().tensors)
    at[tensor.name] = 0x1000u + 0x100u * static_cast<unsigned>(tensor.buffer);
  const auto words = kernel->address_words(at);
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[5].tensor, "at");
  EXPECT_EQ(words[5].at, 40u);
  EXPECT_EQ(words[5].address, 0x1600u);
}

TEST(GroupedPlan, ATextOfTuplesIsTheProblem) {
  const ImportedPlan plan(grouped_package(), std::make_shared<GroupExporter>());
  const auto given = parse_parameters("grouped", plan.parameters(), {{"sizes", "(1, 2, 3), (4,5,6)"}});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->word("sizes"), "(1,2,3),(4,5,6)") << "one spelling, one kept export";
  for (const char* wrong : {"1,2,3", "(1,2),(3)", "(1,2", "(a,b)", "", "(1,2)(3,4)", "(1,2),"})
    EXPECT_FALSE(parse_parameters("grouped", plan.parameters(), {{"sizes", wrong}})) << wrong;
  for (const char* right : {"((1,2),(3,4))", "[(1,2)]", "(7)"}) EXPECT_TRUE(are_tuples(right)) << right;
  const auto back = package_from_json(to_json(grouped_package()));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->parameters[0].kind, "tuples");
  PackageDescription damaged = grouped_package();
  damaged.parameters[0].value = "many";
  EXPECT_FALSE(package_from_json(to_json(damaged)));
}

TEST(ExportedTables, ComeBackFromTheirJson) {
  const auto back = exported_call_from_json(to_json(grouped_call()));
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->tensors[0].relocations.size(), 6u);
  EXPECT_EQ(back->tensors[0].relocations[3].buffer, 4);
  ExportedCall damaged = grouped_call();
  damaged.tensors[0].relocations[0].at = 41;
  EXPECT_FALSE(exported_call_from_json(to_json(damaged))) << "beyond the content";
  damaged = grouped_call();
  damaged.tensors[0].relocations[0].buffer = 7;
  EXPECT_FALSE(exported_call_from_json(to_json(damaged)));
  damaged = grouped_call();
  damaged.tensors[0].content.reset();
  EXPECT_FALSE(exported_call_from_json(to_json(damaged))) << "a place in content that is not there";
}

}  // namespace
}  // namespace cutelab::kernel
