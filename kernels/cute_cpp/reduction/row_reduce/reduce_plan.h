#pragma once
// What every reduction of rows shares on the host: the problem, its inputs, reference, tolerance and work.
// y[r] = op over c of x[r][c], summed in fp32. Parameters and input are called as rmsnorm's, so that both can
// be compared on one x.
#include <optional>
#include <string>
#include <vector>

#include "kernel/registry.h"

namespace row_reduce {

namespace kernel = cutelab::kernel;

/// Operations by the order of their words: "sum", "largest", "least", "sum_of_squares".
enum class Op { sum, largest, least, sum_of_squares };

struct Problem {
  std::int64_t rows, columns;
  kernel::DType dtype;
  Op op;
};
Problem problem_of(const kernel::Params& params);

class ReducePlan : public kernel::KernelPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override;
  cutelab::Status check(const kernel::Params& params) const override;
  kernel::Inputs prepare_inputs(const kernel::Params& params, kernel::Fill fill,
                                kernel::Seed seed) const override;
  kernel::Outputs prepare_outputs(const kernel::Params& params) const override;
  kernel::Outputs reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const override;
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params& params) const override;
  kernel::Tolerance tolerance(const kernel::Params& params) const override;
  kernel::Work algorithmic_flops_bytes(const kernel::Params& params) const override;
  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override;
  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override;

 protected:
  /// Named numbers in the order of preference, legal or not.
  virtual std::vector<kernel::Config> candidates(const Problem& problem) const = 0;
  /// Why the problem cannot be done that way; empty = it can.
  virtual std::string rejection(const Problem& problem, const kernel::Config& config) const = 0;
  /// Whether code for `config` takes any number of rows and columns: a vector load wants columns of its
  /// width.
  virtual std::int64_t columns_multiple(const kernel::Config&) const { return 1; }
  /// The configuration's reason, else nothing.
  cutelab::Status refused(const kernel::Params& params, const kernel::Config& config) const;
};

}  // namespace row_reduce
