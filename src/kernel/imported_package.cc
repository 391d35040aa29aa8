#include "kernel/imported_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "kernel/imported_plan.h"

namespace cutelab::kernel {
namespace {
using PackageJson = nlohmann::ordered_json;

PackageJson json_of(const ImportedParameter& p) {
  PackageJson object = {{"name", p.name},
                        {"option", p.option},
                        {"component", p.component},
                        {"kind", p.kind},
                        {"value", p.value}};
  if (p.on_unless_given) object["on_unless_given"] = true;
  if (!p.choices.empty()) object["choices"] = p.choices;
  object["meaning"] = p.meaning;
  return object;
}

PackageJson json_of(const Operator& op) {
  PackageJson roles = PackageJson::object();
  for (const auto& [name, role] : op.roles) roles[name] = {{"tensor", role.tensor}, {"modes", role.modes}};
  return {{"name", op.name}, {"roles", std::move(roles)}, {"numbers", op.numbers}};
}

template <class Value>
Value member_or(const PackageJson& object, const char* name, Value otherwise) {
  const auto it = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || it == object.end()) return otherwise;
  try {
    return it->get<Value>();
  } catch (const PackageJson::exception&) {
    return otherwise;
  }
}

ImportedParameter parameter_from(const PackageJson& object) {
  ImportedParameter p;
  p.name = member_or<std::string>(object, "name", "");
  p.option = member_or<std::string>(object, "option", "");
  p.component = member_or(object, "component", -1);
  p.kind = member_or<std::string>(object, "kind", "");
  p.value = member_or<std::string>(object, "value", "");
  p.on_unless_given = member_or(object, "on_unless_given", false);
  p.choices = member_or(object, "choices", p.choices);
  p.meaning = member_or<std::string>(object, "meaning", "");
  return p;
}

Operator operator_from(const PackageJson& object) {
  Operator op;
  op.name = member_or<std::string>(object, "name", "");
  op.numbers = member_or(object, "numbers", op.numbers);
  if (object.is_object() && object.contains("roles") && object["roles"].is_object())
    for (const auto& [name, role] : object["roles"].items())
      op.roles[name] = {member_or<std::string>(role, "tensor", ""),
                        member_or(role, "modes", std::vector<std::string>{})};
  return op;
}

const PackageJson& array_of(const PackageJson& object, const char* name) {
  static const PackageJson none = PackageJson::array();
  const auto it = object.find(name);
  return it != object.end() && it->is_array() ? *it : none;
}

/// Names that a user can type, each once, and numbers where numbers belong.
std::string fault_of(const PackageDescription& d) {
  if (d.design.empty() || d.version.empty() || d.layer.empty()) return "design, version or layer is empty";
  if (d.arch.rfind("sm_", 0) != 0) return "no architecture";
  if (d.program.empty()) return "no program";
  std::vector<std::string> names;
  for (const auto* all : {&d.parameters, &d.configuration})
    for (const auto& p : *all) {
      if (p.name.empty() || std::count(names.begin(), names.end(), p.name))
        return "two parameters named '" + p.name + "'";
      names.push_back(p.name);
      const bool number = p.kind == "integer" || p.kind == "switch";
      if (number && !parse_integer(p.value)) return "'" + p.value + "' is no number: " + p.name;
      if (p.kind == "word" && p.choices.empty()) return "a word without choices: " + p.name;
    }
  for (const auto& p : d.configuration)
    if (p.kind != "integer" && p.kind != "switch") return "configuration is made of integers: " + p.name;
  return "";
}

}  // namespace

std::string to_json(const PackageDescription& d) {
  PackageJson parameters = PackageJson::array(), configuration = PackageJson::array(),
              configurations = PackageJson::array();
  for (const auto& p : d.parameters) parameters.push_back(json_of(p));
  for (const auto& p : d.configuration) configuration.push_back(json_of(p));
  for (const auto& c : d.configurations)
    configurations.push_back({{"values", c.values}, {"rejected_because", c.rejected_because}});
  const PackageJson document = {{"schema", "cutelab.package"},
                                {"schema_version", 1},
                                {"layer", d.layer},
                                {"design", d.design},
                                {"version", d.version},
                                {"summary", d.summary},
                                {"architecture", d.arch},
                                {"program", d.program},
                                {"program_sha256", d.program_sha256},
                                {"dsl_version", d.dsl_version},
                                {"fixed_flags", d.fixed_flags},
                                {"parameters", std::move(parameters)},
                                {"configuration", std::move(configuration)},
                                {"configurations", std::move(configurations)},
                                {"ragged", d.ragged},
                                {"operator", json_of(d.op)},
                                {"undetermined", d.undetermined},
                                {"assumed", d.assumed},
                                {"passed_over", d.passed_over}};
  return document.dump(1, ' ', false, PackageJson::error_handler_t::replace) + "\n";
}

