#include <algorithm>
#include <set>

#include "base/text.h"
#include "reading/checklist/checklist.h"

// The recurrence of an online softmax by its data flow: a maximum that is carried on, the exponential of old
// maximum minus new one, and sums or accumulators multiplied by it.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// "row_max" of self.row_max, s_max of s_max[i].
std::string base_name(std::string_view text) {
  std::string name(text.substr(0, text.find_first_of("[(")));
  return to_lower(name.substr(name.rfind('.') + 1));
}

bool holds_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* w) { return text.find(w) != std::string::npos; });
}

std::string_view leaf_of_call(Node call) {
  const std::string_view callee = call.child(Field::function_field).text();
  return callee.substr(callee.rfind('.') + 1);
}

/// fmax(…), max(…), warp_reduction_max(…), x.reduce(MAX, …): an operation, not a name that holds "max".
bool is_maximum(Node call) {
  const std::string leaf = to_lower(leaf_of_call(call));
  if (leaf == "max" || leaf.ends_with("fmax") || leaf == "maximum" || leaf == "fmax3") return true;
  const bool reduces = leaf.find("redu") != std::string::npos;
  if (reduces && leaf.find("max") != std::string::npos) return true;
  const std::string_view arguments = call.child(Field::arguments_field).text();
  return reduces && (arguments.find("ReductionOp.MAX") != std::string_view::npos ||
                     arguments.find("fmax") != std::string_view::npos);
}

bool has_operator(Node n, std::string_view text) {
  for (const Node c : n.children())
    if (c.text() == text) return true;
  return false;
}

struct Written {
  Node statement, left, right;
  bool augmented = false;
  bool holds_maximum = false, holds_exponential = false;  ///< calls of them on the right
};

class Finder {
 public:
  explicit Finder(FactContext& context) : context_(context) {
    const source::Tree& tree = context.module().tree();
    for (const Node n : tree.all({NodeKind::assignment, NodeKind::augmented_assignment})) {
      const bool augmented = n.is(NodeKind::augmented_assignment);
      Written one{n, n.child(Field::left_field), n.child(Field::right_field), augmented};
      const bool named = one.left.is(NodeKind::identifier) || one.left.is(NodeKind::attribute) ||
                         one.left.is(NodeKind::subscript);
      if (!named || !one.right || one.right.text().size() > 2000 || context.module().function_at(n) < 0)
        continue;
      for (std::uint32_t k = one.right.index(); k < one.right.end_index(); ++k) {
        const Node call = tree.at(k);
        if (!call.is(NodeKind::call)) continue;
        one.holds_maximum = one.holds_maximum || is_maximum(call);
        one.holds_exponential = one.holds_exponential || is_exponential(call);
      }
      written_.push_back(one);
    }
  }

  Rescaling find() {
    for (const Written& a : written_)
      if (a.holds_maximum) maxima_.insert(base_name(a.left.text()));
    for (const CallSite& site : context_.calls()) keep_maximum(site);
    for (const Written& a : written_)
      if (a.holds_exponential && is_factor(a.right)) note_maxima_of(a.right);
    for (const Written& a : written_)
      if (!a.holds_exponential && holds_difference(a.right)) differences_.insert(base_name(a.left.text()));
    for (const Written& a : written_)
      if (a.holds_exponential && is_factor(a.right) && !multiplies_beside(a.right))
        factors_.insert(base_name(a.left.text()));
    for (const Written& a : written_) sort(a);
    for (const CallSite& site : context_.calls()) sort(site);
    return std::move(out_);
  }

 private:
  template <class Test>
  static bool holds(Node in, const Test& test) {
    for (std::uint32_t i = in.index(); i < in.end_index(); ++i)
      if (test(in.tree()->at(i))) return true;
    return false;
  }
  template <class Test>
  static bool holds_call(Node in, const Test& test) {
    return holds(in, [&](Node n) { return n.is(NodeKind::call) && test(n); });
  }
  static bool is_exponential(Node call) {
    const std::string_view leaf = leaf_of_call(call);
    return leaf == "exp2" || leaf == "exp" || leaf == "ex2" || leaf.starts_with("exp2_");
  }

