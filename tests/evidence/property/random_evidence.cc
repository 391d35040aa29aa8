#include "evidence/property/random_evidence.h"

#include <limits>

namespace cutelab::evidence::testing {

std::string RandomEvidence::text() {
  static const std::string pieces[] = {"",
                                       "stages",
                                       "self.num_ab_stage",
                                       "\"",
                                       "\\",
                                       "\n\t\r",
                                       std::string("\x00\x01\x1b[31m", 7),
                                       "<b>&",
                                       "größe",
                                       "\xE6\xBC\xA2\xE5\xAD\x97",
                                       "\xF0\x9F\x9A\x80",
                                       "'; --",
                                       "{}[],:",
                                       "  "};
  std::string out;
  for (int i = below(4); i > 0; --i) out += pieces[below(static_cast<int>(std::size(pieces)))];
  if (below(40) == 0) out += std::string(5000, 'x');
  return out;
}

std::vector<std::string> RandomEvidence::texts() {
  std::vector<std::string> out;
  for (int i = below(3); i > 0; --i) out.push_back(text());
  return out;
}

Location RandomEvidence::location(const Reading& reading) {
  Location at;
  if (below(4) == 0) return at;
  at.file = below(static_cast<int>(reading.files.size()));
  const auto line = static_cast<std::uint32_t>(1 + below(5000));
  at.span = {line * 40, line * 40 + 7, line, line + static_cast<std::uint32_t>(below(9)),
             static_cast<std::uint32_t>(1 + below(90))};
  return at;
}

std::vector<Location> RandomEvidence::locations(const Reading& reading) {
  std::vector<Location> out;
  for (int i = below(3); i > 0; --i) out.push_back(location(reading));
  return out;
}

Value RandomEvidence::value(const Reading& reading, int depth) {
  static constexpr double doubles[] = {0.0,
                                       -1.5,
                                       1e300,
                                       1.0,
                                       5e-324,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity()};
  static constexpr std::int64_t integers[] = {0, -1, 214016, std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min()};
  Value out;
  switch (below(depth < 3 ? 6 : 5)) {
    case 0:
      out.data = Undetermined{text(), texts(), location(reading)};
      break;
    case 1:
      out.data = coin();
      break;
    case 2:
      out.data = integers[below(5)];
      break;
    case 3:
      out.data = doubles[below(7)];
      break;
    case 4:
      out.data = text();
      break;
    default: {
      Value::List items;
      for (int i = below(4); i > 0; --i) items.push_back(value(reading, depth + 1));
      out.data = std::move(items);
    }
  }
  if (coin()) out.formula = text();
  if (coin()) out.known_by = static_cast<KnownBy>(below(5));
  if (coin()) out.origins = locations(reading);
  return out;
}

std::map<std::string, Value> RandomEvidence::values(const Reading& reading) {
  std::map<std::string, Value> out;
  for (int i = below(4); i > 0; --i) out[text()] = value(reading, 0);
  return out;
}

Fact RandomEvidence::fact(const Reading& reading) {
  Fact out;
  out.family = all_families[below(static_cast<int>(std::size(all_families)))];
  out.kind = text();
  out.subject = text();
  out.says = text();
  out.at = location(reading);
  out.values = values(reading);
  out.kernel = text();
  out.role = text();
  out.optional = coin();
  out.known_by = static_cast<KnownBy>(below(5));
  return out;
}

PatternFinding RandomEvidence::pattern(const Reading& reading, int number) {
  PatternFinding out;
  out.id = "P" + std::to_string(number);
  out.title = text();
  out.present = coin();
  out.default_active = static_cast<Tristate>(below(3));
  out.kind = text();
  out.condition = text();
  out.says = text();
  out.at = locations(reading);
  out.values = values(reading);
  return out;
}

Function RandomEvidence::function(const Reading& reading) {
  Function out;
  out.name = text();
  out.kind = static_cast<Function::Kind>(below(4));
  out.at = location(reading);
  for (int i = below(3); i > 0; --i) out.calls.push_back({below(3), location(reading), coin()});
  return out;
}

Reading RandomEvidence::reading() {
  Reading out;
  for (int i = 0; i <= below(3); ++i)
    out.files.push_back({"folder/file" + std::to_string(i) + ".py", text(), below(5000)});
  out.language = text();
  out.style = text();
  out.summary = text();
  out.helper = coin();
  if (coin()) out.arch.minimum = "sm_90a";
  out.arch.family = texts();
  out.arch.reason = text();
  out.arch.at = locations(out);
  if (coin()) out.arch.lines.push_back({location(out), text(), text()});
  for (int i = 1; i <= 10; ++i) out.patterns.push_back(pattern(out, i));
  for (int i = below(9); i > 0; --i) out.facts.push_back(fact(out));
  for (int i = below(4); i > 0; --i) out.functions.push_back(function(out));
  for (int i = below(3); i > 0; --i) out.flags.push_back({text(), text(), value(out, 0), location(out)});
  for (int i = below(3); i > 0; --i) out.imports.push_back({text(), text(), location(out)});
  for (int i = below(3); i > 0; --i)
    out.constraints.push_back({text(), location(out), static_cast<Constraint::Verdict>(below(4)), text()});
  for (int i = below(3); i > 0; --i) {
    DefaultConflict conflict{text(), {}};
    for (int k = below(3); k > 0; --k) conflict.stated.push_back({text(), value(out, 0), location(out)});
    out.default_conflicts.push_back(std::move(conflict));
  }
  for (int i = below(3); i > 0; --i) out.give_ups.push_back({text(), texts(), location(out)});
  for (int i = below(3); i > 0; --i) out.problems.push_back({text(), location(out)});
  for (int i = below(3); i > 0; --i)
    out.lints.push_back({text(),
                         text(),
                         text(),
                         static_cast<Severity>(below(3)),
                         below(50),
                         {{text(), text(), locations(out)}},
                         {{text(), texts(), location(out)}}});
  for (int i = below(3); i > 0; --i)
    out.boundaries.push_back({text(), text(), text(), text(), location(out)});
  return out;
}

Run RandomEvidence::run() {
  Run out;
  out.kernel = text();
  out.version = text();
  out.language = text();
  out.prof_type = text();
  out.provenance = {text(), text(), text(), text(), text(), text(), text(), {}, text(), text()};
  out.outcome = {text(), text()};
  for (int i = below(3); i > 0; --i) out.provenance.configuration[text()] = text();
  for (int i = below(4); i > 0; --i)
    out.metrics.push_back(coin() ? Metric{text(), 1.5 * below(100), ""}
                                 : Metric{text(), std::nullopt, text()});
  for (int i = below(5); i > 0; --i) out.samples_us.push_back(0.25 * below(1000));
  out.check = {coin(), coin(), coin() ? std::numeric_limits<double>::infinity() : 1e-3, 2e-2, text(),
               text(), text()};
  out.trust = {text(), texts()};
  out.notes = texts();
  return out;
}

}  // namespace cutelab::evidence::testing
