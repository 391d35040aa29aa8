#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool in_device_code(const CppContext& context, Node n) {
  const Span span = n.span();
  const int file = context.at(n).file;
  return std::any_of(context.reading.functions.begin(), context.reading.functions.end(), [&](auto& f) {
    return f.kind != evidence::Function::Kind::host && f.at.file == file && f.at.span.begin <= span.begin &&
           span.end <= f.at.span.end;
  });
}

/// A tensor in global memory by the naming that CuTe code keeps: gC, mC, tCgC, gmem_c.
bool names_global_tensor(std::string_view name) {
  if (name.find("gmem") != std::string_view::npos) return true;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    const bool capital = name[i + 1] >= 'A' && name[i + 1] <= 'Z';
    if (capital && (name[i] == 'g' || (name[i] == 'm' && i == 0))) return true;
  }
  return false;
}

/// `pairs` of `pairs + 4` and `&pairs[4]`.
Node array_pointed_at(Node pointer) {
  if (pointer.is(NodeKind::binary_expression) && pointer.child(Field::operator_token).text() == "+")
    return pointer.child(Field::left_field);
  const Node element = pointer.is(NodeKind::pointer_expression) && pointer.text().starts_with('&')
                           ? pointer.child(Field::argument_field)
                           : Node();
  return element.is(NodeKind::subscript_expression) ? element.child(Field::argument_field) : pointer;
}

/// An array of a function's own, or a member array of an object that is no shared storage: registers.
bool names_register_array(const CppContext& context, Node given) {
  const Node argument = array_pointed_at(given);
  const Node object =
      argument.is(NodeKind::field_expression) ? argument.child(Field::argument_field) : argument;
  if (!object.is(NodeKind::identifier) || argument.text().find("->") != std::string_view::npos) return false;
  const std::string low = to_lower(object.text().substr(0, 60));
  if (low.find("smem") != std::string::npos || low.find("shared") != std::string::npos || low == "s")
    return false;
  const std::string_view name =
      argument.is(NodeKind::field_expression) ? argument.child(Field::field_field).text() : argument.text();
  for (const source::Tree* tree : context.trees)
    for (const Node n : tree->all(NodeKind::array_declarator)) {
      if (n.child(Field::declarator_field).text() != name) continue;
      const Node made = n.parent();
      const bool member = made.is(NodeKind::field_declaration);
      const Node inside = argument.enclosing(NodeKind::function_definition);
      if (member == argument.is(NodeKind::field_expression) && (member || inside.contains(made)) &&
          made.text().find("__shared__") == std::string_view::npos)
        return true;
    }
  return false;
}

/// `finish` of `tma.finish(…)` where that is an object and no method.
bool calls_member_object(const CppContext& context, Node callee) {
  if (!callee.is(NodeKind::field_expression)) return false;
  for (const source::Tree* tree : context.trees)
    for (const Node n : tree->all(NodeKind::field_declaration))
      if (n.child(Field::declarator_field).is(NodeKind::field_identifier) &&
          n.child(Field::declarator_field).text() == callee.child(Field::field_field).text())
        return true;
  return false;
}

/// Whether calls give a function registers for a pointer. A call operator is known by its arguments alone.
bool is_given_registers(const CppContext& context, Node parameter) {
  const Node function = parameter.enclosing(NodeKind::function_definition);
  const std::string name = leaf_name(cpp_function_name(function));
  const auto taken = cpp_items(cpp_parameters_of(function));
  const auto at = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), parameter) - taken.begin());
  if (at >= taken.size() || function_kind(function) != evidence::Function::Kind::device) return false;
  const bool operates = cpp_function_name(function).text().find("operator") != std::string_view::npos;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression)) continue;
    const std::string leaf = leaf_name(n.child(Field::function_field));
    const auto given = cpp_items(n.child(Field::arguments_field));
    if (operates ? given.size() != taken.size() : leaf != name) continue;
    if (at >= given.size() || !names_register_array(context, given[at])) continue;
    if (!operates || !context.bodies.count(leaf) ||
        calls_member_object(context, n.child(Field::function_field)))
      return true;
  }
  return false;
}

