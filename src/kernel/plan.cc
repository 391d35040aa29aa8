#include "kernel/plan.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cutelab::kernel {

const Tensor* TensorSet::find(const std::string& name) const {
  for (const Tensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

std::string Config::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, " ");
}

std::string LaunchShape::text() const {
  const auto extent = [](const std::array<unsigned, 3>& e) {
    return fmt::format("{}×{}×{}", e[0], e[1], e[2]);
  };
  return fmt::format("grid {}, block {}, cluster {}, {} B dynamic shared memory", extent(grid), extent(block),
                     extent(cluster), dynamic_smem_bytes);
}

}  // namespace cutelab::kernel
