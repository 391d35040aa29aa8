#include <set>
#include <utility>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Copies by TMA and cp.async per operand, what TMA descriptors are for, the tensors that lie over shared
/// memory.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool holds(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

/// The `.with(…)` in a copy's first argument: a TMA operation bound to its barrier.
Node bound_operation(Node atom) {
  for (std::uint32_t i = atom.index(); atom && i < atom.end_index(); ++i) {
    const Node n = atom.tree()->at(i);
    if (n.is(NodeKind::call_expression) && n.child(Field::function_field).is(NodeKind::field_expression) &&
        leaf_name(n.child(Field::function_field)) == "with")
      return n;
  }
  return {};
}

/// A name's declaration that says what an atom is for: by a library type or a maker of TMA descriptors.
bool names_tma(const CppContext& context, Node atom) {
  if (holds(to_lower(atom.text().substr(0, 120)), "tma")) return true;
  const Node made = atom.is(NodeKind::identifier) ? context.folder.definition_of(atom) : Node();
  return made.is(NodeKind::init_declarator) && holds(made.child(Field::value_field).text(), "make_tma_");
}

std::string bare_condition(Node statement) {
  std::string text(trim(statement.child(Field::condition_field).text().substr(0, 200)));
  if (text.starts_with("(") && text.ends_with(")")) text = text.substr(1, text.size() - 2);
  return text;
}

/// The `while` around a copy and the conditions between.
void add_surroundings_of(CppDraft& draft) {
  std::string guard;
  for (Node n = draft.node; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    if (above.is(NodeKind::if_statement) && n.field() == Field::consequence_field)
      guard += (guard.empty() ? "" : " and ") + bare_condition(above);
    if (above.is(NodeKind::while_statement) && n.field() == Field::body_field) {
      draft.fact.values["loop"] = evidence::literal(bare_condition(above));
      break;
    }
    if (is_loop(above)) break;
  }
  if (!guard.empty()) draft.fact.values["guard"] = evidence::literal(guard.substr(0, 240));
}

class CopyFinder {
 public:
  explicit CopyFinder(CppContext& context) : context_(context) {
    for (const CppDraft& d : context.drafts)
      cp_async_ = cp_async_ || d.construct.starts_with("SM80_CP_ASYNC");
  }

  void look_at(Node call) {
    const std::string leaf = leaf_name(call.child(Field::function_field));
    if (leaf == "copy" && cpp_on_device(call)) add_matrix_store(call);
    if (leaf != "copy" && leaf != "copy_if" && leaf != "async_copy") return;
    if (const std::string of = instruction_of(call); !of.empty()) return add_instruction(call, of);
    const auto arguments = cpp_items(call.child(Field::arguments_field));
    if (arguments.size() < 3 || !cpp_on_device(call)) return;
    const Node atom = arguments[0], from = arguments[arguments.size() - 2], to = arguments.back();
    if (const Node bound = bound_operation(atom)) return add_tma(call, bound, from, to);
    if (names_tma(context_, atom)) return add_tma(call, {}, from, to);
    const CppValue operation = context_.folder.value(atom);
    const bool told = operation.is(CppValue::Kind::threads) && !operation.text.empty();
    if (told ? !holds(operation.text, "CP_ASYNC") : !cp_async_) return;
    if (cpp_space_of(context_, from) != CppSpace::global || cpp_space_of(context_, to) != CppSpace::shared)
      return;
    add(call, "cp.async", "load", from, to).construct = "cp-async-copy";
  }

 private:
  /// `SM90_TMA_STORE_3D` of `SM90_TMA_STORE_3D::copy(…)`, itself or through an alias; "" of other calls.
  std::string instruction_of(Node call) const {
    const Node callee = call.child(Field::function_field);
    if (!callee.is(NodeKind::qualified_identifier)) return {};
    std::string_view path = callee.text();
    path = path.substr(0, path.rfind("::"));
    const Node alias = context_.folder.definition_of(callee.child(Field::scope_field));
    if (alias.is(NodeKind::alias_declaration)) path = alias.child(Field::type_field).text();
    const auto scope = path.rfind("::");
    const std::string_view name = scope == std::string_view::npos ? path : path.substr(scope + 2);
    const bool tma = holds(name, "_TMA_") && name.starts_with("SM");
    return tma || name == "PREFETCH" ? std::string(name) : std::string();
  }