/// Pointers that a kernel writes through: parameters without const.
std::set<std::pair<const source::Tree*, std::string_view>> output_pointers(const CppContext& context) {
  std::set<std::pair<const source::Tree*, std::string_view>> out;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::parameter_declaration)) continue;
    const std::string_view text = n.text();
    const auto star = text.rfind('*');
    if (star == std::string_view::npos || text.find("const") != std::string_view::npos) continue;
    if (is_given_registers(context, n)) continue;
    std::string_view name = trim(text.substr(star + 1));
    if (name.starts_with("__restrict__")) name = trim(name.substr(12));
    out.emplace(n.tree(), name);
  }
  return out;
}

bool copies(Node call) {
  const std::string leaf = leaf_name(call.child(Field::function_field));
  return leaf == "copy" || leaf == "copy_if";
}

/// `thread.partition_D(tile_of(mY, block))`: the destination's part of a tensor in global memory.
bool partitions_global(Node argument) {
  if (!argument.is(NodeKind::call_expression) ||
      leaf_name(argument.child(Field::function_field)) != "partition_D")
    return false;
  const Node inner = argument.child(Field::arguments_field);
  for (std::uint32_t i = inner.index(); i < inner.end_index(); ++i)
    if (const Node n = inner.tree()->at(i); n.is(NodeKind::identifier) && names_global_tensor(n.text()))
      return true;
  return false;
}

/// `*reinterpret_cast<T*>(d + …) = …` where d is a pointer the function was given, or made from one it was.
bool stores_through_pointer(Node left) {
  if (!left.is(NodeKind::pointer_expression)) return false;
  const Node cast = left.child(Field::argument_field);
  if (!cast.is(NodeKind::call_expression) || !cast.text().starts_with("reinterpret_cast<")) return false;
  Node base;
  const Node arguments = cast.child(Field::arguments_field);
  const std::string_view given = arguments.text();
  if (given.starts_with("(static_cast<"))
    return given.substr(0, given.find('>')).find("const ") == std::string_view::npos;
  for (std::uint32_t i = arguments.index(); arguments && !base && i < arguments.end_index(); ++i)
    if (arguments.tree()->at(i).is(NodeKind::identifier)) base = arguments.tree()->at(i);
  const Node function = left.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); base && function && i < left.index(); ++i) {
    const Node n = function.tree()->at(i);
    const bool parameter = n.is(NodeKind::parameter_declaration);
    if (!parameter && !n.is(NodeKind::init_declarator)) continue;
    std::string_view name = n.child(Field::declarator_field).text();
    const bool pointer = name.find('*') != std::string_view::npos;
    while (!name.empty() && std::string_view("*& ").find(name.front()) != std::string_view::npos)
      name.remove_prefix(1);
    if (name.starts_with("__restrict__")) name = trim(name.substr(12));
    if (name != base.text() || !pointer) continue;
    const std::string_view type = parameter ? n.text() : n.parent().text();
    return type.substr(0, type.find('*')).find("const ") == std::string_view::npos &&
           (parameter || n.child(Field::value_field).text().starts_with("static_cast<"));
  }
  return false;
}

/// `static_cast<T*>(p.d)[at] = …` where p is a parameter: only what points to void is cast so, and a kernel's
/// arguments point to global memory.
bool stores_through_cast(Node left) {
  const Node cast = left.is(NodeKind::subscript_expression) ? left.child(Field::argument_field) : Node();
  if (!cast.is(NodeKind::call_expression)) return false;
  const std::string_view type = cast.child(Field::function_field).text();
  const auto given = cpp_items(cast.child(Field::arguments_field));
  if (!type.starts_with("static_cast<") || !type.ends_with("*>") ||
      type.find("const ") != std::string_view::npos || given.size() != 1 ||
      !given[0].is(NodeKind::field_expression))
    return false;
  const Node object = given[0].child(Field::argument_field);
  for (const Node p : cpp_items(cpp_parameters_of(left.enclosing(NodeKind::function_definition)))) {
    if (cpp_declared_name(p.child(Field::declarator_field)).text() != object.text()) continue;
    const std::string low = to_lower(p.text().substr(0, 200));
    return low.find("storage") == std::string::npos && low.find("shared") == std::string::npos &&
           low.find("smem") == std::string::npos;
  }
  return false;
}

