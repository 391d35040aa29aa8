#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {
namespace {
using evidence::Family;

Error wrong_at(const std::string& path, int line, const std::string& wrong, const std::string& remedy) {
  return Error{ErrorKind::input, "parse the signature of " + path, wrong, fmt::format("{}:{}", path, line),
               remedy};
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

struct Relation {
  const char* spelled;
  Condition::Op op;
};
constexpr Relation relations[] = {{">=", Condition::Op::at_least},
                                  {"<=", Condition::Op::at_most},
                                  {"!=", Condition::Op::not_equal},
                                  {">", Condition::Op::greater},
                                  {"<", Condition::Op::less}};

Result<Condition> parse_condition(const Yaml& yaml, const std::string& path) {
  if (yaml.is_list()) {
    std::vector<std::string> items;
    for (const Yaml& item : yaml.items) {
      if (!item.is_scalar()) return wrong_at(path, item.line, "a list inside a list", "write a flat list");
      items.push_back(item.scalar);
    }
    return Condition{Condition::Op::equal, "(" + join(items, ", ") + ")", 0};
  }
  if (!yaml.is_scalar())
    return wrong_at(path, yaml.line, "a condition is missing or is a map",
                    "write a word, a number or \"> 1\"");
  const std::string text(trim(yaml.scalar));
  if (text == "any") return Condition{Condition::Op::any, text, 0};
  if (text == "known") return Condition{Condition::Op::known, text, 0};
  for (const Relation& relation : relations) {
    if (text.rfind(relation.spelled, 0) != 0) continue;
    const std::string right(trim(text.substr(std::string_view(relation.spelled).size())));
    if (relation.op == Condition::Op::not_equal) return Condition{relation.op, right, 0};
    const auto number = parse_number(right);
    if (!number) return wrong_at(path, yaml.line, fmt::format("'{}' is no number", printable(right)), "");
    return Condition{relation.op, right, *number};
  }
  return Condition{Condition::Op::equal, text, 0};
}

Result<Family> parse_family(const Yaml& yaml, const std::string& path) {
  std::vector<std::string> names;
  for (const Family family : evidence::all_families) {
    if (yaml.scalar == evidence::name_of(family)) return family;
    names.emplace_back(evidence::name_of(family));
  }
  return wrong_at(path, yaml.line, fmt::format("unknown fact family '{}'", printable(yaml.scalar)),
                  "families: " + join(names, ", "));
}

Result<FactTerm> parse_fact(const Yaml& yaml, const std::string& path) {
  if (!yaml.is_map() || yaml.members.empty())
    return wrong_at(path, yaml.line, "a fact term is no map", "fact: {family: D2, kind: pipeline}");
  FactTerm term;
  for (const auto& [key, value] : yaml.members) {
    if (key == "family") {
      auto family = parse_family(value, path);
      if (!family) return family.error();
      term.family = *family;
      continue;
    }
    auto condition = parse_condition(value, path);
    if (!condition) return condition.error();
    const bool is_text =
        key == "kind" || key == "subject" || key == "says" || key == "role" || key == "kernel";
    if (key == "count") {
      if (condition->op == Condition::Op::equal)
        condition->number = parse_number(condition->text).value_or(-1);
      if (condition->op > Condition::Op::at_least || condition->number < 0)
        return wrong_at(path, value.line, "count is no relation to a number", "count: \">= 2\"");
      term.count = *condition;
    } else {
      (is_text ? term.text : term.values)[key] = *condition;
    }
  }
  return term;
}

Result<bool> parse_bool(const Yaml& yaml, const std::string& path) {
  if (yaml.scalar == "true") return true;
  if (yaml.scalar == "false") return false;
  return wrong_at(path, yaml.line, fmt::format("'{}' is neither true nor false", printable(yaml.scalar)), "");
}

bool is_pattern_id(const std::string& id) {
  const auto number = id.size() > 1 && id[0] == 'P' ? parse_integer(id.substr(1)) : std::nullopt;
  return number && *number >= 1 && *number <= 10 && id == fmt::format("P{}", *number);
}

Result<PatternTerm> parse_pattern(const Yaml& yaml, const std::string& path) {
  PatternTerm term;
  if (yaml.is_scalar()) term.id = yaml.scalar;
  for (const auto& [key, value] : yaml.members) {
    if (key == "id") {
      term.id = value.scalar;
    } else if (key == "present" || key == "active") {
      auto wanted = parse_bool(value, path);
      if (!wanted) return wanted.error();
      if (key == "present")
        term.present = *wanted;
      else
        term.active = *wanted;
    } else {
      auto condition = parse_condition(value, path);
      if (!condition) return condition.error();
      term.values[key] = *condition;
    }
  }
  if (!is_pattern_id(term.id))
    return wrong_at(path, yaml.line, fmt::format("'{}' is no pattern of the checklist", printable(term.id)),
                    "patterns: P1 to P10");
  return term;
}

std::optional<Signature::Op> group_of(const std::string& word) {
  if (word == "all") return Signature::Op::all;
  if (word == "any") return Signature::Op::any;
  if (word == "none") return Signature::Op::none;
  return std::nullopt;
}

Result<Signature> parse_group(Signature::Op op, const Yaml& yaml, const std::string& path) {
  Signature group;
  group.op = op;
  if (!yaml.is_list() || yaml.items.empty())
    return wrong_at(path, yaml.line, "a group has no terms", "all: [pattern: P1, fact: {family: D2}]");
  for (const Yaml& item : yaml.items) {
    auto part = parse_signature(item, path);
    if (!part) return part.error();
    group.parts.push_back(std::move(*part));
  }
  return group;
}

Result<Signature> parse_term(const std::string& word, const Yaml& value, const std::string& path) {
  if (const auto op = group_of(word)) return parse_group(*op, value, path);
  Signature term;
  if (word == "fact") {
    auto fact = parse_fact(value, path);
    if (!fact) return fact.error();
    term.op = Signature::Op::fact;
    term.fact = std::move(*fact);
    return term;
  }
  if (word == "pattern") {
    auto pattern = parse_pattern(value, path);
    if (!pattern) return pattern.error();
    term.op = Signature::Op::pattern;
    term.pattern = std::move(*pattern);
    return term;
  }
  if (word == "untold") {
    if (!value.is_scalar() || trim(value.scalar).empty())
      return wrong_at(path, value.line, "untold without a reason", "untold: the plan of the host chooses it");
    term.op = Signature::Op::untold;
    term.name.text = trim(value.scalar);
    return term;
  }
  if (word == "language" || word == "arch") {
    auto name = parse_condition(value, path);
    if (!name) return name.error();
    term.op = word == "language" ? Signature::Op::language : Signature::Op::arch;
    term.name = *name;
    return term;
  }
  const std::vector<std::string> words = {"all",     "any",      "none", "fact",
                                          "pattern", "language", "arch", "untold"};
  const auto near = nearest(word, words);
  return wrong_at(path, value.line, fmt::format("unknown word '{}' in a signature", printable(word)),
                  near ? fmt::format("did you mean '{}'?", *near) : "words: " + join(words, ", "));
}

}  // namespace

Result<Signature> parse_signature(const Yaml& yaml, const std::string& path) {
  if (!yaml.is_map() || yaml.members.empty())
    return wrong_at(path, yaml.line, "the signature is no map", "signature: {all: [pattern: P1]}");
  Signature signature;
  for (const auto& [word, value] : yaml.members) {
    auto term = parse_term(word, value, path);
    if (!term) return term.error();
    term->line = value.line;
    signature.parts.push_back(std::move(*term));
  }
  // Several words side by side all have to hold; one word is that word.
  if (signature.parts.size() == 1) {
    Signature only = std::move(signature.parts[0]);
    return only;
  }
  signature.line = yaml.line;
  return signature;
}

std::string Condition::spelled() const {
  switch (op) {
    case Op::not_equal:
      return "!= " + text;
    case Op::less:
      return "< " + text;
    case Op::at_most:
      return "<= " + text;
    case Op::greater:
      return "> " + text;
    case Op::at_least:
      return ">= " + text;
    default:
      return text;
  }
}

namespace {

void add(std::string& out, const std::string& key, const std::string& value) {
  out += (out.empty() ? "" : ", ") + key + ": " + value;
}

void add_all(std::string& out, const std::map<std::string, Condition>& conditions) {
  for (const auto& [key, condition] : conditions)
    add(out, yaml_scalar(key), yaml_scalar(condition.spelled()));
}

std::string spelled_fact(const FactTerm& term) {
  std::string out;
  if (term.family) add(out, "family", evidence::name_of(*term.family));
  add_all(out, term.text);
  add_all(out, term.values);
  if (term.count.op != Condition::Op::at_least || term.count.number != 1)
    add(out, "count", yaml_scalar(term.count.spelled()));
  return "{" + out + "}";
}

std::string spelled_pattern(const PatternTerm& term) {
  if (term.present && !term.active && term.values.empty()) return term.id;
  std::string out;
  add(out, "id", term.id);
  if (!term.present) add(out, "present", "false");
  if (term.active) add(out, "active", *term.active ? "true" : "false");
  add_all(out, term.values);
  return "{" + out + "}";
}

}  // namespace

std::string Signature::spelled() const {
  switch (op) {
    case Op::fact:
      return "{fact: " + spelled_fact(fact) + "}";
    case Op::pattern:
      return "{pattern: " + spelled_pattern(pattern) + "}";
    case Op::language:
      return "{language: " + yaml_scalar(name.spelled()) + "}";
    case Op::arch:
      return "{arch: " + yaml_scalar(name.spelled()) + "}";
    case Op::untold:
      return "{untold: " + yaml_scalar(name.text) + "}";
    default:
      break;
  }
  std::vector<std::string> all;
  for (const Signature& part : parts) all.push_back(part.spelled());
  const char* word = op == Op::all ? "all" : op == Op::any ? "any" : "none";
  return fmt::format("{{{}: [{}]}}", word, join(all, ", "));
}

}  // namespace cutelab::knowledge
