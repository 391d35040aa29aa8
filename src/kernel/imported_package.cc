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
  if (p.multiple_of > 1) object["multiple_of"] = p.multiple_of;
  return object;
}

PackageJson json_of(const Operator& op) {
  PackageJson roles = PackageJson::object();
  for (const auto& [name, role] : op.roles) roles[name] = {{"tensor", role.tensor}, {"modes", role.modes}};
  return {{"name", op.name}, {"roles", std::move(roles)}, {"numbers", op.numbers}, {"called", op.called}};
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
                                       std::vector<std::string>& problems, const DeviceArguments& device) {
  std::vector<Package> packages;
  std::vector<std::string> all;
  for (const char* folder : {"/kernels/cute_python", "/kernels/cute_cpp"})
    if (auto names = files.list(root + folder, nullptr)) all.insert(all.end(), names->begin(), names->end());
  std::sort(all.begin(), all.end());
  for (const std::string& name : all) {
    if (!name.ends_with("/package.json")) continue;
    auto text = files.read(name, max_source_bytes);
    auto description = text ? package_from_json(*text) : Result<PackageDescription>(text.error());
    if (!description) {
      problems.push_back(fmt::format("{}: {}", name, description.error().wrong));
      continue;
    }
    Package package;
    package.language = name.starts_with(root + "/kernels/cute_cpp/") ? "cute-cpp" : "cute-dsl";
    package.layer = description->layer;
    package.design = description->design;
    package.version = description->version;
    package.folder = std::filesystem::path(name).parent_path().lexically_relative(root).string();
    package.summary = description->summary;
    description->folder = package.folder;
    package.architectures = {description->arch};
    package.plan = std::make_shared<ImportedPlan>(std::move(*description), exporter, device);
    packages.push_back(std::move(package));
  }
  return packages;
}

}  // namespace cutelab::kernel
