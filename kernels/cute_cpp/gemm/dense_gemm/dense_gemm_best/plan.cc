// dense_gemm best: the version that was measured fastest on problems of the same kind, and the others behind
// it.
#include <algorithm>

#include "../ladder_plan.h"

cutelab::kernel::Package cutelab_package_dense_gemm_v6();
cutelab::kernel::Package cutelab_package_dense_gemm_v7();
cutelab::kernel::Package cutelab_package_dense_gemm_v8();

namespace dense_gemm_best {
namespace {

using namespace dense_gemm;

/// A configuration of another version, which has that version's number among its values.
constexpr const char* version_name = "version";
constexpr std::size_t of_each = 8;  // configurations of a version that are offered

class Plan final : public kernel::KernelPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override { return last_.parameters(); }
  cutelab::Status check(const kernel::Params& params) const override { return last_.check(params); }
  kernel::Inputs prepare_inputs(const kernel::Params& params, kernel::Fill fill,
                                kernel::Seed seed) const override {
    return last_.prepare_inputs(params, fill, seed);
  }
  kernel::Outputs prepare_outputs(const kernel::Params& params) const override {
    return last_.prepare_outputs(params);
  }
  kernel::Outputs reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const override {
    return last_.reference_fn(params, inputs);
  }
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params& params) const override {
    return last_.device_reference(params);
  }
  kernel::Tolerance tolerance(const kernel::Params& params) const override { return last_.tolerance(params); }
  kernel::Work algorithmic_flops_bytes(const kernel::Params& params) const override {
    return last_.algorithmic_flops_bytes(params);
  }

  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override {
    std::vector<kernel::Config> all;
    for (const int version : order(problem_of(params))) {
      auto configs = plan_of(version).autotune_configs(params);
      if (configs.size() > of_each) configs.resize(of_each);
      for (auto& config : configs) {
        config.values[version_name] = version;
        all.push_back(std::move(config));
      }
    }
    std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
    return all;
  }

  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override {
    return plan_of(config.value(version_name)).ragged_params(params, config);
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const auto version = config.value(version_name);
    if (version < 6 || version > 8)
      return cutelab::Error{cutelab::ErrorKind::usage, "plan dense_gemm " + params.text(),
                            "the version is 6, 7 or 8", config.text(), ""};
    auto planned = plan_of(version).plan(params, config);
    if (planned) planned->defines.push_back("GEMM_VERSION=" + std::to_string(version));
    return planned;
  }

 private:
  /// What was measured on the H200 (docs/kernels/dense_gemm.md). Few rows or columns: memory is the limit,
  /// and v6 reaches it. Elsewhere v8, by halves, was as fast as ping-pong or faster.
  static std::vector<int> order(const Problem& p) {
    if (std::min(p.m, p.n) <= 128) return {6, 8, 7};
    return {8, 7, 6};
  }

  const kernel::KernelPlan& plan_of(std::int64_t version) const {
    return version == 6 ? *v6_ : version == 7 ? *v7_ : *v8_;
  }

  std::shared_ptr<const kernel::KernelPlan> v6_ = cutelab_package_dense_gemm_v6().plan;
  std::shared_ptr<const kernel::KernelPlan> v7_ = cutelab_package_dense_gemm_v7().plan;
  std::shared_ptr<const kernel::KernelPlan> v8_ = cutelab_package_dense_gemm_v8().plan;
  const kernel::KernelPlan& last_ = *v8_;
};

}  // namespace
}  // namespace dense_gemm_best

cutelab::kernel::Package cutelab_package_dense_gemm_best();
cutelab::kernel::Package cutelab_package_dense_gemm_best() {
  auto package =
      dense_gemm::package_of("best", "dense GEMM by the version that suits the problem: v6, v7 or v8",
                             std::make_shared<dense_gemm_best::Plan>());
  package.preferred = true;
  return package;
}
