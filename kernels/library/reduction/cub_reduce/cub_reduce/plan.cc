// cub_reduce: NVIDIA's CUB behind the same interface as row_reduce.
#include <fmt/format.h>

#include <cstring>

#include "../../../../cute_cpp/reduction/row_reduce/reduce_plan.h"
#include "params.h"

namespace cub_reduce {
namespace {

namespace kernel = cutelab::kernel;
using row_reduce::Problem;

/// Problem, input, reference, tolerance and work are row_reduce's.
class Plan final : public row_reduce::ReducePlan {
 public:
  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    if (auto s = refused(params, config); !s) return s.error();
    const Problem p = row_reduce::problem_of(params);
    kernel::CuteKernel k;
    k.device_function = "cub::DeviceReduce";               // several kernels under names of its own
    k.launch = [](int) { return kernel::LaunchShape{}; };  // the library's own business
    k.arguments = [p, method = config.value("method")](const kernel::Addresses& at) {
      const int dtype = p.dtype == kernel::DType::bf16 ? 0 : p.dtype == kernel::DType::fp16 ? 1 : 2;
      const Params arguments{reinterpret_cast<const void*>(at.at("x")),
                             reinterpret_cast<float*>(at.at("y")),
                             p.rows,
                             p.columns,
                             static_cast<int>(p.op),
                             dtype,
                             static_cast<int>(method)};
      std::vector<std::byte> bytes(sizeof arguments);
      std::memcpy(bytes.data(), &arguments, sizeof arguments);
      return bytes;
    };
    return k;
  }

 private:
  std::vector<kernel::Config> candidates(const Problem& p) const override {
    const std::int64_t first = p.rows == 1 ? 1 : 0;
    return {{{{"method", first}}, ""}, {{{"method", 1 - first}}, ""}};
  }
  std::string rejection(const Problem& p, const kernel::Config& config) const override {
    const auto method = config.value("method");
    if (method < 0 || method > 1) return fmt::format("method {} is none of 0 and 1", method);
    if (method == 1 && p.rows != 1) return fmt::format("cub::DeviceReduce gives one result, not {}", p.rows);
    return "";
  }
};

}  // namespace
}  // namespace cub_reduce

cutelab::kernel::Package cutelab_package_cub_reduce();
cutelab::kernel::Package cutelab_package_cub_reduce() {
  cutelab::kernel::Package package;
  package.language = "library";
  package.layer = "reduction";
  package.design = "cub_reduce";
  package.version = "v0";
  package.summary = "reduction of rows by CUB: a segment for each row, or the whole device for one";
  package.architectures = {"sm_90a", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
  package.headers = {"cub"};
  package.plan = std::make_shared<cub_reduce::Plan>();
  return package;
}
