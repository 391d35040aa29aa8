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

/// A maximum that is carried on: row_max = max(row_max_prev, …), fmax, reduce with MAX.
bool running_maximum(const std::string& left, const std::string& right) {
  return any_of(left, {"max", "_m_"}) && any_of(right, {"fmax", "max(", "reduce", "reduction"}) &&
         any_of(right, {"max"});
}

/// Something rescaled by the change of that maximum, or accumulated with a scale per block.
bool rescale(const std::string& left, const std::string& right, bool augmented) {
  return any_of(left, {"scale", "row_sum", "acc", "sum"}) &&
         (any_of(right, {"exp2", "exp("}) || (augmented && any_of(right, {"scale"})));
}

/// `sum * exp2((old_max - new_max) * c)`: the factor by which what was summed shrinks when the maximum moves.
/// A softmax over a known maximum subtracts it from the value instead, and no sum is multiplied.
bool rescales_by_maxima(const std::string& right) {
  for (std::size_t at = right.find("exp"); at != std::string::npos; at = right.find("exp", at + 1)) {
    std::size_t i = right.find('(', at);
    while (i < right.size() && right[i] == '(') ++i;
    const std::size_t stop = right.find_first_of("-,)", i);
    if (i >= right.size() || stop == std::string::npos || right[stop] != '-') continue;
    const bool old_maximum = right.substr(i, stop - i).find("max") != std::string::npos;
    const bool sum = right.substr(0, at).find('*') != std::string::npos ||
                     right.find('*', right.find(')', stop)) != std::string::npos;
    if (old_maximum && sum) return true;
  }
  return false;
}

/// `row_max, scale = softmax.update_row_max(…)`: one step of the recurrence, written in a class of its own.
bool steps_recurrence(const std::vector<const source::Assignment*>& targets, Node value) {
  if (!value.is(NodeKind::call)) return false;
  // "softmax" in a name speaks of no maximum.
  const auto plain = [](std::string_view name) {
    return replace_all(to_lower(leaf_name(name)), "softmax", "");
  };
  const std::string called = plain(value.child(Field::function_field).text());
  bool maximum = false, scale = false;
  for (const source::Assignment* target : targets) {
    const std::string name = plain(target->name);
    maximum = maximum || any_of(name, {"max"});
    scale = scale || any_of(name, {"scale"});
  }
  return maximum && scale && any_of(called, {"max"});
}

bool scaled_accumulation(const std::string& left, const std::string& right, bool augmented) {
  return any_of(left, {"acc", "final", "accum"}) && any_of(right, {"scale", "sfa", "sfb"}) &&
         any_of(right, {"*"}) && (augmented || any_of(right, {"+"}) || any_of(right, {"fma"}));
}
}  // namespace

evidence::PatternFinding streaming_accumulation(FactContext& context) {
  PatternBuilder p(context, "P4", "online softmax or streaming accumulation");
  bool maximum = false, exponent = false, scaled = false, moved = false;
  std::vector<Node> softmax, scaling;
  for (const source::Assignment& a : context.module().assignments()) {
    if (!a.value || a.function < 0 || a.form == source::Assignment::Form::loop ||
        a.value.text().size() > 2000)
      continue;
    const std::string left = to_lower(a.name), right = to_lower(a.value.text());
    const bool augmented = a.form == source::Assignment::Form::augmented;
    if (running_maximum(left, right)) {
      maximum = true;
      softmax.push_back(a.statement);
    } else if (rescale(left, right, augmented)) {
      exponent = exponent || any_of(right, {"exp2", "exp("});
      moved = moved || rescales_by_maxima(right);
      softmax.push_back(a.statement);
    }
    if (scaled_accumulation(left, right, augmented) && a.statement.enclosing(NodeKind::for_statement)) {
      scaled = true;
      scaling.push_back(a.statement);
    }
  }
  bool stepped = false;
  const auto& assignments = context.module().assignments();
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    if (assignments[i].slots.empty() || assignments[i].function < 0 || !assignments[i].value) continue;
    std::vector<const source::Assignment*> targets;
    for (std::size_t j = i; j < assignments.size() && assignments[j].statement == assignments[i].statement;
         ++j)
      targets.push_back(&assignments[j]);
    if (!steps_recurrence(targets, assignments[i].value)) continue;
    stepped = true;
    softmax.push_back(assignments[i].statement);
  }
  const bool matrix = p.any([](const Draft& d) { return d.fact.kind == "gemm"; });
  // The recurrence in a class of its own: the kernel calls it by name.
  const bool library = p.cite([](const Draft& d) { return d.fact.kind == "online-softmax"; }) || stepped;
  if ((maximum && exponent && (matrix || moved)) || library) {
    for (const Node n : softmax) p.cite_node(n);
    p.finding.kind = "online_softmax";
    return p.present("running maximum and sum, the rest rescaled when the maximum moves");
  }
  if (scaled && matrix) {
    for (const Node n : scaling) p.cite_node(n);
    p.finding.kind = "scaled_accumulation";
    return p.present("each K block is accumulated with its own scale");
  }
  return p.absent("no running maximum with rescaling, no accumulation scaled per block");
}

}  // namespace cutelab::reading
