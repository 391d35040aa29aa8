// package.json, strictly: a member of another form than docs/imports.md says is refused with its place.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json_document.h"
#include "base/text.h"
#include "kernel/imported_package.h"
#include "kernel/json_members.h"
#include "kernel/parameters.h"

namespace cutelab::kernel {
namespace {
constexpr std::int64_t most_components = 64;

ImportedParameter parameter_from(const GivenJson& object, const std::string& at, std::string& fault) {
  JsonMembers given(object, at, fault);
  ImportedParameter p;
  p.name = given.text("name");
  p.option = given.text("option");
  p.component = static_cast<int>(given.integer("component", -1, -1, most_components - 1));
  p.kind = given.text("kind");
  p.value = given.text("value");
  p.on_unless_given = given.truth("on_unless_given");
  p.choices = given.texts("choices");
  p.meaning = given.text("meaning", false);
  p.multiple_of = given.integer("multiple_of", 1, 1, INT64_C(1) << 40);
  given.end();
  static const std::set<std::string> kinds = {"integer", "real", "word", "switch", "tuples"};
  if (!kinds.count(p.kind))
    given.wrong("kind",
                fmt::format("'{}' is none of integer, real, switch, tuples, word", printable(p.kind)));
  if (p.name.empty()) given.wrong("name", "it is empty");
  const bool number = p.kind == "integer" || p.kind == "switch";
  if (number && !parse_integer(p.value)) given.wrong("value", "'" + printable(p.value) + "' is no number");
  if (p.kind == "word" && p.choices.empty()) given.wrong("choices", "a word wants choices");
  if (p.kind == "tuples" && !are_tuples(p.value))
    given.wrong("value", "'" + printable(p.value) + "' is no list of tuples, as (1,2),(3,4)");
  return p;
}

ImportedConfiguration configuration_from(const GivenJson& object, const std::string& at, std::string& fault) {
  JsonMembers given(object, at, fault);
  ImportedConfiguration c;
  for (const auto& [name, value] : given.object("values").items()) {
    if (!value.is_number_integer()) given.wrong("values." + printable(name), "it wants a whole number");
    c.values[name] = value.is_number_integer() ? value.get<std::int64_t>() : 0;
  }
  c.rejected_because = given.text("rejected_because", false);
  given.end();
  return c;
}

Operator operator_from(const GivenJson& object, std::string& fault) {
  JsonMembers given(object, "operator", fault);
  Operator op;
  op.name = given.text("name");
  for (const auto& [name, role] : given.object("roles").items()) {
    JsonMembers of(role, "operator.roles." + printable(name), fault);
    op.roles[name] = {of.text("tensor"), of.texts("modes")};
    of.end();
  }
  for (const auto& [name, number] : given.object("numbers").items()) {
    if (!number.is_number()) given.wrong("numbers." + printable(name), "it wants a number");
    op.numbers[name] = number.is_number() ? number.get<double>() : 0;
  }
  for (const auto& [name, called] : given.object("called", false).items()) {
    if (!called.is_string()) given.wrong("called." + printable(name), "it wants a text");
    op.called[name] = called.is_string() ? called.get<std::string>() : "";
  }
  given.end();
  return op;
}

std::map<std::string, std::string> ragged_from(const GivenJson& object, const std::string& at,
                                               std::string& fault) {
  JsonMembers given(object, at, fault);
  std::map<std::string, std::string> problem;
  if (!object.is_object()) return problem;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) given.wrong(printable(name), "it wants a text");
    problem[name] = value.is_string() ? value.get<std::string>() : "";
  }
  return problem;
}

/// The components of an option are 0, 1, 2 …, each once: its value is made of all of them.
std::string fault_of_components(const std::map<std::string, std::vector<int>>& options) {
  for (const auto& [option, given] : options) {
    std::vector<int> parts = given;
    std::sort(parts.begin(), parts.end());
    if (parts == std::vector<int>{-1}) continue;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i] != static_cast<int>(i))
        return fmt::format("option '{}' has the components {}; they are 0, 1, 2 … each once, or -1 alone",
                           printable(option), fmt::join(parts, ", "));
  }
  return "";
}

