#include "reading/cpp/cpp_host.h"

#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"

/// The run as a whole, and the objects that it works on.
namespace cutelab::reading {
using source::Field;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr std::size_t most_things = 200'000;
constexpr int deepest_poison = 24;

}  // namespace

void CppHostRun::run() {
  const auto mains = folder_.functions_.find("main");
  if (mains == folder_.functions_.end() || mains->second.size() != 1) return;
  main_ = mains->second[0];
  if (main_.enclosing(NodeKind::namespace_definition)) return;
  folder_.running_ = 1;  // its own limits do not end this run
  make_globals();
  Things given;
  if (!cpp_items(cpp_parameters_of(main_)).empty()) given = {of_value(CppValue::of(1)), unknown()};
  while (!given.empty() && given.size() < cpp_items(cpp_parameters_of(main_)).size())
    given.push_back(unknown());
  invoke(main_, given, nullptr, nullptr);
  folder_.running_ = 0;
}

const CppHostRun::Launch* CppHostRun::launch(Node syntax) const {
  const auto found = launches_.find(syntax.index());
  if (found == launches_.end() || found->second.open || opened_.count(syntax.index())) return nullptr;
  return &found->second;
}

bool CppHostRun::give_up(const char* what) {
  limit_ = limit_ ? limit_ : what;
  stop(main_);
  return false;
}

/// Ends the run. What was launched counts where it cannot come again: in main's own statements, outside
/// loops.
CppHostRun::Thing* CppHostRun::stop(Node) {
  if (!stopped_) {
    stopped_ = true;
    for (auto& [at, launch] : launches_) {
      const Node syntax = tree_.at(at);
      bool again = !main_.contains(syntax);
      for (Node up = syntax.parent(); up && !(up == main_); up = up.parent())
        again = again || is_loop_of_host(up) || up.is(NodeKind::lambda_expression);
      launch.open = launch.open || again || folder_.jumps(main_.child(Field::body_field));
    }
  }
  return unknown();
}

CppHostRun::Thing* CppHostRun::made(Kind kind) {
  if (things_.size() > most_things) {
    if (!stopped_) give_up("more objects than a reading follows");
    if (things_.size() > most_things + 1000) return &things_.back();
  }
  Thing& one = things_.emplace_back();
  one.kind = kind;
  one.number = things_.size();
  return &one;
}

CppHostRun::Thing* CppHostRun::unknown(std::string why, Node at) {
  Thing* out = made(Kind::unknown);
  out->value = CppValue::unknown(std::move(why), std::string(at.text().substr(0, 60)), at);
  return out;
}

std::string_view host_type_of(const CppValue& integer) {
  switch (integer.held) {
    case CppHeld::signed_int:
      return "int";
    case CppHeld::unsigned_int:
      return "unsigned";
    case CppHeld::signed_long:
      return "long";
    case CppHeld::unsigned_long:
      return "size_t";
  }
  return "int";
}

/// A value of that type of integers.
CppHostRun::Thing* CppHostRun::typed(CppValue value, std::string_view type) {
  Thing* out = of_value(std::move(value));
  if (out->is(Kind::value) && out->value.integer()) out->holds = type;
  return out;
}

/// A value of folding as an object: structs and extents have parts.
CppHostRun::Thing* CppHostRun::of_value(CppValue value) {
  if (!value.known()) {
    Thing* out = made(Kind::unknown);
    out->value = std::move(value);
    return out;
  }
  if (value.is(CppKind::structure) && !value.fields.empty() && !value.node) {
    Thing* out = made(Kind::record);
    for (auto& [name, one] : value.fields) {
      Thing* held = of_value(one);
      if (one.is(CppKind::tuple)) held = extents({held});
      out->parts.emplace_back(name, held);
    }
    out->value = std::move(value);
    out->value.fields.clear();
    return out;
  }
  Thing* out = made(Kind::value);
  out->value = std::move(value);
  return out;
}

