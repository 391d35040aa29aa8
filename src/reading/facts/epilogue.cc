#include <algorithm>
#include <map>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
/// The tensor's own letter after that of its memory: gC; a gradient's has a d between, gdC.
bool tensor_follows(const std::string& name, std::size_t at) {
  const auto upper = [&](std::size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
  return upper(at + 1) || (name[at + 1] == 'd' && upper(at + 2));
}
}  // namespace

/// A tensor in global memory by the naming that CuTe code keeps: gC, tCgC, bSG_gC, tTR_gC, mC; a fragment,
/// frgA, is none.
bool names_global(std::string_view text) {
  std::string name(text.substr(0, text.find_first_of("[(")));
  const auto dot = name.rfind('.');
  if (dot != std::string::npos) name = name.substr(dot + 1);
  if (name.size() > 1 && (name[0] == 'g' || name[0] == 'm') && tensor_follows(name, 0)) return true;
  for (std::size_t i = 1; i + 1 < name.size(); ++i)
    if (name[i] == 'g' && tensor_follows(name, i) && !(name[i - 1] >= 'a' && name[i - 1] <= 'z')) return true;
  return name.find("gmem") != std::string::npos;
}

bool names_shared(std::string_view text) {
  const std::string name(text.substr(0, text.find_first_of("[(")));
  for (std::size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] == 's' && tensor_follows(name, i) && (i == 0 || name[i - 1] != 'g')) return true;
  return false;
}

namespace {

/// What a local name was last bound to, as long as that is another name or a slice of one.
Node name_behind(const FactContext& context, Node tensor, int depth = 0) {
  if (!tensor.is(NodeKind::identifier) || depth > 3) return tensor;
  const source::PythonModule& module = context.module();
  for (const int index : module.bindings(module.function_at(tensor), std::string(tensor.text()))) {
    const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
    const bool renames = a.value.is(NodeKind::identifier) || a.value.is(NodeKind::subscript);
    if (a.form == source::Assignment::Form::plain && a.slots.empty() && renames &&
        a.statement.span().end <= tensor.span().begin)
      return name_behind(context, a.value, depth + 1);
  }
  return tensor;
}

void add_stores(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const bool copy = site.leaf == "copy" || site.leaf == "autovec_copy" || site.leaf == "basic_copy" ||
                      site.leaf == "basic_copy_if";
    if (!copy || !runs_on_device(context, site.call)) continue;
    // copy(atom, from, to); a helper of that name that makes the atom itself takes (from, to).
    const bool atom = site.leaf == "copy" && context.positional(site.call, 2);
    const Node destination = context.positional(site.call, atom ? 2 : 1);
    const Node from = context.positional(site.call, atom ? 1 : 0);
    if (!destination || !from) continue;
    const bool bar = context.keyword(site.call, "tma_bar_ptr") || context.keyword(site.call, "mbar_ptr");
    const std::string_view named = name_behind(context, destination).text();
    bool global = (names_global(destination.text()) && !names_shared(destination.text())) ||
                  (names_global(named) && !names_shared(named));
    const bool told = global || names_shared(destination.text());
    if (!told && (!atom || memory_space(context, from) == "registers"))
      global = memory_space(context, destination) == "global";
    if (global && !bar) {
      Draft& draft = context.add(Family::E1, "store", std::string(destination.text().substr(0, 60)),
                                 "store to global memory", site.call);
      const Node atom_node = context.positional(site.call, 0);
      const bool tma =
          atom && (names_shared(from.text()) || to_lower(atom_node.text()).find("tma") != std::string::npos);
      draft.construct = tma ? "tma-store" : "direct-store";
      draft.fact.values["type"] = evidence::literal(tma ? "smem_tma_store" : "direct_store");
    } else if (names_shared(destination.text()) && !bar && !names_global(from.text())) {
      Draft& draft = context.add(Family::E1, "staging", std::string(destination.text().substr(0, 60)),
                                 "staged in shared memory", site.call);
      draft.construct = "staging";
    }
  }
}

/// gC.store(…), (pointer + i).store(…): by the receiver's name, else by where it points.
bool stores_globally(FactContext& context, const CallSite& site) {
  if (names_global(site.receiver)) return true;
  return memory_space(context, site.call.child(Field::function_field).child(Field::object_field)) == "global";
}

