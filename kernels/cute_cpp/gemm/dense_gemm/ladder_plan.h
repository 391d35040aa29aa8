#pragma once
// What the versions of the ladder share on the host: the problem, its inputs, reference, tolerance and work.
// A version adds its configurations and how they are compiled and launched.
#include <optional>
#include <string>
#include <vector>

#include "kernel/registry.h"

namespace dense_gemm {

namespace kernel = cutelab::kernel;

/// Problem sizes in the caller's terms.
struct Problem {
  std::int64_t m, n, k, batch;
  std::string dtype;
  bool a_k_major, b_k_major;
  bool fast_sums;  // e4m3: the tensor cores' own sums will do
  bool narrow() const { return dtype == "e4m3"; }
  kernel::DType type() const { return kernel::dtype_of(dtype); }
  kernel::DType result_type() const { return narrow() ? kernel::DType::bf16 : type(); }
  std::int64_t element_bytes() const { return narrow() ? 1 : 2; }
};
Problem problem_of(const kernel::Params& params);

/// One way to compile and launch a version for a problem.
struct Candidate {
  kernel::Config config;
  std::vector<std::string> defines;
  unsigned block = 0;
  unsigned smem_bytes = 0;
  unsigned cluster = 1;
  std::int64_t clusters_of_work = 0;  // clusters that the problem has work for
  bool persistent = false;            // at most as many CTAs as multiprocessors
  bool swapped = false;               // computes Dᵀ = B · Aᵀ: operands and extents change places
  int tile_group = 1;
};

class LadderPlan : public kernel::KernelPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override;
  cutelab::Status check(const kernel::Params& params) const override;
  kernel::Inputs prepare_inputs(const kernel::Params& params, kernel::Fill fill,
                                kernel::Seed seed) const override;
  kernel::Outputs prepare_outputs(const kernel::Params& params) const override;
  /// Products exact in fp32, summed in fp32 over at most 64 of them, the rest in double. All processors work
  /// on it.
  kernel::Outputs reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const override;
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params& params) const override;
  kernel::Tolerance tolerance(const kernel::Params& params) const override;
  kernel::Work algorithmic_flops_bytes(const kernel::Params& params) const override;
  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override;
  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override;
  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override;

 protected:
  /// Named numbers in the order of preference, legal or not.
  virtual std::vector<kernel::Config> candidates(const Problem& problem) const = 0;
  /// Why this version cannot run the problem that way; empty = it can.
  virtual std::string rejection(const Problem& problem, const kernel::Config& config) const = 0;
  virtual bool takes_e4m3(bool /*fast_sums*/) const { return false; }
  /// rejection(), or that the version does not take the problem's type.
  std::string refusal(const Problem& problem, const kernel::Config& config) const;
  /// Precondition: refusal() is empty.
  virtual Candidate describe(const Problem& problem, const kernel::Config& config) const = 0;
};

/// Tiles of `tile` that cover `extent`.
constexpr std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

/// Multiprocessors that configurations are ranked for; the launch asks the device.
constexpr std::int64_t ranked_for_sms = 132;  // H100 SXM, H200

/// "GEMM_TILE_M=128" … for every number of the configuration that the kernel is compiled for.
std::vector<std::string> defines_of(const kernel::Config& config, const std::vector<std::string>& names);
/// GEMM_ODD_TILE_N where WGMMA's width is none of CuTe's common ones.
void define_width(std::int64_t tile_n, std::vector<std::string>& defines);

kernel::Package package_of(const std::string& version, const std::string& summary,
                           std::shared_ptr<const kernel::KernelPlan> plan);

}  // namespace dense_gemm
