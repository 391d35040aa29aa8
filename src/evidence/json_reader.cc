#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evidence/json.h"
#include "evidence/json_node.h"

namespace cutelab::evidence {
namespace {
using json_node::Malformed;
using json_node::Node;
using json_node::ParsedJson;

constexpr int max_value_depth = 64;

template <class Enum>
Enum named(const Node& node, std::initializer_list<Enum> all) {
  const std::string name = node.string();
  for (const Enum e : all)
    if (name == name_of(e)) return e;
  node.fail(fmt::format("is '{}', which this version does not know", name));
}

KnownBy known_by(const Node& node) {
  return named(
      node, {KnownBy::literal, KnownBy::computed, KnownBy::compiled, KnownBy::recorded, KnownBy::measured});
}

class Reader {
 public:
  explicit Reader(const Node& root) : root_(root) {}

  Reading reading() {
    Reading out;
    out.files = root_.member("files").list(source_file);
    for (std::size_t i = 0; i < out.files.size(); ++i)
      file_index_.emplace(out.files[i].path, static_cast<int>(i));
    out.language = root_.member("language").string();
    out.style = root_.member("style").string();
    out.summary = root_.member("summary").string();
    out.helper = root_.member("helper").boolean();
    out.arch = arch(root_.member("arch"));
    out.patterns = root_.member("patterns").list([&](const Node& n) { return pattern(n); });
    out.facts = root_.member("facts").list([&](const Node& n) { return fact(n); });
    out.functions = root_.member("functions").list([&](const Node& n) { return function(n); });
    out.flags = root_.member("flags").list([&](const Node& n) {
      return CommandFlag{n.member("name").string(), n.member("help").string(),
                         value(n.member("default_value"), 0), location(n.member("at"))};
    });
    out.imports = root_.member("imports").list([&](const Node& n) {
      return LocalImport{n.member("module").string(), n.member("resolved").string(),
                         location(n.member("at"))};
    });
    out.constraints = root_.member("constraints").list([&](const Node& n) { return constraint(n); });
    out.problems = root_.member("problems").list([&](const Node& n) {
      return ParseProblem{n.member("what").string(), location(n.member("at"))};
    });
    if (const auto conflicts = root_.optional("default_conflicts"))
      out.default_conflicts = conflicts->list([&](const Node& n) { return conflict(n); });
    if (const auto given_up = root_.optional("give_ups"))
      out.give_ups = given_up->list([&](const Node& n) { return undetermined(n); });
    if (const auto lints = root_.optional("lints"))
      out.lints = lints->list([&](const Node& n) { return lint(n); });
    if (const auto modes = root_.optional("boundaries"))
      out.boundaries = modes->list([&](const Node& n) { return mode(n); });
    return out;
  }

 private:
  static SourceFile source_file(const Node& n) {
    return {n.member("path").string(), n.member("revision").string(), n.member("lines").small<int>()};
  }

  Location location(const Node& n) const {
    Location at;
    if (n.null()) return at;
    if (const Node file = n.member("file"); !file.null()) {
      const auto it = file_index_.find(file.string());
      if (it == file_index_.end()) file.fail("is not one of the reading's files");
      at.file = it->second;
    }
    at.span = {n.member("begin").small<std::uint32_t>(), n.member("end").small<std::uint32_t>(),
               n.member("line").small<std::uint32_t>(), n.member("end_line").small<std::uint32_t>(),
               n.member("column").small<std::uint32_t>()};
    return at;
  }

  std::vector<Location> locations(const Node& n) const {
    return n.list([&](const Node& at) { return location(at); });
  }

  /// A list item that is nothing but its data: see Writer::all_plain.
  static Value plain(const Node& n, int depth) {
    Value out;
    const ParsedJson& json = n.json();
    if (depth > max_value_depth) n.fail("is nested too deeply");
    if (json.is_boolean())
      out.data = n.boolean();
    else if (json.is_number_integer())
      out.data = n.integer();
    else if (json.is_number())
      out.data = n.number();
    else if (json.is_string())
      out.data = n.string();
    else
      out.data = n.list([&](const Node& item) { return plain(item, depth + 1); });
    return out;
  }