/// semaphore[0] = 0: one word at a fixed place, a flag where there is other output.
bool sets_flag(Node assignment) {
  const auto number = [](Node n) { return n.is(NodeKind::integer); };
  const Node left = assignment.child(Field::left_field);
  if (!number(assignment.child(Field::right_field))) return false;
  int indices = 0;
  for (const Node index : left.children()) {
    if (index.field() != Field::subscript_field) continue;
    if (!number(index)) return false;
    ++indices;
  }
  return indices == 1;
}

/// `gC[i] = …`, `tensor.store(…)` to global memory, and library epilogues.
void add_other_stores(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const bool library =
        (site.path.find("gemm.sm100") != std::string::npos && site.leaf.starts_with("epilogue")) ||
        site.leaf == "epilogue_tma_store";
    const bool helper = site.leaf.starts_with("epilogue") && site.receiver == "self";
    const bool store =
        (site.leaf == "store" && runs_on_device(context, site.call) && stores_globally(context, site)) ||
        site.leaf.starts_with("multimem_st");  // to the memory of all devices
    if ((!library && !store && !helper) || !runs_on_device(context, site.call)) continue;
    Draft& draft = context.add(Family::E1, library || helper ? "library-epilogue" : "store", site.leaf,
                               library  ? "epilogue of the library"
                               : helper ? "epilogue helper"
                                        : "store to global memory",
                               site.call);
    draft.construct = library ? "library-epilogue" : helper ? "epilogue-helper" : "direct-store";
    draft.fact.optional = helper;
    // A helper that is handed a TMA atom, or a pipeline of stores, stores by it.
    const std::string given = to_lower(site.call.child(Field::arguments_field).text());
    const bool tma = site.leaf.find("tma") != std::string::npos ||
                     (!library && (given.find("tma_atom") != std::string::npos ||
                                   given.find("store_pipeline") != std::string::npos));
    if (tma || !helper)
      draft.fact.values["type"] = evidence::literal(tma ? "smem_tma_store" : "direct_store");
  }
  for (const Node n : context.module().tree().all(NodeKind::assignment)) {
    const Node left = n.child(Field::left_field);
    if (!left.is(NodeKind::subscript)) continue;
    if (!runs_on_device(context, n)) continue;
    const Node stored_in = left.child(Field::value_field);
    if (!names_global(stored_in.text()) && memory_space(context, stored_in) != "global") continue;
    Draft& draft =
        context.add(Family::E1, "store", std::string(left.text().substr(0, 60)), "store to global memory", n);
    draft.construct = sets_flag(n) ? "flag-store" : "direct-store";
    draft.fact.values["type"] = evidence::literal("direct_store");
  }
}
/// thr_copy_A.retile(tCrA) of an operand's fragment belongs to the loads of that operand, not to the
/// epilogue.
bool is_operand_view(const FactContext& context, Node retile) {
  const Node fragment = context.positional(retile, 0);
  const Node made = fragment.is(NodeKind::identifier) ? bound_before(context, fragment) : fragment;
  const std::string maker =
      made.is(NodeKind::call) ? leaf_name(made.child(Field::function_field).text()) : std::string();
  if (maker == "make_fragment_A" || maker == "make_fragment_B") return true;
  Node copy = retile.child(Field::function_field).child(Field::object_field);
  for (int step = 0; step < 4 && copy; ++step) {
    if (copy.is(NodeKind::identifier)) {
      copy = bound_before(context, copy);
      continue;
    }
    const Node callee = copy.is(NodeKind::call) ? copy.child(Field::function_field) : Node();
    const std::string leaf = callee ? leaf_name(callee.text()) : std::string();
    if (leaf == "make_tiled_copy_A" || leaf == "make_tiled_copy_B") return true;
    if (leaf != "get_slice") return false;
    copy = callee.child(Field::object_field);
  }
  return false;
}
void drop_operand_views(FactContext& context) {
  std::erase_if(context.drafts, [&](const Draft& d) {
    return d.construct == "retile" && d.fact.family == Family::E1 && is_operand_view(context, d.node);
  });
}

