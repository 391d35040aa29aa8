#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Rings of hand-written barriers.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// `full` of `s.full[ring.stage]`; no node where nothing is indexed by what changes.
Node turning_array(Node argument) {
  for (std::uint32_t i = argument.index(); argument && i < argument.end_index(); ++i) {
    const Node n = argument.tree()->at(i);
    if (!n.is(NodeKind::subscript_expression)) continue;
    Node index = n.child(Field::index_field);
    if (!index) index = cpp_items(n).back();
    if (index.is(NodeKind::argument_list) || index.kind_name() == "subscript_argument_list")
      index = cpp_items(index).empty() ? Node() : cpp_items(index)[0];
    const bool turns = index && !index.is(NodeKind::number_literal);
    const Node array = n.child(Field::argument_field);
    if (turns && array) return array.is(NodeKind::field_expression) ? array.child(Field::field_field) : array;
  }
  return {};
}

std::string_view struct_around(Node n) {
  return n.enclosing(NodeKind::struct_specifier).child(Field::name_field).text();
}

/// The declarations of member or variable arrays of that name, wherever the sources hold them.
std::vector<Node> arrays_named(const CppContext& context, std::string_view name) {
  std::vector<Node> out;
  for (const source::Tree* tree : context.trees)
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      if (n.is(NodeKind::array_declarator) && n.child(Field::declarator_field).text() == name)
        out.push_back(n);
    }
  return out;
}

/// The type's name of `Storage& s`, a parameter, a variable or a member of the struct around a use.
std::string_view type_of_object(Node object) {
  for (Node scope = object.parent(); scope; scope = scope.parent()) {
    if (!scope.is(NodeKind::function_definition) && !scope.is(NodeKind::struct_specifier)) continue;
    for (std::uint32_t i = scope.index(); i < scope.end_index(); ++i) {
      const Node n = scope.tree()->at(i);
      const bool declares = n.is(NodeKind::parameter_declaration) || n.is(NodeKind::declaration) ||
                            n.is(NodeKind::field_declaration);
      if (!declares) continue;
      Node declarator = n.child(Field::declarator_field);
      if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
      if (cpp_declared_name(declarator).text() == object.text()) return n.child(Field::type_field).text();
    }
  }
  return {};
}

/// The struct whose member an array is at a use: that of `s` in s.full, or the one around a bare name.
std::string_view owner_at(Node array) {
  Node up = array.parent();
  if (!up.is(NodeKind::field_expression)) return struct_around(array);
  Node object = up.child(Field::argument_field);
  if (object.is(NodeKind::field_expression)) object = object.child(Field::field_field);
  return type_of_object(object);
}

enum class RingUse { none, init, wait, fill, arrive };

/// What a call does to the barrier that it is given.
RingUse ring_use(const std::string& leaf) {
  if (leaf == "wait" || leaf == "try_wait" || leaf == "wait_barrier" || leaf == "mbarrier_wait" ||
      leaf == "mbarrier_try_wait")
    return RingUse::wait;
  if (leaf == "arrive_and_expect_tx" || leaf == "set_barrier_transaction_bytes" ||
      leaf == "mbarrier_arrive_expect_tx")
    return RingUse::fill;
  if (leaf == "init" || leaf == "initialize_barrier" || leaf == "mbarrier_init") return RingUse::init;
  if (leaf == "arrive" || leaf == "arrive_cluster" || leaf == "arrive_barrier" ||
      leaf.starts_with("umma_arrive"))
    return RingUse::arrive;
  return RingUse::none;
}

/// The array behind a pointer of its own: `uint64_t* full = smem.tma_barrier;`.
Node array_behind(const CppContext& context, Node array) {
  const Node made = array.is(NodeKind::identifier) ? context.folder.definition_of(array) : Node();
  const Node value = made.is(NodeKind::init_declarator) ? made.child(Field::value_field) : Node();
  return value.is(NodeKind::field_expression) ? value.child(Field::field_field) : array;
}

/// One array of barriers whose elements take turns, and the calls that work on it.
struct RingArray {
  std::string name;
  Node declared;  ///< no node: the sources hold no such array
  std::vector<std::pair<RingUse, Node>> calls;

  bool has(RingUse use) const {
    return std::any_of(calls.begin(), calls.end(), [&](auto& c) { return c.first == use; });
  }
  Node first(RingUse use) const {
    for (const auto& [what, call] : calls)
      if (what == use) return call;
    return {};
  }
};

/// Which of the arrays of one name a use means: where there are several, that of the object's struct.
Node array_meant(const std::vector<Node>& declared, Node use) {
  Node meant;
  for (const Node one : declared)
    if (declared.size() > 1 && struct_around(one) == owner_at(use) && (!meant || one.tree() == use.tree()))
      meant = one;
  return meant || declared.empty() ? meant : declared.front();
}

/// `&full` of `uint64_t& full = shared.full[stage];`
Node array_behind_reference(const CppContext& context, Node arguments) {
  for (std::uint32_t i = arguments.index(); arguments && i < arguments.end_index(); ++i) {
    const Node n = arguments.tree()->at(i);
    const Node made = n.is(NodeKind::identifier) ? context.folder.definition_of(n) : Node();
    if (made.is(NodeKind::init_declarator) && made.tree() == n.tree() &&
        made.child(Field::declarator_field).text().starts_with('&'))
      return turning_array(made.child(Field::value_field));
  }
  return {};
}

