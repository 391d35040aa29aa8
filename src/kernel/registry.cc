#include "kernel/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace cutelab::kernel {

namespace {

/// 0 of "v0"; nothing of a version with a name.
std::optional<long long> number_of_version(const std::string& version) {
  return version.starts_with("v") ? parse_integer(std::string_view(version).substr(1)) : std::nullopt;
}

}  // namespace

void order_versions(std::vector<Package>& packages) {
  const auto same = [](const Package& a, const Package& b) {
    return a.design == b.design && a.layer == b.layer && a.language == b.language;
  };
  const auto before = [](const Package& a, const Package& b) {
    const auto one = number_of_version(a.version), other = number_of_version(b.version);
    return one && other ? *one < *other : one.has_value() && !other.has_value();
  };
  for (auto first = packages.begin(); first != packages.end();) {
    const auto last =
        std::find_if_not(first, packages.end(), [&](const Package& p) { return same(*first, p); });
    std::stable_sort(first, last, before);
    first = last;
  }
}

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