/// The layouts that a step of the epilogue carries: which thread holds which values.
void add_step_layouts(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != "epilogue-step" || !draft.construct.starts_with("make_tiled_copy")) continue;
    const Abstract layout = context.evaluator.made_with(0, draft.node, "layout_tv_tiled");
    if (layout.known()) draft.fact.values["layout_tv"] = context.value(layout, draft.node);
  }
}
/// Whether two nodes stand in different branches of one `if`: what one does the other's warps do not.
bool in_other_branch(Node a, Node b) {
  for (Node n = a; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    if (above && above.contains(b) && !n.contains(b))
      return above.is(NodeKind::if_statement) || above.is(NodeKind::elif_clause) ||
             above.is(NodeKind::else_clause);
    if (n.contains(b)) return false;
  }
  return false;
}

/// `for i in …: x[i] = …`: a loop over the elements of what is assigned.
bool over_elements(Node loop, Node assignment) {
  const Node element = assignment.child(Field::left_field);
  const std::string_view index = loop.is(NodeKind::for_statement) ? loop.child(Field::left_field).text() : "";
  return !index.empty() && element.is(NodeKind::subscript) &&
         element.text().substr(element.child(Field::value_field).text().size()).find(index) !=
             std::string_view::npos;
}

/// Whether the output is stored after this, in the same branch, and in every loop around it (but one over the
/// elements of what it assigns) before that loop multiplies again.
bool goes_into_store(FactContext& context, Node n) {
  const auto follows = [&](Node around, bool multiply) {
    return std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
      const bool wanted = multiply ? d.fact.kind == evidence::kind::gemm
                                   : d.fact.family == Family::E1 && d.fact.kind == "store";
      return wanted && d.node.index() > n.index() && around.contains(d.node) && !in_other_branch(n, d.node);
    });
  };
  for (Node around = n.parent(); around; around = around.parent()) {
    if (around.is(NodeKind::function_definition)) return follows(around, false);
    if (!around.is(NodeKind::for_statement) && !around.is(NodeKind::while_statement)) continue;
    if (!over_elements(around, n) && (follows(around, true) || !follows(around, false))) return false;
  }
  return false;
}

void add_step(FactContext& context, Node at, const std::string& subject, std::string says,
              const char* construct, const char* name, evidence::Value value) {
  Draft& draft = context.add(Family::E1, "epilogue-step", subject, std::move(says), at);
  draft.construct = construct;
  draft.fact.optional = true;
  draft.fact.values[name] = std::move(value);
}

/// The factor of `acc[i] = acc[i] * scale`, `acc[i] *= scale`, `acc[i] = acc[i].load() * scale`; no node
/// where the statement is none.
Node factor_of(Node assignment) {
  const Node left = assignment.child(Field::left_field), right = assignment.child(Field::right_field);
  if (!left.is(NodeKind::subscript)) return {};
  if (assignment.is(NodeKind::augmented_assignment))
    return assignment.child(Field::operator_token).text() == "*=" ? right : Node();
  if (!right.is(NodeKind::binary_operator) || right.child(Field::operator_token).text() != "*") return {};
  const Node first = right.child(Field::left_field), second = right.child(Field::right_field);
  const auto same = [&](Node side) {
    const std::string_view text = side.text();
    return text == left.text() ||
           (text.ends_with(".load()") && text.substr(0, text.size() - 7) == left.text());
  };
  return same(first) ? second : same(second) ? first : Node();
}

/// The parameter that a tensor is, or that it is a view of by a call that takes it: mn = self.view_of(acc).
std::string parameter_behind(const FactContext& context, const source::PythonFunction& function, Node name) {
  for (int step = 0; step < 3 && name.is(NodeKind::identifier); ++step) {
    for (const source::Parameter& p : function.parameters)
      if (p.name == name.text()) return p.name;
    const Node made = bound_before(context, name);
    name = made.is(NodeKind::call) ? made.child(Field::arguments_field).first() : made;
  }
  return {};
}

