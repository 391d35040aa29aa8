#include <map>
#include <set>
#include <string>
#include <vector>

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

/// A barrier expression without what picks its stage: full of (full + i), full[i], full.subview(i).
Node without_stage(Node n) {
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
  return n;
}

/// What picks a part of an array: what a local name for one barrier of several is bound to.
bool picks_a_part(Node value) {
  if (value.is(NodeKind::subscript) || value.is(NodeKind::identifier)) return true;
  if (value.is(NodeKind::binary_operator)) return value.child(Field::operator_token).text() == "+";
  return value.is(NodeKind::call) && leaf_name(value.child(Field::function_field).text()) == "subview";
}

/// `bar = full.subview(stage)` before it is used: the expression behind a local name; no node where the name
/// is bound otherwise, or more than once.
Node part_behind(const FactContext& context, Node name) {
  if (!name.is(NodeKind::identifier)) return {};
  const source::PythonModule& module = context.module();
  const auto& bound = module.bindings(module.function_at(name), std::string(name.text()));
  if (bound.size() != 1) return {};
  const source::Assignment& a = module.assignments()[static_cast<std::size_t>(bound.front())];
  const bool plain = a.form == source::Assignment::Form::plain && a.slots.empty() && a.value;
  return plain && picks_a_part(a.value) ? a.value : Node();
}

Node barrier_written(const FactContext& context, Node call) {
  return without_stage(first_given(context, call, {"mbar_ptr", "mbar", "mbarrier", "addr"}, 0));
}

using BarrierNames = std::set<std::string, std::less<>>;

/// Names under which barriers are initialised: parts of one array may have names of their own.
BarrierNames initialised_names(const FactContext& context) {
  BarrierNames out;
  for (const Draft& d : context.drafts)
    if (d.construct == "mbarrier_init" && d.node.is(NodeKind::call))
      out.insert(source::dotted_text(barrier_written(context, d.node)));
  return out;
}

/// The barrier that a statement on a raw mbarrier names: its array or pointer, without the stage; of a local
/// name for one stage, what that was picked from.
std::string barrier_named(const FactContext& context, Node call, const BarrierNames& initialised) {
  Node n = barrier_written(context, call);
  for (int step = 0; step < 4 && !initialised.count(source::dotted_text(n)); ++step) {
    const Node behind = part_behind(context, n);
    if (!behind) break;
    n = without_stage(behind);
  }
  return source::dotted_text(n);
}

/// What a statement does to a raw mbarrier; "" where that is something else.
const char* use_of(const std::string& construct) {
  if (construct == "mbarrier_init") return "init";
  if (construct.find("wait") != std::string::npos) return "wait";
  if (construct.find("expect") != std::string::npos) return "expect";
  return construct.find("arrive") != std::string::npos ? "arrive" : "";
}

/// prims.mbarrier_init(full_bar + i, 1) is about full_bar, not about the module. A wait on a phase tells its
/// parity.
void name_raw_barrier(FactContext& context, Draft& draft, const BarrierNames& initialised) {
  if (draft.construct.find("mbarrier_") != 0 || draft.construct.find("fence") != std::string::npos) return;
  if (std::string name = barrier_named(context, draft.node, initialised); !name.empty())
    draft.fact.subject = name.substr(0, 80);
  const std::string use = use_of(draft.construct);
  if (use.empty()) return;
  draft.fact.values["use"] = evidence::literal(use);
  const Node parity = use == "wait" ? first_given(context, draft.node, {"phase", "parity"}, 1) : Node();
  if (parity) draft.fact.values["parity"] = context.value(parity);
}

/// Barriers that are handed to a function which this file does not show at work: who waits for them is open.
void note_passed_on(FactContext& context) {
  std::map<std::string, std::vector<evidence::Fact*>, std::less<>> set_up;
  std::set<std::uint32_t> known;
  for (Draft& draft : context.drafts) {
    known.insert(draft.node.index());
    const auto use = draft.fact.values.find("use");
    if (use != draft.fact.values.end() && use->second.text() == "init")
      set_up[draft.fact.subject].push_back(&draft.fact);
  }
  if (set_up.empty()) return;
  for (const CallSite& site : context.calls()) {
    const Node arguments = site.call.child(Field::arguments_field);
    if (known.count(site.call.index()) || !arguments) continue;
    for (std::uint32_t i = arguments.index(); i < arguments.end_index(); ++i) {
      const Node n = arguments.tree()->at(i);
      if (!n.is(NodeKind::identifier) && !n.is(NodeKind::attribute)) continue;
      const auto found = set_up.find(n.text());
      if (found == set_up.end()) continue;
      for (evidence::Fact* fact : found->second) fact->values["passed_on"] = evidence::literal(true);
    }
  }
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
  const BarrierNames initialised = initialised_names(context);
  for (Draft& draft : context.drafts) {
    if (draft.node.is(NodeKind::call) &&
        (draft.fact.kind == evidence::kind::barrier || draft.fact.kind == evidence::kind::wait))
      name_raw_barrier(context, draft, initialised);
    if (draft.fact.kind != evidence::kind::barrier || !draft.node.is(NodeKind::call)) continue;
    if (takes_numbers(draft.construct))
      complete_call(context, draft);
    else if (is_method(draft.construct))
      complete_method(context, draft);
  }
  note_passed_on(context);
}

}  // namespace cutelab::reading
