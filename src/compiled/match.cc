#include "compiled/match.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "compiled/compare_rules.h"
#include "compiled/match_objects.h"
#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Fact;
using evidence::Location;
using evidence::Value;
namespace kind = evidence::kind;

namespace {

/// (16, 64) is the grid (16, 64, 1).
bool same_extents(const Value& source, const Value& compiled) {
  const auto *a = source.list(), *b = compiled.list();
  if (a == nullptr || b == nullptr) return false;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i)
    if ((i < a->size() ? (*a)[i].text() : "1") != (i < b->size() ? (*b)[i].text() : "1")) return false;
  return true;
}

/// "cp-async or plain, by the call" leaves open which of them.
bool one_of(std::string_view alternatives, std::string_view wanted) {
  alternatives = alternatives.substr(0, alternatives.find(','));
  for (std::size_t begin = 0; begin <= alternatives.size();) {
    const std::size_t end = std::min(alternatives.find(" or ", begin), alternatives.size());
    if (alternatives.substr(begin, end - begin) == wanted) return true;
    begin = end + 4;
  }
  return false;
}

}  // namespace

bool equal(const std::string& name, const Value& source, const Value& compiled) {
  if (source.data == compiled.data || source.text() == compiled.text()) return true;
  if (name == "grid" || name == "block" || name == "cluster") return same_extents(source, compiled);
  if (name == "operation" && source.string() != nullptr) return one_of(source.text(), compiled.text());
  const auto single = [](const Value& value) -> const Value& {
    const auto* list = value.list();
    return list != nullptr && list->size() == 1 ? list->front() : value;
  };
  return single(source).text() == single(compiled).text();
}

bool comparable(const std::string& name, const Value& source, const Value& compiled) {
  if (!comparable_values().contains(name)) return false;
  if (!source.determined() || !compiled.determined()) return true;
  if (name == "operation" && compiled.text().starts_with("Copy") && !source.text().starts_with("Copy"))
    return false;  // the source names the helper that chooses it
  return (source.string() != nullptr) == (compiled.string() != nullptr);
}

std::string text_of(const Fact& fact, const char* name) {
  const auto value = fact.values.find(name);
  return value == fact.values.end() ? std::string() : value->second.text();
}

namespace {

bool holds(const Location& statement, const Location& line) {
  return statement.known() && line.known() && statement.file == line.file &&
         statement.span.line <= line.span.line && line.span.line <= statement.span.end_line;
}

int lines_in(const Location& at) { return static_cast<int>(at.span.end_line - at.span.line); }

/// The compiled line and those of its call chain, from the inside.
std::vector<Location> lines_of(const Fact& fact) {
  std::vector<Location> lines = {fact.at};
  if (const auto through = fact.values.find("through"); through != fact.values.end())
    lines.insert(lines.end(), through->second.origins.begin(), through->second.origins.end());
  return lines;
}

class Matcher {
 public:
  Matcher(const evidence::Reading& source, const std::vector<Candidate>& compiled)
      : source_(source), compiled_(compiled) {
    answers_.of_source.resize(source.facts.size());
    answers_.joined.resize(source.facts.size());
    answers_.only.resize(source.facts.size());
    answers_.used.resize(compiled.size(), false);
  }

  Answers run() {
    for (std::size_t i = 0; i < compiled_.size(); ++i) by_line(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!answers_.used[i]) by_related_kind(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!answers_.used[i] && !compiled_[i].lesser) by_name(i);
    said_twice();
    without_lines();
    match_objects(source_, compiled_, answers_);
    return std::move(answers_);
  }

 private:
  void answer(std::size_t source, std::size_t compiled) {
    auto& known = answers_.of_source[source];
    if (std::find(known.begin(), known.end(), compiled) == known.end()) known.push_back(compiled);
    answers_.used[compiled] = true;
  }

  /// On each line of the chain the smallest statement: one fact of each kind, as a wait on a barrier is told
  /// as a step of a ring too. A lesser fact answers all that this statement makes.
  template <class Fits>
  void along_chain(std::size_t compiled, const Fits& fits) {
    for (const Location& line : lines_of(compiled_[compiled].fact)) {
      std::vector<std::size_t> best;
      for (std::size_t s = 0; s < source_.facts.size(); ++s) {
        const Fact& fact = source_.facts[s];
        if (!holds(fact.at, line) || !fits(fact)) continue;
        if (!best.empty() && lines_in(fact.at) >= lines_in(source_.facts[best[0]].at)) {
          if (lines_in(fact.at) == lines_in(source_.facts[best[0]].at)) best.push_back(s);
          continue;
        }
        best = {s};
      }
      std::set<std::string> kinds;
      for (const std::size_t s : best)
        if (kinds.insert(source_.facts[s].kind).second || compiled_[compiled].lesser) answer(s, compiled);
    }
  }

  void by_line(std::size_t i) {
    along_chain(i, [&](const Fact& fact) { return fact.kind == compiled_[i].fact.kind; });
  }

