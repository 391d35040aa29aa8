#include <algorithm>
#include <array>

#include "reading/machine/patterns.h"

#include "reading/machine/fork.h"

// `match`: cases, their patterns and guards.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

Machine::Truth Patterns::both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::unknown ? a : b;
}

/// The pattern inside the grammar's wrappers; no node: a wildcard.
Node Patterns::inside(Node pattern) {
  while (pattern.is(NodeKind::other) && pattern.kind_name() == "case_pattern" && pattern.first()) {
    const Node inner = pattern.first();
    if (inner.next()) break;
    pattern = inner;
  }
  return pattern.kind_name() == "case_pattern" && !pattern.first() ? Node() : pattern;
}

Machine::Truth Patterns::matches(Node written, const Value& subject) {
  const Node pattern = inside(written);
  if (!pattern) return Truth::yes;  // _
  const std::string_view kind = pattern.kind_name();
  if (pattern.is(NodeKind::as_pattern)) {
    const auto parts = pattern.children().all();
    const Truth inner = parts.size() == 2 ? matches(parts[0], subject) : Truth::unknown;
    if (inner != Truth::no) capture(parts.back(), subject);
    return inner;
  }
  if (kind == "union_pattern") return any_of(pattern, subject);
  if (kind == "class_pattern") return of_class(pattern, subject);
  if (kind == "dict_pattern") return of_mapping(pattern, subject);
  if (pattern.is(NodeKind::tuple_pattern) || pattern.is(NodeKind::list_pattern)) {
    const auto parts = pattern.children().all();
    const std::string_view text = pattern.text();
    const auto last = text.find_last_not_of(" \t\r\n", text.size() - 2);
    const bool comma = last != std::string_view::npos && text[last] == ',';
    if (pattern.is(NodeKind::tuple_pattern) && parts.size() == 1 && !comma) return matches(parts[0], subject);
    return of_sequence(parts, subject);
  }
  if (pattern.is(NodeKind::dotted_name) || pattern.is(NodeKind::identifier)) return of_name(pattern, subject);
  return of_literal(pattern, subject);
}

void Patterns::capture(Node name, const Value& value) {
  captured_.emplace_back(m_.symbol(name.text()), value);
}

Machine::Truth Patterns::any_of(Node pattern, const Value& subject) {
  const std::string_view text = pattern.text();
  if (text.starts_with("_ ") || text.starts_with("_|") || text.ends_with(" _") || text.ends_with("|_"))
    return Truth::yes;
  Truth any = Truth::no;
  for (const Node part : pattern.children()) {
    const std::size_t before = captured_.size();
    const Truth one = matches(part, subject);
    if (one == Truth::yes && any == Truth::no) return one;
    if (one != Truth::no) any = Truth::unknown;
    if (one == Truth::no) captured_.resize(before);
  }
  return any;
}

/// A name captures; one with dots is a value.
Machine::Truth Patterns::of_name(Node pattern, const Value& subject) {
  if (pattern.text().find('.') == std::string_view::npos) {
    capture(pattern, subject);
    return Truth::yes;
  }
  const Value value = value_named(pattern);
  return value.bound() && !m_.raising() ? m_.equal(subject, value) : Truth::unknown;
}

Value Patterns::value_named(Node dotted) {
  if (dotted.is(NodeKind::identifier)) return lookup_(dotted);
  Value at;
  for (const Node part : dotted.children())
    at = at.bound() ? m_.attribute(at, part.text(), part) : lookup_(part);
  return at;
}

Machine::Truth Patterns::of_literal(Node pattern, const Value& subject) {
  Value value = evaluate_(pattern);
  if (m_.raising()) return Truth::unknown;
  if (pattern.is(NodeKind::integer) || pattern.is(NodeKind::float_literal)) {
    std::string_view before = std::string_view(pattern.tree()->text()).substr(0, pattern.first_byte());
    while (before.ends_with(' ')) before.remove_suffix(1);
    if (before.ends_with('-')) value = m_.arithmetic("-", Value::integer(0), value);  // its sign is no node
  }
  if (value.is_none() || value.is_bool())
    return subject.is_unknown() ? Truth::unknown : subject.same(value) ? Truth::yes : Truth::no;
  return m_.equal(subject, value);
}

