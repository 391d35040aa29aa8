#include "reading/facts/assumed_device.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text_table.h"
#include "evidence/names.h"
#include "reading/models/stand_in_device.h"

namespace cutelab::reading {
using source::Node;
using NodeKind = source::Kind;
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

bool asks_for_multiprocessors(std::string_view leaf) {
  return leaf == "get_max_active_clusters" || leaf == "get_device_multiprocessor_count" ||
         leaf == "get_device_properties";
}

/// Names that a number of multiprocessors goes into: what is assigned from one, and the parameters that it is
/// passed for. A name means the same throughout the file.
class FollowsDevice {
 public:
  explicit FollowsDevice(FactContext& context) : context_(context) {
    for (int round = 0; round < most_rounds && grow(); ++round) {
    }
  }

  bool holds(Node expression) const {
    for (std::uint32_t i = expression.index(); expression && i < expression.end_index(); ++i) {
      const Node n = expression.tree()->at(i);
      if (n.is(NodeKind::identifier) && (asks_for_multiprocessors(n.text()) || names_.contains(n.text())))
        return true;
    }
    return false;
  }

 private:
  static constexpr int most_rounds = 8;

  bool grow() {
    const std::size_t before = names_.size();
    for (const source::Assignment& a : context_.module().assignments())
      if (a.value && holds(a.value)) names_.insert(leaf_name(a.name));
    for (const CallSite& site : context_.calls()) pass(site);
    return names_.size() > before;
  }

  void pass(const CallSite& site) {
    int m = 0, f = -1;
    const Node given = site.call.child(source::Field::arguments_field);
    if (!given || !holds(given) || !context_.evaluator.callee_function(0, site.call, &m, &f) || m != 0)
      return;
    const source::PythonFunction& function = context_.module().functions()[static_cast<std::size_t>(f)];
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
      if (const Node argument = argument_for(context_, function, site.call, i); argument && holds(argument))
        names_.insert(function.parameters[i].name);
  }

  FactContext& context_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names_;
};

/// A grid that follows the device, in a persistent kernel or by what it is computed from: says which one was
/// assumed.
void note_grid(FactContext& context, machine::Machine& machine) {
  const bool asks = std::any_of(context.calls().begin(), context.calls().end(),
                                [](const CallSite& site) { return asks_for_multiprocessors(site.leaf); });
  const auto& patterns = context.reading.patterns;
  const bool persistent = std::any_of(patterns.begin(), patterns.end(), [](auto& p) {
    return p.id == "P3" && p.present && p.default_active != evidence::Tristate::no;
  });
  const auto device = machine::stand_in_device(machine);
  if (!asks || !device) return;
  std::optional<FollowsDevice> follows;
  if (!persistent) follows.emplace(context);
  for (Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::launch && d.fact.values.count("grid") &&
        d.fact.values.at("grid").determined() &&
        (persistent || follows->holds(context.keyword(d.node, "grid"))))
      d.fact.values["assumed_multiprocessors"] = evidence::literal(std::int64_t{device->multiprocessors});
}

}  // namespace

void note_assumed_device(FactContext& context, machine::Machine& machine) {
  note_grid(context, machine);
  note_assumed_capability(context, machine);
}

}  // namespace cutelab::reading
