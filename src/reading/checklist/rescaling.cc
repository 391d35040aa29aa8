#include <algorithm>
#include <map>
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

template <class Test>
bool holds(Node in, const Test& test) {
  for (std::uint32_t i = in.index(); in && i < in.end_index(); ++i)
    if (test(in.tree()->at(i))) return true;
  return false;
}

/// fmul2(a, b), mul_packed_f32x2(…), ffma2(…), fma(…): a product, with or without a sum, written as a call.
bool is_product_call(Node call) {
  const std::string leaf = to_lower(leaf_of_call(call));
  const auto fused = leaf.find("fma");
  if (fused != std::string::npos && !leaf.substr(fused).starts_with("fmax")) return true;
  return leaf == "mul" || leaf.starts_with("fmul") || leaf.starts_with("mul_");
}

bool is_exponential(Node call) {
  const std::string_view leaf = leaf_of_call(call);
  return leaf == "exp2" || leaf == "exp" || leaf == "ex2" || leaf.starts_with("exp2_");
}

/// -x, (-x, -y): what an addition of it subtracts.
bool is_negated(Node n) {
  if (n.is(NodeKind::tuple) || n.is(NodeKind::parenthesized_expression)) return is_negated(n.first());
  return n.is(NodeKind::unary_operator) && n.text().starts_with('-');
}

/// The tensor or name that a target or a value is an element of: x of x[i], of `x[i], x[i + 1]`.
Node element_owner(Node n) {
  if (n.is(NodeKind::pattern_list) || n.is(NodeKind::tuple_pattern)) n = n.first();
  while (n.is(NodeKind::subscript)) n = n.child(Field::value_field);
  return n;
}

/// sum * exp2(old - new): the factor is used where it is made.
bool multiplies_beside(Node value) {
  return value.is(NodeKind::binary_operator) && holds(value, [](Node n) {
           if (!n.is(NodeKind::binary_operator)) return false;
           const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
           const auto exponential = [](Node side) { return side.is(NodeKind::call) && is_exponential(side); };
           const auto number = [](Node side) {
             return side.is(NodeKind::integer) || side.is(NodeKind::float_literal);
           };
           return has_operator(n, "*") &&
                  ((exponential(left) && !number(right)) || (exponential(right) && !number(left)));
         });
}

bool holds_product(Node in) {
  return holds(in, [](Node n) {
    return (n.is(NodeKind::binary_operator) && has_operator(n, "*")) ||
           (n.is(NodeKind::call) && is_product_call(n));
  });
}

struct Written {
  Node statement, left, right;
  int function = -1;
  bool augmented = false;
  bool holds_maximum = false, holds_exponential = false;  ///< calls of them on the right
  std::string base;                                       ///< base_name of the left
};

