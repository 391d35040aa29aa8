#include "compiled/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiled/compare_rules.h"
#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Agreement;
using evidence::ComparedFact;
using evidence::ComparedValue;
using evidence::Fact;
using evidence::Family;
using evidence::Location;
using evidence::Value;
namespace kind = evidence::kind;

namespace {

bool holds(const Location& statement, const Location& line) {
  return statement.known() && line.known() && statement.file == line.file &&
         statement.span.line <= line.span.line && line.span.line <= statement.span.end_line;
}

/// The compiled line and those of its call chain, from the inside.
std::vector<Location> lines_of(const Fact& fact) {
  std::vector<Location> lines = {fact.at};
  if (const auto through = fact.values.find("through"); through != fact.values.end())
    lines.insert(lines.end(), through->second.origins.begin(), through->second.origins.end());
  return lines;
}

bool equal(const Value& source, const Value& compiled) {
  if (source.data == compiled.data || source.text() == compiled.text()) return true;
  const auto single = [](const Value& value) -> const Value& {
    const auto* list = value.list();
    return list != nullptr && list->size() == 1 ? list->front() : value;
  };
  return single(source).text() == single(compiled).text();
}

/// A text that stands where the source only repeats an expression is no value to compare.
bool comparable(const std::string& name, const Value& source, const Value& compiled) {
  if (!comparable_values().contains(name)) return false;
  if (!source.determined() || !compiled.determined()) return true;
  if (name == "operation" && compiled.text().starts_with("Copy") && !source.text().starts_with("Copy"))
    return false;  // the source names the helper that chooses it
  return (source.string() != nullptr) == (compiled.string() != nullptr);
}

class Comparer {
 public:
  Comparer(const evidence::Reading& source, const std::vector<IrReading>& modules) : source_(source) {
    merged_.reading = source;
    answers_.resize(source.facts.size());
    for (const IrReading& module : modules) collect(module);
  }

  Merged run() {
    used_.resize(compiled_.size(), false);
    for (std::size_t i = 0; i < compiled_.size(); ++i) by_line(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!used_[i]) by_related_kind(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!used_[i]) by_name(i);
    without_lines();
    barriers_made_elsewhere();
    for (std::size_t i = 0; i < source_.facts.size(); ++i) compare_fact(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!used_[i]) add_compiled(compiled_[i]);
    auto& facts = merged_.comparison.facts;
    std::stable_sort(facts.begin(), facts.end(), [](const ComparedFact& a, const ComparedFact& b) {
      return std::pair(a.at.file, a.at.line()) < std::pair(b.at.file, b.at.line());
    });
    merged_.comparison.files = source_.files;
    merged_.compiled = std::move(compiled_);
    return std::move(merged_);
  }

 private:
  /// Facts carry the reading's name for their kernel, and its role for their line.
  void collect(const IrReading& module) {
    std::map<std::string, std::string> names;
    for (const IrKernel& kernel : module.kernels)
      if (const evidence::Function* function = defined_at(kernel.at)) names[kernel.name] = function->name;
    for (Fact fact : module.facts) {
      if (const auto name = names.find(fact.kernel); name != names.end()) fact.kernel = name->second;
      // A program may compile one kernel again, for another problem.
      if (std::find(compiled_.begin(), compiled_.end(), fact) == compiled_.end())
        compiled_.push_back(std::move(fact));
    }
  }

  /// The kernel whose definition begins here; the compiler names the line of its first decorator.
  const evidence::Function* defined_at(const Location& at) const {
    constexpr int most_decorators = 8;
    const evidence::Function* found = nullptr;
    for (const evidence::Function& function : source_.functions) {
      const int below = function.at.line() - at.line();
      if (function.kind == evidence::Function::Kind::kernel && function.at.file == at.file && at.known() &&
          below >= 0 && below <= most_decorators &&
          (found == nullptr || function.at.line() < found->at.line()))
        found = &function;
    }
    return found;
  }

  void answer(std::size_t source, std::size_t compiled) {
    answers_[source].push_back(compiled);
    used_[compiled] = true;
  }

  template <class Fits>
  void along_chain(std::size_t compiled, const Fits& fits) {
    for (const Location& line : lines_of(compiled_[compiled])) {
      const Fact* best = nullptr;
      for (const Fact& fact : source_.facts)
        if (holds(fact.at, line) && fits(fact) &&
            (best == nullptr ||
             fact.at.span.end_line - fact.at.span.line < best->at.span.end_line - best->at.span.line))
          best = &fact;
      if (best != nullptr) answer(static_cast<std::size_t>(best - source_.facts.data()), compiled);
    }
  }

