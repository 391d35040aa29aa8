#include "base/text.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool any_of(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (text.find(w) != std::string::npos) return true;
  return false;
}

/// `row_max, scale = softmax.update_row_max(…)`: one step of the recurrence, written in a class of its own.
bool steps_recurrence(const std::vector<source::Assignment>& assignments, std::size_t first) {
  const Node value = assignments[first].value;
  if (!value.is(NodeKind::call)) return false;
  // "softmax" in a name speaks of no maximum.
  const auto plain = [](std::string_view name) {
    return replace_all(to_lower(leaf_name(name)), "softmax", "");
  };
  if (!any_of(plain(value.child(Field::function_field).text()), {"max"})) return false;
  bool maximum = false, scale = false;
  for (std::size_t i = first; i < assignments.size(); ++i) {
    if (!(assignments[i].statement == assignments[first].statement)) break;
    const std::string name = plain(assignments[i].name);
    maximum = maximum || any_of(name, {"max"});
    scale = scale || any_of(name, {"scale"});
  }
  return maximum && scale;
}

bool scaled_accumulation(const source::Assignment& a) {
  if (!any_of(to_lower(a.name), {"acc", "final", "accum"})) return false;
  const bool augmented = a.form == source::Assignment::Form::augmented;
  const std::string right = to_lower(a.value.text());
  return any_of(right, {"scale", "sfa", "sfb"}) && any_of(right, {"*"}) &&
         (augmented || any_of(right, {"+"}) || any_of(right, {"fma"}));
}

/// Assignments in a loop of device code that add a block's product times its own scale.
std::vector<Node> scaled_blocks(FactContext& context) {
  std::vector<Node> out;
  for (const source::Assignment& a : context.module().assignments()) {
    if (!a.value || a.function < 0 || a.form == source::Assignment::Form::loop ||
        a.value.text().size() > 2000)
      continue;
    if (scaled_accumulation(a) && a.statement.enclosing(NodeKind::for_statement) &&
        runs_on_device(context, a.statement))
      out.push_back(a.statement);
  }
  return out;
}
}  // namespace

evidence::PatternFinding streaming_accumulation(FactContext& context, const Rescaling& found) {
  PatternBuilder p(context, "P4", "online softmax or streaming accumulation");
  std::vector<Node> steps;
  const auto& assignments = context.module().assignments();
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    if (assignments[i].slots.empty() || assignments[i].function < 0 || !assignments[i].value) continue;
    if (!steps_recurrence(assignments, i)) continue;
    steps.push_back(assignments[i].statement);
  }
  // The recurrence in a class of its own: the kernel calls it by name.
  const bool library = p.cite([](const Draft& d) { return d.fact.kind == "online-softmax"; });
  const bool matrix = p.any([](const Draft& d) { return d.fact.kind == "gemm"; });
  const bool moves = !found.maxima.empty() && !found.factors.empty();
  if ((moves && (matrix || !found.uses.empty())) || library || !steps.empty()) {
    for (const Node n : steps) p.cite_node(n, 1);
    for (const Node n : found.uses) p.cite_node(n, 1);
    for (const Node n : found.factors) p.cite_node(n, 2);
    if (moves)
      for (const Node n : found.maxima) p.cite_node(n, 3);
    p.finding.kind = "online_softmax";
    return p.present("running maximum and sum, the rest rescaled when the maximum moves");
  }
  const std::vector<Node> scaling = scaled_blocks(context);
  if (!scaling.empty() && matrix) {
    for (const Node n : scaling) p.cite_node(n);
    p.finding.kind = "scaled_accumulation";
    return p.present("each K block is accumulated with its own scale");
  }
  return p.absent("no running maximum with rescaling, no accumulation scaled per block");
}

}  // namespace cutelab::reading