  void by_related_kind(std::size_t i) {
    along_chain(i, [&](const Fact& fact) { return related(fact.kind, compiled_[i].fact.kind); });
  }

  /// Two facts of the source on one statement, as two kinds of one operation.
  void said_twice() {
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      if (!answers_.of_source[s].empty() || !source_.facts[s].at.known()) continue;
      for (std::size_t other = 0; other < source_.facts.size(); ++other)
        if (other != s && source_.facts[other].at == source_.facts[s].at)
          for (const std::size_t i : answers_.of_source[other])
            if (related(source_.facts[s].kind, compiled_[i].fact.kind)) answer(s, i);
    }
  }

  /// What the compiler places on the line of the allocation, and what has no operation of its own.
  void by_name(std::size_t i) {
    const Fact& fact = compiled_[i].fact;
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const Fact& known = source_.facts[s];
      if (known.kind != fact.kind) continue;
      const bool open = answers_.of_source[s].empty() && text_of(known, "active") != "false";
      const bool member = fact.kind == kind::storage_member && known.subject == fact.subject;
      const bool structure = fact.kind == kind::storage && struct_at(fact.at) == known.subject;
      const bool store = fact.kind == kind::pipeline && open && !text_of(fact, "class").empty() &&
                         text_of(known, "class") == text_of(fact, "class");
      // Where a kernel's form states no lines, its launch has that of the kernel.
      const bool launch = fact.kind == kind::launch && open && !fact.subject.empty() &&
                          (known.subject == fact.subject || known.subject.starts_with(fact.subject + "."));
      if (member || structure || store || launch) {
        answer(s, i);
        if (!member) return;
      }
    }
  }

  /// The struct of the source that has exactly the members which the compiler places on this line.
  std::string struct_at(const Location& line) const {
    std::set<std::string> members;
    for (const Candidate& candidate : compiled_)
      if (candidate.fact.kind == kind::storage_member && candidate.fact.at == line)
        members.insert(candidate.fact.subject);
    std::map<std::string, std::set<std::string>> structs;
    for (const Fact& fact : source_.facts)
      if (fact.kind == kind::storage_member) structs[text_of(fact, "struct")].insert(fact.subject);
    for (const auto& [name, names] : structs)
      if (names == members) return name;
    return {};
  }

  /// Facts that can only be told apart by their order are joined within one of these. A pipeline that stores
  /// by TMA has no barrier: its steps are those of bulk groups.
  static std::string step(const Fact& fact, bool of_source) {
    const std::string made = text_of(fact, "class");
    if (of_source && fact.family == evidence::Family::D2 && made.find("TMAStore") != std::string::npos)
      return "store " + fact.kind;
    if (of_source || fact.kind != "copy-group" || fact.subject != "bulk") return fact.kind;
    if (!fact.values.contains("pending")) return "store commit";
    return text_of(fact, "pending") == "0" ? "store tail" : "store acquire";
  }

  /// Where the compiler's form of a kernel states no lines: facts that both sides have equally often are the
  /// same in their order, unless a value speaks against it.
  void without_lines() {
    std::map<std::string, std::vector<std::size_t>> unplaced, open;
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!answers_.used[i] && !compiled_[i].lesser && !compiled_[i].fact.at.known())
        unplaced[step(compiled_[i].fact, false)].push_back(i);
    answers_.states_no_lines = !unplaced.empty();
    if (!answers_.states_no_lines) return;
    for (std::size_t s = 0; s < source_.facts.size(); ++s)
      if (answers_.of_source[s].empty() && !source_.facts[s].optional &&
          text_of(source_.facts[s], "active") != "false")
        open[step(source_.facts[s], true)].push_back(s);
    for (const auto& [name, facts] : unplaced) {
      std::vector<std::size_t>& candidates = open[name];
      std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
        return source_.facts[a].at.line() < source_.facts[b].at.line();
      });
      bool same = candidates.size() == facts.size();
      for (std::size_t n = 0; same && n < facts.size(); ++n)
        same = !contradict(source_.facts[candidates[n]], compiled_[facts[n]].fact);
      for (std::size_t n = 0; same && n < facts.size(); ++n) {
        answer(candidates[n], facts[n]);
        answers_.joined[candidates[n]] = "joined by kind and order: the compiler's form states no lines";
      }
    }
  }

  static bool contradict(const Fact& source, const Fact& compiled) {
    return std::any_of(source.values.begin(), source.values.end(), [&](const auto& entry) {
      const auto other = compiled.values.find(entry.first);
      return other != compiled.values.end() && comparable(entry.first, entry.second, other->second) &&
             entry.second.determined() && other->second.determined() &&
             !equal(entry.first, entry.second, other->second);
    });
  }

  const evidence::Reading& source_;
  const std::vector<Candidate>& compiled_;
  Answers answers_;
};

}  // namespace

Answers match(const evidence::Reading& source, const std::vector<Candidate>& compiled) {
  return Matcher(source, compiled).run();
}

}  // namespace cutelab::compiled
