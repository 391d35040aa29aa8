#include "cli/import_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_exports.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t most_copied_record_bytes = 16u << 20;

fs::path whole_path(const std::string& path) {
  std::error_code failed;
  const auto real = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? fs::absolute(path).lexically_normal() : real;
}

/// The program first.
std::vector<fs::path> files_of(const std::string& path, const kernel::Exported& exported,
                               const Context& context) {
  std::vector<fs::path> all = {whole_path(path)};
  const auto add = [&](const std::string& file) {
    const fs::path whole = whole_path(file);
    if (std::find(all.begin(), all.end(), whole) == all.end()) all.push_back(whole);
  };
  if (is_cpp_program(path)) {
    for (const std::string& file : local_includes(path, context.files)) add(file);
    return all;
  }
  auto text = context.files.read(exported.folder + "/record.json", most_copied_record_bytes);
  const auto record = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (record.is_object() && record.contains("sources"))
    for (const auto& source : record["sources"])
      if (auto file = program_path(source.value("path", ""), context)) add(*file);
  return all;
}

/// The innermost folder that all of them are below.
fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path common = files.front().parent_path();
  for (const fs::path& file : files)
    while (!common.empty() && common != common.root_path()) {
      const auto below = file.lexically_relative(common);
      if (!below.empty() && *below.begin() != "..") break;
      common = common.parent_path();
    }
  return common;
}

}  // namespace

Result<std::vector<PackageFile>> copied_sources(kernel::PackageDescription& d, const std::string& path,
                                                const kernel::Exported& exported, const Context& context) {
  const std::vector<fs::path> files = files_of(path, exported, context);
  const fs::path common = common_folder(files);
  if (common == common.root_path())
    return Error{ErrorKind::input, "copy the files of " + d.program, "they have no folder in common",
                 files.back().string(), "leave out --copy-helpers: by path they stay where they are"};
  std::vector<PackageFile> copies;
  for (const fs::path& file : files) {
    auto content = context.files.read(file.string(), max_source_bytes);
    if (!content) return content.error();
    copies.emplace_back("source/" + file.lexically_relative(common).string(), std::move(*content));
  }
  const std::string from = d.program;
  d.program = package_folder(d) + "/" + copies.front().first;
  d.assumed.push_back(fmt::format("{} and {} file{} beside it were copied to source/ at import", from,
                                  copies.size() - 1, copies.size() == 2 ? "" : "s"));
  return copies;
}

}  // namespace cutelab::cli