  /// (descriptor, shared memory, coordinates…); a load has its barrier, perhaps a mask, and a cache hint
  /// between the first two.
  void add_instruction(Node call, const std::string& name) {
    const auto given = cpp_items(call.child(Field::arguments_field));
    const bool load = holds(name, "_LOAD"), shared = holds(name, "MULTICAST");
    const std::size_t at = !load ? 1 : shared ? 4 : 3;
    if (!cpp_on_device(call) || name == "PREFETCH" || given.size() < at + 2) return;
    const Node tensor = described(given[0]);
    const char* direction = load ? "load" : holds(name, "_REDUCE") ? "reduce" : "store";
    CppDraft& draft = add(call, "TMA", direction, load ? tensor : given[at], load ? given[at] : tensor);
    draft.construct = load ? "tma-load" : "tma-store-copy";
    add_surroundings_of(draft);
    if (load) draft.fact.values["barrier"] = evidence::literal(std::string(given[1].text().substr(0, 80)));
    if (!shared) return;
    draft.fact.values["multicast_mask"] = evidence::literal(std::string(given[2].text().substr(0, 80)));
    add_mask(given[2]);
  }

  /// `tma.d` of `tma.d.get_tma_descriptor()`, `map` of `&map`.
  static Node described(Node descriptor) {
    if (descriptor.is(NodeKind::pointer_expression)) return descriptor.child(Field::argument_field);
    const Node callee =
        descriptor.is(NodeKind::call_expression) ? descriptor.child(Field::function_field) : Node();
    const bool asks = callee.is(NodeKind::field_expression) && leaf_name(callee) == "get_tma_descriptor";
    return asks ? callee.child(Field::argument_field) : descriptor;
  }

  /// `SM90_U32x4_STSM_N::copy(registers…, shared)`
  void add_matrix_store(Node call) {
    const Node callee = call.child(Field::function_field);
    const auto arguments = cpp_items(call.child(Field::arguments_field));
    const std::string_view of = callee.is(NodeKind::qualified_identifier)
                                    ? callee.child(Field::scope_field).text()
                                    : std::string_view();
    if (!holds(of, "_STSM_") || arguments.empty()) return;
    CppDraft& draft = context_.add(Family::E1, "staging", std::string(arguments.back().text().substr(0, 60)),
                                   "staged in shared memory by stmatrix", call);
    draft.construct = "staging";
    draft.fact.values["operation"] = evidence::literal(std::string(of));
  }

  CppDraft& add(Node call, const std::string& operation, const char* direction, Node from, Node to) {
    const std::string tensor(std::string_view(direction) == "load" ? from.text().substr(0, 60)
                                                                   : to.text().substr(0, 60));
    CppDraft& draft = context_.add(Family::D3, evidence::kind::copy, tensor,
                                   operation + " " + direction + " of " + tensor, call);
    draft.fact.values["operation"] = evidence::literal(operation);
    draft.fact.values["direction"] = evidence::literal(std::string(direction));
    draft.fact.values["source"] = evidence::literal(std::string(from.text().substr(0, 80)));
    draft.fact.values["destination"] = evidence::literal(std::string(to.text().substr(0, 80)));
    return draft;
  }

  void add_tma(Node call, Node bound, Node from, Node to) {
    const bool load = bound || cpp_space_of(context_, to) == CppSpace::shared;
    CppDraft& draft = add(call, "TMA", load ? "load" : "store", from, to);
    draft.construct = load ? "tma-load" : "tma-store-copy";
    add_surroundings_of(draft);
    const auto given = cpp_items(bound.child(Field::arguments_field));
    if (!given.empty())
      draft.fact.values["barrier"] = evidence::literal(std::string(given[0].text().substr(0, 80)));
    if (given.size() < 2 || given[1].text() == "0") return;
    draft.fact.values["multicast_mask"] = evidence::literal(std::string(given[1].text().substr(0, 80)));
    add_mask(given[1]);
  }