CppHostRun::Thing* CppHostRun::copy(const Thing* from) {
  Thing* out = made(from->kind);
  if (stopped_) return out;
  const std::size_t number = out->number;
  if (from->is(Kind::record) && from->value.node && !is_copied_by_member(from->value.node))
    return stop(main_);
  *out = *from;
  out->number = number;
  out->kept = false;
  for (auto& [name, one] : out->parts) one = copy(one);
  if (out->is(Kind::closure) && !out->scope->copied.empty()) {
    out->scope = &scopes_.emplace_back(*out->scope);
    for (const std::string_view name : out->scope->copied)
      out->scope->names[name] = copy(out->scope->names[name]);
  }
  return out;
}

/// dim3 of up to three extents, or of another.
CppHostRun::Thing* CppHostRun::extents(const Things& given) {
  if (given.size() == 1 && given[0]->is(Kind::record) && given[0]->value.text == "dim3")
    return copy(given[0]);
  Thing* out = made(Kind::record);
  out->value = CppValue::unknown("dim3");
  out->value.kind = CppKind::structure;
  const bool whole = given.size() == 1 && given[0]->value.is(CppKind::tuple) && given[0]->is(Kind::value);
  for (std::size_t i = 0; i < 3; ++i) {
    Thing* one = nullptr;
    if (whole && given[0]->value.tuple.rank() == 3)
      one = of_value(CppValue::of(given[0]->value.tuple.mode(static_cast<int>(i))));
    else if (whole || (i < given.size() && !given[i]->value.integer()))
      one = unknown("extents that are not known");
    else if (i < given.size())
      one = of_value(cpp_converted(given[i]->value, "unsigned"));
    else
      one = of_value(given.size() == 1 && given[0]->is(Kind::unknown) ? given[0]->value : CppValue::of(1));
    one->holds = "unsigned";
    out->parts.emplace_back(std::string(1, static_cast<char>('x' + i)), one);
  }
  return out;
}

void CppHostRun::wrote(Thing* one) {
  for (Mark* mark : marks_)
    if (one->number <= mark->number) mark->wrote = true;
}

void CppHostRun::assign(Thing* target, Thing* from) {
  wrote(target);
  const bool extended = target->value.text == "dim3" && target->is(Kind::record);
  if (extended && !from->is(Kind::record)) from = extents({from});
  if (target->is(Kind::record) && from->is(Kind::record)) {
    for (auto& [name, one] : target->parts) {
      Thing* given = part(from, name);
      assign(one, given ? given : unknown());
    }
    return;
  }
  if (target->is(Kind::array) && from->is(Kind::array)) {
    const Thing* other = copy(from);
    target->parts = other->parts;
    return;
  }
  if (target->is(Kind::record) || target->is(Kind::array)) return poison(target);
  const std::string holds = target->holds;
  if (target->kept && !target->is(Kind::record) && !target->is(Kind::array)) return;
  if (holds == untold_type) {
    target->kind = Kind::unknown;
    target->value = CppValue::unknown("a variable of a type that is not told");
    return;
  }
  const std::size_t number = target->number;
  const Thing* other = copy(from);
  *target = *other;
  target->number = number;
  target->kept = false;
  target->holds = holds;
  if (target->is(Kind::value) && target->value.is(CppKind::integer) && !holds.empty()) {
    target->value = cpp_converted(target->value, holds);
    if (!target->value.known()) target->kind = Kind::unknown;
  } else if (target->is(Kind::value) && !holds.empty()) {
    target->kind = Kind::unknown;
    target->value = CppValue::unknown("a value of another type");
  }
}

CppHostRun::Thing* CppHostRun::part(Thing* record, std::string_view name) {
  for (auto& [field, one] : record->parts)
    if (field == name) return one;
  return nullptr;
}

/// What a pointer and a number of steps point to; null: not told.
CppHostRun::Thing* CppHostRun::pointed(Thing* pointer, std::int64_t by) {
  if (!pointer->is(Kind::pointer)) return nullptr;
  if (pointer->index < 0) return by == 0 ? pointer->target : nullptr;
  const std::int64_t at = pointer->index + by;
  if (at < 0 || at >= static_cast<std::int64_t>(pointer->target->parts.size())) return nullptr;
  return pointer->target->parts[static_cast<std::size_t>(at)].second;
}

