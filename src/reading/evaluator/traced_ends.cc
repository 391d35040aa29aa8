#include <algorithm>

#include "reading/evaluator/traced.h"

// What stands behind the end of a run that was given up: folding would tell it by what held before.

namespace cutelab::reading {
using source::Node;
using NodeKind = source::Kind;
using Kind = Abstract::Kind;

namespace {
bool names_any(Node expression) {
  for (std::uint32_t i = expression.index(); i < expression.end_index(); ++i)
    if (expression.tree()->at(i).is(NodeKind::identifier)) return true;
  return false;
}

bool is_plain_data(const Abstract& a) {
  return a.is_number() || a.is(Kind::real) || a.is(Kind::text) || a.is(Kind::none);
}
}  // namespace

/// Whether the run was given up before it came to a node whose value may have changed by then. What a
/// function reads that was run to its end is as it was seen.
bool TracedEvaluator::is_beyond_end(int module, Node node) const {
  if (machine_.stopped_by().empty() || !node || !names_any(node)) return false;
  const int function = machine_.program().module(module).function_at(node);
  return function < 0 || !machine_.trace().finished(module, function);
}

/// Numbers and texts become unknown, with the place where the run ended; objects stay as they were made.
Abstract TracedEvaluator::beyond_end(const Abstract& folded) {
  Abstract out = folded;
  for (Abstract& item : out.items) item = beyond_end(item);
  if (!is_plain_data(folded)) return out;
  const auto& ends = machine_.give_ups();
  const auto end = std::find_if(ends.begin(), ends.end(),
                                [&](const machine::GiveUp& g) { return g.reason == machine_.stopped_by(); });
  out = Abstract::unknown("the run ended before it: " + machine_.stopped_by());
  out.path = folded.path;
  if (end == ends.end()) return out;
  if (!end->depends_on.empty()) out.depends_on.push_back(end->depends_on);
  if (end->module < machine::Library::first) out.made_at = end->node;
  return out;
}

}  // namespace cutelab::reading
