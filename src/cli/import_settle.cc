#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/import_operator.h"

namespace cutelab::cli {
namespace {

/// What argparse calls the option's value.
std::string destination_of(const kernel::ExportedCall& call, const std::string& option) {
  for (const auto& flag : call.flags)
    if (flag.option == option) return flag.destination;
  return "";
}

bool is_quoted(const std::string& json) {
  return json.size() > 2 && json.front() == '"' && json.back() == '"';
}

}  // namespace

std::string words_of_call(const std::string& path, const kernel::ExportedCall& call,
                          const std::string& left_out) {
  std::string words = std::filesystem::path(path).stem().string() + " " + call.callee;
  for (const auto* all : {&call.attributes, &call.constants})
    for (const auto& [name, value] : *all)
      if (is_quoted(value) && name != left_out && name != "options")
        words += " " + name + " " + value.substr(1, value.size() - 2);
  for (const auto& flag : call.flags)
    if (flag.kind == "word" && flag.has_value && flag.destination != left_out)
      words += " " + flag.destination + " " + flag.value;
  return words;
}

void settle_parameters(const std::string& path, const kernel::ExportedCall& call,
                       const std::vector<ProbedFlag>& flags, kernel::PackageDescription& d) {
  for (const auto& called : d.op.called) {
    const std::string& name = called.second;
    const auto it = std::find_if(d.configuration.begin(), d.configuration.end(),
                                 [&](const auto& p) { return destination_of(call, p.option) == name; });
    if (it == d.configuration.end()) continue;
    const auto parameter = *it;
    d.configuration.erase(it);
    d.parameters.push_back(parameter);
    std::erase_if(d.configurations, [&](const auto& c) {
      const auto value = c.values.find(parameter.name);
      return value != c.values.end() && fmt::format("{}", value->second) != parameter.value;
    });
    for (auto& c : d.configurations) c.values.erase(parameter.name);
  }
  if (!d.op.known()) return;
  std::erase_if(d.parameters, [&](const kernel::ImportedParameter& p) {
    if (p.kind != "word") return false;
    const std::string name = destination_of(call, p.option);
    const auto without = guess_operator(call, flags, words_of_call(path, call, name), "");
    if (without.op.name == d.op.name) return false;
    d.fixed_flags.push_back(p.option + "=" + p.value);
    d.passed_over.push_back(fmt::format("{}: decides what is computed; it stays {}", p.option, p.value));
    return true;
  });
}

void leave_out_misfits(const kernel::Exporter& exporter, const kernel::ExportWanted& base,
                       kernel::PackageDescription& d) {
  if (!d.op.known()) return;
  std::vector<std::string> misfits;
  for (const auto& p : d.parameters) {
    if (p.kind != "switch") continue;
    kernel::ExportWanted wanted = base;
    wanted.flags = kernel::flags_of(d, {{p.name, p.value == "0" ? "1" : "0"}});
    auto made = exporter.get(wanted);
    if (!made) continue;
    kernel::shape_runs(d.op, made->call);
    const auto fits = kernel::check_operator(d.op, made->call);
    if (fits) continue;
    misfits.push_back(p.name);
    d.passed_over.push_back(
        fmt::format("{}: with it the call is not one of {}: {}", p.option, d.op.name, fits.error().wrong));
  }
  std::erase_if(d.parameters, [&](const auto& p) {
    return std::find(misfits.begin(), misfits.end(), p.name) != misfits.end();
  });
}

}  // namespace cutelab::cli
