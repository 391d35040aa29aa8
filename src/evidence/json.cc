#include "evidence/json.h"

#include <array>
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

class Writer {
 public:
  explicit Writer(const Reading& reading) : reading_(reading) {}

  Json location(const Location& at) const {
    if (!at.known()) return nullptr;
    const auto file = static_cast<std::size_t>(at.file);
    const bool named = at.file >= 0 && file < reading_.files.size();
    return {{"file", named ? Json(reading_.files[file].path) : Json(nullptr)},
            {"line", at.span.line},
            {"end_line", at.span.end_line},
            {"column", at.span.column},
            {"begin", at.span.begin},
            {"end", at.span.end}};
  }

  Json locations(const std::vector<Location>& all) const {
    return list(all, [&](const Location& at) { return location(at); });
  }

  Json value(const Value& value) const {
    Json out = {{"value", plain(value)},
                {"text", value.text()},
                {"known_by", name_of(value.known_by)},
                {"formula", value.formula},
                {"origins", locations(value.origins)},
                {"undetermined", nullptr},
                {"items", nullptr},
                {"non_finite", nullptr}};
    if (const Undetermined* unknown = value.undetermined())
      out["undetermined"] = {
          {"reason", unknown->reason}, {"depends_on", unknown->depends_on}, {"at", location(unknown->at)}};
    if (const Value::List* items = value.list(); items && !all_plain(*items))
      out["items"] = list(*items, [&](const Value& item) { return this->value(item); });
    if (const double* number = std::get_if<double>(&value.data); number && !std::isfinite(*number))
      out["non_finite"] = number_json(*number);
    return out;
  }

  Json values(const std::map<std::string, Value>& all) const {
    Json out = Json::object();
    for (const auto& [name, value] : all) out[name] = this->value(value);
    return out;
  }

  template <class Items, class Each>
  static Json list(const Items& items, const Each& each) {
    Json out = Json::array();
    for (const auto& item : items) out.push_back(each(item));
    return out;
  }

 private:
  /// The bare value; null where undetermined. What it cannot carry stands in `undetermined`, `items` and
  /// `non_finite`.
  static Json plain(const Value& value) {
    if (value.undetermined()) return nullptr;
    if (const auto b = value.boolean()) return *b;
    if (const auto n = value.integer()) return *n;
    if (const auto* d = std::get_if<double>(&value.data)) return std::isfinite(*d) ? Json(*d) : Json(nullptr);
    if (const auto* s = value.string()) return *s;
    return list(*value.list(), [](const Value& item) { return plain(item); });
  }

  /// Whether `value` alone says everything about the items: plain literals without formula and origin.
  static bool all_plain(const Value::List& items) {
    for (const Value& item : items) {
      if (!item.formula.empty() || !item.origins.empty() || item.known_by != KnownBy::literal) return false;
      if (item.undetermined()) return false;
      if (const auto* d = std::get_if<double>(&item.data); d && !std::isfinite(*d)) return false;
      if (const auto* inner = item.list(); inner && !all_plain(*inner)) return false;
    }
    return true;
  }

  const Reading& reading_;
};

Json function_json(const Function& function, const Reading& reading, const Writer& write) {
  const auto call = [&](const Function::Call& c) -> Json {
    const auto callee = static_cast<std::size_t>(c.callee);
    const bool named = c.callee >= 0 && callee < reading.functions.size();
    return {{"callee", c.callee},
            {"name", named ? Json(reading.functions[callee].name) : Json(nullptr)},
            {"launches", c.launches},
            {"at", write.location(c.at)}};
  };
  return {{"name", function.name},
          {"kind", name_of(function.kind)},
          {"at", write.location(function.at)},
          {"calls", Writer::list(function.calls, call)}};
}

