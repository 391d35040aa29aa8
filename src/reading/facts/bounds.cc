#include "reading/facts/bounds.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_bindings = 8;
constexpr int most_names = 64;

bool is_any_of(std::string_view leaf, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), leaf) != names.end();
}

const source::Parameter* parameter_named(const FactContext& context, Node name) {
  const source::PythonModule& module = context.module();
  for (int f = module.function_at(name); f >= 0;
       f = module.functions()[static_cast<std::size_t>(f)].enclosing)
    for (const source::Parameter& p : module.functions()[static_cast<std::size_t>(f)].parameters)
      if (p.name == name.text()) return &p;
  return nullptr;
}

/// The tensor or name that an expression is an element or a slice of.
Node owner_of(Node n) {
  while (n.is(NodeKind::subscript)) n = n.child(Field::value_field);
  return n;
}

/// What an expression is made of, through the names it uses.
class Origin {
 public:
  explicit Origin(FactContext& context) : context_(context) {}
  bool thread = false;  ///< differs between the threads of a CTA
  bool data = false;    ///< an extent that only the data tells

  void follow(Node expression, int depth) {
    for (std::uint32_t i = expression.index(); expression && i < expression.end_index(); ++i) {
      const Node n = expression.tree()->at(i);
      if (n.is(NodeKind::call)) {
        note_call(n);
      } else if (n.is(NodeKind::attribute)) {
        if (n.child(Field::attribute_field).text() == "shape") note_shape(n.child(Field::object_field));
      } else if (n.is(NodeKind::identifier) && is_read(n)) {
        note_name(n, depth);
      }
    }
  }

 private:
  static bool is_read(Node n) {
    const Node above = n.parent();
    return n.field() != Field::attribute_field && n.field() != Field::function_field &&
           !(above.is(NodeKind::keyword_argument) && n.field() == Field::name_field);
  }
  void note_call(Node call) {
    const std::string leaf = leaf_name(call.child(Field::function_field).text().substr(0, 120));
    thread = thread || is_any_of(leaf, {"thread_idx", "lane_idx", "laneid", "make_identity_tensor",
                                        "make_coord_tensor"});
    if (leaf == "size") note_shape(context_.positional(call, 0));
  }
  /// The shape of a tensor that the function is given.
  void note_shape(Node tensor) {
    const Node origin = tensor ? tensor_origin(context_, tensor) : Node();
    if (!origin.is(NodeKind::identifier)) return;
    const source::Parameter* given = parameter_named(context_, origin);
    data = data || (given && (!given->annotation || holds(given->annotation, {"Tensor"})));
  }
  static bool holds(Node annotation, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
      return annotation.text().find(w) != std::string_view::npos;
    });
  }
  void note_parameter(Node name, const source::Parameter& given) {
    const std::string low = to_lower(given.name);
    const bool bound = low.find("max") != std::string::npos || low.find("num") != std::string::npos;
    if (!bound && (low.find("tid") != std::string::npos || low.find("lane") != std::string::npos)) {
      thread = true;
      return;
    }
    if (given.name == "self") return;
    if (given.annotation) {
      const bool constant = holds(given.annotation, {"Constexpr"});
      const bool subscripted = name.parent().is(NodeKind::subscript);  // counts kept in a tensor
      data = data || (!constant && (holds(given.annotation, {"Int32", "Int64", "Uint", "Integer"}) ||
                                    (subscripted && holds(given.annotation, {"Tensor", "Pointer"}))));
    }
  }
  void note_name(Node name, int depth) {
    if (depth >= most_bindings || seen_.size() >= most_names) return;
    const Node value = bound_before(context_, name);
    if (!value) {
      if (const source::Parameter* given = parameter_named(context_, name)) note_parameter(name, *given);
      return;
    }
    if (!seen_.insert(value.index()).second) return;
    follow(value, depth + 1);
  }

  FactContext& context_;
  std::set<std::uint32_t> seen_;
};

bool is_order(std::string_view text) { return text == "<" || text == ">=" || text == ">" || text == "<="; }

/// A number, a constant of the module, a count of stages, warps or threads: nothing that data decides.
bool is_fixed(Node n) {
  if (n.is(NodeKind::integer)) return true;
  const std::string low = to_lower(n.text().substr(0, 200));
  return low.find("stage") != std::string::npos || low.find("warp") != std::string::npos;
}
}  // namespace

