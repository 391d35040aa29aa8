#include "compiled/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiled/compare_rules.h"
#include "compiled/match.h"
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

class Comparer {
 public:
  Comparer(const evidence::Reading& source, const std::vector<IrReading>& modules) : source_(source) {
    merged_.reading = source;
    for (const IrReading& module : modules) collect(module);
    std::sort(lines_.begin(), lines_.end());
    answers_ = match(source, compiled_);
  }

  Merged run() {
    for (std::size_t i = 0; i < source_.facts.size(); ++i) compare_fact(i);
    for (std::size_t i = 0; i < compiled_.size(); ++i)
      if (!answers_.used[i] && !compiled_[i].lesser) add_compiled(compiled_[i].fact);
    auto& facts = merged_.comparison.facts;
    std::stable_sort(facts.begin(), facts.end(), [](const ComparedFact& a, const ComparedFact& b) {
      return std::pair(a.at.file, a.at.line()) < std::pair(b.at.file, b.at.line());
    });
    merged_.comparison.files = source_.files;
    for (Candidate& candidate : compiled_)
      if (!candidate.lesser) merged_.compiled.push_back(std::move(candidate.fact));
    return std::move(merged_);
  }

 private:
  /// Facts carry the reading's name for their kernel, and its role for their line.
  void collect(const IrReading& module) {
    std::map<std::string, std::string> names;
    for (const IrKernel& kernel : module.kernels)
      if (const evidence::Function* function = defined_at(kernel.at)) names[kernel.name] = function->name;
    const std::size_t earlier = compiled_.size();
    std::vector<bool> again(earlier, false);
    const auto take = [&](Fact fact, bool lesser) {
      if (const auto name = names.find(fact.kernel); name != names.end()) fact.kernel = name->second;
      // A program may compile one kernel again, for another problem; one module may say a thing twice.
      for (std::size_t i = 0; i < earlier; ++i)
        if (!again[i] && compiled_[i].lesser == lesser && compiled_[i].fact == fact) {
          again[i] = true;
          return;
        }
      compiled_.push_back({std::move(fact), lesser});
    };
    for (const Fact& fact : module.facts) take(fact, false);
    for (const Fact& fact : module.lesser) take(fact, true);
    lines_.insert(lines_.end(), module.lines.begin(), module.lines.end());
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

  /// The one value that all answers state; nothing if they state several or none.
  const Value* stated_by_all(std::size_t s, const std::string& name) const {
    const Value* found = nullptr;
    for (const std::size_t i : answers_.of_source[s]) {
      const auto value = compiled_[i].fact.values.find(name);
      if (value == compiled_[i].fact.values.end()) continue;
      if (found != nullptr && !equal(name, *found, value->second)) return nullptr;
      found = &value->second;
    }
    return found;
  }

  bool stated_by_any(std::size_t s, const std::string& name, const Value& wanted) const {
    return std::any_of(answers_.of_source[s].begin(), answers_.of_source[s].end(), [&](std::size_t i) {
      const auto value = compiled_[i].fact.values.find(name);
      return value != compiled_[i].fact.values.end() && equal(name, wanted, value->second);
    });
  }

  void compare_fact(std::size_t s) {
    const Fact& fact = source_.facts[s];
    ComparedFact entry;
    entry.family = fact.family;
    entry.kind = fact.kind;
    entry.subject = fact.subject;
    entry.at = fact.at;
    if (answers_.of_source[s].empty()) {
      const bool expected = compiled_kinds().contains(fact.kind) && !fact.optional &&
                            (fact.kind != kind::register_budget || fact.values.contains("action"));
      if (!expected) return;
      entry.agreement = Agreement::source_only;
      entry.reason = reason_of(fact);
      merged_.comparison.facts.push_back(std::move(entry));
      return;
    }
    compare_values(s, entry);
    entry.reason = answers_.joined[s];
    merged_.comparison.facts.push_back(std::move(entry));
  }

  void compare_values(std::size_t s, ComparedFact& entry) {
    const Fact& fact = source_.facts[s];
    Fact& merged = merged_.reading.facts[s];
    std::set<std::string> names;
    for (const std::size_t i : answers_.of_source[s])
      for (const auto& [name, value] : compiled_[i].fact.values) names.insert(name);
    for (const std::string& name : names) {
      if (!answers_.only[s].empty() && name != answers_.only[s]) continue;
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
      } else if (!equal(name, known->second, *compiled)) {
        value.agreement = Agreement::differ;
      }
      if (value.agreement == Agreement::differ || entry.agreement == Agreement::agree)
        entry.agreement = value.agreement == Agreement::agree ? entry.agreement : value.agreement;
      entry.values.push_back(std::move(value));
    }
  }

