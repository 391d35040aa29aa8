#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/exports.h"
#include "cli/verbs.h"
#include "kernel/registry.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

nlohmann::ordered_json json_of(const kernel::Package& package) {
  auto parameters = nlohmann::ordered_json::array();
  for (const auto& spec : package.plan->parameters())
    parameters.push_back({{"name", spec.name},
                          {"meaning", spec.meaning},
                          {"default", spec.otherwise},
                          {"legal", spec.range_text()}});
  return {{"design", package.design},
          {"version", package.version},
          {"language", package.language},
          {"layer", package.layer},
          {"architectures", package.architectures},
          {"summary", package.summary},
          {"folder", package.folder},
          {"parameters", parameters}};
}

class ListVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "list";
    spec.summary = "kernel packages, their versions and the architectures they run on";
    spec.flags = {{"--json", "", "as JSON, parameters included", "", false, {}}};
    spec.examples = {"cutelab list", "cutelab list --json"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const auto packages = every_package(context);
    if (arguments.has("--json")) {
      auto all = nlohmann::ordered_json::array();
      for (const auto& package : packages) all.push_back(json_of(package));
      context.out << nlohmann::ordered_json{{"schema_version", 1}, {"packages", all}}.dump(
                         2, ' ', false, nlohmann::json::error_handler_t::replace)
                  << "\n";
      return ExitCode::ok;
    }
    render::Table table{{{"Kernel"}, {"Version"}, {"Language"}, {"Layer"}, {"Runs on"}, {"What it is"}}, {}};
    for (const auto& package : packages)
      table.rows.push_back({package.design, package.version, package.language, package.layer,
                            join(package.architectures, ", "), package.summary});
    context.out << render::fitted(table, context.table_width());
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_list_verb() { return std::make_unique<ListVerb>(); }

}  // namespace cutelab::cli