/// Whether a function of an included header stores to global memory.
bool helper_stores(const CppContext& context, Node call) {
  const Node function = context.folder.function_named(leaf_name(call.child(Field::function_field)));
  if (!function || function.tree() == &context.tree || call.tree() != &context.tree ||
      function_kind(function) == evidence::Function::Kind::host)
    return false;
  for (std::uint32_t i = function.index(); i < function.end_index(); ++i) {
    const Node n = function.tree()->at(i);
    if (n.is(NodeKind::assignment_expression) && stores_through_pointer(n.child(Field::left_field)))
      return true;
  }
  return false;
}

std::string_view base_of(Node left) {
  const std::string_view text = left.text();
  const auto end = text.find_first_of("([");
  return end == std::string_view::npos ? std::string_view() : trim(text.substr(0, end));
}

bool arguments_are_zero(Node callee) {
  for (std::uint32_t i = callee.index(); i < callee.end_index(); ++i)
    if (callee.tree()->at(i).is(NodeKind::template_argument_list))
      return callee.tree()->at(i).text() == "<0>";
  return false;
}

bool holds_call(const CppContext& context, Node block, std::string_view leaf, int depth = 0) {
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if (!n.is(NodeKind::call_expression)) continue;
    const std::string name = leaf_name(n.child(Field::function_field));
    if (name == leaf) return true;
    const auto body = context.bodies.find(name);
    if (depth < 2 && body != context.bodies.end() && !body->second.contains(n) &&
        holds_call(context, body->second, leaf, depth + 1))
      return true;
  }
  return false;
}

/// Whether a loop that issues `work` ends before `node` in a block around it.
bool after_loop(const CppContext& context, Node node, std::string_view work) {
  for (Node n = node; n && !n.is(NodeKind::function_definition); n = n.parent())
    for (Node s = n.parent().first(); s && s.index() < n.index(); s = s.next())
      if (is_loop(s) && holds_call(context, s, work)) return true;
  return false;
}

}  // namespace

bool is_loop(Node n) {
  return n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement) || n.is(NodeKind::do_statement);
}

/// `collective_epilogue.store(…)`, `epilogue(…)`: the store lies behind the library's, or the caller's,
/// epilogue.
static bool calls_epilogue(const CppContext& context, Node call) {
  const Node callee = call.child(Field::function_field);
  const Node object = callee.is(NodeKind::field_expression) ? callee.child(Field::argument_field) : callee;
  const std::string leaf = leaf_name(callee);
  const bool object_called = callee.is(NodeKind::identifier) && !context.bodies.count(leaf);
  const bool stores = object_called || leaf == "store";
  return stores && to_lower(object.text().substr(0, 80)).find("epilogue") != std::string::npos &&
         !to_lower(leaf).starts_with("make_");
}

namespace {
/// axpby(a, x, b, y) writes y: where that is a fragment, it is a step on the way out and no store.
void tell_sums_in_registers(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    if (draft.construct != "axpby" || draft.fact.kind != "store") continue;
    const auto arguments = cpp_items(draft.node.child(Field::arguments_field));
    if (arguments.empty() || cpp_space_of(context, arguments.back()) != CppSpace::registers) continue;
    draft.fact.kind = "epilogue-step";
    draft.fact.says = "scaled sum in registers by axpby";
    draft.fact.optional = true;
  }
}

/// copy(registers, shared) that a TMA store follows, with no product between: the output is staged.
void add_cpp_staging(CppContext& context) {
  std::map<const source::Tree*, std::vector<std::pair<std::uint32_t, bool>>> issued;  // TMA stores, products
  for (const CppDraft& d : context.drafts) {
    const auto direction = d.fact.values.find("direction");
    const bool store = d.fact.kind == evidence::kind::copy && direction != d.fact.values.end() &&
                       direction->second.text() == "store";
    if (store || d.fact.kind == evidence::kind::gemm)
      issued[d.node.tree()].emplace_back(d.node.index(), store);
  }
  for (auto& [tree, after] : issued) std::sort(after.begin(), after.end());
  for (const Node n : context.nodes()) {
    if (issued.empty()) break;
    if (!n.is(NodeKind::call_expression) || !in_device_code(context, n)) continue;
    const std::string leaf = leaf_name(n.child(Field::function_field));
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if ((leaf != "copy" && leaf != "copy_aligned") || arguments.size() < 2) continue;
    const auto& after = issued[n.tree()];
    const auto next = std::lower_bound(after.begin(), after.end(), std::pair(n.index(), false));
    if (next == after.end() || !next->second || cpp_space_of(context, arguments.back()) != CppSpace::shared ||
        cpp_space_of(context, arguments[arguments.size() - 2]) != CppSpace::registers)
      continue;
    context
        .add(Family::E1, "staging", std::string(arguments.back().text().substr(0, 60)),
             "staged in shared memory", n)
        .construct = "staging";
  }
}