  /// The declaration of a mask that a load is given.
  void add_mask(Node mask) {
    const Node made = mask.is(NodeKind::identifier) ? context_.folder.definition_of(mask) : Node();
    if (!made.is(NodeKind::init_declarator) || !masks_.emplace(made.tree(), made.index()).second) return;
    for (const CppDraft& d : context_.drafts)
      if (d.fact.kind == evidence::kind::multicast_mask && made.contains(d.node)) return;
    const std::string name(cpp_declared_name(made.child(Field::declarator_field)).text());
    CppDraft& draft =
        context_.add(Family::H1, evidence::kind::multicast_mask, name, "multicast mask " + name, made);
    draft.construct = "multicast-mask";
  }

  CppContext& context_;
  bool cp_async_ = false;
  std::set<std::pair<const source::Tree*, std::uint32_t>> masks_;
};

/// The text of the operation that a descriptor is made for, an alias of these sources spelled out.
std::string operation_of(const CppContext& context, Node call) {
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  if (arguments.empty()) return {};
  std::string out(arguments[0].text().substr(0, 200));
  for (std::uint32_t i = arguments[0].index(); i < arguments[0].end_index(); ++i) {
    const Node n = arguments[0].tree()->at(i);
    if (!n.is(NodeKind::type_identifier) && !n.is(NodeKind::identifier)) continue;
    if (const Node alias = context.folder.definition_of(n); alias.is(NodeKind::alias_declaration))
      out += " " + std::string(alias.child(Field::type_field).text().substr(0, 300));
  }
  return out;
}

/// What a call gives a function for the one of its parameters that an expression names; none if it names
/// none.
Node given_for(Node call, Node function, Node expression) {
  const auto taken = cpp_items(cpp_parameters_of(function));
  const auto given = cpp_items(call.child(Field::arguments_field));
  for (std::uint32_t i = expression.index(); i < expression.end_index(); ++i)
    for (std::size_t p = 0; p < taken.size() && p < given.size(); ++p)
      if (const Node n = expression.tree()->at(i);
          n.is(NodeKind::identifier) &&
          n.text() == cpp_declared_name(taken[p].child(Field::declarator_field)).text())
        return given[p];
  return {};
}

/// `d` of `output(p)`, which makes its tensor of p.d; `data` of `matrix(data, p.m)`, which makes it of its
/// first parameter.
Node pointer_of_helper(const CppContext& context, Node call) {
  const Node made = call.is(NodeKind::call_expression)
                        ? context.folder.function_named(leaf_name(call.child(Field::function_field)))
                        : Node();
  for (std::uint32_t i = made.index(); made && i < made.end_index(); ++i) {
    const Node n = made.tree()->at(i);
    if (!n.is(NodeKind::call_expression) || leaf_name(n.child(Field::function_field)) != "make_gmem_ptr")
      continue;
    const Node given = n.child(Field::arguments_field);
    for (std::uint32_t j = given.index(); j < given.end_index(); ++j)
      if (given.tree()->at(j).is(NodeKind::field_identifier)) return given.tree()->at(j);
    if (const Node argument = given_for(call, made, given);
        argument.is(NodeKind::identifier) || argument.is(NodeKind::field_expression))
      return argument.is(NodeKind::identifier) ? argument : argument.child(Field::field_field);
  }
  return {};
}

/// The tensor in global memory that a descriptor describes: A of `mA`, a of `operand<…>(p.a, …)`.
std::string described_tensor(const CppContext& context, Node argument) {
  if (const Node pointer = pointer_of_helper(context, argument)) return std::string(pointer.text());
  Node first;
  for (std::uint32_t i = argument.index(); argument && i < argument.end_index(); ++i) {
    const Node n = argument.tree()->at(i);
    if (n.is(NodeKind::field_identifier)) return std::string(n.text());
    const bool callee = n.field() == Field::function_field || n.field() == Field::name_field;
    if (n.is(NodeKind::identifier) && !first && !callee) first = n;
  }
  const std::string_view name = first ? first.text() : argument.text().substr(0, 40);
  const bool prefixed = name.size() == 2 && (name[0] == 'm' || name[0] == 'g');
  return std::string(prefixed ? name.substr(1) : name);
}