  void by_line(std::size_t i) {
    along_chain(i, [&](const Fact& fact) { return fact.kind == compiled_[i].kind; });
  }

  void by_related_kind(std::size_t i) {
    along_chain(i, [&](const Fact& fact) { return related(fact.kind, compiled_[i].kind); });
  }

  /// What the compiler places on the line of the allocation, and what has no operation of its own.
  void by_name(std::size_t i) {
    const Fact& fact = compiled_[i];
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const Fact& known = source_.facts[s];
      if (known.kind != fact.kind) continue;
      const bool member = fact.kind == kind::storage_member && known.subject == fact.subject;
      const bool structure = fact.kind == kind::storage && struct_at(fact.at) == known.subject;
      const bool store = fact.kind == kind::pipeline && answers_[s].empty() && !text(fact, "class").empty() &&
                         text(known, "class") == text(fact, "class") && text(known, "active") != "false";
      if (member || structure || store) {
        answer(s, i);
        if (!member) return;
      }
    }
  }

  /// The struct of the source that has exactly the members which the compiler places on this line.
  std::string struct_at(const Location& line) const {
    std::set<std::string> members;
    for (const Fact& fact : compiled_)
      if (fact.kind == kind::storage_member && fact.at == line) members.insert(fact.subject);
    std::map<std::string, std::set<std::string>> structs;
    for (const Fact& fact : source_.facts)
      if (fact.kind == kind::storage_member) structs[text(fact, "struct")].insert(fact.subject);
    for (const auto& [name, names] : structs)
      if (names == members) return name;
    return {};
  }