Json fact_json(const Fact& fact, const Writer& write) {
  return {{"family", name_of(fact.family)}, {"kind", fact.kind},
          {"subject", fact.subject},        {"says", fact.says},
          {"at", write.location(fact.at)},  {"values", write.values(fact.values)},
          {"kernel", fact.kernel},          {"role", fact.role},
          {"optional", fact.optional},      {"known_by", name_of(fact.known_by)}};
}

Json pattern_json(const PatternFinding& pattern, const Writer& write) {
  const Json active = pattern.default_active == Tristate::undetermined
                          ? Json(nullptr)
                          : Json(pattern.default_active == Tristate::yes);
  return {{"id", pattern.id},
          {"title", pattern.title},
          {"present", pattern.present},
          {"default_active", active},
          {"kind", pattern.kind},
          {"condition", pattern.condition},
          {"says", pattern.says},
          {"at", write.locations(pattern.at)},
          {"values", write.values(pattern.values)}};
}

Json arch_json(const ArchRequirement& arch, const Writer& write) {
  const auto line = [&](const ArchRequirement::Line& l) -> Json {
    return {{"at", write.location(l.at)}, {"minimum", l.minimum}, {"reason", l.reason}};
  };
  return {{"minimum", arch.minimum.empty() ? Json(nullptr) : Json(arch.minimum)},
          {"family", arch.family},
          {"reason", arch.reason},
          {"at", write.locations(arch.at)},
          {"lines", Writer::list(arch.lines, line)}};
}

Json undetermined_json(const Undetermined& unknown, const Writer& write) {
  return {{"reason", unknown.reason}, {"depends_on", unknown.depends_on}, {"at", write.location(unknown.at)}};
}

Json conflict_json(const DefaultConflict& conflict, const Writer& write) {
  const auto stated = [&](const DefaultConflict::Stated& s) -> Json {
    return {{"by", s.by}, {"value", write.value(s.value)}, {"at", write.location(s.at)}};
  };
  return {{"name", conflict.name}, {"stated", Writer::list(conflict.stated, stated)}};
}

Json lint_json(const Lint& lint, const Writer& write) {
  const auto finding = [&](const LintFinding& f) -> Json {
    return {{"message", f.message}, {"formula", f.formula}, {"at", write.locations(f.at)}};
  };
  return {{"id", lint.id},
          {"title", lint.title},
          {"remedy", lint.remedy},
          {"severity", name_of(lint.severity)},
          {"decided", lint.decided},
          {"findings", Writer::list(lint.findings, finding)},
          {"undecided", Writer::list(lint.undecided, [&](auto& u) { return undetermined_json(u, write); })}};
}

Json mode_json(const ModeVerdict& mode, const Writer& write) {
  return {{"tensor", mode.tensor},
          {"mode", mode.mode},
          {"verdict", mode.verdict},
          {"says", mode.says},
          {"at", write.location(mode.at)}};
}

Json totals_json(const Reading& reading) {
  const UndeterminedTotal total = undetermined_total(reading);
  return {{"facts", total.facts}, {"values", total.values}, {"undetermined", total.undetermined}};
}

Json file_json(const SourceFile& file) {
  return {{"path", file.path}, {"revision", file.revision}, {"lines", file.lines}};
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
          {"command", from.command}};
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

const char* name_of(KnownBy known_by) {
  static constexpr std::array<const char*, 5> names = {"literal", "computed", "compiled", "recorded",
                                                       "measured"};
  return names.at(static_cast<std::size_t>(known_by));
}

const char* name_of(Severity severity) {
  static constexpr std::array<const char*, 3> names = {"note", "warning", "error"};
  return names.at(static_cast<std::size_t>(severity));
}

const char* name_of(Constraint::Verdict verdict) {
  static constexpr std::array<const char*, 4> names = {"not-understood", "satisfied", "violated",
                                                       "undetermined"};
  return names.at(static_cast<std::size_t>(verdict));
}