/// The conditional `? LOAD : LOAD_MULTICAST` takes both names.
void tell_multicast(CppContext& context, CppDraft& draft, const std::string& operation) {
  std::size_t plain = 0, shared = 0;
  for (std::size_t at = operation.find("_LOAD"); at != std::string::npos;
       at = operation.find("_LOAD", at + 1))
    ++(operation.compare(at, 15, "_LOAD_MULTICAST") == 0 ? shared : plain);
  const auto arguments = cpp_items(draft.node.child(Field::arguments_field));
  const CppValue chosen = arguments.empty() ? CppValue() : context.folder.value(arguments[0]);
  if (chosen.is(CppValue::Kind::type) && holds(chosen.text, "_TMA_")) {
    draft.fact.values["multicast"] = evidence::literal(holds(chosen.text, "MULTICAST"));
    return;
  }
  draft.fact.values["multicast"] =
      plain > 0 && shared > 0 && !chosen.depends_on.empty() ? context.value(chosen, arguments[0])
      : plain > 0 && shared > 0 ? evidence::undetermined("chosen by a template argument", {"the cluster"},
                                                         context.at(draft.node), operation.substr(0, 120))
                                : evidence::literal(shared > 0);
}
}  // namespace

void extract_cpp_descriptors(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::tma_descriptor || !draft.node.is(NodeKind::call_expression))
      continue;
    Node up = draft.node;
    while (up && up.kind_name() != "decltype" && !up.is(NodeKind::compound_statement)) up = up.parent();
    draft.fact.optional = up.kind_name() == "decltype";  // the type of a descriptor made elsewhere
    if (draft.fact.optional) continue;
    const Node maker = draft.node.enclosing(NodeKind::function_definition);
    if (draft.fact.subject == draft.construct && maker)
      draft.fact.subject =
          leaf_name(cpp_function_name(maker));  // auto load_a(…) { return make_tma_atom(…); }
    const std::string operation = operation_of(context, draft.node);
    const auto arguments = cpp_items(draft.node.child(Field::arguments_field));
    const bool load =
        holds(operation, "_LOAD") || holds(draft.construct, "_A_sm") || holds(draft.construct, "_B_sm");
    const char* direction = load                          ? "load"
                            : holds(operation, "_STORE")  ? "store"
                            : holds(operation, "_REDUCE") ? "reduce"
                                                          : nullptr;
    if (!direction) continue;
    draft.fact.values["direction"] = evidence::literal(std::string(direction));
    tell_multicast(context, draft, operation);
    if (arguments.size() > 1)
      draft.fact.values["tensor"] = evidence::literal(described_tensor(context, arguments[1]));
  }
}

void extract_cpp_copies(CppContext& context) {
  CopyFinder finder(context);
  for (const Node n : context.nodes())
    if (n.is(NodeKind::call_expression)) finder.look_at(n);
}

/// make_tensor(make_smem_ptr(…), layout): where a layout is laid over shared memory.
void extract_cpp_views(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression) || leaf_name(n.child(Field::function_field)) != "make_tensor")
      continue;
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if (arguments.size() < 2 || !holds(arguments[0].text(), "make_smem_ptr")) continue;
    std::string name = cpp_target(n);
    if (name.empty()) name = std::string(arguments[1].text().substr(0, 60));
    CppDraft& draft = context.add(Family::D6, "shared-view", name, name + ": a layout over shared memory", n);
    draft.construct = "shared-view";
    const CppValue layout = context.folder.value(arguments[1]);
    if (layout.is(CppValue::Kind::layout)) draft.fact.values["layout"] = context.value(layout, arguments[1]);
  }
}

/// asm("mapa …"), asm("ld.shared::cluster …"): the shared memory of another CTA.
void extract_cpp_remote_memory(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::gnu_asm_expression) || !cpp_on_device(n)) continue;
    const std::string_view text = n.text();
    for (const char* instruction : {"mapa", "ld.shared::cluster", "st.shared::cluster", "st.async"}) {
      if (text.find(instruction) == std::string_view::npos) continue;
      CppDraft& draft = context.add(Family::D3, "remote-memory", instruction,
                                    "reaches the shared memory of another CTA", n);
      draft.construct = "remote-memory";
      draft.fact.optional = true;
      break;
    }
  }
}

}  // namespace cutelab::reading