class Finder {
 public:
  explicit Finder(FactContext& context) : context_(context) {
    const source::Tree& tree = context.module().tree();
    for (const Node n : tree.all({NodeKind::assignment, NodeKind::augmented_assignment})) {
      const bool augmented = n.is(NodeKind::augmented_assignment);
      Written one{n, n.child(Field::left_field), n.child(Field::right_field), -1, false, false, false, ""};
      one.augmented = augmented;
      const bool elements = one.left.is(NodeKind::pattern_list) && one.left.first().is(NodeKind::subscript);
      const bool named = one.left.is(NodeKind::identifier) || one.left.is(NodeKind::attribute) ||
                         one.left.is(NodeKind::subscript) || elements;
      if (!named || !one.right || one.right.text().size() > 2000) continue;
      one.function = context.module().function_at(n);
      if (one.function < 0) continue;
      one.base = base_name(one.left.text());
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
      if (a.holds_maximum) maxima_.insert(a.base);
    for (const CallSite& site : context_.calls()) keep_maximum(site);
    for (const Written& a : written_)
      if (a.holds_exponential && is_factor(a.right)) note_maxima_of(a.right);
    for (const Written& a : written_)
      if (!a.holds_exponential && holds_difference(a.right)) {
        differences_.insert(a.base);
        note_maxima_of(a.right);
      }
    for (const Written& a : written_)
      if (a.holds_exponential && is_factor(a.right) && !multiplies_beside(a.right)) add_factor(a);
    if (!factors_.empty())
      for (const Written& a : written_) take_from_factor(a);
    for (const Written& a : written_) sort(a);
    for (const Written& a : written_) keep_scaled(a);
    for (const CallSite& site : context_.calls()) sort(site);
    return std::move(out_);
  }

 private:
  static bool holds_exponential_of(Node value, const auto& test) {
    return holds(value, [&](Node n) { return n.is(NodeKind::call) && is_exponential(n) && test(n); });
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
  /// old_max - new_max, each with its scale; add(old_max, -new_max) of two numbers at a time.
  bool holds_difference(Node in) const {
    return holds(in, [&](Node n) {
      if (n.is(NodeKind::call)) return adds_negated(n);
      if (!n.is(NodeKind::binary_operator)) return false;
      const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
      return has_operator(n, "-") && left.text() != right.text() && of_maximum(left) && of_maximum(right);
    });
  }
  bool adds_negated(Node call) const {
    const std::string leaf = to_lower(leaf_of_call(call));
    const bool adds = leaf.starts_with("fadd") || leaf.starts_with("add");
    if (!adds && !leaf.starts_with("fsub") && !leaf.starts_with("sub")) return false;
    const Node first = context_.positional(call, 0), second = context_.positional(call, 1);
    if (!first || !second || !of_maximum(first) || !of_maximum(second)) return false;
    return !adds || is_negated(first) != is_negated(second);
  }
  bool is_factor(Node value) const {
    return holds_exponential_of(value, [&](Node call) {
      const Node given = call.child(Field::arguments_field);
      return holds_difference(given) || holds(given, [&](Node n) {
               return n.is(NodeKind::identifier) && differences_.count(to_lower(n.text())) > 0;
             });
    });
  }

  using Local = std::pair<int, std::string>;  ///< a function's own name
  void add_factor(const Written& a) {
    factors_.insert(a.base);
    own_factors_.insert({a.function, a.base});
  }
  /// correction[i] = pair[0]: an element of a factor is one.
  void take_from_factor(const Written& a) {
    own_names_.insert({a.function, a.base});
    const Node from = element_owner(a.right);
    if (!a.augmented && from.is(NodeKind::identifier) && names_factor_itself(from)) add_factor(a);
  }
  /// A name that some function multiplies by. One that a function gives another meaning is none there.
  bool names_factor_itself(Node n) const {
    const std::string name = to_lower(n.text());
    if (!factors_.count(name)) return false;
    const Local own{context_.module().function_at(n), name};
    return own_factors_.count(own) > 0 || own_names_.count(own) == 0;
  }
  bool names_factor(Node in) const {
    return !factors_.empty() && holds(in, [&](Node n) {
      return n.is(NodeKind::identifier) && factors_.count(to_lower(n.text())) > 0 && names_factor_itself(n);
    });
  }

  void sort(const Written& a) {
    const bool scaled = a.holds_exponential && is_factor(a.right);
    const bool beside = scaled && multiplies_beside(a.right);
    const bool factor = scaled && !beside;
    const bool scales = !factor && !beside && own_factors_.count({a.function, a.base}) == 0 &&
                        names_factor(a.right) && (a.augmented || holds_product(a.right));
    if (a.holds_exponential && a.left.is(NodeKind::identifier)) exponentials_.insert({a.function, a.base});
    if (!scales && !scaled && scaled_in_place(a) && runs_on_device(context_, a.statement))
      add_accumulator(a.statement);
    if (!scaled && !scales && !a.holds_maximum) return;
    const bool maximum = a.holds_maximum && (a.base.find("max") != std::string::npos || of_maximum(a.right) ||
                                             compared_.count(a.base) > 0);
    if ((!scales && !maximum && !beside && !factor) || !runs_on_device(context_, a.statement)) return;
    if (factor || beside) out_.factors.push_back(a.statement);
    if (scales || beside) {
      use(a.statement, element_owner(a.left), a.function);
      if (a.left.is(NodeKind::identifier)) scaled_[{a.function, a.base}] = a.statement;
    } else if (!factor) {
      out_.maxima.push_back(a.statement);
    }
  }
  /// acc[i] = pair[0], where the pair is a product with a factor.
  void keep_scaled(const Written& a) {
    if (scaled_.empty() || a.augmented || !a.left.is(NodeKind::subscript)) return;
    const Node from = element_owner(a.right);
    const auto product =
        from.is(NodeKind::identifier) ? scaled_.find({a.function, to_lower(from.text())}) : scaled_.end();
    if (product != scaled_.end() && is_accumulator(element_owner(a.left), a.function))
      add_accumulator(product->second);
  }
  /// part[i] = part[i] * scale, an exponential, of a part of tensor memory that goes back there. Where the
  /// maxima came through memory nothing but that says what the factor is.
  bool scaled_in_place(const Written& a) {
    const Node owner = element_owner(a.left);
    if (exponentials_.empty() || owner == a.left || !owner.is(NodeKind::identifier) ||
        !holds_product(a.right))
      return false;
    bool factor = false, itself = false;
    for (std::uint32_t i = a.right.index(); i < a.right.end_index(); ++i) {
      const Node n = a.right.tree()->at(i);
      if (!n.is(NodeKind::identifier)) continue;
      itself = itself || n.text() == owner.text();
      factor = factor || exponentials_.count({a.function, to_lower(n.text())}) > 0;
    }
    return factor && itself && comes_back(owner.text(), a.function);
  }

  void use(Node at, Node target, int function) {
    out_.uses.push_back(at);
    if (is_accumulator(target, function)) add_accumulator(at);
  }
  void add_accumulator(Node at) {
    if (known_accumulators_.insert(at.index()).second) out_.accumulators.push_back(at);
  }
  bool is_accumulator(Node target, int function) {
    const std::string name = base_name(target.text());
    if (name.find("acc") != std::string::npos && !holds_any(name, {"scale", "sum"})) return true;
    return target.is(NodeKind::identifier) && comes_back(target.text(), function);
  }
  /// A tensor that a copy fills from tensor memory and another empties into it.
  bool comes_back(std::string_view name, int function) {
    bool out = false, back = false;
    for (const CallSite& site : context_.calls()) {
      if (site.function != function || site.leaf != "copy" || (out && back)) continue;
      const Node from = context_.positional(site.call, 1), to = context_.positional(site.call, 2);
      if (!from || !to) continue;
      if (!out && element_owner(to).text() == name) out = moves_by(site, "Ld") || in_tensor_memory(from);
      if (!back && element_owner(from).text() == name) back = moves_by(site, "St") || in_tensor_memory(to);
    }
    return out && back;
  }
  /// Whether a copy's operation is one of tensor memory, Ld32x32bOp, St32x32bOp and their like.
  bool moves_by(const CallSite& site, const char* which) {
    const Node atom = context_.positional(site.call, 0);
    const std::string leaf = leaf_name(context_.operation_of(context_.evaluator.value_of(0, atom)));
    return leaf.starts_with(which) && leaf.find("Matrix") == std::string::npos;
  }
  bool in_tensor_memory(Node tensor) {
    if (memory_space(context_, tensor) == "tensor-memory") return true;
    const Node origin = tensor_origin(context_, tensor);
    return std::any_of(context_.drafts.begin(), context_.drafts.end(), [&](const Draft& d) {
      return (d.construct == "tmem-tensor" || d.construct == "make_fragment_C") && origin &&
             d.fact.subject == origin.text();
    });
  }

  /// softmax.rescale_O(acc_O, row_scale): the rescaling under a name of its own. sum.store(sum.load() *
  /// scale).
  void sort(const CallSite& site) {
    if (site.function < 0) return;
    const std::string leaf = to_lower(site.leaf);
    const Node given = site.call.child(Field::arguments_field);
    if (leaf == "store" && !site.receiver.empty() && names_factor(given) && holds_product(given)) {
      if (runs_on_device(context_, site.call))
        use(site.call, element_owner(site.call.child(Field::function_field).child(Field::object_field)),
            site.function);
      return;
    }
    if (leaf.find("rescale") == std::string::npos || leaf.find("thresh") != std::string::npos) return;
    if (!runs_on_device(context_, site.call)) return;
    out_.uses.push_back(site.call);
    const std::string text = to_lower(given.text());
    if (text.find("acc") != std::string::npos || leaf.ends_with("_o")) out_.accumulators.push_back(site.call);
  }

  FactContext& context_;
  std::vector<Written> written_;
  std::set<std::string> maxima_, differences_, factors_;
  std::set<std::string> compared_;  ///< maxima whose difference makes a factor
  std::set<Local> own_factors_, own_names_, exponentials_;
  std::map<Local, Node> scaled_;  ///< products with a factor, by the name that holds them
  std::set<std::uint32_t> known_accumulators_;
  Rescaling out_;
};
}  // namespace

Rescaling find_rescaling(FactContext& context) { return Finder(context).find(); }

}  // namespace cutelab::reading