/// Whether a relative program leaves the folder that it is below.
bool leads_out(const std::string& program) {
  for (const auto& part : std::filesystem::path(program))
    if (part == "..") return true;
  return false;
}

/// What only several members together tell.
std::string fault_of(const PackageDescription& d) {
  if (d.design.empty() || d.version.empty() || d.layer.empty()) return "design, version or layer is empty";
  if (d.arch.rfind("sm_", 0) != 0) return "`architecture`: '" + printable(d.arch) + "' is none";
  if (d.program.empty()) return "`program`: it is empty";
  if (leads_out(d.program)) return "`program`: it leads out of the folder that it is below";
  std::set<std::string> names, settings;
  std::map<std::string, std::vector<int>> options;
  for (const auto* all : {&d.parameters, &d.configuration})
    for (const auto& p : *all) {
      if (!names.insert(p.name).second) return "two parameters named '" + printable(p.name) + "'";
      if (p.kind != "switch") options[p.option].push_back(p.component);
    }
  for (const auto& p : d.configuration) {
    if (p.kind != "integer" && p.kind != "switch")
      return "configuration is made of integers: " + printable(p.name);
    settings.insert(p.name);
  }
  if (d.configurations.empty()) return "`configurations`: it is empty; the default setting stands first";
  for (std::size_t i = 0; i < d.configurations.size(); ++i) {
    std::set<std::string> given;
    for (const auto& [name, value] : d.configurations[i].values) given.insert(name);
    if (given != settings)
      return fmt::format("`configurations[{}].values`: it has {{{}}}, and `configuration` {{{}}}", i,
                         printable(fmt::format("{}", fmt::join(given, ", "))), fmt::join(settings, ", "));
  }
  return fault_of_components(options);
}

PackageDescription description_from(const GivenJson& document, std::string& fault) {
  JsonMembers given(document, "", fault);
  PackageDescription d;
  given.text("schema");
  given.integer("schema_version", 0, 1, 1);
  d.layer = given.text("layer");
  d.design = given.text("design");
  d.version = given.text("version");
  d.summary = given.text("summary", false);
  d.arch = given.text("architecture");
  d.program = given.text("program");
  d.program_sha256 = given.text("program_sha256", false);
  d.dsl_version = given.text("dsl_version", false);
  d.fixed_flags = given.texts("fixed_flags");
  for (const char* name : {"parameters", "configuration"}) {
    auto& all = *name == 'p' ? d.parameters : d.configuration;
    for (const GivenJson& p : given.list(name))
      all.push_back(parameter_from(p, given.at(name, all.size()), fault));
  }
  for (const GivenJson& c : given.list("configurations"))
    d.configurations.push_back(
        configuration_from(c, given.at("configurations", d.configurations.size()), fault));
  for (const GivenJson& problem : given.list("ragged"))
    d.ragged.push_back(ragged_from(problem, given.at("ragged", d.ragged.size()), fault));
  const GivenJson& op = given.object("operator");
  if (fault.empty()) d.op = operator_from(op, fault);
  d.undetermined = given.texts("undetermined");
  d.assumed = given.texts("assumed");
  d.passed_over = given.texts("passed_over");
  given.end();
  return d;
}

}  // namespace

Result<PackageDescription> package_from_json(const std::string& text) {
  Error bad{ErrorKind::input, "read an imported package", "", "",
            "correct package.json, or import the program again"};
  auto document = json_document<GivenJson>(text, bad);
  if (!document) return document.error();
  const auto schema = document->is_object() ? document->find("schema") : document->end();
  if (!document->is_object() || schema == document->end() || *schema != "cutelab.package")
    bad.wrong = "it is not of schema cutelab.package";
  else if (!document->contains("schema_version") || (*document)["schema_version"] != 1)
    bad.wrong = "its schema_version is not 1, which this program reads";
  if (!bad.wrong.empty()) return bad;
  PackageDescription description = description_from(*document, bad.wrong);
  if (bad.wrong.empty()) bad.wrong = fault_of(description);
  if (!bad.wrong.empty()) return bad;
  return description;
}

}  // namespace cutelab::kernel
