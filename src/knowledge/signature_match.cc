#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {
namespace {
using evidence::Fact;
using evidence::Location;
using evidence::Reading;
using evidence::Tristate;
using evidence::Value;

/// no < undetermined < yes.
int rank(Tristate t) { return t == Tristate::no ? 0 : t == Tristate::undetermined ? 1 : 2; }
Tristate both(Tristate a, Tristate b) { return rank(a) < rank(b) ? a : b; }
Tristate either(Tristate a, Tristate b) { return rank(a) < rank(b) ? b : a; }
Tristate of(bool holds) { return holds ? Tristate::yes : Tristate::no; }
Tristate negated(Tristate t) { return t == Tristate::undetermined ? t : of(t == Tristate::no); }

/// A name against a spelled one in which `*` stands for any run of characters.
bool name_matches(std::string_view wanted, std::string_view name) {
  std::size_t w = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (w < wanted.size() && wanted[w] == '*') {
      star = w++;
      resume = n;
    } else if (w < wanted.size() && wanted[w] == name[n]) {
      ++w;
      ++n;
    } else if (star != std::string_view::npos) {
      w = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (w < wanted.size() && wanted[w] == '*') ++w;
  return w == wanted.size();
}

Tristate match_text(const Condition& condition, const std::string& text) {
  switch (condition.op) {
    case Condition::Op::equal:
      return of(name_matches(condition.text, text));
    case Condition::Op::not_equal:
      return of(!name_matches(condition.text, text));
    case Condition::Op::any:
    case Condition::Op::known:
      return of(!text.empty());
    default:
      return Tristate::no;  // a relation to a number
  }
}

bool related(const Condition& condition, double number) {
  switch (condition.op) {
    case Condition::Op::less:
      return number < condition.number;
    case Condition::Op::at_most:
      return number <= condition.number;
    case Condition::Op::greater:
      return number > condition.number;
    case Condition::Op::at_least:
      return number >= condition.number;
    default:
      return number == condition.number;
  }
}

bool is_relation(Condition::Op op) {
  return op == Condition::Op::less || op == Condition::Op::at_most || op == Condition::Op::greater ||
         op == Condition::Op::at_least;
}

Tristate match_value(const Condition& condition, const Value& value) {
  if (condition.op == Condition::Op::any) return Tristate::yes;
  if (condition.op == Condition::Op::known) return of(value.determined());
  if (!value.determined()) return Tristate::undetermined;
  if (!is_relation(condition.op)) return match_text(condition, value.text());
  if (const auto integer = value.integer()) return of(related(condition, static_cast<double>(*integer)));
  if (const auto* real = std::get_if<double>(&value.data)) return of(related(condition, *real));
  return Tristate::no;
}

Tristate match_values(const std::map<std::string, Condition>& wanted,
                      const std::map<std::string, Value>& have) {
  Tristate verdict = Tristate::yes;
  for (const auto& [name, condition] : wanted) {
    const auto it = have.find(name);
    verdict = both(verdict, it == have.end() ? Tristate::no : match_value(condition, it->second));
  }
  return verdict;
}

/// Whether a count between `sure` and `sure + open` stands in the relation.
Tristate match_count(const Condition& condition, int sure, int open) {
  int holds = 0;
  for (int n = sure; n <= sure + open; ++n) holds += related(condition, n) ? 1 : 0;
  if (holds == open + 1) return Tristate::yes;
  return holds == 0 ? Tristate::no : Tristate::undetermined;
}

void add_place(std::vector<Location>& places, const Location& at) {
  if (at.known() && std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
}

Match decided(Tristate verdict, const Signature& term, std::vector<Location> at, const std::string& depends) {
  Match out{verdict, {}, {}};
  if (verdict == Tristate::yes)
    out.at = std::move(at);
  else
    out.because.push_back(term.spelled() +
                          (verdict == Tristate::no ? " does not hold" : " depends on " + depends));
  return out;
}

/// What keeps it open whether a fact is one of those that are asked for.
std::string open_on(const Fact& fact) {
  const auto active = fact.values.find("active");
  const auto* open = active == fact.values.end() ? nullptr : active->second.undetermined();
  if (open && !open->depends_on.empty()) return join(open->depends_on, ", ");
  return fmt::format("values of {} at line {}", fact.subject, fact.at.line());
}

Match match_fact_term(const Signature& term, const Reading& reading) {
  int sure = 0, open = 0;
  std::vector<Location> at;
  std::string depends;
  for (const Fact& fact : reading.facts) {
    const Tristate verdict = match_fact(term.fact, fact);
    if (verdict == Tristate::undetermined) {
      ++open;
      if (depends.empty()) depends = open_on(fact);
    }
    if (verdict != Tristate::yes) continue;
    ++sure;
    add_place(at, fact.at);
  }
  return decided(match_count(term.fact.count, sure, open), term, std::move(at), depends);
}

/// What the first of the values asked for depends on, where that is told.
std::string open_values(const std::map<std::string, Condition>& wanted,
                        const std::map<std::string, Value>& have, const std::string& otherwise) {
  for (const auto& [name, condition] : wanted) {
    const auto it = have.find(name);
    const auto* open = it == have.end() ? nullptr : it->second.undetermined();
    if (open && !open->depends_on.empty()) return join(open->depends_on, ", ");
  }
  return otherwise;
}

Match match_pattern_term(const Signature& term, const Reading& reading) {
  const PatternTerm& wanted = term.pattern;
  const auto it = std::find_if(reading.patterns.begin(), reading.patterns.end(),
                               [&](const auto& finding) { return finding.id == wanted.id; });
  if (it == reading.patterns.end())
    return decided(wanted.present ? Tristate::no : Tristate::yes, term, {}, "");
  Tristate verdict = of(it->present == wanted.present);
  std::string depends = "values of " + wanted.id;
  if (wanted.active) {
    const Tristate active = *wanted.active ? it->default_active : negated(it->default_active);
    if (active == Tristate::undetermined) depends = it->condition.empty() ? depends : it->condition;
    verdict = both(verdict, active);
  }
  std::map<std::string, Condition> values = wanted.values;
  if (const auto kind = values.find("kind"); kind != values.end()) {
    verdict = both(verdict, match_text(kind->second, it->kind));
    values.erase(kind);
  }
  const Tristate told = match_values(values, it->values);
  if (told == Tristate::undetermined) depends = open_values(values, it->values, depends);
  verdict = both(verdict, told);
  std::vector<Location> at;
  for (const Location& place : it->at) add_place(at, place);
  return decided(verdict, term, std::move(at), depends);
}

Match match_arch(const Signature& term, const Reading& reading) {
  const auto& arch = reading.arch;
  if (arch.minimum.empty()) return decided(Tristate::undetermined, term, {}, "the architecture requirement");
  Tristate verdict = match_text(term.name, arch.minimum);
  for (const std::string& name : arch.family)
    if (match_text(term.name, name) == Tristate::yes) verdict = Tristate::yes;
  return decided(verdict, term, arch.at, "");
}

Match match_group(const Signature& group, const Reading& reading) {
  Match out;
  const bool any = group.op == Signature::Op::any, none = group.op == Signature::Op::none;
  out.verdict = any ? Tristate::no : Tristate::yes;
  std::vector<std::pair<Tristate, std::vector<std::string>>> reasons;
  for (const Signature& part : group.parts) {
    Match one = match(part, reading);
    const Tristate verdict = none ? negated(one.verdict) : one.verdict;
    out.verdict = any ? either(out.verdict, verdict) : both(out.verdict, verdict);
    if (!none)
      for (const Location& at : one.at) add_place(out.at, at);
    if (none && one.verdict == Tristate::yes) one.because = {part.spelled() + " holds"};
    reasons.emplace_back(verdict, std::move(one.because));
  }
  // Only the parts that made the verdict what it is have something to say.
  if (out.verdict != Tristate::yes) out.at.clear();
  for (const auto& [verdict, because] : reasons)
    if (out.verdict != Tristate::yes && verdict == out.verdict)
      out.because.insert(out.because.end(), because.begin(), because.end());
  return out;
}

void collect(const Signature& signature, std::vector<std::string>& patterns,
             std::vector<const FactTerm*>& facts) {
  if (signature.op == Signature::Op::none) return;
  if (signature.op == Signature::Op::fact) facts.push_back(&signature.fact);
  if (signature.op == Signature::Op::pattern && signature.pattern.present) {
    if (std::find(patterns.begin(), patterns.end(), signature.pattern.id) == patterns.end())
      patterns.push_back(signature.pattern.id);
  }
  for (const Signature& part : signature.parts) collect(part, patterns, facts);
}

}  // namespace

Tristate match_fact(const FactTerm& term, const Fact& fact) {
  if (term.family && *term.family != fact.family) return Tristate::no;
  Tristate verdict = Tristate::yes;
  for (const auto& [name, condition] : term.text) {
    const std::string& text = name == "kind"      ? fact.kind
                              : name == "subject" ? fact.subject
                              : name == "says"    ? fact.says
                              : name == "role"    ? fact.role
                                                  : fact.kernel;
    verdict = both(verdict, match_text(condition, text));
  }
  // What the file's own constants turn off is not there; what the build decides may be.
  if (const auto active = fact.values.find("active");
      active != fact.values.end() && !term.values.count("active"))
    verdict = both(verdict, !active->second.determined()        ? Tristate::undetermined
                            : active->second.boolean() == false ? Tristate::no
                                                                : Tristate::yes);
  return both(verdict, match_values(term.values, fact.values));
}

Match match(const Signature& signature, const Reading& reading) {
  switch (signature.op) {
    case Signature::Op::fact:
      return match_fact_term(signature, reading);
    case Signature::Op::pattern:
      return match_pattern_term(signature, reading);
    case Signature::Op::arch:
      return match_arch(signature, reading);
    case Signature::Op::language:
      return decided(match_text(signature.name, reading.language), signature, {}, "");
    case Signature::Op::untold:
      return decided(Tristate::no, signature, {}, "");
    default:
      return match_group(signature, reading);
  }
}

std::vector<std::string> patterns_of(const Signature& signature) {
  std::vector<std::string> patterns;
  std::vector<const FactTerm*> facts;
  collect(signature, patterns, facts);
  return patterns;
}

std::vector<const FactTerm*> facts_of(const Signature& signature) {
  std::vector<std::string> patterns;
  std::vector<const FactTerm*> facts;
  collect(signature, patterns, facts);
  return facts;
}

}  // namespace cutelab::knowledge