Machine::Truth Patterns::of_sequence(const std::vector<Node>& parts, const Value& subject) {
  const List* list = subject.as<List>();
  if (subject.is_unknown() || subject.as<Record>() || (list && list->open && !list->view_of))
    return Truth::unknown;
  if (subject.as<Instance>()) return Truth::unknown;
  if (!subject.as<Tuple>() && !(list && !list->view_of) && !subject.as<Range>()) return Truth::no;
  const auto items = m_.items(subject);
  if (!items) return Truth::unknown;
  const auto is_star = [](Node part) { return inside(part) && inside(part).kind_name() == "splat_pattern"; };
  const auto star =
      static_cast<std::size_t>(std::find_if(parts.begin(), parts.end(), is_star) - parts.begin());
  const bool starred = star < parts.size();
  if (starred ? items->size() + 1 < parts.size() : items->size() != parts.size()) return Truth::no;
  Truth all = Truth::yes;
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.size() && all != Truth::no; ++i) {
    if (i != star) {
      all = both(all, matches(parts[i], (*items)[at++]));
      continue;
    }
    const std::size_t rest = items->size() + 1 - parts.size();
    const auto begin = items->begin() + static_cast<std::ptrdiff_t>(at);
    if (const Node name = inside(parts[i]).first(); name)
      capture(name, m_.list({begin, begin + static_cast<std::ptrdiff_t>(rest)}));
    at += rest;
  }
  return all;
}

Machine::Truth Patterns::of_mapping(Node pattern, const Value& subject) {
  if (subject.is_unknown() || subject.as<Record>() || subject.as<Instance>()) return Truth::unknown;
  const Dict* dict = subject.as<Dict>();
  if (!dict) return Truth::no;
  Truth all = Truth::yes;
  std::vector<Value> taken;
  for (const Node part : pattern.children()) {
    if (part.kind_name() == "splat_pattern") {
      Dict* rest = m_.make<Dict>();
      for (const auto& item : dict->items)
        if (std::none_of(taken.begin(), taken.end(),
                         [&](const Value& t) { return m_.equal(t, item.first) == Truth::yes; }))
          rest->items.push_back(item);
      rest->open = dict->open;
      if (part.first()) capture(part.first(), rest);
      continue;
    }
    if (part.field() == Field::key_field) {
      taken.push_back(part.is(NodeKind::dotted_name) ? value_named(part) : evaluate_(part));
      continue;
    }
    if (taken.empty()) return Truth::unknown;
    Truth there = dict->open ? Truth::unknown : Truth::no;
    for (const auto& [key, value] : dict->items) {
      const Truth same = m_.equal(key, taken.back());
      if (same == Truth::no) continue;
      there = both(same, matches(part, value));
      break;
    }
    all = both(all, there);
    if (all == Truth::no) return all;
  }
  return all;
}

namespace {
constexpr std::array<std::string_view, 11> matched_whole = {
    "bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"};
}  // namespace

/// The attribute that a class pattern's pattern at a place is for; empty: not known.
std::string Patterns::name_at(const Value& type, std::size_t place) {
  Class* klass = type.as<Class>();
  if (!klass) return {};
  const Value listed = m_.attribute(type, "__match_args__");
  if (const Tuple* names = listed.as<Tuple>())
    return place < names->items.size() && names->items[place].as<Text>()
               ? names->items[place].as<Text>()->text
               : "";
  const auto fields = m_.fields_of(klass);
  if (place < fields.size()) return m_.name_of(fields[place]);
  if (klass->is_named_tuple && place < klass->annotations.size())
    return m_.name_of(klass->annotations[place].first);
  return {};
}

