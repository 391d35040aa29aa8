#include "cli/kept_exports.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/exports.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;
using KeptRecord = nlohmann::json;

/// record.json of a kept export; null where it is no object.
KeptRecord record_in(const std::string& folder, const FileSource& files) {
  auto text = files.read(folder + "/record.json", most_record_bytes);
  KeptRecord record = text ? KeptRecord::parse(*text, nullptr, false) : KeptRecord();
  return record.is_object() ? record : KeptRecord();
}

/// A member of the form of `otherwise`, else that.
template <class Value>
Value member_of(const KeptRecord& object, const char* name, Value otherwise) {
  const auto it = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || it == object.end()) return otherwise;
  const bool fits = (it->is_string() && std::is_same_v<Value, std::string>) ||
                    (it->is_number() && std::is_same_v<Value, double>) ||
                    (it->is_boolean() && std::is_same_v<Value, bool>);
  return fits ? it->template get<Value>() : otherwise;
}

}  // namespace

Error in_file(Error error, const std::string& file) {
  error.where = file;
  error.remedy =
      "it was changed or cut off since it was written: delete its folder, the export is made anew then";
  return error;
}

bool sources_unchanged(const std::string& folder, const Context& context) {
  const KeptRecord record = record_in(folder, context.files);
  if (!record.is_object() || !record.contains("sources")) return false;
  for (const KeptRecord& source : record["sources"]) {
    if (!source.is_object()) return false;
    auto path = program_path(member_of<std::string>(source, "path", ""), context);
    auto now = path ? context.files.read(*path, max_source_bytes) : Result<std::string>(path.error());
    if (now && sha256(*now) != member_of<std::string>(source, "sha256", "")) return false;
  }
  return true;
}

std::vector<double> export_seconds(const Context& context) {
  std::vector<double> all;
  std::error_code failed;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(context.source_root + "/build/exports", failed);
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().filename() != "record.json") continue;
    const double seconds =
        member_of(record_in(entry->path().parent_path().string(), context.files), "seconds", 0.0);
    if (seconds > 0) all.push_back(seconds);
  }
  std::sort(all.begin(), all.end());
  return all;
}

Result<kernel::Exported> read_export(const std::string& folder, const FileSource& files) {
  const std::string file = folder + "/export.json";
  auto text = files.read(file, most_record_bytes);
  if (!text) return text.error();
  auto call = kernel::exported_call_from_json(*text);
  if (!call) return in_file(call.error(), file);
  const KeptRecord record = record_in(folder, files);
  const Error not_whole{ErrorKind::input, "take an export", "", "", ""};
  if (!call->exported()) {
    Error error = not_whole;
    error.wrong = "it names no entry point or no device code";
    return in_file(error, file);
  }
  if (!record.is_object()) {
    Error error = not_whole;
    error.wrong = "it cannot be read";
    return in_file(error, folder + "/record.json");
  }
  kernel::Exported exported;
  exported.folder = folder;
  exported.call = std::move(*call);
  exported.source_hash = member_of<std::string>(record, "source_hash", "");
  exported.dsl_version = member_of<std::string>(record, "dsl_version", "");
  exported.arch = member_of<std::string>(record, "arch", "");
  exported.seconds = member_of(record, "seconds", 0.0);
  exported.line_table = member_of(record, "line_table", false);
  return exported;
}

}  // namespace cutelab::cli