/// What a function scales of what it is handed: the parameter, and by which factor.
struct ScaledParameter {
  std::size_t parameter = 0;
  Node factor;
};
std::map<int, ScaledParameter> functions_that_scale(FactContext& context) {
  std::map<int, ScaledParameter> out;
  for (const Node n : context.module().tree().all({NodeKind::assignment, NodeKind::augmented_assignment})) {
    const Node factor = factor_of(n);
    const int f = factor ? context.module().function_at(n) : -1;
    if (f < 0 || out.count(f)) continue;
    const source::PythonFunction& function = context.module().functions()[static_cast<std::size_t>(f)];
    if (function.has_decorator("kernel")) continue;
    Node scaled = n.child(Field::left_field);
    while (scaled.is(NodeKind::subscript)) scaled = scaled.child(Field::value_field);
    const std::string name = parameter_behind(context, function, scaled);
    for (std::size_t p = 0; p < function.parameters.size(); ++p)
      if (!name.empty() && function.parameters[p].name == name) out[f] = {p, factor};
  }
  return out;
}

/// self.normalize(acc, …) before the store: the function scales what it is handed.
void add_scaling_calls(FactContext& context) {
  const std::map<int, ScaledParameter> scaling = functions_that_scale(context);
  if (scaling.empty()) return;
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!context.evaluator.callee_function(0, site.call, &m, &f) || m != 0 || !scaling.count(f)) continue;
    if (!runs_on_device(context, site.call) || !goes_into_store(context, site.call)) continue;
    const ScaledParameter& scaled = scaling.at(f);
    const source::PythonFunction& function = context.module().functions()[static_cast<std::size_t>(f)];
    const Node given = argument_for(context, function, site.call, scaled.parameter);
    if (!given) continue;
    const std::string name(given.text().substr(0, 60));
    add_step(context, site.call, name, name + " scaled in " + function.name, "fused-scale", "factor",
             evidence::literal(std::string(scaled.factor.text().substr(0, 120))));
  }
}

/// `.to(T)` with T a type of numbers: known as one, or called one.
bool names_type(FactContext& context, Node argument) {
  const Abstract type = context.evaluator.value_of(0, argument);
  if (type.known() && !type.path.empty()) return models::bits_of_type(type.path).has_value();
  const std::string low = to_lower(argument.text());
  return low.find("dtype") != std::string::npos || low.find("_type") != std::string::npos;
}

/// The type that a value is converted to: what the name stands for, else the name.
evidence::Value type_told(FactContext& context, Node argument) {
  evidence::Value type = context.value(argument);
  return type.determined() ? type : evidence::literal(std::string(argument.text().substr(0, 80)));
}

/// What the epilogue does to accumulators on their way out: a factor, a conversion to the output's type, an
/// operation of the caller's.
void add_fused_steps(FactContext& context) {
  const bool multiplies = std::any_of(context.drafts.begin(), context.drafts.end(), [](const Draft& d) {
    return d.fact.kind == evidence::kind::gemm || d.fact.kind == evidence::kind::mma;
  });
  if (!multiplies) return;
  for (const Node n : context.module().tree().all({NodeKind::assignment, NodeKind::augmented_assignment})) {
    const Node factor = factor_of(n);
    if (!factor || !runs_on_device(context, n) || !goes_into_store(context, n)) continue;
    const std::string name(n.child(Field::left_field).child(Field::value_field).text().substr(0, 60));
    add_step(context, n, name, name + " scaled by " + std::string(factor.text().substr(0, 60)), "fused-scale",
             "factor", evidence::literal(std::string(factor.text().substr(0, 120))));
  }
  add_scaling_calls(context);
  for (const CallSite& site : context.calls()) {
    const bool converts = site.leaf == "to" && !site.receiver.empty() && context.positional(site.call, 0);
    const bool given = site.leaf.find("epilogue_op") != std::string::npos;
    if (converts && !names_type(context, context.positional(site.call, 0))) continue;
    if ((!converts && !given) || !runs_on_device(context, site.call) || !goes_into_store(context, site.call))
      continue;
    const Node argument = context.positional(site.call, 0);
    const std::string subject = converts ? site.receiver.substr(0, 60) : site.leaf;
    add_step(context, site.call, subject,
             converts ? subject + " converted to " + std::string(argument.text().substr(0, 60))
                      : "elementwise operation " + subject + " of the epilogue",
             converts ? "fused-conversion" : "fused-operation", converts ? "type" : "operation",
             converts ? type_told(context, argument) : evidence::literal(subject));
  }
}
}  // namespace

void extract_epilogue(FactContext& context) {
  drop_operand_views(context);
  add_step_layouts(context);
  add_stores(context);
  add_other_stores(context);
  drop_staging_for_others(context);
  add_fused_steps(context);
}

}  // namespace cutelab::reading
