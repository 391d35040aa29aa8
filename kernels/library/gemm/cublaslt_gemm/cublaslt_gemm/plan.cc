// cublaslt_gemm: NVIDIA's library behind the same interface as dense_gemm, with its heuristics as
// configurations.
#include <fmt/format.h>

#include <cstring>

#include "../../../../cute_cpp/gemm/dense_gemm/ladder_plan.h"
#include "params.h"

namespace cublaslt_gemm {
namespace {

namespace kernel = cutelab::kernel;

/// Problem, inputs, reference, tolerance and work are dense_gemm's.
class Plan final : public dense_gemm::LadderPlan {
 public:
  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config&) const override {
    std::vector<kernel::Params> all;
    for (const auto& [m, n, k, batch] :
         {std::array<std::int64_t, 4>{16, 16, 16, 1}, {264, 136, 528, 1}, {72, 264, 144, 3}}) {
      all.push_back(params);
      for (const auto& [name, value] : {std::pair{"m", m}, {"n", n}, {"k", k}, {"batch", batch}})
        all.back().set(name, value);
      all.back().set("beta", std::int64_t{batch > 1 ? 1 : 0});
    }
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    auto k = LadderPlan::plan(params, config);
    if (!k) return k;
    k->defines.clear();  // one build for every problem
    k->device_function = "cublasLt";
    k->launch = [](int) { return kernel::LaunchShape{}; };  // the library's own business
    k->arguments = [params, heuristic = config.value("heuristic")](const kernel::Addresses& at) {
      const auto p = dense_gemm::problem_of(params);
      const auto pointer = [&](const char* name) {
        return at.count(name) ? reinterpret_cast<void*>(at.at(name)) : nullptr;
      };
      const auto small = [](std::int64_t value) { return static_cast<int>(value); };
      const Params arguments{pointer("a"),
                             pointer("b"),
                             pointer("c"),
                             pointer("d"),
                             small(p.m),
                             small(p.n),
                             small(p.k),
                             small(p.batch),
                             static_cast<float>(params.number("alpha")),
                             static_cast<float>(params.number("beta")),
                             small(heuristic),
                             p.dtype == "fp16",
                             p.a_k_major,
                             p.b_k_major,
                             p.narrow(),
                             p.fast_sums,
                             static_cast<const float*>(pointer("scale_a")),
                             static_cast<const float*>(pointer("scale_b"))};
      std::vector<std::byte> bytes(sizeof arguments);
      std::memcpy(bytes.data(), &arguments, sizeof arguments);
      return bytes;
    };
    return k;
  }

 private:
  bool takes_e4m3(bool) const override { return true; }
  std::vector<kernel::Config> candidates(const dense_gemm::Problem&) const override {
    std::vector<kernel::Config> all;
    for (int i = 0; i < most_heuristics; ++i) all.push_back({{{"heuristic", i}}, ""});
    return all;
  }
  std::string rejection(const dense_gemm::Problem&, const kernel::Config& config) const override {
    const auto heuristic = config.value("heuristic");
    return heuristic >= 0 && heuristic < most_heuristics
               ? ""
               : fmt::format("heuristic {} is none of 0 to {}", heuristic, most_heuristics - 1);
  }
  dense_gemm::Candidate describe(const dense_gemm::Problem&, const kernel::Config& config) const override {
    dense_gemm::Candidate chosen;
    chosen.config = config;
    return chosen;
  }
};

}  // namespace
}  // namespace cublaslt_gemm

cutelab::kernel::Package cutelab_package_cublaslt_gemm();
cutelab::kernel::Package cutelab_package_cublaslt_gemm() {
  cutelab::kernel::Package package;
  package.language = "library";
  package.layer = "gemm";
  package.design = "cublaslt_gemm";
  package.version = "v0";
  package.summary = "dense GEMM by cuBLASLt: what its heuristics offer, each a configuration";
  package.architectures = {"sm_90a", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
  package.plan = std::make_shared<cublaslt_gemm::Plan>();
  return package;
}