void prepare_output(CppContext& context) {
  tell_sums_in_registers(context);
  add_cpp_staging(context);
}
}  // namespace

void extract_cpp_stores(CppContext& context) {
  prepare_output(context);
  const auto outputs = output_pointers(context);
  for (const Node n : context.nodes()) {
    Node left;
    if (n.is(NodeKind::call_expression) && calls_epilogue(context, n) && in_device_code(context, n)) {
      context
          .add(Family::E1, "store", "epilogue", "output stored by " + std::string(n.text().substr(0, 60)), n)
          .construct = "epilogue-call";
      continue;
    }
    if (n.is(NodeKind::call_expression) && in_device_code(context, n) && helper_stores(context, n)) {
      const std::string helper = leaf_name(n.child(Field::function_field));
      context.add(Family::E1, "store", helper, helper + " stores to global memory", n).construct =
          "direct-store";
      continue;
    }
    if (n.is(NodeKind::assignment_expression)) {
      left = n.child(Field::left_field);
      if ((stores_through_pointer(left) || stores_through_cast(left)) && in_device_code(context, n)) {
        context.add(Family::E1, "store", std::string(left.text().substr(0, 60)), "store to global memory", n)
            .construct = "direct-store";
        continue;
      }
    } else if (n.is(NodeKind::call_expression) && copies(n)) {
      // copy(registers, global) without an atom; copy_if(atom, predicate, registers, partition of global)
      const std::vector<Node> arguments = cpp_items(n.child(Field::arguments_field));
      if (arguments.size() >= 2 && partitions_global(arguments.back()) && in_device_code(context, n)) {
        CppDraft& draft = context.add(Family::E1, "store", std::string(arguments.back().text().substr(0, 60)),
                                      "store to global memory", n);
        draft.construct = n.text().find("tma") != std::string_view::npos ? "tma-store" : "direct-store";
        continue;
      }
      if (arguments.size() < 2) continue;
      const CppSpace space = cpp_space_of(context, arguments.back());
      if (space != CppSpace::unknown && space != CppSpace::global) continue;  // whatever its name says
      const std::string_view to =
          base_of(arguments.back()).empty() ? arguments.back().text() : base_of(arguments.back());
      if (!names_global_tensor(to)) {
        // A name that says nothing: where the tensor came from tells.
        if (space != CppSpace::global || !cpp_on_device(n)) continue;
        context.add(Family::E1, "store", std::string(to.substr(0, 60)), "store to global memory", n)
            .construct = "direct-store";
        continue;
      }
      left = arguments.back();
    } else {
      continue;
    }
    const std::string_view base = base_of(left);
    const bool bare = n.is(NodeKind::call_expression) && base.empty();
    const bool global = bare || names_global_tensor(base) ||
                        (left.is(NodeKind::subscript_expression) && outputs.count({left.tree(), base}) > 0);
    if (!global || !in_device_code(context, n)) continue;
    CppDraft& draft =
        context.add(Family::E1, "store", std::string(left.text().substr(0, 60)), "store to global memory", n);
    draft.construct = n.text().find("tma") != std::string_view::npos ? "tma-store" : "direct-store";
  }
}

void extract_cpp_waits(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression) || !in_device_code(context, n)) continue;
    const Node callee = n.child(Field::function_field);
    const std::string leaf = leaf_name(callee);
    const bool wgmma = leaf == "warpgroup_wait" && arguments_are_zero(callee);
    const bool store = leaf == "tma_store_wait" && arguments_are_zero(callee);
    if ((wgmma && after_loop(context, n, "warpgroup_commit_batch")) ||
        (store && after_loop(context, n, "tma_store_arrive"))) {
      CppDraft& draft = context.add(Family::D4, "drain", leaf, "waits for all work in flight", n);
      draft.construct = "drain";
      draft.fact.optional = true;
    }
  }
}

}  // namespace cutelab::reading
