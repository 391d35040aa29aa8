// Kernels that find their tensors by a table of addresses, and references proven on a problem of the plan's.
#include <gtest/gtest.h>

#include <cstring>

#include "profile/unit/double_plan.h"

namespace cutelab::profile {
namespace {

/// y[i] = 2 * x[i], x and y given by a table of their addresses alone; proven on a problem of its own.
struct TablePlan final : kernel::KernelPlan {
  LargePlan inner;
  bool wrong_proof = false;
  mutable int small = 0;
  std::vector<kernel::ParameterSpec> parameters() const override { return inner.parameters(); }
  Status check(const kernel::Params& p) const override { return inner.check(p); }
  kernel::Inputs prepare_inputs(const kernel::Params& p, kernel::Fill f, kernel::Seed s) const override {
    auto inputs = inner.prepare_inputs(p, f, s);
    inputs.tensors.emplace_back("table", kernel::DType::int8, std::vector<std::int64_t>{24});
    return inputs;
  }
  kernel::Outputs prepare_outputs(const kernel::Params& p) const override { return inner.prepare_outputs(p); }
  kernel::Outputs reference_fn(const kernel::Params& p, const kernel::Inputs& in) const override {
    return inner.reference_fn(p, in);
  }
  kernel::Tolerance tolerance(const kernel::Params& p) const override { return inner.tolerance(p); }
  kernel::Tolerance tolerance_of(const kernel::Params& p, const std::string& output) const override {
    auto narrow = tolerance(p);
    narrow.reason = "of " + output;
    return narrow;
  }
  std::vector<kernel::Config> autotune_configs(const kernel::Params& p) const override {
    return inner.autotune_configs(p);
  }
  kernel::Work algorithmic_flops_bytes(const kernel::Params& p) const override {
    return inner.algorithmic_flops_bytes(p);
  }
  std::vector<kernel::Params> ragged_params(const kernel::Params&, const kernel::Config&) const override {
    return {};
  }
  Result<kernel::CuteKernel> plan(const kernel::Params& p, const kernel::Config& c) const override {
    auto made = inner.plan(p, c);
    made->address_words = [n = p.number("n")](const kernel::Addresses& at) {
      return std::vector<kernel::AddressWord>{{"table", 0, at.at("x")},
                                              {"table", 8, at.at("y")},
                                              {"table", 16, static_cast<unsigned long long>(n)},
                                              {"table", 20, 1},   // beyond its end
                                              {"nobody", 0, 1}};  // no such tensor
    };
    made->arguments = [](const kernel::Addresses& at) {
      const unsigned long long value = at.at("table");
      std::vector<std::byte> bytes(sizeof value);
      std::memcpy(bytes.data(), &value, sizeof value);
      return bytes;
    };
    return made;
  }
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params& p) const override {
    return inner.device_reference(p);
  }
  std::optional<kernel::OperatorProof> operator_proof(const kernel::Params& p) const override {
    auto three = p;
    three.set("n", std::int64_t{3});
    kernel::OperatorProof proof{"three of them",
                                inner.prepare_inputs(three, kernel::Fill::normal, 1),
                                *inner.device_reference(three),
                                {}};
    proof.expected = inner.inner.reference_fn(three, proof.inputs);
    if (wrong_proof) proof.expected.tensors[0].set(2, 77);
    return proof;
  }
};

struct TableKernel final : kernel::Launchable {
  HostKernel inner;
  Status launch(const std::vector<std::byte>& arguments, const kernel::LaunchShape& shape,
                void* stream) const override {
    unsigned long long table = 0;
    std::memcpy(&table, arguments.data(), sizeof table);
    std::vector<std::byte> content(24);
    std::memcpy(content.data(), reinterpret_cast<const void*>(table), content.size());
    return inner.launch(content, shape, stream);
  }
};

TEST_F(Runner, TablesOnTheDeviceHoldTheAddressesOfTheTensorsThatAreThere) {
  const TablePlan tables;
  auto check = check_kernel(*session, tables, params, {}, TableKernel());
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed()) << check->worst()->report.text;
  EXPECT_EQ(check->lines.size(), 3u);
}

TEST_F(Runner, OperatorsAreProvenOnTheProblemThatThePlanMakesForIt) {
  TablePlan tables;
  auto check = check_kernel(*session, tables, params, {}, TableKernel(), {}, &good);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed());
  EXPECT_EQ(check->on_device, 3) << "no ragged problem is small, and none is wanted";
  EXPECT_EQ(tables.inner.on_host, 0);
  EXPECT_EQ(check->operators_text.rfind("three of them: ", 0), 0u) << check->operators_text;
  tables.wrong_proof = true;
  auto unproven = check_kernel(*session, tables, params, {}, TableKernel(), {}, &good);
  ASSERT_TRUE(unproven);
  EXPECT_EQ(unproven->on_device, 0);
}

}  // namespace
}  // namespace cutelab::profile
