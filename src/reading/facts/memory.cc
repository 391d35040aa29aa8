#include <algorithm>
#include <array>

#include "reading/evaluator/folder.h"
#include "reading/facts/context.h"

// Where tensors and pointers lie and which tensor a slice is cut from: by how the object came to be, not by
// its name.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_steps = 12;

std::string space_named(std::string_view text) {
  for (const auto& [word, space] : {std::pair{"smem", "shared"},
                                    {"shared", "shared"},
                                    {"tmem", "tensor-memory"},
                                    {"gmem", "global"},
                                    {"global", "global"},
                                    {"rmem", "registers"}})
    if (text.find(word) != std::string_view::npos) return space;
  if (text == "3") return "shared";
  if (text == "6") return "tensor-memory";
  return text == "1" ? "global" : "";
}

/// What the name of a maker says of the space it makes something in; "" = it only passes on.
std::string space_of_maker(std::string_view leaf, const std::string& path) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), leaf) != names.end();
  };
  if (is({"get_tensor", "allocate_tensor", "allocate_array", "alloc_smem", "make_smem_tensor",
          "SmemAllocation"}))
    return "shared";
  if (is({"make_rmem_tensor", "make_rmem_tensor_like", "make_fragment_like", "make_fragment", "full",
          "full_like", "zeros_like", "load", "make_fragment_A_rmem"}) ||
      leaf.starts_with("make_fragment_"))
    return "registers";  // or tensor memory, by the MMA: no other
  if (is({"retrieve_ptr", "retrieve_tmem_ptr", "make_tmem_ptr", "make_tmem_ptr_from_warp_row_col"}))
    return "tensor-memory";
  if (is({"from_dlpack", "make_fake_compact_tensor", "make_fake_tensor", "make_array_view"}) ||
      leaf.starts_with("make_tiled_tma_atom"))
    return "global";
  if (leaf == "allocate" && path.find("Tmem") != std::string::npos) return "tensor-memory";
  if (leaf == "allocate" && path.find("Smem") != std::string::npos) return "shared";
  return {};
}

/// Array(type, n, space=…), allocate(type, AddressSpace.smem, layout): the space is an argument.
std::string space_argument(const FactContext& context, Node call, std::string_view leaf) {
  for (const char* name : {"space", "addrspace", "address_space", "mem_space"})
    if (const Node given = context.keyword(call, name)) return space_named(given.text());
  if (leaf != "allocate") return {};
  for (const Node a : call.child(Field::arguments_field).children())
    if (a.text().find("AddressSpace.") != std::string_view::npos) return space_named(a.text());
  return {};
}

/// A function whose first argument is what it gives back a part or another view of.
bool passes_first(std::string_view leaf) {
  static constexpr std::array names = {"make_tensor",     "recast_tensor", "recast_ptr",      "group_modes",
                                       "filter_zeros",    "slice_",        "append_ones",     "coalesce",
                                       "local_tile",      "zipped_divide", "tiled_divide",    "flat_divide",
                                       "logical_divide",  "domain_offset", "local_partition", "select",
                                       "make_array_view", "composition",   "permute"};
  return std::find(names.begin(), names.end(), leaf) != names.end() || leaf.starts_with("partition_") ||
         leaf.starts_with("retile");
}

/// A parameter that holds no data: what its methods give back lies elsewhere.
bool holds_no_data(std::string_view annotation) {
  for (const char* word : {"TensorMap", "Mma", "Copy", "Layout", "Constexpr", "Atom", "Params", "Scheduler"})
    if (annotation.find(word) != std::string_view::npos) return true;
  return false;
}

bool parameter_of_kernel(const FactContext& context, Node name) {
  const source::PythonModule& module = context.module();
  const int f = module.function_at(name);
  if (f < 0 || !name.is(NodeKind::identifier)) return false;
  const auto& function = module.functions()[static_cast<std::size_t>(f)];
  if (!function.has_decorator("kernel")) return false;
  for (const source::Parameter& p : function.parameters)
    if (p.name == name.text()) return !holds_no_data(p.annotation.text());
  return false;
}

/// The part of an expression that says what it is about: `(p + i)[0].x` is about p.
Node subject_of(Node n) {
  for (int step = 0; step < most_steps && n; ++step) {
    if (n.is(NodeKind::parenthesized_expression))
      n = n.first();
    else if (n.is(NodeKind::binary_operator))
      n = n.child(Field::left_field);
    else if (n.is(NodeKind::subscript))
      n = n.child(Field::value_field);
    else
      break;
  }
  return n;
}
}  // namespace