Machine::Truth Patterns::of_class(Node pattern, const Value& subject) {
  const auto parts = pattern.children().all();
  const Value type = value_named(parts.front());
  if (m_.raising()) return Truth::unknown;
  const Value is = m_.call(m_.external("builtins.isinstance"), {subject, type}, {}, pattern);
  Truth all = m_.raising() ? Truth::unknown : m_.truth(is);
  const External* of_python = type.as<External>();
  std::vector<std::string> taken;
  for (std::size_t i = 1; i < parts.size() && all != Truth::no; ++i) {
    Node part = inside(parts[i]);
    std::string name;
    if (part && part.kind_name() == "keyword_pattern") {
      name = part.first().text();
      part = part.first().next();
    } else if (of_python && of_python->path.starts_with("builtins.") &&
               std::find(matched_whole.begin(), matched_whole.end(), of_python->leaf()) !=
                   matched_whole.end()) {
      all = both(all, part ? matches(part, subject) : Truth::yes);
      continue;
    } else {
      name = name_at(type, i - 1);
    }
    if (name.empty() || subject.is_unknown()) return Truth::unknown;
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      m_.raise_error("TypeError", "a pattern asks for '" + name + "' twice", pattern);
      return Truth::unknown;
    }
    taken.push_back(name);
    const Value held = m_.attribute(subject, name, pattern);
    if (m_.raising()) return Truth::unknown;
    all = both(all, held.is_unknown() ? Truth::unknown : Truth::yes);
    if (part) all = both(all, matches(part, held));
  }
  return all;
}

Flow Machine::Interpreter::match_statement(Node n, Scope* s) {
  Value subject;
  std::vector<Value> subjects;
  for (const Node c : n.children())
    if (c.field() == Field::subject_field) subjects.push_back(expression(c, s));
  if (m.raising_) return Flow::raised;
  if (subjects.size() == 1) subject = subjects.front();
  if (subjects.size() > 1) subject = m.tuple(subjects);
  if (subjects.empty()) subject = expression(n.children().all().front(), s);
  std::vector<Node> cases;
  const Node body = n.child(Field::body_field);
  for (const Node c : (body ? body : n).children())
    if (c.is(NodeKind::case_clause)) cases.push_back(c);
  return case_from(cases, 0, subject, s);
}

Flow Machine::Interpreter::case_from(const std::vector<Node>& cases, std::size_t at, const Value& subject,
                                     Scope* s) {
  for (; at < cases.size(); ++at) {
    const Node clause = cases[at];
    const Node consequence = clause.child(Field::consequence_field);
    std::vector<Node> parts;
    Node guard;
    for (const Node part : clause.children()) {
      if (part.is(NodeKind::if_clause)) guard = part.first();
      if (part.kind_name() == "case_pattern") parts.push_back(part);
    }
    Patterns patterns(
        m, [&](Node name) { return lookup(symbol_of(name, s->module), s); },
        [&](Node literal) { return expression(literal, s); });
    const Truth matched = patterns.matches_all(clause, parts, subject);
    if (m.raising_) return Flow::raised;
    if (matched == Truth::no) continue;
    const auto taken = [&] {
      for (const auto& [name, value] : patterns.captured()) bind_name(name, value, s);
    };
    const std::string condition(clause.text().substr(0, 100));
    const auto guarded = [&]() -> Flow {
      taken();
      const Value holds = guard ? expression(guard, s) : Value::boolean(true);
      const Truth truth = m.raising_ ? Truth::unknown : m.truth(holds);
      if (m.raising_) return Flow::raised;
      if (truth == Truth::yes) return block(consequence, s);
      const auto others = [&] { return case_from(cases, at + 1, subject, s); };
      return truth == Truth::no
                 ? others()
                 : chain_fork([&] { return block(consequence, s); }, others, clause, condition, s);
    };
    if (matched == Truth::yes) return guarded();
    return chain_fork(
        guarded, [&] { return case_from(cases, at + 1, subject, s); }, clause, condition, s);
  }
  return Flow::normal;
}

/// The patterns of a case: several with commas between them are those of a sequence.
Machine::Truth Patterns::matches_all(Node clause, const std::vector<Node>& parts, const Value& subject) {
  if (parts.empty()) return Truth::unknown;
  const std::uint32_t end = parts.back().end_byte() - clause.first_byte();
  const std::string_view behind = clause.text().substr(std::min<std::size_t>(end, clause.text().size()));
  const auto next = behind.find_first_not_of(" \t");
  const bool comma = next != std::string_view::npos && behind[next] == ',';
  return parts.size() == 1 && !comma ? matches(parts[0], subject) : of_sequence(parts, subject);
}

}  // namespace cutelab::reading::machine
