#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Counters in global memory: work that is handed out by them, and who comes last to what several CTAs share.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_rounds = 6;

bool adds_atomically(Node n) {
  return n.is(NodeKind::call_expression) && leaf_name(n.child(Field::function_field)) == "atomicAdd";
}

/// Where values that come from one call go: through variables, results of functions and their arguments.
class ValueFlow {
 public:
  ValueFlow(const CppContext& context, Node source) : context_(context), source_(source) {
    for (int round = 0; round < most_rounds && step(); ++round) {
    }
  }

  /// Whether an expression holds the call, or what came from it.
  bool reaches(Node expression) const {
    if (!expression) return false;
    if (expression.contains(source_)) return true;
    const Node function = expression.enclosing(NodeKind::function_definition);
    for (std::uint32_t i = expression.index(); i < expression.end_index(); ++i) {
      const Node n = expression.tree()->at(i);
      if (n.is(NodeKind::call_expression) && functions_.count(leaf_name(n.child(Field::function_field))))
        return true;
      if (n.is(NodeKind::identifier) && variables_.count({function, std::string(n.text())})) return true;
    }
    return false;
  }

 private:
  struct Before {
    bool operator()(const std::pair<Node, std::string>& a, const std::pair<Node, std::string>& b) const {
      return std::tuple(a.first.tree(), a.first.index(), std::string_view(a.second)) <
             std::tuple(b.first.tree(), b.first.index(), std::string_view(b.second));
    }
  };

  bool add_variable(Node at, Node name) {
    if (!name.is(NodeKind::identifier)) return false;
    return variables_.emplace(at.enclosing(NodeKind::function_definition), std::string(name.text())).second;
  }

  bool step() {
    bool more = false;
    for (const Node n : context_.nodes()) {
      if (n.is(NodeKind::init_declarator) && reaches(n.child(Field::value_field)))
        more = add_variable(n, cpp_declared_name(n.child(Field::declarator_field))) || more;
      if (n.is(NodeKind::assignment_expression) && reaches(n.child(Field::right_field)))
        more = add_variable(n, n.child(Field::left_field)) || more;
      if (n.is(NodeKind::return_statement) && reaches(n))
        if (const Node function = n.enclosing(NodeKind::function_definition))
          more = functions_.insert(leaf_name(cpp_function_name(function))).second || more;
      if (n.is(NodeKind::call_expression)) more = pass(n) || more;
    }
    return more;
  }

  /// An argument that came from the call becomes the callee's parameter.
  bool pass(Node call) {
    const Node callee = context_.folder.function_named(leaf_name(call.child(Field::function_field)));
    if (!callee) return false;
    const auto given = cpp_items(call.child(Field::arguments_field));
    const auto taken = cpp_items(cpp_function_name(callee).parent().child(Field::parameters_field));
    bool more = false;
    for (std::size_t i = 0; i < given.size() && i < taken.size(); ++i)
      if (reaches(given[i])) {
        const Node name = cpp_declared_name(taken[i].child(Field::declarator_field));
        if (name.is(NodeKind::identifier))
          more = variables_.emplace(callee, std::string(name.text())).second || more;
      }
    return more;
  }

  const CppContext& context_;
  Node source_;
  std::set<std::pair<Node, std::string>, Before> variables_;  ///< by function
  std::set<std::string> functions_;                           ///< that return it
};