namespace {
const source::Assignment* binding_before(const FactContext& context, Node name) {
  const source::PythonModule& module = context.module();
  for (int scope = module.function_at(name); scope >= 0;
       scope = module.functions()[static_cast<std::size_t>(scope)].enclosing) {
    const auto& bound = module.bindings(scope, std::string(name.text()));
    const source::Assignment* found = nullptr;
    for (const int index : bound) {
      const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
      if (a.statement.span().end <= name.span().begin) found = &a;
    }
    if (!bound.empty()) return found;
  }
  return nullptr;
}

/// What a name stands for: the right-hand side; of a tuple on the left, the call in a helper that made this
/// item.
Node made_for(FactContext& context, Node name) {
  const source::Assignment* binding = binding_before(context, name);
  if (!binding || binding->slots.empty()) return binding ? binding->value : Node();
  const Abstract item = context.evaluator.value_of(0, name);
  const bool here = item.is(Abstract::Kind::object) && item.made_at.is(NodeKind::call) &&
                    item.made_at.tree() == name.tree();
  return here ? item.made_at : binding->value;
}
}  // namespace

Node bound_before(const FactContext& context, Node name) {
  const source::Assignment* binding = binding_before(context, name);
  return binding ? binding->value : Node();
}

std::string memory_space(FactContext& context, Node expression) {
  Node n = subject_of(expression);
  for (int step = 0; step < most_steps && n; ++step) {
    if (n.is(NodeKind::identifier)) {
      const Node value = made_for(context, n);
      if (!value) break;
      n = subject_of(value);
    } else if (n.is(NodeKind::attribute)) {
      if (n.child(Field::object_field).text() == "self") break;
      n = subject_of(n.child(Field::object_field));
    } else if (n.is(NodeKind::call)) {
      const CallSite* site = context.site_of(n);
      const std::string leaf = site ? site->leaf : leaf_name(n.child(Field::function_field).text());
      if (std::string space = space_argument(context, n, leaf); !space.empty()) return space;
      if (std::string space = space_of_maker(leaf, site ? site->path + site->receiver : ""); !space.empty())
        return space;
      const Node function = n.child(Field::function_field);
      if (passes_first(leaf) || (leaf == "Array" && context.positional(n, 0))) {
        n = subject_of(context.positional(n, 0));
      } else if (function.is(NodeKind::attribute)) {
        n = subject_of(function.child(Field::object_field));
      } else {
        break;
      }
    } else {
      break;
    }
  }
  if (!n) return {};
  if (parameter_of_kernel(context, n)) return "global";
  // What callers pass, or what an attribute was set to.
  const Abstract value = context.evaluator.value_of(0, n);
  if (!value.is(Abstract::Kind::object) || !value.made_at.is(NodeKind::call)) return {};
  const std::string leaf = leaf_name(value.made_at.child(Field::function_field).text());
  if (std::string space = space_argument(context, value.made_at, leaf); !space.empty()) return space;
  return space_of_maker(leaf, value.path);
}

std::string memory_space(FactContext& context, const Abstract& object) {
  Abstract made = object;
  for (int step = 0; step < most_steps; ++step) {
    if (!made.is(Abstract::Kind::object) || !made.made_at.is(NodeKind::call)) return {};
    const int module = made.frame ? made.frame->module : made.module;
    const Abstract told = context.evaluator.made_with(module, made.made_at, "memspace");
    if (told.is(Abstract::Kind::text))
      if (std::string space = space_named(told.text); !space.empty()) return space;
    const Node function = made.made_at.child(Field::function_field);
    const std::string leaf = leaf_name(function.text());
    if (std::string space = space_argument(context, made.made_at, leaf); !space.empty()) return space;
    if (std::string space = space_of_maker(leaf, made.path); !space.empty()) return space;
    if (!passes_first(leaf)) return {};
    const Node first = subject_of(context.positional(made.made_at, 0));
    if (!first) return {};
    made = context.evaluator.argument_of(made, first);
  }
  return {};
}

Node tensor_origin(FactContext& context, Node expression) {
  Node n = subject_of(expression);
  for (int step = 0; step < most_steps && n; ++step) {
    if (n.is(NodeKind::identifier)) {
      const Node value = bound_before(context, n);
      if (!value || value == n) return n;
      const Node next = subject_of(value);
      if (!next.is(NodeKind::identifier) && !next.is(NodeKind::call) && !next.is(NodeKind::attribute))
        return n;
      if (next.is(NodeKind::call)) {
        const CallSite* site = context.site_of(next);
        if (!site || !passes_first(site->leaf) || !context.positional(next, 0)) return n;
        n = subject_of(context.positional(next, 0));
      } else {
        n = next;
      }
    } else if (n.is(NodeKind::call)) {
      const CallSite* site = context.site_of(n);
      if (!site) return {};
      const bool view = site->leaf == "subview" || site->leaf == "data_ptr" || site->leaf == "raw_ptr";
      if (!view && (!passes_first(site->leaf) || !context.positional(n, 0))) return {};
      n = subject_of(view ? n.child(Field::function_field).child(Field::object_field)
                          : context.positional(n, 0));
    } else if (n.is(NodeKind::attribute) && n.child(Field::attribute_field).text() == "iterator") {
      n = subject_of(n.child(Field::object_field));
    } else {
      return n;
    }
  }
  return n;
}

}  // namespace cutelab::reading
