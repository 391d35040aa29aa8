#include "cli/kernel_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/kernel_build.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

/// A flag and those of which one has to stand beside it.
struct Needs {
  const char* flag;
  std::vector<std::string> one_of;
};

const std::vector<Needs>& needs() {
  static const std::vector<Needs> all = {
      {"--finalists", {"--autotune"}}, {"--tasks", {"--launcher"}}, {"--launcher-options", {"--launcher"}}};
  return all;
}

const std::vector<std::pair<const char*, const char*>>& contradictions() {
  static const std::vector<std::pair<const char*, const char*>> all = {
      {"--gpu", "--gpus"},       {"--store", "--no-store"}, {"--autotune", "--config"},
      {"--for", "--autotune"},   {"--for", "--check"},      {"--for", "--build"},
      {"--for", "--roofline"},   {"--for", "--json"},       {"--build", "--check"},
      {"--build", "--roofline"}, {"--build", "--autotune"}, {"--shard", "--launcher"}};
  return all;
}

Error refused(std::string wrong, std::string remedy) {
  return Error{ErrorKind::usage, "kernel", std::move(wrong), "", std::move(remedy)};
}

}  // namespace

Status check_kernel_flags(const Arguments& arguments) {
  for (const Needs& rule : needs()) {
    const bool met = std::any_of(rule.one_of.begin(), rule.one_of.end(),
                                 [&](const std::string& other) { return arguments.has(other); });
    if (arguments.has(rule.flag) && !met)
      return refused(fmt::format("{} says something about {}", rule.flag, join(rule.one_of, " or ")),
                     fmt::format("add {}, or leave it out", join(rule.one_of, " or ")));
  }
  for (const auto& [one, other] : contradictions())
    if (arguments.has(one) && arguments.has(other))
      return refused(fmt::format("{} and {} do not go together", one, other), "leave one of them out");
  return {};
}

Status check_sweep_flags(const Arguments& arguments, bool sweeps) {
  for (const char* flag : {"--gpus", "--shard", "--csv", "--launcher"})
    if (arguments.has(flag) && !sweeps)
      return refused(fmt::format("{} is for a sweep, and each parameter has one value", flag),
                     "give one several: a list (1,8,64) or a range (1024:65536:x2); or leave it out");
  if (arguments.has("--again") && !sweeps && !arguments.has("--autotune"))
    return refused("--again says something about a sweep or --autotune", "leave it out");
  for (const char* flag : {"--autotune", "--roofline", "--for", "--build"})
    if (arguments.has(flag) && sweeps)
      return refused(fmt::format("{} is for one problem, and this is a sweep", flag),
                     "give every parameter one value, or leave it out");
  return {};
}

Result<std::vector<std::string>> given_export_flags(const Arguments& arguments,
                                                    const kernel::Package& package) {
  std::vector<std::string> given;
  if (arguments.has("--dsl-version")) given.push_back("--dsl-version=" + arguments.get("--dsl-version"));
  if (arguments.has("--line-info")) given.emplace_back("--line-info");
  if (given.empty() || package.language == "cute-dsl") return given;
  const std::string flag = given[0].substr(0, given[0].find('='));
  Error error = refused(flag + " is for imported kernels of the CuTe DSL; ", "leave it out");
  error.asked += " " + package.design;
  if (package.language == "cutile-dsl")
    error.wrong += "this one is compiled by cuTile, in the version that its part brings";
  else if (package.language == "library")
    error.wrong += "this one calls a library";
  else
    error.wrong += "nvcc compiles this one";
  if (package.language == "cute-cpp")
    error.remedy += ": packages that nvcc compiles always have a line table";
  return error;
}

void print_plan(const KernelRequest& request, const Context& context) {
  std::ostream& out = context.out;
  const int width = context.table_width();
  const auto& plan = *request.package.plan;
  out << render::paragraph(fmt::format("{} ({}, {}): {}", request.package.title(), request.package.language,
                                       request.package.layer, request.package.summary),
                           width)
      << "\n";
  render::Table parameters{{{"Parameter"}, {"Value"}, {"Legal"}, {"Meaning"}}, {}};
  const auto texts = request.params.texts();
  for (const auto& spec : plan.parameters())
    parameters.rows.push_back({"--" + spec.name, texts.at(spec.name), spec.range_text(), spec.meaning});
  out << render::fitted(parameters, width) << "\n";
  const auto kernel = plan.plan(request.params, request.config);
  if (kernel) {
    const auto work = plan.algorithmic_flops_bytes(request.params);
    std::string amount = fmt::format("work: {} compulsory bytes", with_thousands(work.compulsory.count()));
    for (const auto& [unit, flops] : work.flops) amount += fmt::format(", {:.4g} {} flops", flops, unit);
    const auto tolerance = plan.tolerance(request.params);
    out << render::paragraph(fmt::format("{} ({})", amount, work.formula), width)
        << render::paragraph(fmt::format("tolerance: {:.3g}: {}", tolerance.relative_norm, tolerance.reason),
                             width)
        << "\n";
  }
  render::Table table{{{"Config", render::Align::right}, {"Values"}, {"Rejected because"}}, {}};
  int index = 0;
  for (const auto& config : plan.autotune_configs(request.params))
    table.rows.push_back({fmt::format("{}", index++), config.text(), config.rejected_because});
  out << render::fitted(table, width) << "\n" << render::paragraph("chosen: " + request.config.text(), width);
  if (const std::string open = plan.cannot_run_because(); !open.empty())
    out << render::paragraph("does not run yet: " + open, width);
  if (!kernel) {
    out << fmt::format("work, tolerance and launch are not known: {}\n", one_line(kernel.error()));
    return;
  }
  out << render::paragraph("expected launch on 132 SMs: " + kernel->launch(132).text(), width);
  for (const std::string& remark : kernel->remarks) out << render::paragraph("note: " + remark, width);
}

}  // namespace cutelab::cli
