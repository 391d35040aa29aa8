#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Which hardware barrier a statement works on and how many threads it waits for.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

Node first_given(const FactContext& context, Node call, std::initializer_list<const char*> names,
                 int position) {
  for (const char* name : names)
    if (const Node given = context.keyword(call, name)) return given;
  return context.positional(call, position);
}

Node id_of(const FactContext& context, Node call) {
  return first_given(context, call, {"barrier_id", "id", "barrier"}, 0);
}

Node threads_of(const FactContext& context, Node call) {
  return first_given(context, call, {"num_threads", "number_of_threads", "thread_count", "threads"}, 1);
}

void put(evidence::Fact& fact, const char* name, evidence::Value value) {
  fact.values[name] = std::move(value);
}

std::string numbers_text(const evidence::Fact& fact) {
  const auto id = fact.values.find("id");
  const auto threads = fact.values.find("threads");
  const auto known = [&](auto it) { return it != fact.values.end() && it->second.determined(); };
  std::string out;
  if (known(id)) out += " id " + id->second.text();
  if (known(threads)) out += (out.empty() ? " " : ", ") + threads->second.text() + " threads";
  return out;
}

/// barrier(barrier_id=1, number_of_threads=128): with an id other than 0, or a count, it is a named barrier.
void complete_call(FactContext& context, Draft& draft) {
  const Node id = id_of(context, draft.node), threads = threads_of(context, draft.node);
  if (!id && !threads) return;
  evidence::Fact& fact = draft.fact;
  if (id) put(fact, "id", context.value(id));
  if (threads) put(fact, "threads", context.value(threads));
  const bool whole = !threads && fact.values["id"].integer() == std::int64_t{0};
  if (!whole) fact.says = "named barrier (" + draft.construct + ")" + numbers_text(fact);
}

/// A method of a NamedBarrier object: the numbers of its constructor.
void complete_method(FactContext& context, Draft& draft) {
  const Node function = draft.node.child(Field::function_field);
  if (!function.is(NodeKind::attribute)) return;
  const Abstract made = context.evaluator.value_of(0, function.child(Field::object_field));
  if (!made.is(Abstract::Kind::object) || !made.made_at.is(NodeKind::call) ||
      leaf_name(made.made_at.child(Field::function_field).text()) != "NamedBarrier")
    return;
  for (const auto& [name, given] :
       {std::pair{"id", id_of(context, made.made_at)}, {"threads", threads_of(context, made.made_at)}})
    if (given) put(draft.fact, name, context.value(context.evaluator.argument_of(made, given), given));
  draft.fact.says += numbers_text(draft.fact);
}

/// The barrier that a statement on a raw mbarrier names: its array or pointer, without the stage.
std::string barrier_named(const FactContext& context, Node call) {
  Node n = first_given(context, call, {"mbar_ptr", "mbar", "mbarrier", "addr"}, 0);
  for (int step = 0; step < 8 && n; ++step) {
    if (n.is(NodeKind::parenthesized_expression))
      n = n.first();
    else if (n.is(NodeKind::binary_operator))
      n = n.child(Field::left_field);
    else if (n.is(NodeKind::subscript))
      n = n.child(Field::value_field);
    else if (n.is(NodeKind::call) && n.child(Field::function_field).is(NodeKind::attribute))
      n = n.child(Field::function_field).child(Field::object_field);
    else
      break;
  }
  return source::dotted_text(n);
}

/// prims.mbarrier_init(full_bar + i, 1) is about full_bar, not about the module.
void name_raw_barrier(const FactContext& context, Draft& draft) {
  if (draft.construct.find("mbarrier_") != 0 || draft.construct.find("fence") != std::string::npos) return;
  if (std::string name = barrier_named(context, draft.node); !name.empty())
    draft.fact.subject = name.substr(0, 80);
}

bool takes_numbers(const std::string& construct) {
  return construct == "NamedBarrier" || construct == "barrier" || construct.starts_with("barrier_cta") ||
         construct == "barrier_sync" || construct == "barrier_arrive" || construct == "syncthreads" ||
         construct == "sync_threads";
}

bool is_method(const std::string& construct) {
  return construct == "arrive" || construct == "arrive_and_wait" || construct == "arrive_unaligned" ||
         construct == "wait" || construct == "sync";
}
}  // namespace

void extract_barriers(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.node.is(NodeKind::call) &&
        (draft.fact.kind == evidence::kind::barrier || draft.fact.kind == evidence::kind::wait))
      name_raw_barrier(context, draft);
    if (draft.fact.kind != evidence::kind::barrier || !draft.node.is(NodeKind::call)) continue;
    if (takes_numbers(draft.construct))
      complete_call(context, draft);
    else if (is_method(draft.construct))
      complete_method(context, draft);
  }
}

}  // namespace cutelab::reading
