// Operators whose tensors lie behind the addresses of tables: one for each problem of a group.
#include "kernel/operator_groups.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "kernel/call_text.h"
#include "kernel/fill_in.h"
#include "kernel/imported_plan.h"
#include "support/exported_tensor.h"

namespace cutelab::kernel {
namespace {

using testing::exported_tensor;
using testing::KnownCall;

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
  EXPECT_EQ(refused.error().wrong, "role b, at[*,1]: no tensor begins at the address in at[1,1]");
}

TEST(Groups, AProblemWithoutAnAddressIsNoFaultOfThePackage) {
  ExportedCall call = grouped_call();
  call.tensors[0].relocations.erase(call.tensors[0].relocations.begin() + 3);  // at[1,0]
  const auto refused = check_operator(grouped_product(), call);
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.error().wrong.find("role a: problem 1 of the group has no tensor, as at[1,0] holds no address"),
      std::string::npos)
      << refused.error().wrong;
  EXPECT_EQ(refused.error().remedy, "give each problem of the group extents of at least 1");
  call.tensors[0].relocations.clear();
  const auto no_table = check_operator(grouped_product(), call);
  ASSERT_FALSE(no_table);
  EXPECT_NE(
      no_table.error().wrong.find("it is no table of addresses, or every problem of the group is empty"),
      std::string::npos)
      << no_table.error().wrong;
}

TEST(Groups, AResultThatIsAnOperandIsRefused) {
  Operator op = grouped_product();
  op.roles["d"] = {"at[*,0]", {"m", "n"}};
  ExportedCall call = grouped_call();
  for (std::size_t i = 1; i < call.tensors.size(); ++i)
    call.tensors[i] = exported_tensor(call.tensors[i].name, {4, 4}, {4, 1}, call.tensors[i].buffer);
  const auto in_place = check_operator(op, call);
  ASSERT_FALSE(in_place);
  EXPECT_NE(in_place.error().wrong.find("role a: tensor at[0,0] is the result too (role d)"),
            std::string::npos)
      << in_place.error().wrong;
  call.tensors[0].relocations[4].buffer = 3;  // b of the second problem is the result of the first
  const auto chained = check_operator(grouped_product(), call);
  ASSERT_FALSE(chained);
  EXPECT_NE(chained.error().wrong.find("role b: tensor at[0,2] is the result too"), std::string::npos)
      << chained.error().wrong;
  call.tensors[0].relocations[4].buffer = 2;  // an operand of both is none
  EXPECT_TRUE(check_operator(grouped_product(), call));
}

/// `count` products of (2, 2) matrices behind three tables.
ExportedCall many_products(int count) {
  ExportedCall call;
  call.entry = "f";
  call.device_code = "kernel.cubin";
  const auto bytes = static_cast<std::size_t>(8 * count);
  for (int t = 0; t < 3; ++t) {
    auto table = exported_tensor(std::string(1, "abd"[t]) + "_at", {count}, {1}, t, "Int64");
    table.bytes = static_cast<std::int64_t>(bytes);
    table.content = std::vector<std::byte>(bytes);
    for (int g = 0; g < count; ++g)
      table.relocations.push_back({static_cast<std::size_t>(8 * g), 3 + t * count + g, 0});
    call.tensors.push_back(std::move(table));
    call.buffers.push_back(static_cast<std::int64_t>(bytes));
  }
  for (int t = 0; t < 3; ++t)
    for (int g = 0; g < count; ++g) {
      call.tensors.push_back(
          exported_tensor(call.tensors[static_cast<std::size_t>(t)].name + "[" + std::to_string(g) + "]",
                          {2, 2}, {2, 1}, static_cast<int>(call.buffers.size())));
      call.buffers.push_back(16);
    }
  return *exported_call_from_json(to_json(call));
}

TEST(Groups, ThousandsOfProblemsTakeTimeThatGrowsWithThem) {
  constexpr int count = 4000;
  auto exporter = std::make_shared<KnownCall>(grouped_call());
  exporter->call = many_products(count);
  PackageDescription d = grouped_package();
  d.op.roles = {
      {"a", {"a_at[*]", {"m", "k"}}}, {"b", {"b_at[*]", {"n", "k"}}}, {"d", {"d_at[*]", {"m", "n"}}}};
  const auto begin = std::chrono::steady_clock::now();
  const ImportedPlan plan(d, exporter);
  const auto params = *parse_parameters("grouped", plan.parameters(), {});
  ASSERT_TRUE(plan.check(params));
  const Outputs outputs = plan.prepare_outputs(params);
  ASSERT_EQ(outputs.tensors.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(plan.prepare_inputs(params, Fill::uniform, 1).tensors.size(), 3u + 2u * count);
  for (const Tensor& output : outputs.tensors) EXPECT_GT(plan.tolerance_of(params, output.name).floor, 0);
  EXPECT_EQ(tensor_lines(d.op, exporter->call, true).size(), 3u + 3u * 4u);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 20) << "it was minutes when each problem looked through all of them";
}

TEST(TensorLines, NameTheFirstBehindATableAndCountTheOthers) {
  const ExportedCall call = many_products(9);
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"a_at[*]", {"m", "k"}}}};
  const auto lines = tensor_lines(op, call, true);
  EXPECT_EQ(lines[0], "`a_at` Int64 (9) : (1); holds addresses of others");
  EXPECT_EQ(lines[3], "`a_at[0]` Float32 (2, 2) : (2, 1): a (m, k)");
  EXPECT_EQ(lines[6], "and 6 more like these, of other extents perhaps");
  EXPECT_EQ(lines.size(), 3u + 3u * 4u);
  EXPECT_EQ(tensor_lines(op, many_products(4), false).size(), 3u + 3u * 4u) << "all of them";
  EXPECT_EQ(listed({"a", "b", "c", "d"}), "a, b, c, d");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
}

TEST(TensorLines, WhatIsToBeFilledInIsBounded) {
  const ExportedCall call = many_products(2000);
  PackageDescription d = grouped_package();
  d.op = {};
  std::string text;
  for (const std::string& line : fill_in_lines(d, call)) text += line + "\n";
  EXPECT_LT(text.size(), 6000u);
  EXPECT_NE(text.find("`a_at[2]` (2 modes) and 1997 more"), std::string::npos) << text;
  EXPECT_NE(text.find("`d_at[*]` (one tensor for each problem of a group)"), std::string::npos) << text;
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
  const ImportedPlan plan(grouped_package(), std::make_shared<KnownCall>(grouped_call()));
  const auto params = *parse_parameters("grouped", plan.parameters(), {});
  EXPECT_GT(plan.tolerance_of(params, "at[1,2]").floor, plan.tolerance_of(params, "at[0,2]").floor)
      << "sums of 5 lose more than sums of 2";
  EXPECT_EQ(plan.tolerance(params).floor, plan.tolerance_of(params, "at[1,2]").floor);
}

TEST(GroupedPlan, HasAReferenceForEachResult) {
  const ImportedPlan plan(grouped_package(), std::make_shared<KnownCall>(grouped_call()));
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
  const ImportedPlan plan(grouped_package(), std::make_shared<KnownCall>(grouped_call()));
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
  const ImportedPlan plan(grouped_package(), std::make_shared<KnownCall>(grouped_call()));
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
