#include "report/sarif.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cutelab::report {
namespace {
using evidence::Location;
using evidence::Reading;
using Json = nlohmann::ordered_json;

/// A path as a URI reference: what may not stand in one is percent-encoded.
std::string uri_of(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/+@").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

Json location_json(const Reading& reading, const Location& at) {
  const auto file = static_cast<std::size_t>(at.file);
  const std::string path = file < reading.files.size() ? reading.files[file].path : "";
  Json region = {{"startLine", std::max<std::uint32_t>(1, at.span.line)},
                 {"startColumn", std::max<std::uint32_t>(1, at.span.column)}};
  if (at.span.end_line >= at.span.line && at.span.end_line > 0) region["endLine"] = at.span.end_line;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(path)}}}, {"region", region}}}};
}

Json rule_json(const evidence::Lint& lint) {
  return {{"id", lint.id},
          {"shortDescription", {{"text", lint.title}}},
          {"help", {{"text", lint.remedy}}},
          {"defaultConfiguration", {{"level", name_of(lint.severity)}}}};
}

Json result_json(const Reading& reading, const evidence::Lint& lint, const evidence::LintFinding& finding,
                 std::size_t rule) {
  std::string text = finding.message;
  if (!finding.formula.empty()) text += " (" + finding.formula + ")";
  Json locations = Json::array(), related = Json::array();
  for (std::size_t i = 0; i < finding.at.size(); ++i)
    if (finding.at[i].known())
      (i == 0 ? locations : related).push_back(location_json(reading, finding.at[i]));
  Json out = {{"ruleId", lint.id},
              {"ruleIndex", rule},
              {"level", name_of(lint.severity)},
              {"message", {{"text", text}}},
              {"locations", locations}};
  if (!related.empty()) out["relatedLocations"] = related;
  return out;
}
}  // namespace

std::string sarif(const std::vector<Reading>& readings, const std::string& tool_version) {
  Json rules = Json::array(), results = Json::array();
  std::map<std::string, std::size_t> index;
  for (const Reading& reading : readings)
    for (const evidence::Lint& lint : reading.lints) {
      const auto [at, added] = index.emplace(lint.id, rules.size());
      if (added) rules.push_back(rule_json(lint));
      for (const evidence::LintFinding& finding : lint.findings)
        results.push_back(result_json(reading, lint, finding, at->second));
    }
  const Json driver = {{"name", "cutelab"}, {"version", tool_version}, {"rules", rules}};
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}}})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::report
