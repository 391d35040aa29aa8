#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/plan.h"

namespace cutelab::kernel {

/// The base of a plan for the problem of another one: parameters, inputs, outputs, reference, tolerance and
/// work are that one's; configurations and launch are its own.
class SameProblem : public KernelPlan {
 public:
  explicit SameProblem(std::shared_ptr<const KernelPlan> of) : of_(std::move(of)) {}
  std::vector<ParameterSpec> parameters() const override { return of_->parameters(); }
  Status check(const Params& params) const override { return of_->check(params); }
  Inputs prepare_inputs(const Params& params, Fill fill, Seed seed) const override {
    return of_->prepare_inputs(params, fill, seed);
  }
  Outputs prepare_outputs(const Params& params) const override { return of_->prepare_outputs(params); }
  Outputs reference_fn(const Params& params, const Inputs& inputs) const override {
    return of_->reference_fn(params, inputs);
  }
  std::optional<DeviceReference> device_reference(const Params& params) const override {
    return of_->device_reference(params);
  }
  std::optional<OperatorProof> operator_proof(const Params& params) const override {
    return of_->operator_proof(params);
  }
  Tolerance tolerance(const Params& params) const override { return of_->tolerance(params); }
  Tolerance tolerance_of(const Params& params, const std::string& output) const override {
    return of_->tolerance_of(params, output);
  }
  Work algorithmic_flops_bytes(const Params& params) const override {
    return of_->algorithmic_flops_bytes(params);
  }

 private:
  std::shared_ptr<const KernelPlan> of_;
};

}  // namespace cutelab::kernel
