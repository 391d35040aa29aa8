#pragma once
// A kernel that doubles, its plans and the fixture that runs them on the fake device.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "device/fake_device.h"
#include "profile/runner.h"

namespace cutelab::profile {

/// y[i] = 2 * x[i], on the fake device's memory, which is the host's.
struct DoublePlan final : kernel::KernelPlan {
  std::vector<kernel::ParameterSpec> parameters() const override {
    return {{"n", "elements", "8", 1, 1000, {}}};
  }
  Status check(const kernel::Params&) const override { return {}; }
  kernel::Inputs prepare_inputs(const kernel::Params& p, kernel::Fill fill,
                                kernel::Seed seed) const override {
    kernel::Tensor x("x", kernel::DType::fp32, {p.number("n")});
    x.fill(fill, seed);
    return {{x}};
  }
  kernel::Outputs prepare_outputs(const kernel::Params& p) const override {
    return {{kernel::Tensor("y", kernel::DType::fp32, {p.number("n")})}};
  }
  kernel::Outputs reference_fn(const kernel::Params& p, const kernel::Inputs& in) const override {
    auto out = prepare_outputs(p);
    for (int i = 0; i < p.number("n"); ++i) out.tensors[0].set(i, 2 * in.tensors[0].at(i));
    return out;
  }
  kernel::Tolerance tolerance(const kernel::Params&) const override { return {1e-7, 1e-7, 1e-30, "exact"}; }
  std::vector<kernel::Config> autotune_configs(const kernel::Params&) const override { return {{}}; }
  kernel::Work algorithmic_flops_bytes(const kernel::Params& p) const override {
    return {{{"fp32", static_cast<double>(p.number("n"))}}, Bytes(8 * p.number("n")), "8·n"};
  }
  std::vector<kernel::Params> ragged_params(const kernel::Params& p, const kernel::Config&) const override {
    auto one = p;
    one.set("n", std::int64_t{1});
    return {one};
  }
  Result<kernel::CuteKernel> plan(const kernel::Params& p, const kernel::Config&) const override {
    kernel::CuteKernel k;
    k.launch = [](int) { return kernel::LaunchShape{}; };
    k.arguments = [n = p.number("n")](const kernel::Addresses& at) {
      const unsigned long long values[] = {at.at("x"), at.at("y"), static_cast<unsigned long long>(n)};
      std::vector<std::byte> bytes(sizeof values);
      std::memcpy(bytes.data(), values, sizeof values);
      return bytes;
    };
    return k;
  }
};

struct HostKernel final : kernel::Launchable {
  int leave_out = 0;  ///< elements at the end that are not written
  Status launch(const std::vector<std::byte>& arguments, const kernel::LaunchShape&, void*) const override {
    unsigned long long values[3];
    std::memcpy(values, arguments.data(), sizeof values);
    const auto* x = reinterpret_cast<const float*>(values[0]);
    auto* y = reinterpret_cast<float*>(values[1]);
    for (int i = 0; i < static_cast<int>(values[2]) - leave_out; ++i) y[i] = 2 * x[i];
    return {};
  }
};

/// The same problem, but so large by its own account that the host would take too long for all but n = 1.
struct LargePlan final : kernel::KernelPlan {
  DoublePlan inner;
  mutable int on_host = 0;
  bool small_ones = true;
  bool writes_more = false;
  std::vector<kernel::ParameterSpec> parameters() const override { return inner.parameters(); }
  Status check(const kernel::Params& p) const override { return inner.check(p); }
  kernel::Inputs prepare_inputs(const kernel::Params& p, kernel::Fill f, kernel::Seed s) const override {
    return inner.prepare_inputs(p, f, s);
  }
  kernel::Outputs prepare_outputs(const kernel::Params& p) const override { return inner.prepare_outputs(p); }
  kernel::Outputs reference_fn(const kernel::Params& p, const kernel::Inputs& in) const override {
    ++on_host;
    return inner.reference_fn(p, in);
  }
  kernel::Tolerance tolerance(const kernel::Params& p) const override { return inner.tolerance(p); }
  std::vector<kernel::Config> autotune_configs(const kernel::Params& p) const override {
    return inner.autotune_configs(p);
  }
  kernel::Work algorithmic_flops_bytes(const kernel::Params& p) const override {
    return inner.algorithmic_flops_bytes(p);
  }
  std::vector<kernel::Params> ragged_params(const kernel::Params& p, const kernel::Config& c) const override {
    return small_ones ? inner.ragged_params(p, c) : std::vector<kernel::Params>();
  }
  Result<kernel::CuteKernel> plan(const kernel::Params& p, const kernel::Config& c) const override {
    return inner.plan(p, c);
  }
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params& p) const override {
    kernel::DeviceReference reference;
    reference.operations = p.number("n") > 1 ? 1e12 : 1;
    reference.outputs = inner.prepare_outputs(p);
    if (writes_more)
      reference.outputs.tensors.emplace_back("sums", kernel::DType::fp32, std::vector{p.number("n")});
    reference.arguments = [n = p.number("n")](const kernel::Addresses& in, const kernel::Addresses& out) {
      const unsigned long long values[] = {in.at("x"), out.at("y"), static_cast<unsigned long long>(n)};
      std::vector<std::byte> bytes(sizeof values);
      std::memcpy(bytes.data(), values, sizeof values);
      return bytes;
    };
    return reference;
  }
};

class Runner : public ::testing::Test {
 protected:
  Runner()
      : params(*kernel::parse_parameters("double", plan.parameters(), {})),
        session(*device::fake_device(machine)->open(0)) {}
  DoublePlan plan;
  kernel::Params params;
  device::FakeMachine machine;
  std::unique_ptr<device::Session> session;
  HostKernel good;
};

}  // namespace cutelab::profile
