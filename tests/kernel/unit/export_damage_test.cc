// A kept export that was damaged: each of its numbers is held to what it is used for.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "kernel/imported_plan.h"
#include "support/exported_tensor.h"

namespace cutelab::kernel {
namespace {

using DamagedJson = nlohmann::ordered_json;
using testing::exported_tensor;
using testing::KnownCall;

/// a (3, 2), b (2, 2) and d behind a table; an index tensor; a launch; options.
DamagedJson whole_export() {
  ExportedCall call;
  call.entry = "f";
  call.device_code = "kernel.cubin";
  call.symbols = {"kernel_f"};
  auto table = exported_tensor("at", {3}, {1}, 0, "Int64");
  table.bytes = 24;
  table.content = std::vector<std::byte>(24);
  for (int i = 0; i < 3; ++i) table.relocations.push_back({static_cast<std::size_t>(8 * i), 1 + i, 0});
  auto sizes = exported_tensor("sizes", {3}, {1}, 4, "Int32");
  sizes.content = std::vector<std::byte>(12, std::byte{1});
  call.tensors = {table, exported_tensor("at[0]", {3, 2}, {2, 1}, 1),
                  exported_tensor("at[1]", {2, 2}, {2, 1}, 2), exported_tensor("at[2]", {3, 2}, {1, 3}, 3),
                  sizes};
  call.buffers = {24, 24, 16, 24, 12};
  ExportedCall::Argument argument, stream;
  argument.name = "at";
  argument.type = "tensor";
  argument.content.resize(16);
  argument.relocations = {{0, 0, 0}, {8, 4, 4}};
  stream.stream = true;
  stream.content.resize(8);
  call.arguments = {argument, stream};
  ExportedCall::Launch launch;
  launch.symbol = "kernel_f";
  launch.grid = {4, 1, 1};
  launch.preferred_cluster = {2, 1, 1};
  call.launches = {launch};
  ExportedCall::Flag flag;
  flag.option = "--n";
  flag.kind = "integer";
  flag.value = "3";
  flag.has_value = true;
  flag.choices = {"3", "4"};
  call.flags = {flag};
  call.attributes = {{"eps", "1e-06"}};
  call.constants = {{"alpha", "2.5"}};
  return DamagedJson::parse(to_json(call));
}

PackageDescription package_of_product() {
  PackageDescription d;
  d.layer = "gemm";
  d.design = "damaged";
  d.version = "v0";
  d.arch = "sm_90a";
  d.program = "damaged.py";
  d.configurations = {{}};
  d.op.name = "gemm";
  d.op.roles = {{"a", {"at[0]", {"m", "k"}}}, {"b", {"at[1]", {"n", "k"}}}, {"d", {"at[2]", {"m", "n"}}}};
  return d;
}

/// Everything that a run of the package asks of its plan.
void use(const ExportedCall& call) {
  auto exporter = std::make_shared<KnownCall>(ExportedCall());
  exporter->call = call;
  const ImportedPlan plan(package_of_product(), exporter);
  const auto params = *parse_parameters("damaged", plan.parameters(), {});
  if (!plan.check(params)) return;
  (void)plan.algorithmic_flops_bytes(params);
  (void)plan.tolerance(params);
  const auto kernel = plan.plan(params, plan.autotune_configs(params)[0]);
  ASSERT_TRUE(kernel);
  Addresses at;
  for (const auto& tensor : call.tensors) at[tensor.name] = 0x1000;
  (void)kernel->address_words(at);
  (void)kernel->arguments(at);
  (void)kernel->launch(132);
  if (!plan.cannot_run_because().empty()) return;
  const Inputs inputs = plan.prepare_inputs(params, Fill::uniform, 1);
  for (const auto& word : kernel->address_words(at))
    ASSERT_LE(word.at + 8, inputs.find(word.tensor)->data.size()) << "an address beyond its tensor";
  EXPECT_EQ(plan.reference_fn(params, inputs).tensors.size(), plan.prepare_outputs(params).tensors.size());
}

/// Every place of the document, outside in.
void each_place(const DamagedJson& at, const DamagedJson::json_pointer& path,
                const std::function<void(const DamagedJson::json_pointer&)>& told) {
  if (!path.empty()) told(path);
  if (at.is_object())
    for (const auto& [name, value] : at.items()) each_place(value, path / name, told);
  if (at.is_array())
    for (std::size_t i = 0; i < at.size(); ++i) each_place(at[i], path / i, told);
}

TEST(DamagedExport, IsWholeAsItWasWritten) {
  const auto call = exported_call_from_json(whole_export().dump());
  ASSERT_TRUE(call) << call.error().message();
  EXPECT_EQ(call->launches[0].preferred_cluster[0], 2u);
  EXPECT_EQ(call->arguments[0].relocations[1].offset, 4);
  EXPECT_EQ(call->find("at[1]"), &call->tensors[2]);
  use(*call);
}

TEST(DamagedExport, EachMemberOfAnotherFormIsRefusedOrHarmless) {
  const DamagedJson whole = whole_export();
  const std::vector<DamagedJson> instead = {nullptr,
                                            true,
                                            "text",
                                            "\x1b[31m",
                                            -1,
                                            0,
                                            1,
                                            7,
                                            INT64_C(1) << 31,
                                            INT64_C(1) << 40,
                                            INT64_MAX,
                                            INT64_MIN,
                                            UINT64_MAX,
                                            1e308,
                                            DamagedJson::array(),
                                            DamagedJson::object(),
                                            DamagedJson::array({DamagedJson::array()})};
  int refused = 0, accepted = 0;
  const auto attempt = [&](const DamagedJson& damaged, const std::string& what) {
    SCOPED_TRACE(what);
    const auto call = exported_call_from_json(damaged.dump());
    ++(call ? accepted : refused);
    if (call)
      EXPECT_NO_THROW(use(*call));
    else
      EXPECT_FALSE(call.error().wrong.empty());
  };
  each_place(whole, DamagedJson::json_pointer(), [&](const DamagedJson::json_pointer& place) {
    for (const DamagedJson& value : instead) {
      DamagedJson damaged = whole;
      damaged[place] = value;
      attempt(damaged, place.to_string() + " = " + value.dump());
    }
    DamagedJson damaged = whole;
    DamagedJson& holder = damaged.at(place.parent_pointer());
    if (holder.is_array())
      holder.erase(std::stoul(place.back()));
    else
      holder.erase(place.back());
    attempt(damaged, place.to_string() + " missing");
  });
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 100) << "most texts may say anything";
}

TEST(DamagedExport, SaysWhichMember) {
  const auto fault = [](const char* place, const DamagedJson& value) {
    DamagedJson damaged = whole_export();
    damaged[DamagedJson::json_pointer(place)] = value;
    const auto call = exported_call_from_json(damaged.dump());
    return call ? std::string("taken") : call.error().wrong;
  };
  EXPECT_EQ(fault("/tensors/1/shape/0", INT64_C(1) << 40),
            "`tensors[1].bytes`: 24, where its elements take 8796093022208");
  EXPECT_EQ(fault("/tensors/1/shape", {INT64_C(1) << 40, INT64_C(1) << 40}),
            "`tensors[1].shape`: it is larger than memory");
  EXPECT_EQ(fault("/tensors/1/bytes", 4), "`tensors[1].bytes`: 4, where its elements take 24");
  EXPECT_EQ(fault("/tensors/1/bytes", 48), "`tensors[1].bytes`: 48, where its memory has 24 from there");
  EXPECT_EQ(fault("/tensors/1/stride/1", -1),
            "`tensors[1].stride[1]`: -1 is no whole number from 0 to 281474976710656");
  EXPECT_EQ(fault("/tensors/0/relocations/1/at", 0),
            "`tensors[0].relocations`: two addresses stand at byte 0");
  EXPECT_EQ(fault("/tensors/0/relocations/1/at", 17),
            "`tensors[0].relocations[1].at`: 17 is no whole number from 0 to 16");
  EXPECT_EQ(fault("/tensors/0/relocations/1/buffer", 99),
            "`tensors[0].relocations[1].buffer`: 99 is no whole number from 0 to 4");
  EXPECT_EQ(fault("/tensors/0/content", "00"),
            "`tensors[0].relocations[0].at`: 0 is no whole number from 0 to -7");
  EXPECT_EQ(fault("/tensors/4/content", "00"), "`tensors[4].content`: 1 bytes of 12");
  EXPECT_EQ(fault("/tensors/4/content", "zz"), "`tensors[4].content`: it is no bytes in hexadecimal");
  EXPECT_EQ(fault("/tensors/2/name", "at"), "`tensors`: two are named at");
  EXPECT_EQ(fault("/launches/0/grid", {1, 2}), "`launches[0].grid`: it wants three extents");
  EXPECT_EQ(fault("/device_code", "../../kernel.cubin"), "`device_code`: it is no file's name");
  EXPECT_EQ(exported_call_from_json("{\"trunc").error().wrong.rfind("it is no JSON: line 1", 0), 0u);
}

TEST(DamagedExport, ACallLargerThanTheMachineSaysSo) {
  DamagedJson large = whole_export();
  const std::int64_t bytes = INT64_C(1) << 47;  // 128 TiB
  large["buffers"][1]["bytes"] = bytes;
  large["tensors"][1]["bytes"] = bytes;
  const auto call = exported_call_from_json(large.dump());
  ASSERT_TRUE(call) << call.error().message();
  auto exporter = std::make_shared<KnownCall>(ExportedCall());
  exporter->call = *call;
  const ImportedPlan plan(package_of_product(), exporter);
  ASSERT_TRUE(plan.check(*parse_parameters("damaged", plan.parameters(), {})));
  EXPECT_NE(plan.cannot_run_because().find("the tensors of its call take 131072.0 GiB, and this machine has"),
            std::string::npos)
      << plan.cannot_run_because();
}

}  // namespace
}  // namespace cutelab::kernel
