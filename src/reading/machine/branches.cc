#include <algorithm>
#include <functional>
#include <utility>

#include "reading/machine/fork.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr int most_rounds = 4096;       // of a host loop
constexpr int most_kernel_rounds = 24;  // of an unrolled loop in a kernel
std::string shortened(Node n) { return std::string(n.text().substr(0, 100)); }
}  // namespace

Flow Machine::Interpreter::if_statement(Node n, Scope* s) {
  std::vector<Node> clauses{n};
  for (const Node c : n.children())
    if (c.is(NodeKind::elif_clause) || c.is(NodeKind::else_clause)) clauses.push_back(c);
  return if_from(clauses, 0, s);
}

Flow Machine::Interpreter::if_from(const std::vector<Node>& clauses, std::size_t at, Scope* s) {
  for (; at < clauses.size(); ++at) {
    const Node clause = clauses[at];
    if (at > 0 && traced(s)) m.trace_.note(s->module, clause, s->activation, Value());
    if (clause.is(NodeKind::else_clause)) return block(clause.child(Field::body_field), s);
    const Node condition = clause.child(Field::condition_field);
    const Value value = expression(condition, s);
    if (m.raising_) return Flow::raised;
    const Truth truth = m.truth(value);
    if (m.raising_) return Flow::raised;
    if (truth == Truth::no) continue;
    const Node consequence = clause.child(Field::consequence_field);
    if (truth == Truth::yes) return block(consequence, s);
    return chain_fork([&] { return block(consequence, s); }, [&] { return if_from(clauses, at + 1, s); },
                      clause, shortened(condition), s);
  }
  return Flow::normal;
}

/// A fork whose second side may fork again: the run ends where such a chain is longer than the stack.
Flow Machine::Interpreter::chain_fork(const std::function<Flow()>& taken, const std::function<Flow()>& others,
                                      Node at, const std::string& condition, Scope* s) {
  constexpr int most_open = 500;
  if (open_branches_ >= most_open) {
    stopped_ = true;
    m.give_up("too many branches whose conditions are not known", condition, s->module, at);
    return Flow::normal;
  }
  ++open_branches_;
  const Flow flow = fork(taken, others, condition, s);
  --open_branches_;
  return flow;
}

Flow Machine::Interpreter::loop_else(Node n, Scope* s) {
  for (const Node c : n.children())
    if (c.is(NodeKind::else_clause)) return block(c.child(Field::body_field), s);
  return Flow::normal;
}

Flow Machine::Interpreter::for_statement(Node n, Scope* s) {
  const Value iterable = expression(n.child(Field::right_field), s);
  if (m.raising_) return Flow::raised;
  Range* range = iterable.as<Range>();
  if (range && (range->dynamic || (s->is_jit && !range->unrolled)))
    return once(
        n,
        m.unknown("index of a loop that runs on the device", std::string(n.child(Field::left_field).text())),
        s);
  must_be_iterable(iterable, n, s->module);
  auto walked = m.raising_ ? std::nullopt : walk(iterable);
  if (m.raising_) return Flow::raised;
  if (!walked) return once(n, unknown_item(iterable, n), s);
  const int most = m.current_launch_ ? most_kernel_rounds : most_rounds;
  Value item;
  for (int round = 1; !stopped_; ++round) {
    const Step step = next(*walked, item);
    if (step == Step::end) break;
    if (step == Step::raised) return Flow::raised;
    if (step == Step::unknown) return once(n, unknown_item(iterable, n), s);
    if (round > most) {
      if (!m.current_launch_)
        m.give_up("the loop runs too long to be followed", shortened(n.child(Field::right_field)), s->module,
                  n);
      if (Iterator* it = walked->source.as<Iterator>()) m.lose(it);
      return once(n, m.unknown("index of a loop that is not followed to its end"), s);
    }
    bind(n.child(Field::left_field), item, s);
    if (m.raising_) return Flow::raised;
    bool left = false;
    const Flow flow = round_of(n, s, left);
    if (flow == Flow::returned || flow == Flow::raised) return flow;
    if (left && !m.current_launch_) {
      if (Iterator* it = walked->source.as<Iterator>()) m.lose(it);
      return once(n, unknown_item(iterable, n), s);
    }
    if (flow == Flow::broke || left) return Flow::normal;
  }
  return loop_else(n, s);
}

/// One round of a loop. `left`: it may have ended the loop; on the host what it changed is not known then.
Flow Machine::Interpreter::round_of(Node n, Scope* s, bool& left) {
  const Node body = n.child(Field::body_field);
  const bool outer = loop_may_break_;
  loop_may_break_ = false;
  if (m.current_launch_ || !may_leave(body)) {
    const Flow flow = block(body, s);
    left = std::exchange(loop_may_break_, outer);
    return flow;
  }
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  const Flow flow = block(body, s);
  journals_.pop_back();
  left = std::exchange(loop_may_break_, outer);
  if (left && flow != Flow::raised && flow != Flow::returned)
    changed_some_times(taken_back(journal, flow), "the loop at line " + std::to_string(n.line()));
  else
    pass_on(journal);
  return flow;
}

/// Whether a loop's body has a `break`.
bool Machine::Interpreter::may_leave(Node body) {
  const auto [place, fresh] = leaves_[body.tree()].try_emplace(body.index(), false);
  if (!fresh) return place->second;
  for (std::uint32_t i = body.index(); i < body.end_index(); ++i)
    if (body.tree()->at(i).is(NodeKind::break_statement)) return place->second = true;
  return false;
}

