#include "corpus/checkout.h"

#include "base/text.h"
#include "corpus/scan_support.h"

namespace cutelab::corpus {
namespace {

std::optional<int> defined(std::string_view text, std::string_view name) {
  const auto at = text.find("#define " + std::string(name) + " ");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + 9 + name.size());
  const auto value = parse_integer(trim(rest.substr(0, rest.find('\n'))));
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::optional<Release> header_release(const FileSource& files, const std::string& root) {
  const auto text = files.read(root + "/include/cutlass/version.h", 1u << 20);
  if (!text) return std::nullopt;
  const auto major = defined(*text, "CUTLASS_MAJOR"), minor = defined(*text, "CUTLASS_MINOR"),
             patch = defined(*text, "CUTLASS_PATCH");
  if (!major || !minor) return std::nullopt;
  return Release{*major, *minor, patch.value_or(0)};
}

std::optional<Release> pinned_dsl(const FileSource& files, const std::string& root) {
  const auto text = files.read(root + "/python/CuTeDSL/requirements.txt", 1u << 20);
  if (!text) return std::nullopt;
  for (const std::string_view line : split(*text, '\n')) {
    const std::string_view trimmed = trim(line);
    const auto equals = trimmed.find("==");
    if (trimmed.starts_with("nvidia-cutlass-dsl") && equals != std::string_view::npos)
      return parse_release(trim(trimmed.substr(equals + 2)));
  }
  return std::nullopt;
}

std::string dsl_example_root(const FileSource& files, const std::string& root) {
  const auto status = files.status(root + "/examples/python/CuTeDSL");
  return status && status->is_directory ? "examples/python/CuTeDSL" : "";
}

}  // namespace cutelab::corpus