  std::string reason_of(const Fact& fact) const {
    if (text_of(fact, "active") == "false") return "off in this configuration";
    const std::string made = text_of(fact, "class");
    if (fact.kind == kind::commit && (made == "PipelineTmaAsync" || made == "PipelineTmaUmma"))
      return "compiles to nothing: the TMA unit arrives by itself";
    if (fact.kind == kind::pipeline && text_of(fact, "stages") == "0")
      return "no stages in this configuration";
    if (answers_.states_no_lines) return "no location: the compiler's form of the kernel states no lines";
    const evidence::Function* function = around(fact.at);
    if (function != nullptr && !was_compiled(function->at))
      return "nothing of its function was compiled in this configuration";
    return was_compiled(fact.at) ? "this line compiles to no operation of its kind"
                                 : "no operation comes from this line";
  }

  /// The innermost function that holds the line.
  const evidence::Function* around(const Location& at) const {
    const evidence::Function* found = nullptr;
    for (const evidence::Function& function : source_.functions)
      if (function.at.file == at.file && function.at.line() <= at.line() &&
          function.at.span.end_line >= at.span.line &&
          (found == nullptr || function.at.line() > found->at.line()))
        found = &function;
    return found;
  }

  bool was_compiled(const Location& at) const {
    const auto first = std::lower_bound(lines_.begin(), lines_.end(), std::pair(at.file, at.line()));
    return first != lines_.end() && first->first == at.file &&
           first->second <= static_cast<int>(at.span.end_line);
  }

  /// Whether a fact is of a call, not of a block, a name or a way through the program.
  static bool tells_a_call(const Fact& fact) {
    using evidence::Family;
    return fact.family == Family::H1 || fact.family == Family::H3 || fact.family == Family::D2 ||
           fact.family == Family::D3 || fact.family == Family::D4 || fact.family == Family::D5 ||
           fact.family == Family::D6;
  }

  /// Where a fact stands that the reading has not: in a file that is not the one that was read, in what a
  /// call does whose fact the reading has, or in a call into the library.
  std::string reason_of_compiled(const Fact& fact) const {
    if (!fact.at.known()) return "no location";
    const std::string chain = text_of(fact, "through");
    const std::string through = chain.empty() ? "" : "through " + chain;
    if (fact.at.file > 0) return "in another file of the program" + (through.empty() ? "" : ", " + through);
    for (const Fact& known : source_.facts)
      if (known.at.file == fact.at.file && known.at.line() <= fact.at.line() &&
          static_cast<int>(known.at.span.end_line) >= fact.at.line() && tells_a_call(known))
        return "part of the " + known.kind + " here" + (through.empty() ? "" : ", " + through);
    return through;
  }

  void add_compiled(const Fact& fact) {
    if (!fact.optional && fact.family != evidence::Family::M1) {
      ComparedFact entry;
      entry.agreement = Agreement::compiled_only;
      entry.family = fact.family;
      entry.kind = fact.kind;
      entry.subject = fact.subject;
      entry.at = fact.at;
      entry.reason = reason_of_compiled(fact);
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
  std::vector<Candidate> compiled_;
  std::vector<std::pair<int, int>> lines_;  ///< file and line of all that was compiled, in order
  Answers answers_;
};

}  // namespace

Merged compare(const evidence::Reading& source, const std::vector<IrReading>& modules) {
  return Comparer(source, modules).run();
}

}  // namespace cutelab::compiled
