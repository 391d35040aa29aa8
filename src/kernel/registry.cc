#include "kernel/registry.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cutelab::kernel {

Result<Package> find_package(const std::vector<Package>& packages, const std::string& design,
                             const std::string& version) {
  std::vector<std::string> designs;
  std::vector<std::string> versions;
  const Package* base = nullptr;
  for (const Package& package : packages) {
    designs.push_back(package.design);
    if (package.design != design) continue;
    if (version.empty() ? package.preferred : package.version == version) return package;
    if (!base) base = &package;
    versions.push_back(package.version);
  }
  if (base && version.empty()) return *base;
  if (!versions.empty())
    return Error{ErrorKind::usage, fmt::format("kernel {} {}", design, version), "no such version", "",
                 "versions: " + join(versions, ", ")};
  const auto near = nearest(design, designs);
  return Error{
      ErrorKind::usage, "kernel " + design, "no such kernel package", "",
      near ? fmt::format("did you mean '{}'? `cutelab list` shows all", *near) : "`cutelab list` shows all"};
}

}  // namespace cutelab::kernel
