#include "reading/facts/assumed_device.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "evidence/names.h"
#include "reading/models/stand_in_device.h"

namespace cutelab::reading {
namespace {

/// What goes into a launch and was asked of the device, here or in a helper: says which one stands in.
void note_assumed_capability(FactContext& context, machine::Machine& machine) {
  static const std::vector<std::string> questions = {"get_device_capability", "get_device_properties"};
  for (Draft& d : context.drafts) {
    if (!d.construct.starts_with("launch-source:")) continue;
    for (const CallSite& site : context.calls()) {
      if (!d.node.contains(site.call)) continue;
      int m = 0, f = -1;
      const bool asks = std::find(questions.begin(), questions.end(), site.leaf) != questions.end() ||
                        (context.evaluator.callee_function(0, site.call, &m, &f) &&
                         context.function_contains(m, f, questions));
      if (asks) d.fact.values["assumed_device"] = evidence::literal("of " + machine.arch());
    }
  }
}

/// A persistent grid follows the device: says which one was assumed.
void note_persistent_grid(FactContext& context, machine::Machine& machine) {
  const bool asks = std::any_of(context.calls().begin(), context.calls().end(), [](const CallSite& site) {
    return site.leaf == "get_max_active_clusters" || site.leaf == "get_device_multiprocessor_count" ||
           site.leaf == "get_device_properties";
  });
  const auto& patterns = context.reading.patterns;
  const bool persistent = std::any_of(patterns.begin(), patterns.end(), [](auto& p) {
    return p.id == "P3" && p.present && p.default_active != evidence::Tristate::no;
  });
  const auto device = machine::stand_in_device(machine);
  if (!asks || !persistent || !device) return;
  for (Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::launch && d.fact.values.count("grid") &&
        d.fact.values.at("grid").determined())
      d.fact.values["assumed_multiprocessors"] = evidence::literal(std::int64_t{device->multiprocessors});
}

}  // namespace

void note_assumed_device(FactContext& context, machine::Machine& machine) {
  note_persistent_grid(context, machine);
  note_assumed_capability(context, machine);
}

}  // namespace cutelab::reading
