#include <map>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Rings that are built of hand-written mbarriers: an array of barriers that copies fill and consumers wait
// for, and the array that guards its stages. One pipeline each, as the library's classes make them.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

struct BarrierArray {
  Node init;
  Node count;  ///< of the loop that initialises it, one barrier a round
  bool filled = false, waited = false;
};

/// N of `for i in range(N)` around a node.
Node rounds_around(const FactContext& context, Node n) {
  const Node loop = n.enclosing(NodeKind::for_statement);
  if (!loop || context.module().function_at(loop) != context.module().function_at(n)) return {};
  const Node range = loop.child(Field::right_field);
  if (!range.is(NodeKind::call) ||
      std::string_view(leaf_name(range.child(Field::function_field).text())).substr(0, 5) != "range")
    return {};
  const Node first = context.positional(range, 0), second = context.positional(range, 1);
  if (!second) return first;
  return first.text() == "0" ? second : Node();
}

std::map<std::string, BarrierArray> barrier_arrays(const FactContext& context) {
  std::map<std::string, BarrierArray> out;
  const auto use = [](const Draft& d) {
    const auto found = d.fact.values.find("use");
    return d.fact.kind == evidence::kind::barrier && found != d.fact.values.end() ? found->second.text()
                                                                                  : std::string();
  };
  for (const Draft& d : context.drafts)
    if (use(d) == "init")
      if (const Node count = rounds_around(context, d.node); count && !out.count(d.fact.subject))
        out[d.fact.subject] = {d.node, count};
  for (const Draft& d : context.drafts) {
    const std::string what = use(d);
    const auto known = what.empty() ? out.end() : out.find(d.fact.subject);
    if (known == out.end()) continue;
    known->second.filled = known->second.filled || what == "expect";
    known->second.waited = known->second.waited || what == "wait";
  }
  return out;
}
}  // namespace

void extract_barrier_rings(FactContext& context) {
  const auto arrays = barrier_arrays(context);
  int rings = 0, guards = 0;
  std::string guard;
  for (const auto& [name, array] : arrays) {
    rings += array.filled && array.waited;
    if (array.filled || !array.waited) continue;
    ++guards;
    guard = name;
  }
  for (const auto& [name, array] : arrays) {
    if (!array.filled || !array.waited) continue;
    evidence::Value stages = context.value(array.count);
    if (stages.integer() == std::int64_t{1}) continue;
    const bool guarded = rings == 1 && guards == 1;
    Draft& draft =
        context.add(Family::D2, evidence::kind::pipeline, name,
                    "ring of mbarriers " + name + (guarded ? ", guarded by " + guard : ""), array.init);
    draft.construct = "barrier-ring";
    draft.fact.optional = true;
    draft.fact.values["class"] = evidence::literal("mbarriers");
    draft.fact.values["stages"] = std::move(stages);
  }
}

}  // namespace cutelab::reading