Value Machine::Interpreter::unknown_item(const Value& iterable, Node at) {
  const Node left = at.child(Field::left_field);
  std::string path;
  if (const Unknown* u = iterable.as<Unknown>()) path = u->path;
  const Unknown* unknown = iterable.as<Unknown>();
  if (unknown && unknown->may_be)
    for (const Value& one : unknown->may_be->items)
      if (Iterator* it = one.as<Iterator>()) m.lose(it);
  return aliased(
      m.unknown("item of " + why(iterable), std::string(left.text()), path.empty() ? path : path + "[]"),
      {iterable});
}

/// One pass that stands for all: what the body changes is not known in it nor after it.
Flow Machine::Interpreter::once(Node n, const Value& index, Scope* s) {
  widen(n, s);
  if (n.is(NodeKind::for_statement)) bind(n.child(Field::left_field), index, s);
  const bool outer = loop_may_break_;
  const std::size_t yielded = s->yields.size();
  const Flow flow = m.current_launch_ ? block(n.child(Field::body_field), s) : one_of_many(n, s);
  loop_may_break_ = outer;
  if (s->yields.size() != yielded) yields_may_differ(s, yielded);
  if (flow == Flow::raised && m.current_launch_) return flow;
  if (flow == Flow::raised) {  // a working program does not come by there
    m.raising_ = false;
    ++m.uncertain_;
  }
  if (flow == Flow::returned) {
    left_maybe(s, result_);
    return Flow::normal;
  }
  widen(n, s);
  bool otherwise = false;
  for (const Node c : n.children()) otherwise = otherwise || c.is(NodeKind::else_clause);
  if (!otherwise) return Flow::normal;
  if (!may_leave(n.child(Field::body_field))) return loop_else(n, s);
  return fork([&] { return loop_else(n, s); }, [] { return Flow::normal; },
              "the loop at line " + std::to_string(n.line()), s);
}

/// What one run of something changed that may run any number of times.
void Machine::Interpreter::changed_some_times(const Outcome& out, const std::string& loop) {
  for (const Write& w : out.writes) {
    const Value before = without_write(w.slots, w.name);
    const bool keeps_kind = before.as<Record>() || before.as<LayoutObject>() || before.as<External>();
    Value after = w.value;
    if (before.bound() && !keeps_kind && !before.same(after) && m.equal(before, after) != Truth::yes) {
      after = m.unknown("changes in " + loop, m.name_of(w.name));
      after.as<Unknown>()->changed = true;
      after = aliased(after, {before, w.value});
    }
    m.set(*w.slots, w.name, after);
  }
  Outcome changed;
  changed.lists = out.lists;
  changed.dicts = out.dicts;
  changed.sets = out.sets;
  merge(changed, Outcome{}, loop);
}

/// The body of a host loop, run once for any number of rounds: what it changes in containers and attributes
/// is not known afterwards. The names are widened.
Flow Machine::Interpreter::one_of_many(Node n, Scope* s) {
  const Value exception_before = m.exception_;
  ++open_forks_;
  const Outcome out = branch([&] { return block(n.child(Field::body_field), s); });
  --open_forks_;
  result_ = out.result;
  m.raising_ = out.flow == Flow::raised;
  if (!m.raising_) m.exception_ = exception_before;
  changed_some_times(out, "the loop at line " + std::to_string(n.line()));
  return out.flow;
}

/// Numbers that the body assigns to names from before the loop become unknown; objects keep their type, as
/// the DSL asks of loops on the device.
void Machine::Interpreter::widen(Node loop, Scope* s) {
  auto& known = assigned_[loop.tree()];
  const auto [place, fresh] = known.try_emplace(loop.index());
  if (fresh) {
    const Node body = loop.child(Field::body_field);
    for (std::uint32_t i = body.index(); i < body.end_index();) {
      const Node n = loop.tree()->at(i);
      if (n.is(NodeKind::function_definition) || n.is(NodeKind::lambda)) {
        i = n.end_index();
        continue;
      }
      ++i;
      if (!n.is(NodeKind::assignment) && !n.is(NodeKind::augmented_assignment)) continue;
      const Node left = n.child(Field::left_field);
      for (std::uint32_t k = left.index(); k < left.end_index(); ++k) {
        const Node target = loop.tree()->at(k);
        if (target.is(NodeKind::attribute) || target.is(NodeKind::subscript)) break;
        if (target.is(NodeKind::identifier)) place->second.push_back(symbol_of(target, s->module));
      }
    }
  }
  for (const Symbol name : place->second) {
    const Value* value = s->names.find(name);
    if (value && (value->is_number() || value->is_none()))
      m.set(s->names, name,
            m.unknown("changes in the loop at line " + std::to_string(loop.line()), m.name_of(name)));
  }
}

Flow Machine::Interpreter::while_statement(Node n, Scope* s) {
  const Node condition = n.child(Field::condition_field);
  for (int round = 0; !stopped_; ++round) {
    Value value = expression(condition, s);
    if (m.raising_) return Flow::raised;
    Truth truth = m.truth(value);
    if (m.raising_) return Flow::raised;
    if (truth == Truth::no) return loop_else(n, s);
    if (truth == Truth::unknown || s->is_jit || round >= most_rounds) {
      if (round >= most_rounds)
        m.give_up("the loop runs too long to be followed", shortened(condition), s->module, n);
      return once(n, {}, s);
    }
    bool left = false;
    const Flow flow = round_of(n, s, left);
    if (flow == Flow::returned || flow == Flow::raised) return flow;
    if (left && !m.current_launch_) return once(n, {}, s);
    if (flow == Flow::broke || left) return Flow::normal;
  }
  return Flow::normal;
}

}  // namespace cutelab::reading::machine