  Value value(const Node& n, int depth) const {
    if (depth > max_value_depth) n.fail("is nested too deeply");
    Value out;
    if (const Node unknown = n.member("undetermined"); !unknown.null())
      out.data = undetermined(unknown);
    else if (const Node special = n.member("non_finite"); !special.null())
      out.data = special.non_finite();
    else if (const Node items = n.member("items"); !items.null())
      out.data = items.list([&](const Node& item) { return value(item, depth + 1); });
    else
      out = plain(n.member("value"), depth);
    out.formula = n.member("formula").string();
    out.known_by = known_by(n.member("known_by"));
    out.origins = locations(n.member("origins"));
    return out;
  }

  std::map<std::string, Value> values(const Node& n) const {
    return n.map([&](const Node& v) { return value(v, 0); });
  }

  ArchRequirement arch(const Node& n) const {
    ArchRequirement out{n.member("minimum").string_or_null(),
                        n.member("family").strings(),
                        n.member("reason").string(),
                        locations(n.member("at")),
                        {}};
    if (const auto lines = n.optional("lines"))
      out.lines = lines->list([&](const Node& line) {
        return ArchRequirement::Line{location(line.member("at")), line.member("minimum").string(),
                                     line.member("reason").string()};
      });
    return out;
  }

  Fact fact(const Node& n) const {
    Fact out;
    const Node family_node = n.member("family");
    const std::string name = family_node.string();
    const auto* family = std::find_if(std::begin(all_families), std::end(all_families),
                                      [&](Family f) { return name == name_of(f); });
    if (family == std::end(all_families)) family_node.fail(fmt::format("is '{}', which is no family", name));
    out.family = *family;
    out.kind = n.member("kind").string();
    out.subject = n.member("subject").string();
    out.says = n.member("says").string();
    out.at = location(n.member("at"));
    out.values = values(n.member("values"));
    out.kernel = n.member("kernel").string();
    out.role = n.member("role").string();
    out.optional = n.member("optional").boolean();
    out.known_by = known_by(n.member("known_by"));
    return out;
  }

  PatternFinding pattern(const Node& n) const {
    PatternFinding out;
    out.id = n.member("id").string();
    out.title = n.member("title").string();
    out.present = n.member("present").boolean();
    const Node active = n.member("default_active");
    out.default_active = active.null()      ? Tristate::undetermined
                         : active.boolean() ? Tristate::yes
                                            : Tristate::no;
    out.kind = n.member("kind").string();
    out.condition = n.member("condition").string();
    out.says = n.member("says").string();
    out.at = locations(n.member("at"));
    out.values = values(n.member("values"));
    return out;
  }

  Lint lint(const Node& n) const {
    Lint out;
    for (auto [member, to] : {std::pair("id", &out.id), {"title", &out.title}, {"remedy", &out.remedy}})
      *to = n.member(member).string();
    out.severity = named(n.member("severity"), {Severity::note, Severity::warning, Severity::error});
    out.decided = n.member("decided").small<int>();
    out.findings = n.member("findings").list([&](const Node& f) {
      return LintFinding{f.member("message").string(), f.member("formula").string(),
                         locations(f.member("at"))};
    });
    out.undecided = n.member("undecided").list([&](const Node& u) { return undetermined(u); });
    return out;
  }

  Undetermined undetermined(const Node& n) const {
    return {n.member("reason").string(), n.member("depends_on").strings(), location(n.member("at"))};
  }

  Constraint constraint(const Node& n) const {
    using V = Constraint::Verdict;
    Constraint out{n.member("text").string(), location(n.member("at")), V::not_understood, ""};
    if (const auto verdict = n.optional("verdict"))
      out.verdict = named(*verdict, {V::not_understood, V::satisfied, V::violated, V::undetermined});
    if (const auto says = n.optional("says")) out.says = says->string();
    return out;
  }

  DefaultConflict conflict(const Node& n) const {
    return {n.member("name").string(), n.member("stated").list([&](const Node& s) {
              return DefaultConflict::Stated{s.member("by").string(), value(s.member("value"), 0),
                                             location(s.member("at"))};
            })};
  }

  ModeVerdict mode(const Node& n) const {
    return {n.member("tensor").string(), n.member("mode").string(), n.member("verdict").string(),
            n.member("says").string(), location(n.member("at"))};
  }

