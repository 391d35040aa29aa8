#include "reading/machine/library.h"

#include <algorithm>
#include <array>

namespace cutelab::reading::machine {
namespace {
constexpr std::array<std::string_view, 17> plain_python = {
    "cutlass.utils", "cutlass.torch", "cutlass.base_dsl.enums", "cutlass.base_dsl.arch",
    // out of cutlass.utils since 4.8
    "cutlass.tensor_utils", "cutlass.memory", "cutlass.block", "cutlass.testing", "cutlass.cute.tuple",
    "cutlass.cute.testing", "cutlass.pipeline.helpers", "cutlass.cute.experimental", "cutlass.cute_ext",
    "cutlass.jax", "cutlass.experimental.task_scheduling.memory",
    "cutlass.experimental.task_scheduling.resources", "cutlass.experimental.task_scheduling.enums"};
}  // namespace

bool is_plain_python(std::string_view dotted) {
  return std::any_of(plain_python.begin(), plain_python.end(),
                     [&](std::string_view package) { return dotted.starts_with(package); });
}

source::Extent Library::extent_of(const std::string& path) {
  const auto begin = path.rfind("/cutlass/");
  if (begin == std::string::npos) return source::Extent::whole;
  std::string dotted = path.substr(begin + 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return is_plain_python(dotted) ? source::Extent::whole : source::Extent::outline;
}

}  // namespace cutelab::reading::machine
