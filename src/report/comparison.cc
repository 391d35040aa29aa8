#include "report/comparison.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "evidence/json.h"
#include "render/columns.h"

namespace cutelab::report {
namespace {
using evidence::Agreement;
using evidence::ComparedFact;
using evidence::ComparedValue;
using evidence::Comparison;
using render::Align;
using render::Style;

constexpr Agreement all_agreements[] = {Agreement::agree, Agreement::filled, Agreement::differ,
                                        Agreement::source_only, Agreement::compiled_only};

Style style_of(Agreement agreement) {
  if (agreement == Agreement::differ) return Style::bad;
  return agreement == Agreement::agree || agreement == Agreement::filled ? Style::good : Style::warn;
}

std::string words(const ComparedValue& value) {
  switch (value.agreement) {
    case Agreement::filled:
      return fmt::format("{} ? -> {}", value.name, value.compiled.text());
    case Agreement::differ:
      return fmt::format("{} {}, compiled {}", value.name, value.source.text(), value.compiled.text());
    default:
      return fmt::format("{} {}", value.name, value.compiled.text());
  }
}

std::string place_of(const Comparison& comparison, const evidence::Location& at) {
  if (!at.known()) return "";
  if (at.file == 0) return fmt::format(":{}", at.line());
  const std::string& path = comparison.files[static_cast<std::size_t>(at.file)].path;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), at.line());
}

std::string title(const Comparison& comparison) {
  const std::string path = comparison.files.empty() ? "?" : comparison.files[0].path;
  std::vector<std::string> counts;
  for (const Agreement agreement : all_agreements)
    counts.push_back(
        fmt::format("{} {}", comparison.count(agreement), replace_all(name_of(agreement), "-", " ")));
  return fmt::format("{} for {}, {}: {}", render::one_line(path.substr(path.rfind('/') + 1)), comparison.arch,
                     comparison.compiler, join(counts, ", "));
}

}  // namespace

const char* mark_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::agree:
      return "=";
    case Agreement::filled:
      return "+";
    case Agreement::differ:
      return "≠";
    case Agreement::source_only:
      return "<";
    case Agreement::compiled_only:
      return ">";
  }
  return "";
}

std::string comparison_words(const ComparedFact& fact) {
  std::vector<std::string> parts;
  for (const Agreement first :
       {Agreement::differ, Agreement::filled, Agreement::agree, Agreement::compiled_only})
    for (const ComparedValue& value : fact.values)
      if (value.agreement == first) parts.push_back(words(value));
  if (!fact.reason.empty()) parts.push_back(fact.reason);
  return join(parts, "; ");
}

std::string comparison(const Comparison& comparison, const ViewOptions& options, bool all) {
  render::Columns columns = {{{""},
                              {"", Align::left},
                              {"", Align::left, false, 14},
                              {"", Align::left, false, 24},
                              {"", Align::left, true, 30}},
                             {}};
  for (const ComparedFact& fact : comparison.facts) {
    if (fact.agreement == Agreement::agree && !all) continue;
    columns.rows.push_back({{mark_of(fact.agreement), style_of(fact.agreement)},
                            {place_of(comparison, fact.at), Style::place},
                            {fact.kind},
                            {render::one_line(fact.subject), Style::strong},
                            {render::one_line(comparison_words(fact))}});
  }
  std::string out = options.paint(Style::strong, title(comparison)) + "\n";
  if (!columns.rows.empty()) out += "\n" + render::columns(columns, options.width, options.paint);
  return out;
}

std::string comparison_json(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  evidence::Reading places;
  places.files = comparison.files;
  Json facts = Json::array();
  for (const ComparedFact& fact : comparison.facts) {
    Json values = Json::array();
    for (const ComparedValue& value : fact.values)
      values.push_back({{"name", value.name},
                        {"agreement", name_of(value.agreement)},
                        {"source", evidence::to_json(value.source, places)},
                        {"compiled", evidence::to_json(value.compiled, places)}});
    const bool placed = fact.at.known() && static_cast<std::size_t>(fact.at.file) < comparison.files.size();
    facts.push_back(
        {{"agreement", name_of(fact.agreement)},
         {"family", name_of(fact.family)},
         {"kind", fact.kind},
         {"subject", fact.subject},
         {"file", placed ? Json(comparison.files[static_cast<std::size_t>(fact.at.file)].path) : Json()},
         {"line", placed ? Json(fact.at.line()) : Json()},
         {"end_line", placed ? Json(fact.at.span.end_line) : Json()},
         {"values", std::move(values)},
         {"reason", fact.reason}});
  }
  Json counts = Json::object();
  for (const Agreement agreement : all_agreements) counts[name_of(agreement)] = comparison.count(agreement);
  const Json out = {{"schema", "cutelab.comparison"},
                    {"schema_version", 1},
                    {"file", comparison.files.empty() ? "" : comparison.files[0].path},
                    {"arch", comparison.arch},
                    {"compiler", comparison.compiler},
                    {"counts", std::move(counts)},
                    {"facts", std::move(facts)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::report