const char* name_of(Function::Kind kind) {
  static constexpr std::array<const char*, 4> names = {"host", "jit", "kernel", "device"};
  return names.at(static_cast<std::size_t>(kind));
}

nlohmann::ordered_json to_json(const Value& value, const Reading& reading) {
  return Writer(reading).value(value);
}

nlohmann::ordered_json to_json(const Reading& reading) {
  const Writer write(reading);
  return {
      {"schema", "cutelab.reading"},
      {"schema_version", Reading::schema_version},
      {"files", Writer::list(reading.files, file_json)},
      {"language", reading.language},
      {"style", reading.style},
      {"summary", reading.summary},
      {"helper", reading.helper},
      {"totals", totals_json(reading)},
      {"arch", arch_json(reading.arch, write)},
      {"patterns", Writer::list(reading.patterns, [&](auto& p) { return pattern_json(p, write); })},
      {"facts", Writer::list(reading.facts, [&](auto& f) { return fact_json(f, write); })},
      {"functions",
       Writer::list(reading.functions, [&](auto& f) { return function_json(f, reading, write); })},
      {"flags", Writer::list(reading.flags,
                             [&](const CommandFlag& f) -> Json {
                               return {{"name", f.name},
                                       {"help", f.help},
                                       {"default_value", write.value(f.default_value)},
                                       {"at", write.location(f.at)}};
                             })},
      {"imports",
       Writer::list(reading.imports,
                    [&](const LocalImport& i) -> Json {
                      return {{"module", i.module}, {"resolved", i.resolved}, {"at", write.location(i.at)}};
                    })},
      {"constraints", Writer::list(reading.constraints,
                                   [&](const Constraint& c) -> Json {
                                     return {{"text", c.text},
                                             {"at", write.location(c.at)},
                                             {"verdict", name_of(c.verdict)},
                                             {"says", c.says}};
                                   })},
      {"default_conflicts",
       Writer::list(reading.default_conflicts, [&](auto& c) { return conflict_json(c, write); })},
      {"problems", Writer::list(reading.problems,
                                [&](const ParseProblem& p) -> Json {
                                  return {{"what", p.what}, {"at", write.location(p.at)}};
                                })},
      {"give_ups", Writer::list(reading.give_ups, [&](auto& u) { return undetermined_json(u, write); })},
      {"lints", Writer::list(reading.lints, [&](auto& l) { return lint_json(l, write); })},
      {"boundaries", Writer::list(reading.boundaries, [&](auto& m) { return mode_json(m, write); })}};
}

nlohmann::ordered_json to_json(const Run& run) {
  return {{"schema", "cutelab.run"},
          {"schema_version", Run::schema_version},
          {"kernel", run.kernel},
          {"version", run.version},
          {"language", run.language},
          {"prof_type", run.prof_type},
          {"provenance", provenance_json(run.provenance)},
          {"metrics", Writer::list(run.metrics, metric_json)},
          {"samples_us", Writer::list(run.samples_us, number_json)},
          {"check", check_json(run.check)},
          {"trust", {{"verdict", run.trust.verdict}, {"reasons", run.trust.reasons}}},
          {"outcome", {{"kind", run.outcome.kind}, {"reason", run.outcome.reason}}},
          {"notes", run.notes}};
}

std::string json_text(const Reading& reading) { return text_of(to_json(reading)); }
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
  kept["provenance"].erase("command");
  return text_of(kept);
}

std::string json_text(const std::vector<Reading>& readings) {
  // One reading at a time: a whole example tree as one JSON value would take hundreds of megabytes.
  std::string out =
      "{\n\"schema\": \"cutelab.readings\",\n\"schema_version\": " + std::to_string(Reading::schema_version) +
      ",\n\"readings\": [\n";
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (i > 0) out += ",\n";
    out += to_json(readings[i]).dump(2, ' ', false, Json::error_handler_t::replace);
  }
  return out + "\n]\n}\n";
}

}  // namespace cutelab::evidence