  bool is_maximum_name(Node n) const {
    if (!n.is(NodeKind::identifier)) return false;
    const std::string name = replace_all(to_lower(n.text()), "softmax", "");
    if (name == "max" || name.find("fmax") != std::string::npos) return false;  // the operation itself
    return name.find("max") != std::string::npos || maxima_.count(name) > 0;
  }
  bool of_maximum(Node n) const {
    return holds(n, [&](Node one) { return is_maximum_name(one); });
  }
  /// previous.store(current.load()): what keeps a maximum for the next step holds one too.
  void keep_maximum(const CallSite& site) {
    if (site.leaf != "store" || site.receiver.empty() || maxima_.empty()) return;
    const Node given = site.call.child(Field::arguments_field);
    const bool computed = holds(given, [](Node n) { return n.is(NodeKind::binary_operator); });
    if (!computed && of_maximum(given)) maxima_.insert(base_name(site.receiver));
  }
  /// Maxima whose difference makes a factor, whatever they are called.
  void note_maxima_of(Node factor) {
    for (std::uint32_t i = factor.index(); i < factor.end_index(); ++i)
      if (const Node n = factor.tree()->at(i); is_maximum_name(n)) compared_.insert(to_lower(n.text()));
  }
  /// old_max - new_max, each with its scale.
  bool holds_difference(Node in) const {
    return holds(in, [&](Node n) {
      if (!n.is(NodeKind::binary_operator)) return false;
      const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
      return has_operator(n, "-") && left.text() != right.text() && of_maximum(left) && of_maximum(right);
    });
  }
  bool is_factor(Node value) const {
    return holds_call(value, [&](Node call) {
      if (!is_exponential(call)) return false;
      const Node given = call.child(Field::arguments_field);
      return holds_difference(given) || holds(given, [&](Node n) {
               return n.is(NodeKind::identifier) && differences_.count(to_lower(n.text())) > 0;
             });
    });
  }
  /// sum * exp2(old - new): the factor is used where it is made.
  static bool multiplies_beside(Node value) {
    return value.is(NodeKind::binary_operator) && holds(value, [](Node n) {
             if (!n.is(NodeKind::binary_operator)) return false;
             const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
             const bool times = has_operator(n, "*");
             const auto exponential = [](Node side) {
               return side.is(NodeKind::call) && is_exponential(side);
             };
             const auto number = [](Node side) {
               return side.is(NodeKind::integer) || side.is(NodeKind::float_literal);
             };
             return times && ((exponential(left) && !number(right)) || (exponential(right) && !number(left)));
           });
  }
  static bool holds_product(Node in) {
    return holds(in, [](Node n) { return n.is(NodeKind::binary_operator) && has_operator(n, "*"); });
  }
  bool names_factor(Node in) const {
    return !factors_.empty() && holds(in, [&](Node n) {
      return n.is(NodeKind::identifier) && factors_.count(to_lower(n.text())) > 0;
    });
  }

  void sort(const Written& a) {
    const bool scaled = a.holds_exponential && is_factor(a.right);
    const bool beside = scaled && multiplies_beside(a.right);
    const bool factor = scaled && !beside;
    const bool scales =
        !factor && !beside && names_factor(a.right) && (a.augmented || holds_product(a.right));
    if (!scaled && !scales && !a.holds_maximum) return;
    const std::string left = base_name(a.left.text());
    const bool maximum = a.holds_maximum && (left.find("max") != std::string::npos || of_maximum(a.right) ||
                                             compared_.count(left) > 0);
    if ((!scales && !maximum && !beside && !factor) || !runs_on_device(context_, a.statement)) return;
    if (factor || beside) out_.factors.push_back(a.statement);
    if (scales || beside) {
      out_.uses.push_back(a.statement);
      if (left.find("acc") != std::string::npos && !holds_any(left, {"scale", "sum"}))
        out_.accumulators.push_back(a.statement);
    } else if (!factor) {
      out_.maxima.push_back(a.statement);
    }
  }

  /// softmax.rescale_O(acc_O, row_scale): the rescaling under a name of its own.
  void sort(const CallSite& site) {
    const std::string leaf = to_lower(site.leaf);
    if (site.function < 0 || leaf.find("rescale") == std::string::npos ||
        leaf.find("thresh") != std::string::npos)
      return;
    if (!runs_on_device(context_, site.call)) return;
    out_.uses.push_back(site.call);
    const std::string given = to_lower(site.call.child(Field::arguments_field).text());
    if (given.find("acc") != std::string::npos || leaf.ends_with("_o"))
      out_.accumulators.push_back(site.call);
  }

  FactContext& context_;
  std::vector<Written> written_;
  std::set<std::string> maxima_, differences_, factors_;
  std::set<std::string> compared_;  ///< maxima whose difference makes a factor
  Rescaling out_;
};
}  // namespace

Rescaling find_rescaling(FactContext& context) { return Finder(context).find(); }

}  // namespace cutelab::reading
