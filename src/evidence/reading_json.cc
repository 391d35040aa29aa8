#include <array>
#include <cmath>

#include "evidence/json.h"
#include "evidence/json_text.h"

namespace cutelab::evidence {
namespace {
/// JSON has no infinity and no NaN; a check against garbage gives both, so they travel by name.
const char* non_finite_name(double number) {
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

/// Writes the parts of one reading, members in the order of docs/schema.md.
class Writer {
 public:
  Writer(const Reading& reading, std::string& out) : reading_(reading), json_(out) {}

  void reading(const Knowledge* known) {
    json_.begin_object();
    json_.member("schema", "cutelab.reading");
    json_.member("schema_version", Reading::schema_version);
    json_.list("files", reading_.files, [&](const SourceFile& f) { file(f); });
    json_.member("language", reading_.language);
    json_.member("style", reading_.style);
    json_.member("summary", reading_.summary);
    json_.member("helper", reading_.helper);
    totals();
    arch();
    json_.list("patterns", reading_.patterns, [&](const PatternFinding& p) { pattern(p); });
    json_.list("facts", reading_.facts, [&](const Fact& f) { fact(f); });
    json_.list("functions", reading_.functions, [&](const Function& f) { function(f); });
    json_.list("flags", reading_.flags, [&](const CommandFlag& f) { flag(f); });
    json_.list("imports", reading_.imports, [&](const LocalImport& i) { local_import(i); });
    json_.list("constraints", reading_.constraints, [&](const Constraint& c) { constraint(c); });
    json_.list("default_conflicts", reading_.default_conflicts,
               [&](const DefaultConflict& c) { conflict(c); });
    json_.list("problems", reading_.problems, [&](const ParseProblem& p) { problem(p); });
    json_.list("give_ups", reading_.give_ups, [&](const Undetermined& u) { undetermined(u); });
    json_.list("lints", reading_.lints, [&](const Lint& l) { lint(l); });
    json_.list("boundaries", reading_.boundaries, [&](const ModeVerdict& m) { mode(m); });
    json_.key("knowledge");
    knowledge(known);
    json_.end_object();
  }

  void value(const Value& value) {
    json_.begin_object();
    json_.key("value");
    plain(value);
    json_.member("text", value.text());
    json_.member("known_by", name_of(value.known_by));
    json_.member("formula", value.formula);
    locations("origins", value.origins);
    json_.key("undetermined");
    if (const Undetermined* unknown = value.undetermined())
      undetermined(*unknown);
    else
      json_.null();
    json_.key("items");
    if (const Value::List* items = value.list(); items && !all_plain(*items))
      json_.list(*items, [&](const Value& item) { this->value(item); });
    else
      json_.null();
    json_.key("non_finite");
    if (const double* number = std::get_if<double>(&value.data); number && !std::isfinite(*number))
      json_.value(non_finite_name(*number));
    else
      json_.null();
    json_.end_object();
  }

 private:
  void location(const Location& at) {
    if (!at.known()) return json_.null();
    const auto file = static_cast<std::size_t>(at.file);
    json_.begin_object();
    if (at.file >= 0 && file < reading_.files.size())
      json_.member("file", reading_.files[file].path);
    else
      json_.member_null("file");
    json_.member("line", at.span.line);
    json_.member("end_line", at.span.end_line);
    json_.member("column", at.span.column);
    json_.member("begin", at.span.begin);
    json_.member("end", at.span.end);
    json_.end_object();
  }

  void place(const Location& at) {
    json_.key("at");
    location(at);
  }

  void locations(std::string_view name, const std::vector<Location>& all) {
    json_.list(name, all, [&](const Location& at) { location(at); });
  }

  void texts(std::string_view name, const std::vector<std::string>& all) {
    json_.list(name, all, [&](const std::string& text) { json_.value(text); });
  }

  void values(const std::map<std::string, Value>& all) {
    json_.key("values");
    json_.begin_object();
    for (const auto& [name, value] : all) {
      json_.data_key(name);
      this->value(value);
    }
    json_.end_object();
  }

  /// The bare value; null where undetermined. What it cannot carry stands in `undetermined`, `items` and
  /// `non_finite`.
  void plain(const Value& value) {
    if (value.undetermined()) return json_.null();
    if (const auto b = value.boolean()) return json_.value(*b);
    if (const auto n = value.integer()) return json_.value(*n);
    if (const auto* d = std::get_if<double>(&value.data))
      return std::isfinite(*d) ? json_.value(*d) : json_.null();
    if (const auto* s = value.string()) return json_.value(*s);
    json_.list(*value.list(), [&](const Value& item) { plain(item); });
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

  void undetermined(const Undetermined& unknown) {
    json_.begin_object();
    json_.member("reason", unknown.reason);
    texts("depends_on", unknown.depends_on);
    place(unknown.at);
    json_.end_object();
  }

  void file(const SourceFile& file) {
    json_.begin_object();
    json_.member("path", file.path);
    json_.member("revision", file.revision);
    json_.member("lines", file.lines);
    json_.end_object();
  }

  void totals() {
    const UndeterminedTotal total = undetermined_total(reading_);
    json_.key("totals");
    json_.begin_object();
    json_.member("facts", total.facts);
    json_.member("values", total.values);
    json_.member("undetermined", total.undetermined);
    json_.end_object();
  }

  void arch() {
    const ArchRequirement& arch = reading_.arch;
    json_.key("arch");
    json_.begin_object();
    if (arch.minimum.empty())
      json_.member_null("minimum");
    else
      json_.member("minimum", arch.minimum);
    texts("family", arch.family);
    json_.member("reason", arch.reason);
    locations("at", arch.at);
    json_.list("lines", arch.lines, [&](const ArchRequirement::Line& l) {
      json_.begin_object();
      place(l.at);
      json_.member("minimum", l.minimum);
      json_.member("reason", l.reason);
      json_.end_object();
    });
    json_.end_object();
  }

  void pattern(const PatternFinding& pattern) {
    json_.begin_object();
    json_.member("id", pattern.id);
    json_.member("title", pattern.title);
    json_.member("present", pattern.present);
    if (pattern.default_active == Tristate::undetermined)
      json_.member_null("default_active");
    else
      json_.member("default_active", pattern.default_active == Tristate::yes);
    json_.member("kind", pattern.kind);
    json_.member("condition", pattern.condition);
    json_.member("says", pattern.says);
    locations("at", pattern.at);
    values(pattern.values);
    json_.end_object();
  }

  void fact(const Fact& fact) {
    json_.begin_object();
    json_.member("family", name_of(fact.family));
    json_.member("kind", fact.kind);
    json_.member("subject", fact.subject);
    json_.member("says", fact.says);
    place(fact.at);
    values(fact.values);
    json_.member("kernel", fact.kernel);
    json_.member("role", fact.role);
    json_.member("optional", fact.optional);
    json_.member("known_by", name_of(fact.known_by));
    json_.end_object();
  }

  void function(const Function& function) {
    json_.begin_object();
    json_.member("name", function.name);
    json_.member("kind", name_of(function.kind));
    place(function.at);
    json_.list("calls", function.calls, [&](const Function::Call& c) { call(c); });
    json_.end_object();
  }

  void call(const Function::Call& call) {
    const auto callee = static_cast<std::size_t>(call.callee);
    json_.begin_object();
    json_.member("callee", call.callee);
    if (call.callee >= 0 && callee < reading_.functions.size())
      json_.member("name", reading_.functions[callee].name);
    else
      json_.member_null("name");
    json_.member("launches", call.launches);
    place(call.at);
    json_.end_object();
  }

  void flag(const CommandFlag& flag) {
    json_.begin_object();
    json_.member("name", flag.name);
    json_.member("help", flag.help);
    json_.key("default_value");
    value(flag.default_value);
    place(flag.at);
    json_.end_object();
  }

  void local_import(const LocalImport& import) {
    json_.begin_object();
    json_.member("module", import.module);
    json_.member("resolved", import.resolved);
    place(import.at);
    json_.end_object();
  }

  void constraint(const Constraint& constraint) {
    json_.begin_object();
    json_.member("text", constraint.text);
    place(constraint.at);
    json_.member("verdict", name_of(constraint.verdict));
    json_.member("says", constraint.says);
    json_.end_object();
  }

  void conflict(const DefaultConflict& conflict) {
    json_.begin_object();
    json_.member("name", conflict.name);
    json_.list("stated", conflict.stated, [&](const DefaultConflict::Stated& s) {
      json_.begin_object();
      json_.member("by", s.by);
      json_.key("value");
      value(s.value);
      place(s.at);
      json_.end_object();
    });
    json_.end_object();
  }

  void problem(const ParseProblem& problem) {
    json_.begin_object();
    json_.member("what", problem.what);
    place(problem.at);
    json_.end_object();
  }

  void lint(const Lint& lint) {
    json_.begin_object();
    json_.member("id", lint.id);
    json_.member("title", lint.title);
    json_.member("remedy", lint.remedy);
    json_.member("severity", name_of(lint.severity));
    json_.member("decided", lint.decided);
    json_.list("findings", lint.findings, [&](const LintFinding& f) {
      json_.begin_object();
      json_.member("message", f.message);
      json_.member("formula", f.formula);
      locations("at", f.at);
      json_.end_object();
    });
    json_.list("undecided", lint.undecided, [&](const Undetermined& u) { undetermined(u); });
    json_.end_object();
  }

  void mode(const ModeVerdict& mode) {
    json_.begin_object();
    json_.member("tensor", mode.tensor);
    json_.member("mode", mode.mode);
    json_.member("verdict", mode.verdict);
    json_.member("says", mode.says);
    place(mode.at);
    json_.end_object();
  }

  /// Places name files of the reading.
  void knowledge(const Knowledge* known) {
    if (!known) return json_.null();
    json_.begin_object();
    json_.member("folder", known->folder);
    json_.list("entries", known->entries, [&](const KnownEntry& e) {
      json_.begin_object();
      json_.member("relation", e.relation);
      json_.member("id", e.id);
      json_.member("title", e.title);
      json_.member("path", e.path);
      texts("patterns", e.patterns);
      texts("details", e.details);
      locations("at", e.at);
      json_.end_object();
    });
    texts("fresh", known->fresh);
    json_.end_object();
  }

  const Reading& reading_;
  JsonText json_;
};

/// Of the document of several readings.
std::string beginning() {
  return "{\n\"schema\": \"cutelab.readings\",\n\"schema_version\": " +
         std::to_string(Reading::schema_version) + ",\n\"readings\": [\n";
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

std::string json_text(const Reading& reading, const Knowledge* knowledge) {
  std::string out;
  Writer(reading, out).reading(knowledge);
  return out + "\n";
}

std::string json_text(const Value& value, const Reading& reading) {
  std::string out;
  Writer(reading, out).value(value);
  return out;
}

std::string_view ReadingsText::add(const Reading& reading, const Knowledge* knowledge) {
  part_.clear();
  part_ += begun_ ? ",\n" : beginning();
  begun_ = true;
  Writer(reading, part_).reading(knowledge);
  return part_;
}

std::string_view ReadingsText::end() {
  part_ = (begun_ ? "" : beginning()) + "\n]\n}\n";
  return part_;
}

std::string json_text(const std::vector<Reading>& readings, const std::vector<Knowledge>& knowledge) {
  std::string out;
  ReadingsText text;
  for (std::size_t i = 0; i < readings.size(); ++i)
    out += text.add(readings[i], i < knowledge.size() ? &knowledge[i] : nullptr);
  out += text.end();
  return out;
}

}  // namespace cutelab::evidence