  Function function(const Node& n) const {
    Function out;
    out.name = n.member("name").string();
    out.kind = named(n.member("kind"), {Function::Kind::host, Function::Kind::jit, Function::Kind::kernel,
                                        Function::Kind::device});
    out.at = location(n.member("at"));
    out.calls = n.member("calls").list([&](const Node& c) {
      return Function::Call{c.member("callee").small<int>(), location(c.member("at")),
                            c.member("launches").boolean()};
    });
    return out;
  }

  Node root_;
  std::map<std::string, int> file_index_;
};

Provenance provenance(const Node& n) {
  return {n.member("device").string(),
          n.member("arch").string(),
          n.member("driver").string(),
          n.member("compiler").string(),
          n.member("source_hash").string(),
          n.member("tool_version").string(),
          n.member("time_utc").string(),
          n.member("configuration").map([](const Node& v) { return v.string(); }),
          n.optional("command") ? n.member("command").string() : "",
          n.optional("code_hash") ? n.member("code_hash").string() : ""};
}

Run::Check check(const Node& n) {
  Run::Check out;
  out.made = n.member("made").boolean();
  out.passed = n.member("passed").boolean();
  out.relative_error = n.member("relative_error").number();
  out.tolerance = n.member("tolerance").number();
  out.tolerance_reason = n.member("tolerance_reason").string();
  out.worst = n.member("worst").string();
  out.not_made_because = n.member("not_made_because").string();
  return out;
}

Run run(const Node& root) {
  Run out;
  out.kernel = root.member("kernel").string();
  out.version = root.member("version").string();
  out.language = root.member("language").string();
  out.prof_type = root.member("prof_type").string();
  out.provenance = provenance(root.member("provenance"));
  out.metrics = root.member("metrics").list([](const Node& m) {
    const Node value = m.member("value");
    return Metric{m.member("tag").string(),
                  value.null() ? std::nullopt : std::optional<double>(value.number()),
                  m.member("missing_because").string()};
  });
  out.samples_us = root.member("samples_us").list([](const Node& s) { return s.number(); });
  out.check = check(root.member("check"));
  if (const auto trust = root.optional("trust"))
    out.trust = {trust->member("verdict").string(), trust->member("reasons").strings()};
  if (const auto outcome = root.optional("outcome"))
    out.outcome = {outcome->member("kind").string(), outcome->member("reason").string()};
  out.notes = root.member("notes").strings();
  return out;
}

/// Parses, holds the text to `schema` and `version`, and turns Malformed into an Error.
template <class Build>
auto parsed(const std::string& text, const std::string& schema, int version, const Build& build)
    -> Result<decltype(build(std::declval<Node>()))> {
  const auto error = [&](std::string wrong, std::string where, std::string remedy) {
    return Error{ErrorKind::input, fmt::format("load a {} document", schema), std::move(wrong),
                 std::move(where), std::move(remedy)};
  };
  const ParsedJson json = ParsedJson::parse(text, nullptr, false);
  if (json.is_discarded()) return error("is not JSON", "", "write it again with `--json`");
  const Node root(json, "");
  try {
    const std::string got_schema = root.member("schema").string();
    const int got_version = root.member("schema_version").small<int>();
    if (got_schema != schema || got_version != version)
      return error(fmt::format("is {} version {}; this program reads {} version {}", got_schema, got_version,
                               schema, version),
                   "", "write it again with this version of cutelab");
    return build(root);
  } catch (const Malformed& m) {
    return error(m.path.empty() ? m.wrong : fmt::format("'{}' {}", m.path, m.wrong), m.path,
                 "docs/schema.md has the form");
  }
}

}  // namespace

Result<Reading> reading_from_json(const std::string& text) {
  return parsed(text, "cutelab.reading", Reading::schema_version,
                [](const Node& root) { return Reader(root).reading(); });
}

Result<std::vector<Run>> runs_from_json(const std::string& text) {
  if (auto one = run_from_json(text)) return std::vector<Run>{std::move(*one)};
  return parsed(text, "cutelab.runs", Run::schema_version, [](const Node& root) {
    return root.member("runs").list([](const Node& n) {
      if (n.member("schema_version").small<int>() != Run::schema_version) n.fail("is of another version");
      return run(n);
    });
  });
}

Result<Run> run_from_json(const std::string& text) {
  return parsed(text, "cutelab.run", Run::schema_version, [](const Node& root) { return run(root); });
}

}  // namespace cutelab::evidence
