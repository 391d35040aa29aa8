#include <algorithm>
#include <cctype>

#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Node;
namespace {
constexpr std::size_t most_places = 8;

/// Of groups in order of rank, what fits: the first of each group, then the second of each, …
template <class Item>
std::vector<Item> share(std::vector<std::vector<Item>> groups) {
  std::vector<std::size_t> taken(groups.size(), 0);
  std::size_t all = 0;
  for (bool more = true; more && all < most_places;) {
    more = false;
    for (std::size_t g = 0; g < groups.size() && all < most_places; ++g)
      if (taken[g] < groups[g].size()) {
        ++taken[g];
        ++all;
        more = true;
      }
  }
  std::vector<Item> out;
  for (std::size_t g = 0; g < groups.size(); ++g)
    out.insert(out.end(), groups[g].begin(), groups[g].begin() + static_cast<std::ptrdiff_t>(taken[g]));
  return out;
}

/// What the launches of a kernel say: it runs when one of them does.
Activity launched(FactContext& context, int kernel) {
  const std::string& name = context.module().functions()[static_cast<std::size_t>(kernel)].qualified;
  Activity out;
  bool first = true;
  for (const Draft& d : context.drafts) {
    if (d.construct != "launch" || d.fact.kernel != name) continue;
    const Activity one = context.evaluator.active(0, d.node);
    if (first || one.state == Tristate::yes ||
        (one.state == Tristate::undetermined && out.state == Tristate::no))
      out = one;
    first = false;
  }
  return out;
}

bool holds_word(const std::string& text, const std::string& word) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && (text[i] == '_' || std::isalnum(static_cast<unsigned char>(text[i])));
  };
  for (auto at = text.find(word); at != std::string::npos && !word.empty(); at = text.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

/// Whether calls of the function around a node decide its condition differently: `softmax(first=True)` and
/// `softmax(first=False)` compile both sides.
bool decided_by_calls(FactContext& context, Node node, const std::string& condition) {
  const int own = context.module().function_at(node);
  if (own < 0) return false;
  const source::PythonFunction& function = context.module().functions()[static_cast<std::size_t>(own)];
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const std::string& name = function.parameters[i].name;
    if (name == "self" || !holds_word(condition, name)) continue;
    std::set<std::string> values;
    for (const CallSite& site : context.calls()) {
      int m = 0, f = -1;
      if (site.leaf != function.name || !context.evaluator.callee_function(0, site.call, &m, &f) || m != 0 ||
          f != own)
        continue;
      const Node given = argument_for(context, function, site.call, i);
      const evidence::Value value = given ? context.value(given) : evidence::Value();
      values.insert(value.determined() ? value.text() : given ? "?" + std::string(given.text()) : "");
    }
    if (values.size() > 1) return true;
  }
  return false;
}

/// `const_expr(…) or fits[k]`: a side that the launch does not decide leaves the code in.
bool left_in_by_a_side(const std::string& condition) {
  int depth = 0;
  std::size_t from = 0;
  const auto fixed = [&](std::size_t end) {
    return condition.substr(from, end - from).find("const_expr") != std::string::npos;
  };
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth != 0 || condition.compare(i, 4, " or ") != 0) continue;
    if (!fixed(i)) return true;
    from = i + 4;
  }
  return from > 0 && !fixed(condition.size());
}

/// What is decided before the launch turns code off; what a test on thread, warp or tile decides does not.
bool open(const Activity& activity) {
  return activity.state == Tristate::undetermined && contains(activity.condition, "const_expr") &&
         !left_in_by_a_side(activity.condition);
}
}  // namespace

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

int kernel_holding(const FactContext& context, Node node) {
  const auto& functions = context.module().functions();
  for (int f = context.module().function_at(node); f >= 0;
       f = functions[static_cast<std::size_t>(f)].enclosing)
    if (functions[static_cast<std::size_t>(f)].has_decorator("kernel")) return f;
  return -1;
}

std::string told(const Draft& draft, const char* name) {
  const auto found = draft.fact.values.find(name);
  return found == draft.fact.values.end() || !found->second.determined() ? "" : found->second.text();
}

Activity activity_of(FactContext& context, Node node) {
  Activity out = context.evaluator.active(0, node);
  if ((out.state == Tristate::no || open(out)) && decided_by_calls(context, node, out.condition)) out = {};
  if (out.state == Tristate::no) return out;
  if (const int kernel = kernel_holding(context, node); kernel >= 0) {
    const Activity whole = launched(context, kernel);
    if (whole.state == Tristate::no) return whole;
  }
  if (out.state == Tristate::undetermined && !open(out)) return {};
  return out;
}

bool is_active(FactContext& context, Node node) { return activity_of(context, node).state != Tristate::no; }

bool PatternBuilder::cite(const Test& test, int rank) {
  bool found = false;
  for (const Draft& draft : context.drafts) {
    if (!test(draft)) continue;
    cited_.push_back({draft.node, rank});
    found = true;
  }
  return found;
}

bool PatternBuilder::any(const Test& test) const {
  return std::any_of(context.drafts.begin(), context.drafts.end(), test);
}

bool PatternBuilder::any_active(const Test& test) const {
  return std::any_of(context.drafts.begin(), context.drafts.end(),
                     [&](const Draft& d) { return test(d) && is_active(context, d.node); });
}

void PatternBuilder::cite_node(Node node, int rank) { cited_.push_back({node, rank}); }

evidence::PatternFinding PatternBuilder::present(std::string says) {
  finding.present = true;
  finding.says = std::move(says);
  Tristate best = cited_.empty() ? Tristate::undetermined : Tristate::no;
  std::string condition;
  std::map<int, std::map<int, std::vector<Node>>> by_state;  // state and rank
  for (const Cited& one : cited_) {
    const Activity activity = activity_of(context, one.node);
    if (activity.state == Tristate::yes || (activity.state == Tristate::undetermined && best == Tristate::no))
      best = activity.state;
    if (activity.state != Tristate::yes && condition.empty()) condition = activity.condition;
    by_state[activity.state == Tristate::yes  ? 0
             : activity.state == Tristate::no ? 2
                                              : 1][one.rank]
        .push_back(one.node);
  }
  finding.default_active = best;
  if (best != Tristate::yes) finding.condition = condition;
  if (by_state.size() > 1 && !keep_inactive_) by_state.erase(2);
  std::set<int> lines;
  std::vector<std::vector<evidence::Location>> groups;
  for (auto& [state, ranks] : by_state)
    for (auto& [rank, nodes] : ranks) {
      std::stable_sort(nodes.begin(), nodes.end(), [](Node a, Node b) { return a.index() < b.index(); });
      std::vector<evidence::Location> places;
      for (const Node node : nodes)
        if (const evidence::Location place = context.at(node); lines.insert(place.line()).second)
          places.push_back(place);
      groups.push_back(std::move(places));
    }
  finding.at = share(std::move(groups));
  return finding;
}

evidence::PatternFinding PatternBuilder::absent(std::string says) {
  finding.present = false;
  finding.default_active = Tristate::no;
  finding.says = std::move(says);
  return finding;
}

}  // namespace cutelab::reading