  /// Where the compiler's form of a kernel states no lines: facts of a kind that both sides have equally
  /// often are the same in their order, unless a value speaks against it.
  void without_lines() {
    std::map<std::string, std::vector<std::size_t>> unplaced, open;
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!used_[i] && !compiled_[i].at.known()) unplaced[compiled_[i].kind].push_back(i);
    states_no_lines_ = !unplaced.empty();
    if (!states_no_lines_) return;
    for (std::size_t s = 0; s < source_.facts.size(); ++s)
      if (answers_[s].empty() && text(source_.facts[s], "active") != "false")
        open[source_.facts[s].kind].push_back(s);
    for (const auto& [kind_name, facts] : unplaced) {
      std::vector<std::size_t>& candidates = open[kind_name];
      std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
        return source_.facts[a].at.line() < source_.facts[b].at.line();
      });
      bool same = candidates.size() == facts.size();
      for (std::size_t n = 0; same && n < facts.size(); ++n)
        same = !contradict(source_.facts[candidates[n]], compiled_[facts[n]]);
      for (std::size_t n = 0; same && n < facts.size(); ++n) answer(candidates[n], facts[n]);
    }
  }

  static bool contradict(const Fact& source, const Fact& compiled) {
    return std::any_of(source.values.begin(), source.values.end(), [&](const auto& entry) {
      const auto other = compiled.values.find(entry.first);
      return other != compiled.values.end() && comparable(entry.first, entry.second, other->second) &&
             entry.second.determined() && other->second.determined() && !equal(entry.second, other->second);
    });
  }

  static std::string text(const Fact& fact, const char* name) {
    const auto value = fact.values.find(name);
    return value == fact.values.end() ? std::string() : value->second.text();
  }

  /// A named barrier's constructor is answered by the operations of the object it makes.
  void barriers_made_elsewhere() {
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const Fact& maker = source_.facts[s];
      if (maker.kind != kind::barrier || !answers_[s].empty() || !maker.subject.starts_with("self."))
        continue;
      for (std::size_t other = 0; other < source_.facts.size(); ++other)
        if (other != s && source_.facts[other].kind == kind::barrier &&
            source_.facts[other].subject == maker.subject)
          answers_[s].insert(answers_[s].end(), answers_[other].begin(), answers_[other].end());
    }
  }

  /// The one value that all answers state; nothing if they state several or none.
  const Value* stated_by_all(std::size_t s, const std::string& name) const {
    const Value* found = nullptr;
    for (const std::size_t i : answers_[s]) {
      const auto value = compiled_[i].values.find(name);
      if (value == compiled_[i].values.end()) continue;
      if (found != nullptr && !equal(*found, value->second)) return nullptr;
      found = &value->second;
    }
    return found;
  }

  bool stated_by_any(std::size_t s, const std::string& name, const Value& wanted) const {
    return std::any_of(answers_[s].begin(), answers_[s].end(), [&](std::size_t i) {
      const auto value = compiled_[i].values.find(name);
      return value != compiled_[i].values.end() && equal(wanted, value->second);
    });
  }

  void compare_fact(std::size_t s) {
    const Fact& fact = source_.facts[s];
    ComparedFact entry;
    entry.family = fact.family;
    entry.kind = fact.kind;
    entry.subject = fact.subject;
    entry.at = fact.at;
    if (answers_[s].empty()) {
      const bool expected = compiled_kinds().contains(fact.kind) && !fact.optional &&
                            (fact.kind != kind::register_budget || fact.values.contains("action"));
      if (!expected) return;
      entry.agreement = Agreement::source_only;
      entry.reason = reason_of(fact);
      merged_.comparison.facts.push_back(std::move(entry));
      return;
    }
    compare_values(s, entry);
    if (!compiled_[answers_[s].front()].at.known())
      entry.reason = "joined by kind and order: the compiler's form states no lines";
    merged_.comparison.facts.push_back(std::move(entry));
  }

  void compare_values(std::size_t s, ComparedFact& entry) {
    const Fact& fact = source_.facts[s];
    Fact& merged = merged_.reading.facts[s];
    std::set<std::string> names;
    for (const std::size_t i : answers_[s])
      for (const auto& [name, value] : compiled_[i].values) names.insert(name);
    for (const std::string& name : names) {
      const Value* compiled = stated_by_all(s, name);
      const auto known = fact.values.find(name);
      if (known == fact.values.end()) {
        if (compiled != nullptr && compiled->determined()) merged.values.emplace(name, *compiled);
        continue;
      }
      if (compiled == nullptr) {
        if (known->second.determined() && stated_by_any(s, name, known->second))
          entry.values.push_back({name, known->second, known->second, Agreement::agree});
        continue;
      }
      if (!comparable(name, known->second, *compiled) || !compiled->determined()) continue;
      ComparedValue value{name, known->second, *compiled, Agreement::agree};
      if (!known->second.determined()) {
        value.agreement = Agreement::filled;
        merged.values[name] = *compiled;
        merged.values[name].formula = known->second.formula;
      } else if (!equal(known->second, *compiled)) {
        value.agreement = Agreement::differ;
      }
      if (value.agreement == Agreement::differ || entry.agreement == Agreement::agree)
        entry.agreement = value.agreement == Agreement::agree ? entry.agreement : value.agreement;
      entry.values.push_back(std::move(value));
    }
  }

  std::string reason_of(const Fact& fact) const {
    if (text(fact, "active") == "false") return "off in this configuration";
    const std::string made = text(fact, "class");
    if (fact.kind == kind::commit && (made == "PipelineTmaAsync" || made == "PipelineTmaUmma"))
      return "compiles to nothing: the TMA unit arrives by itself";
    if (fact.kind == kind::pipeline && text(fact, "stages") == "0") return "no stages in this configuration";
    return states_no_lines_ ? "no location: the compiler's form of the kernel states no lines"
                            : "nothing was compiled from this line";
  }

  void add_compiled(const Fact& fact) {
    if (!fact.optional && fact.family != evidence::Family::M1) {
      ComparedFact entry;
      entry.agreement = Agreement::compiled_only;
      entry.family = fact.family;
      entry.kind = fact.kind;
      entry.subject = fact.subject;
      entry.at = fact.at;
      if (const std::string chain = text(fact, "through"); !chain.empty()) entry.reason = "through " + chain;
      if (!fact.at.known()) entry.reason = "no location";
      for (const auto& [name, value] : fact.values)
        if (comparable_values().contains(name))
          entry.values.push_back({name, {}, value, Agreement::compiled_only});
      // One line that several calls lead to is told once.
      auto& facts = merged_.comparison.facts;
      const bool told = std::any_of(facts.begin(), facts.end(), [&](ComparedFact earlier) {
        earlier.reason = entry.reason;
        return earlier == entry;
      });
      if (!told) facts.push_back(std::move(entry));
    }
    merged_.reading.facts.push_back(fact);
  }

  const evidence::Reading& source_;
  Merged merged_;
  std::vector<Fact> compiled_;
  std::vector<bool> used_;
  bool states_no_lines_ = false;
  std::vector<std::vector<std::size_t>> answers_;  ///< by fact of the source
};

}  // namespace

Merged compare(const evidence::Reading& source, const std::vector<IrReading>& modules) {
  return Comparer(source, modules).run();
}

}  // namespace cutelab::compiled
