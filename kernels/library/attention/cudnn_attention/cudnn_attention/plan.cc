// cudnn_attention: NVIDIA's library behind the interface of attention packages, with its execution plans as
// configurations.
#include <fmt/format.h>

#include <cstring>

#include "../attention_plan.h"
#include "params.h"

namespace cudnn_attention {
namespace {

namespace kernel = cutelab::kernel;

class Plan final : public attention::AttentionPlan {
 public:
  std::vector<kernel::Config> autotune_configs(const kernel::Params&) const override {
    std::vector<kernel::Config> all;
    for (int i = 0; i < most_plans; ++i) all.push_back({{{"plan", i}}, ""});
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const auto which = config.value("plan");
    if (which < 0 || which >= most_plans)
      return cutelab::Error{cutelab::ErrorKind::usage, "plan attention " + params.text(),
                            fmt::format("plan {} is none of 0 to {}", which, most_plans - 1), config.text(),
                            "take one of the legal configurations (--dry-run lists them)"};
    const auto p = attention::problem_of(params);
    kernel::CuteKernel k;
    k.device_function = "cuDNN";
    k.launch = [](int) { return kernel::LaunchShape{}; };  // the library's own business
    k.arguments = [p, which](const kernel::Addresses& at) {
      const auto pointer = [&](const char* name) { return reinterpret_cast<void*>(at.at(name)); };
      const auto small = [](std::int64_t value) { return static_cast<int>(value); };
      const Params arguments{pointer("q"),
                             pointer("k"),
                             pointer("v"),
                             pointer("o"),
                             p.lse ? static_cast<float*>(pointer("lse")) : nullptr,
                             small(p.batch),
                             small(p.heads),
                             small(p.heads_kv),
                             small(p.queries),
                             small(p.keys),
                             small(p.d),
                             static_cast<float>(p.scale()),
                             p.causal,
                             p.dtype == kernel::DType::fp16,
                             small(which)};
      std::vector<std::byte> bytes(sizeof arguments);
      std::memcpy(bytes.data(), &arguments, sizeof arguments);
      return bytes;
    };
    return k;
  }
};

}  // namespace
}  // namespace cudnn_attention

cutelab::kernel::Package cutelab_package_cudnn_attention();
cutelab::kernel::Package cutelab_package_cudnn_attention() {
  cutelab::kernel::Package package;
  package.language = "library";
  package.layer = "attention";
  package.design = "cudnn_attention";
  package.version = "v0";
  package.summary =
      "forward attention by cuDNN through cudnn-frontend: its execution plans, each a configuration";
  package.architectures = {"sm_90a", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
  package.headers = {"cudnn"};
  package.plan = std::make_shared<cudnn_attention::Plan>();
  return package;
}
