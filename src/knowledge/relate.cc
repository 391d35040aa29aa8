#include "knowledge/relate.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "evidence/names.h"

namespace cutelab::knowledge {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;
using evidence::Tristate;
namespace kind = evidence::kind;

/// Which facts tell one form of a pattern from another. `kinds` empty = all kinds of the family; a direction
/// restricts descriptors to loads or stores.
struct PatternFacts {
  const char* pattern;
  Family family;
  std::vector<std::string> kinds;
  std::string direction;
};

const std::vector<PatternFacts>& pattern_facts() {
  static const std::vector<PatternFacts> table = {
      {"P1", Family::D2, {kind::pipeline}, ""},
      {"P1", Family::H1, {kind::tma_descriptor}, "load"},
      {"P2", Family::D1, {kind::role, kind::register_budget}, ""},
      {"P3", Family::S1, {}, ""},
      {"P5", Family::D1, {kind::register_budget}, ""},
      {"P5", Family::D4, {kind::mma}, ""},
      {"P6", Family::D6, {kind::shared_layout}, ""},
      {"P7", Family::H2, {kind::cluster}, ""},
      {"P7", Family::H1, {kind::multicast_mask}, ""},
      {"P8", Family::H1, {kind::tma_descriptor}, "store"},
      {"P8", Family::E1, {}, ""},
      {"P9", Family::B1, {}, ""},
      {"P10", Family::D2, {kind::tail}, ""},
  };
  return table;
}

constexpr const char* telling_values[] = {"class", "direction", "operation", "action", "accumulator"};

bool belongs(const Fact& fact, const PatternFacts& rule) {
  if (fact.optional || fact.family != rule.family) return false;
  if (!rule.kinds.empty() && std::find(rule.kinds.begin(), rule.kinds.end(), fact.kind) == rule.kinds.end())
    return false;
  if (rule.direction.empty()) return true;
  const auto direction = fact.values.find("direction");
  return direction != fact.values.end() && direction->second.string() &&
         *direction->second.string() == rule.direction;
}

FactTerm term_of(const Fact& fact) {
  FactTerm term;
  term.family = fact.family;
  if (!fact.kind.empty()) term.text["kind"] = {Condition::Op::equal, fact.kind, 0};
  for (const char* name : telling_values) {
    const auto value = fact.values.find(name);
    // A star in a name would match more than this fact.
    if (value != fact.values.end() && value->second.string() &&
        value->second.string()->find('*') == std::string::npos)
      term.values[name] = {Condition::Op::equal, *value->second.string(), 0};
  }
  return term;
}

std::string spelled(const FactTerm& term) {
  Signature signature;
  signature.op = Signature::Op::fact;
  signature.fact = term;
  return signature.spelled();
}

bool is_present(const Reading& reading, const std::string& id) {
  return std::any_of(reading.patterns.begin(), reading.patterns.end(),
                     [&](const auto& finding) { return finding.id == id && finding.present; });
}

/// Terms of the reading's own form of the entry's patterns that no fact term of the entry speaks about.
std::vector<std::string> additions(const Entry& entry, const Reading& reading) {
  std::vector<std::string> out;
  const auto known = facts_of(entry.signature);
  std::vector<std::string> patterns = patterns_of(entry.signature);
  for (const std::string& pattern : patterns) {
    for (const FactTerm& term : terms_of_pattern(pattern, reading)) {
      const bool spoken = std::any_of(known.begin(), known.end(), [&](const FactTerm* one) {
        if (one->family && one->family != term.family) return false;
        const auto wanted = one->text.find("kind"), have = term.text.find("kind");
        return wanted == one->text.end() || have == term.text.end() ||
               wanted->second.text == have->second.text;
      });
      const std::string text = "adds " + spelled(term);
      if (!spoken && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
  }
  return out;
}

/// Of a signature that does not hold: whether that is only for want of something. A fact of another form, or
/// too few of them, is not a want: the reading shows otherwise.
bool only_wants(const Signature& signature, const Reading& reading) {
  const auto wanting = [&](const Signature& part) {
    return match(part, reading).verdict != Tristate::no || only_wants(part, reading);
  };
  switch (signature.op) {
    case Signature::Op::fact: {
      FactTerm form_aside;
      form_aside.family = signature.fact.family;
      if (const auto named = signature.fact.text.find("kind"); named != signature.fact.text.end())
        form_aside.text["kind"] = named->second;
      return std::all_of(reading.facts.begin(), reading.facts.end(),
                         [&](const Fact& fact) { return match_fact(form_aside, fact) == Tristate::no; });
    }
    case Signature::Op::pattern:
      return signature.pattern.present && !is_present(reading, signature.pattern.id);
    case Signature::Op::all:
    case Signature::Op::any:
      return std::all_of(signature.parts.begin(), signature.parts.end(), wanting);
    default:
      return false;
  }
}

Relation relation_of(const Entry& entry, const Reading& reading, const Match& result) {
  Relation relation{Relation::Kind::confirms,     entry.id, entry.path, entry.title,
                    patterns_of(entry.signature), {},       result.at};
  if (result.verdict == Tristate::undetermined) {
    relation.kind = Relation::Kind::undetermined;
    relation.details = result.because;
  } else if (result.verdict == Tristate::no) {
    relation.kind =
        only_wants(entry.signature, reading) ? Relation::Kind::lacks : Relation::Kind::contradicts;
    relation.details = result.because;
  } else if (entry.kind == EntryKind::anti_pattern) {
    relation.kind = Relation::Kind::warns;
  } else {
    relation.details = additions(entry, reading);
    if (!relation.details.empty()) relation.kind = Relation::Kind::refines;
  }
  return relation;
}

/// Whether the patterns that the whole signature asks for are there in the form it asks for: an entry about
/// one form of a pattern says nothing of a reading that shows another.
bool in_its_form(const Signature& signature, const Reading& reading) {
  if (signature.op == Signature::Op::pattern) return match(signature, reading).verdict != Tristate::no;
  return signature.op != Signature::Op::all ||
         std::all_of(signature.parts.begin(), signature.parts.end(),
                     [&](const Signature& part) { return in_its_form(part, reading); });
}

/// Whether the reading has anything to say about an entry of its language at all.
bool concerns(const Entry& entry, const Reading& reading, const Match& result) {
  if (result.verdict == Tristate::yes) return true;
  const auto patterns = patterns_of(entry.signature);
  const bool all =
      std::all_of(patterns.begin(), patterns.end(), [&](auto& id) { return is_present(reading, id); });
  if (entry.kind == EntryKind::anti_pattern) return result.verdict == Tristate::undetermined && all;
  // Facts alone: they are there, and what they depend on is not told.
  if (patterns.empty()) return result.verdict == Tristate::undetermined;
  return all && in_its_form(entry.signature, reading);
}

int order_of(Relation::Kind kind) {
  switch (kind) {
    case Relation::Kind::warns:
      return 0;
    case Relation::Kind::contradicts:
      return 1;
    case Relation::Kind::refines:
      return 2;
    case Relation::Kind::confirms:
      return 3;
    case Relation::Kind::lacks:
      return 4;
    case Relation::Kind::undetermined:
      return 5;
  }
  return 6;
}

}  // namespace

const char* name_of(Relation::Kind kind) {
  switch (kind) {
    case Relation::Kind::confirms:
      return "confirms";
    case Relation::Kind::refines:
      return "refines";
    case Relation::Kind::contradicts:
      return "contradicts";
    case Relation::Kind::lacks:
      return "lacks";
    case Relation::Kind::undetermined:
      return "undetermined";
    case Relation::Kind::warns:
      return "warns";
  }
  return "";
}

std::vector<FactTerm> terms_of_pattern(const std::string& pattern, const Reading& reading) {
  std::vector<FactTerm> terms;
  std::set<std::string> seen;
  for (const PatternFacts& rule : pattern_facts()) {
    if (pattern != rule.pattern) continue;
    for (const Fact& fact : reading.facts) {
      if (!belongs(fact, rule)) continue;
      FactTerm term = term_of(fact);
      if (seen.insert(spelled(term)).second) terms.push_back(std::move(term));
    }
  }
  return terms;
}

CrossReference relate(const Reading& reading, const Library& library) {
  CrossReference out;
  std::set<std::string> covered;
  for (const Entry& entry : library.entries) {
    if (entry.draft || (entry.scope != "shared" && entry.scope != reading.language)) continue;
    const Match result = match(entry.signature, reading);
    if (!concerns(entry, reading, result)) continue;
    out.relations.push_back(relation_of(entry, reading, result));
    if (entry.kind == EntryKind::pattern && result.verdict != Tristate::no)
      for (const std::string& id : patterns_of(entry.signature)) covered.insert(id);
  }
  std::sort(out.relations.begin(), out.relations.end(), [](const Relation& a, const Relation& b) {
    return std::make_pair(order_of(a.kind), a.id) < std::make_pair(order_of(b.kind), b.id);
  });
  for (const auto& finding : reading.patterns)
    if (finding.present && !covered.count(finding.id)) out.fresh.push_back(finding.id);
  return out;
}

}  // namespace cutelab::knowledge