Result<PackageDescription> package_from_json(const std::string& text) {
  const PackageJson document = PackageJson::parse(text, nullptr, false);
  const auto bad = [](std::string wrong) {
    return Error{ErrorKind::input, "read an imported package", std::move(wrong), "",
                 "correct package.json, or import the program again"};
  };
  if (!document.is_object() || member_or<std::string>(document, "schema", "") != "cutelab.package" ||
      member_or(document, "schema_version", 0) != 1)
    return bad("it is not of schema cutelab.package 1");
  PackageDescription d;
  d.layer = member_or<std::string>(document, "layer", "");
  d.design = member_or<std::string>(document, "design", "");
  d.version = member_or<std::string>(document, "version", "");
  d.summary = member_or<std::string>(document, "summary", "");
  d.arch = member_or<std::string>(document, "architecture", "");
  d.program = member_or<std::string>(document, "program", "");
  d.program_sha256 = member_or<std::string>(document, "program_sha256", "");
  d.dsl_version = member_or<std::string>(document, "dsl_version", "");
  d.fixed_flags = member_or(document, "fixed_flags", d.fixed_flags);
  for (const PackageJson& p : array_of(document, "parameters")) d.parameters.push_back(parameter_from(p));
  for (const PackageJson& p : array_of(document, "configuration"))
    d.configuration.push_back(parameter_from(p));
  for (const PackageJson& c : array_of(document, "configurations"))
    d.configurations.push_back({member_or(c, "values", std::map<std::string, std::int64_t>{}),
                                member_or<std::string>(c, "rejected_because", "")});
  d.ragged = member_or(document, "ragged", d.ragged);
  if (document.contains("operator")) d.op = operator_from(document["operator"]);
  d.undetermined = member_or(document, "undetermined", d.undetermined);
  d.assumed = member_or(document, "assumed", d.assumed);
  d.passed_over = member_or(document, "passed_over", d.passed_over);
  if (const std::string fault = fault_of(d); !fault.empty()) return bad(fault);
  return d;
}

std::vector<std::string> flags_of(const PackageDescription& d,
                                  const std::map<std::string, std::string>& values) {
  std::vector<std::string> options;
  std::map<std::string, std::map<int, std::string>> parts;
  std::vector<std::string> flags;
  for (const auto* all : {&d.parameters, &d.configuration}) {
    for (const auto& p : *all) {
      const auto it = values.find(p.name);
      const std::string& value = it == values.end() ? p.value : it->second;
      if (p.kind == "switch") {
        if ((value != "0") != p.on_unless_given) flags.push_back(p.option);
        continue;
      }
      if (!parts.count(p.option)) options.push_back(p.option);
      parts[p.option][p.component] = value;
    }
  }
  for (const std::string& option : options) {
    std::vector<std::string> words;
    for (const auto& [component, value] : parts[option]) words.push_back(value);
    const std::string value = join(words, ",");
    flags.push_back(option.empty() ? value : option + "=" + value);
  }
  std::stable_partition(flags.begin(), flags.end(),
                        [](const std::string& flag) { return flag.rfind("-", 0) == 0; });
  flags.insert(flags.begin(), d.fixed_flags.begin(), d.fixed_flags.end());
  return flags;
}

std::vector<Package> imported_packages(const FileSource& files, const std::string& root,
                                       const std::shared_ptr<const Exporter>& exporter,
                                       std::vector<std::string>& problems) {
  std::vector<Package> packages;
  const std::string below = root + "/kernels/cute_python";
  auto names = files.list(below, nullptr);
  if (!names) return packages;
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    if (!name.ends_with("/package.json")) continue;
    auto text = files.read(name, max_source_bytes);
    auto description = text ? package_from_json(*text) : Result<PackageDescription>(text.error());
    if (!description) {
      problems.push_back(fmt::format("{}: {}", name, description.error().wrong));
      continue;
    }
    Package package;
    package.language = "cute-dsl";
    package.layer = description->layer;
    package.design = description->design;
    package.version = description->version;
    package.folder = std::filesystem::path(name).parent_path().lexically_relative(root).string();
    package.summary = description->summary;
    package.architectures = {description->arch};
    package.plan = std::make_shared<ImportedPlan>(std::move(*description), exporter);
    packages.push_back(std::move(package));
  }
  return packages;
}

}  // namespace cutelab::kernel