std::vector<RingArray> ring_arrays(const CppContext& context) {
  std::map<std::string, std::vector<Node>> declarations;
  std::vector<RingArray> out;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression)) continue;
    const RingUse use = ring_use(leaf_name(n.child(Field::function_field)));
    if (use == RingUse::none) continue;
    Node array = turning_array(n.child(Field::arguments_field));
    if (!array) array = turning_array(n.child(Field::function_field));  // s.full[stage].wait(…)
    if (!array) array = array_behind_reference(context, n.child(Field::arguments_field));
    if (!array) continue;
    const std::string name(array_behind(context, array).text().substr(0, 60));
    const auto [same, fresh] = declarations.try_emplace(name);
    if (fresh) same->second = arrays_named(context, name);
    const Node declared = array_meant(same->second, array);
    auto known = std::find_if(out.begin(), out.end(),
                              [&](auto& r) { return r.name == name && r.declared == declared; });
    if (known == out.end()) known = out.insert(out.end(), {name, declared, {}});
    known->calls.emplace_back(use, n);
  }
  return out;
}

/// "full"; where several structs have a ring of that name, "full (ItemRing)".
std::string name_of_ring(const RingArray& ring, const std::vector<RingArray>& arrays) {
  const bool several = std::any_of(arrays.begin(), arrays.end(), [&](const RingArray& other) {
    return &other != &ring && other.name == ring.name && other.has(RingUse::fill);
  });
  const std::string_view owner = several ? struct_around(ring.declared) : std::string_view();
  return owner.empty() ? ring.name : ring.name + " (" + std::string(owner) + ")";
}

void add_ring_side(CppContext& context, const std::string& ring, const char* kind, const char* says,
                   Node call) {
  CppDraft& draft = context.add(Family::D2, kind, ring, says + (" of " + ring), call);
  draft.construct = "ring-side";
  draft.fact.values["pipeline"] = evidence::literal(ring);
  if (std::string by = cpp_thread_of(context, call); !by.empty())
    draft.fact.values["by"] = evidence::literal(std::move(by));
}

void add_ring(CppContext& context, const RingArray& full, const RingArray* empty, const std::string& name) {
  Node first = full.first(RingUse::fill);
  if (full.calls.front().second.tree() == first.tree() && full.calls.front().second.index() < first.index() &&
      full.calls.front().first != RingUse::init)
    first = full.calls.front().second;
  const Node declared = full.declared;
  const auto parts = cpp_items(declared);
  evidence::Value stages =
      evidence::undetermined("the array is not declared here", {full.name}, context.at(first), "");
  if (declared && parts.size() > 1) stages = context.value(parts.back());
  if (stages.integer().value_or(2) < 2) return;
  CppDraft& ring =
      context.add(Family::D2, "ring", name, "barriers of a ring: " + name + " take turns", first);
  ring.construct = "ring";
  ring.fact.optional = true;
  ring.fact.values["stages"] = stages;
  const Node init = full.first(RingUse::init);
  CppDraft& pipeline =
      context.add(Family::D2, evidence::kind::pipeline, name,
                  "ring of barriers " + name + (empty ? " and " + empty->name : ""), init ? init : first);
  pipeline.construct = "ring";
  pipeline.fact.optional = !init;
  pipeline.fact.values["class"] = evidence::literal("mbarriers");
  pipeline.fact.values["stages"] = std::move(stages);
  for (const auto& [use, call] : full.calls) {
    if (use == RingUse::fill)
      add_ring_side(context, name, evidence::kind::commit, "producer fills a stage", call);
    if (use == RingUse::wait)
      add_ring_side(context, name, evidence::kind::wait, "consumer waits for a full stage", call);
  }
  if (!empty) return;
  for (const auto& [use, call] : empty->calls) {
    if (use == RingUse::wait)
      add_ring_side(context, name, evidence::kind::acquire, "producer waits for a free stage", call);
    if (use == RingUse::arrive)
      add_ring_side(context, name, evidence::kind::release, "consumer releases a stage", call);
  }
}
/// The barriers that are waited for and arrived at beside a ring that transactions fill: they guard what is
/// empty. Several structs with a ring each: those of the ring's own struct; none where there is no telling.
const RingArray* guard_of(const RingArray& ring, const std::vector<RingArray>& arrays) {
  const RingArray* empty = nullptr;
  int guards = 0, rings = 0;
  const std::string_view owner = struct_around(ring.declared);
  for (const RingArray& array : arrays) {
    if (struct_around(array.declared) != owner) continue;
    const bool filled = array.has(RingUse::fill);
    rings += filled && array.has(RingUse::wait);
    if (filled || !array.has(RingUse::wait) || !array.has(RingUse::arrive)) continue;
    empty = &array;
    ++guards;
  }
  return guards == 1 && rings == 1 ? empty : nullptr;
}
}  // namespace

void extract_cpp_rings(CppContext& context) {
  const std::vector<RingArray> arrays = ring_arrays(context);
  for (const RingArray& array : arrays)
    if (array.has(RingUse::fill) && array.has(RingUse::wait))
      add_ring(context, array, guard_of(array, arrays), name_of_ring(array, arrays));
}

}  // namespace cutelab::reading
