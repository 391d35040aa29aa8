#include "evidence/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace cutelab::evidence {
namespace {
using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN; a check against garbage gives both, so they travel by name.
Json number_json(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

Json check_json(const Run::Check& check) {
  return {{"made", check.made},
          {"passed", check.passed},
          {"relative_error", number_json(check.relative_error)},
          {"tolerance", number_json(check.tolerance)},
          {"tolerance_reason", check.tolerance_reason},
          {"worst", check.worst},
          {"not_made_because", check.not_made_because}};
}

Json provenance_json(const Provenance& from) {
  Json configuration = Json::object();
  for (const auto& [name, value] : from.configuration) configuration[name] = value;
  return {{"device", from.device},           {"arch", from.arch},
          {"driver", from.driver},           {"compiler", from.compiler},
          {"source_hash", from.source_hash}, {"tool_version", from.tool_version},
          {"time_utc", from.time_utc},       {"configuration", configuration},
          {"command", from.command},         {"code_hash", from.code_hash}};
}

Json metric_json(const Metric& metric) {
  return {{"tag", metric.tag},
          {"value", metric.value ? number_json(*metric.value) : Json(nullptr)},
          {"missing_because", metric.missing_because}};
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

nlohmann::ordered_json to_json(const Run& run) {
  Json metrics = Json::array(), samples = Json::array();
  for (const Metric& metric : run.metrics) metrics.push_back(metric_json(metric));
  for (const double sample : run.samples_us) samples.push_back(number_json(sample));
  return {{"schema", "cutelab.run"},
          {"schema_version", Run::schema_version},
          {"kernel", run.kernel},
          {"version", run.version},
          {"language", run.language},
          {"prof_type", run.prof_type},
          {"provenance", provenance_json(run.provenance)},
          {"metrics", metrics},
          {"samples_us", samples},
          {"check", check_json(run.check)},
          {"trust", {{"verdict", run.trust.verdict}, {"reasons", run.trust.reasons}}},
          {"outcome", {{"kind", run.outcome.kind}, {"reason", run.outcome.reason}}},
          {"notes", run.notes}};
}

nlohmann::ordered_json to_json(const Value& value, const Reading& reading) {
  return Json::parse(json_text(value, reading));
}

std::string json_text(const Run& run) { return text_of(to_json(run)); }

std::string json_text(const std::vector<Run>& runs) {
  Json all = Json::array();
  for (const Run& run : runs) all.push_back(to_json(run));
  return text_of({{"schema", "cutelab.runs"}, {"schema_version", Run::schema_version}, {"runs", all}});
}

std::string identity_text(const Run& run) {
  const Json all = to_json(run);
  Json kept = Json::object();
  for (const char* name : {"schema", "schema_version", "kernel", "version", "language", "prof_type",
                           "provenance", "metrics", "samples_us", "check", "notes"})
    kept[name] = all.at(name);
  for (const char* newer : {"command", "code_hash"}) kept["provenance"].erase(newer);
  return text_of(kept);
}

}  // namespace cutelab::evidence