bool bounds_coordinate(FactContext& context, Node condition) {
  if (condition.is(NodeKind::parenthesized_expression) || condition.is(NodeKind::boolean_operator) ||
      condition.is(NodeKind::not_operator)) {
    for (const Node side : condition.children())
      if (bounds_coordinate(context, side)) return true;
    return false;
  }
  if (!condition.is(NodeKind::comparison_operator)) return false;
  Node left, right;
  for (const Node c : condition.children()) {
    if (c.is(NodeKind::op) || c.field() == Field::operators_field) {
      if (!is_order(c.text())) return false;
      continue;
    }
    (left ? right : left) = c;
  }
  if (!left || !right || is_fixed(left) || is_fixed(right)) return false;
  Origin first(context), second(context);
  first.follow(left, 0);
  second.follow(right, 0);
  return (first.thread && !second.thread && second.data) || (second.thread && !first.thread && first.data);
}

namespace {
/// Makes something in which nothing has been written yet.
bool makes_empty(std::string_view leaf) {
  return is_any_of(leaf, {"make_rmem_tensor", "make_rmem_tensor_like", "make_fragment", "make_fragment_like",
                          "allocate_tensor", "allocate_array", "get_tensor", "empty_like", "Array",
                          "allocate", "alloc_smem"});
}
bool gives_view(std::string_view leaf) {
  return leaf.starts_with("partition_") || leaf.starts_with("retile") ||
         is_any_of(leaf, {"make_tensor", "composition", "group_modes", "flatten", "coalesce", "recast_tensor",
                          "local_tile", "local_partition", "logical_divide", "zipped_divide", "tiled_divide",
                          "flat_divide", "slice_", "select"});
}

/// The names through which a tensor is a view of one made empty here; none when it came with values.
std::set<std::string_view> views_of_empty(const FactContext& context, Node name) {
  std::set<std::string_view> names;
  for (int step = 0; step < 12 && name.is(NodeKind::identifier); ++step) {
    names.insert(name.text());
    const Node value = owner_of(bound_before(context, name));
    if (!value.is(NodeKind::call)) {
      name = value;
      continue;
    }
    const std::string leaf = leaf_name(value.child(Field::function_field).text().substr(0, 120));
    if (makes_empty(leaf)) return names;
    if (!gives_view(leaf)) return {};
    Node of = owner_of(context.positional(value, 0));
    if (of.is(NodeKind::attribute) && of.child(Field::attribute_field).text() == "iterator")
      of = owner_of(of.child(Field::object_field));
    name = of;
  }
  return {};
}

bool writes_to(FactContext& context, const CallSite& site, const std::set<std::string_view>& names) {
  const Node object = site.call.child(Field::function_field).child(Field::object_field);
  if (site.leaf == "store") return object && names.count(owner_of(object).text()) > 0;
  int m = 0, f = -1;
  const bool copies = site.leaf == "copy" || site.leaf == "autovec_copy" || site.leaf == "basic_copy" ||
                      site.leaf == "basic_copy_if" || site.leaf == "gemm";
  if (!copies && !context.evaluator.callee_function(0, site.call, &m, &f)) return false;
  int position = 0;
  for (const Node a : site.call.child(Field::arguments_field).children()) {
    const bool source = copies && site.leaf != "gemm" && position++ == 0;
    if (!source && names.count(owner_of(a).text()) > 0) return true;
  }
  return false;
}
}  // namespace

bool masks_values(FactContext& context, Node write, Node target) {
  const Node name = owner_of(target);
  if (!name.is(NodeKind::identifier)) return true;
  const std::set<std::string_view> names = views_of_empty(context, name);
  if (names.empty()) return true;
  const int function = context.module().function_at(write);
  std::uint32_t until = write.index();
  for (Node n = write; n && !n.is(NodeKind::function_definition); n = n.parent())
    if (n.is(NodeKind::if_statement)) {
      until = n.end_index();
      break;
    }
  for (const CallSite& site : context.calls())
    if (site.function == function && site.call.index() < until && !(site.call == write) &&
        writes_to(context, site, names))
      return true;
  for (const source::Node n : context.module().tree().all(NodeKind::assignment)) {
    const Node left = n.child(Field::left_field);
    if (n == write || !left.is(NodeKind::subscript) || n.index() >= until ||
        names.count(owner_of(left).text()) == 0 || context.module().function_at(n) != function)
      continue;
    if (n.child(Field::right_field).text().find("inf") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace cutelab::reading
