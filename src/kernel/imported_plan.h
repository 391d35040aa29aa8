#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/device_operators.h"
#include "kernel/imported_package.h"

namespace cutelab::kernel {

/// What of a call no description can settle: it does not run from here. What the export left undetermined,
/// elements of an unknown type, tensors that share memory.
std::vector<std::string> open_points(const ExportedCall& call);

/// A kernel that a CuTe DSL program compiles and calls: one class interprets the description of every
/// imported package. A problem is the program's own command line: its tensors, arguments and launch are those
/// of the call that the program makes of it. check() fetches that call, so it comes before everything that
/// asks for tensors.
class ImportedPlan final : public KernelPlan {
 public:
  /// `device`: how the operators of kernels/reference are called; null = the host computes every reference.
  ImportedPlan(PackageDescription description, std::shared_ptr<const Exporter> exporter,
               DeviceArguments device = nullptr)
      : description_(std::move(description)), exporter_(std::move(exporter)), device_(std::move(device)) {}

  std::vector<ParameterSpec> parameters() const override;
  /// Errors: those of the exporter.
  Status check(const Params& params) const override;
  Inputs prepare_inputs(const Params& params, Fill fill, Seed seed) const override;
  Outputs prepare_outputs(const Params& params) const override;
  Outputs reference_fn(const Params& params, const Inputs& inputs) const override;
  std::optional<DeviceReference> device_reference(const Params& params) const override;
  std::optional<OperatorProof> operator_proof(const Params& params) const override;
  Tolerance tolerance(const Params& params) const override;
  Tolerance tolerance_of(const Params& params, const std::string& output) const override;
  std::vector<Config> autotune_configs(const Params& params) const override;
  Work algorithmic_flops_bytes(const Params& params) const override;
  std::vector<Params> ragged_params(const Params& params, const Config& config) const override;
  Result<CuteKernel> plan(const Params& params, const Config& config) const override;
  std::string cannot_run_because() const override;

  const PackageDescription& description() const { return description_; }

 private:
  Error not_exported(Error error) const;
  Result<Exported> exported(const Params& params, const Config& config) const;
  /// A call and what the operator is on it, made out once: a group has thousands of problems.
  struct KnownCall {
    ExportedCall call;
    std::vector<Operator> groups;  ///< of each problem, with the call's numbers; none: it is not known
    std::unordered_map<std::string, std::size_t> results;  ///< whose result a tensor is
    std::unordered_map<std::string, std::size_t> takers;   ///< the first one that a tensor has a role in
  };
  KnownCall known_call(ExportedCall call) const;
  /// Of a problem that check() or plan() fetched; an empty one otherwise.
  const KnownCall& known_of(const Params& params) const;
  Config first_config() const;
  PackageDescription description_;
  std::shared_ptr<const Exporter> exporter_;
  DeviceArguments device_;
  mutable std::map<std::string, KnownCall> calls_;  ///< by the problem's text
};

}  // namespace cutelab::kernel
