#include <algorithm>

#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;
namespace {
constexpr std::size_t most_places = 8;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool PatternBuilder::cite(const Test& test) {
  bool found = false;
  for (const Draft& draft : context.drafts) {
    if (!test(draft)) continue;
    nodes_.push_back(draft.node);
    found = true;
  }
  return found;
}

bool PatternBuilder::any(const Test& test) const {
  return std::any_of(context.drafts.begin(), context.drafts.end(), test);
}

void PatternBuilder::cite_node(source::Node node) { nodes_.push_back(node); }

evidence::PatternFinding PatternBuilder::present(std::string says) {
  finding.present = true;
  finding.says = std::move(says);
  Tristate best = nodes_.empty() ? Tristate::undetermined : Tristate::no;
  std::string condition;
  std::vector<source::Node> first, later;
  for (const source::Node node : nodes_) {
    const Activity activity = context.evaluator.active(0, node);
    // A test on thread, warp or tile at run time does not turn code off; only what is decided before the
    // launch does.
    const bool before_launch = activity.condition.find("const_expr") != std::string::npos;
    if (activity.state == Tristate::undetermined && before_launch) {
      if (best == Tristate::no) best = Tristate::undetermined;
      if (condition.empty()) condition = activity.condition;
    } else if (activity.state != Tristate::no)
      best = Tristate::yes;
    else if (condition.empty())
      condition = activity.condition;
    (activity.state != Tristate::no ? first : later).push_back(node);
  }
  finding.default_active = best;
  if (best != Tristate::yes) finding.condition = condition;
  first.insert(first.end(), later.begin(), later.end());
  for (const source::Node node : first) {
    const evidence::Location place = context.at(node);
    const bool known =
        std::any_of(finding.at.begin(), finding.at.end(), [&](auto& p) { return p.line() == place.line(); });
    if (!known && finding.at.size() < most_places) finding.at.push_back(place);
  }
  return finding;
}

evidence::PatternFinding PatternBuilder::absent(std::string says) {
  finding.present = false;
  finding.default_active = Tristate::no;
  finding.says = std::move(says);
  return finding;
}

}  // namespace cutelab::reading