CppValue CppHostRun::value_of(const Thing* one, int depth) const {
  if (one->is(Kind::value) || one->is(Kind::unknown)) return one->value;
  if (!one->is(Kind::record) || depth > 8) return CppValue::unknown("no value that folding has");
  if (one->value.text == "dim3" && !one->value.node) {
    std::vector<layout::IntTuple> modes;
    for (const auto& [name, extent] : one->parts) {
      if (!extent->is(Kind::value) || !extent->value.integer())
        return extent->value.known() ? CppValue::unknown("no number") : extent->value;
      modes.emplace_back(*extent->value.integer());
    }
    return CppValue::of(layout::IntTuple::tuple(modes));
  }
  CppValue out = one->value;
  for (const auto& [name, held] : one->parts) out.fields.emplace_back(name, value_of(held, depth + 1));
  return out;
}

/// Somebody may have written to an object, to what is part of it and to what it points to.
void CppHostRun::poison(Thing* one, int depth, bool kept) {
  if (stopped_) return;
  if (depth > deepest_poison) {
    stop(main_);
    return;
  }
  wrote(one);
  const auto forget = [&] {
    one->kind = Kind::unknown;
    one->kept = one->kept || kept;
    one->value = CppValue::unknown("may be changed by what is not followed");
  };
  switch (one->kind) {
    case Kind::unknown:
    case Kind::value:
      return forget();
    case Kind::pointer: {
      Thing* target = one->target;
      forget();
      return poison(target, depth + 1, kept);
    }
    case Kind::record:
    case Kind::array: {
      const auto parts = one->parts;
      if (one->grows) forget();
      for (const auto& [name, held] : parts) poison(held, depth + 1, kept);
      return;
    }
    case Kind::closure: {
      open_launches(one->node, one->scope);
      const Node lambda = one->node;
      Scope* seen = one->scope;
      forget();
      return poison_mentioned(lambda, *seen);
    }
    case Kind::function:
      return open_launches(one->node, nullptr);
  }
}

/// All that a text names may be changed by it, and what the functions that it calls change.
void CppHostRun::poison_mentioned(Node region, Scope& scope, bool kept) {
  for (std::uint32_t i = region.index(); i < region.end_index() && !stopped_; ++i) {
    const Node n = tree_.at(i);
    if (n.kind_name() == "this" || (n.is(NodeKind::lambda_expression) && scope.self)) {
      for (Scope* s = &scope; s; s = s->outer)
        if (s->self) poison(s->self, 1, kept);
    }
    if (!n.is(NodeKind::identifier)) continue;
    if (Thing* one = found(n.text(), scope)) poison(one, 1, kept);
    if (folder_.functions_.count(n.text()))
      for (auto& [at, stays] : statics_) poison(stays, 1, kept);
  }
  for (Scope* s = &scope; s; s = s->outer)
    if (s->self) poison(s->self, 1, kept);
  open_launches(region, &scope);
}

/// Launches in a text, and in the functions and lambdas that it names, may be made in ways that are not seen.
void CppHostRun::open_launches(Node region, Scope* scope, int depth) {
  if (depth > deepest_poison) {
    stop(main_);
    return;
  }
  for (std::uint32_t i = region.index(); i < region.end_index(); ++i) {
    const Node n = tree_.at(i);
    if (n.is(NodeKind::kernel_call_syntax)) opened_.insert(i);
    const bool named =
        n.is(NodeKind::identifier) || n.is(NodeKind::field_identifier) || n.is(NodeKind::type_identifier);
    if (!named) continue;
    if (const auto functions = folder_.functions_.find(n.text()); functions != folder_.functions_.end())
      for (const Node one : functions->second)
        if (!one.contains(region) && opened_.insert(one.index()).second)
          open_launches(one, nullptr, depth + 1);
    Thing* one = scope ? found(n.text(), *scope) : nullptr;
    if (one && one->is(Kind::closure) && !one->node.contains(region) &&
        opened_.insert(one->node.index()).second)
      open_launches(one->node, one->scope, depth + 1);
  }
}

}  // namespace cutelab::reading