/// The counter's name where it is one place in global memory: a __device__ variable, or what a pointer of
/// the kernel's parameters points to. An element chosen by data counts other things than work.
std::string global_counter(const CppContext& context, Node call) {
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  if (arguments.size() < 2) return {};
  Node place = arguments[0];
  if (place.is(NodeKind::pointer_expression)) place = place.child(Field::argument_field);
  const std::string name(place.text().substr(0, 60));
  if (place.is(NodeKind::field_expression)) return name;
  if (!place.is(NodeKind::identifier)) return {};
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::declaration) && !n.is(NodeKind::parameter_declaration)) continue;
    const Node declarator = n.child(Field::declarator_field);
    const Node inner =
        declarator.is(NodeKind::init_declarator) ? declarator.child(Field::declarator_field) : declarator;
    if (cpp_declared_name(inner).text() != name) continue;
    if (n.is(NodeKind::parameter_declaration) && n.text().find('*') != std::string_view::npos) return name;
    const std::string_view all(n.tree()->text());
    const std::size_t begin = all.find_last_of(";}", n.span().begin == 0 ? 0 : n.span().begin - 1);
    const std::string_view head =
        all.substr(begin == std::string_view::npos ? 0 : begin + 1, n.span().end).substr(0, 200);
    if (n.text().find("__shared__") == std::string_view::npos &&
        head.substr(0, head.find(name)).find("__device__") != std::string_view::npos)
      return name;
  }
  return {};
}

/// A comparison, or the whole condition, within `n` that has what came from a call on one side.
bool compares(const ValueFlow& flow, Node n, bool by_order) {
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (!part.is(NodeKind::binary_expression)) continue;
    const std::string_view op = part.child(Field::operator_token).text();
    const bool order = op == "<" || op == ">=" || op == ">" || op == "<=";
    const bool equal = op == "==";
    if (by_order ? !order : !equal) continue;
    if (flow.reaches(part.child(Field::left_field)) || flow.reaches(part.child(Field::right_field)))
      return true;
  }
  return false;
}

/// A loop that goes on as long as what came from the counter lies below a bound; no node where none does.
Node loop_driven(const CppContext& context, const ValueFlow& flow) {
  for (const Node n : context.nodes()) {
    if (!is_loop(n) || !cpp_on_device(n)) continue;
    if (compares(flow, n.child(Field::condition_field), true)) return n;
    // while (true) { … if (tile >= tiles) break; … }
    for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
      const Node branch = n.tree()->at(i);
      if (!branch.is(NodeKind::if_statement)) continue;
      const Node then = branch.child(Field::consequence_field);
      const bool leaves = then.text().substr(0, 40).find("break") != std::string_view::npos ||
                          then.text().substr(0, 40).find("return") != std::string_view::npos;
      if (leaves && compares(flow, branch.child(Field::condition_field), true)) return n;
    }
  }
  return {};
}

/// A comparison with the number of all, after everybody made their part visible.
bool tells_last(const ValueFlow& flow, Node call) {
  const Node function = call.enclosing(NodeKind::function_definition);
  bool fenced = false;
  for (std::uint32_t i = function.index(); function && i < call.index(); ++i) {
    const Node n = function.tree()->at(i);
    fenced = fenced || (n.is(NodeKind::call_expression) &&
                        leaf_name(n.child(Field::function_field)) == "__threadfence");
  }
  return fenced && compares(flow, function, false);
}
}  // namespace

void extract_cpp_counters(CppContext& context) {
  std::vector<Node> calls;
  for (const Node n : context.nodes())
    if (adds_atomically(n) && cpp_on_device(n) && !n.parent().is(NodeKind::expression_statement))
      calls.push_back(n);
  for (const Node call : calls) {
    const ValueFlow flow(context, call);
    const auto arguments = cpp_items(call.child(Field::arguments_field));
    if (arguments.empty()) continue;
    const std::string counter = global_counter(context, call);
    if (!counter.empty() && loop_driven(context, flow)) {
      CppDraft& draft = context.add(Family::S1, "work-counter", counter,
                                    "the next piece of work: from the counter " + counter, call);
      draft.construct = "work-counter";
    } else if (tells_last(flow, call)) {
      const std::string subject(arguments[0].text().substr(0, 60));
      CppDraft& draft = context.add(Family::D5, "last-arriver", subject,
                                    "who completes " + subject + " goes on with what all have written", call);
      draft.construct = "last-arriver";
    }
  }
}

}  // namespace cutelab::reading
