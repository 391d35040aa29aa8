#pragma once
// What every version of forward attention shares on the host: the problem, its inputs, reference, tolerance
// and work. O = softmax(scale · Q · Kᵀ + mask) · V, scale = 1 / sqrt(d), tokens of one batch one after the
// other.
#include <optional>
#include <string>
#include <vector>

#include "kernel/registry.h"

namespace attention {

namespace kernel = cutelab::kernel;

struct Problem {
  std::int64_t batch, heads, heads_kv, queries, keys, d;
  bool causal;  ///< aligned at the end: the last query sees every key
  bool lse;     ///< the logarithms of the sums of exponentials are an output
  kernel::DType dtype;
  double scale() const;
};
Problem problem_of(const kernel::Params& params);

class AttentionPlan : public kernel::KernelPlan {
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
  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override;
};

}  // namespace attention
