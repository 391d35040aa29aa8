#include "compiled/match_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Fact;
using evidence::Value;
namespace kind = evidence::kind;

namespace {

/// "num_ab_stage" of "self.num_ab_stage"; "" of an expression.
std::string_view last_name(std::string_view text) {
  for (const char c : text)
    if (c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'))
      return {};
  const auto dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

class Objects {
 public:
  Objects(const evidence::Reading& source, const std::vector<Candidate>& compiled, Answers& answers)
      : source_(source), compiled_(compiled), answers_(answers) {}

  void run() {
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const Fact& fact = source_.facts[s];
      if (!answers_.of_source[s].empty() || text_of(fact, "active") == "false") continue;
      if (fact.kind == kind::barrier)
        named_barrier(s);
      else if (fact.kind == kind::mma && text_of(fact, "operation").ends_with("Op"))
        mma_operation(s);
      else if (fact.kind == kind::register_budget)
        scheduled_budget(s);
      else if (fact.kind == "tmem-allocator")
        as_subject(s, kind::tensor_memory_allocation, "what it allocates");
    }
    named_numbers();
  }

 private:
  void take(std::size_t s, const std::vector<std::size_t>& found, const std::string& how) {
    if (found.empty()) return;
    answers_.of_source[s] = found;
    for (const std::size_t i : found) answers_.used[i] = true;
    answers_.joined[s] = how;
  }

  std::string lines(const std::vector<std::size_t>& found) const {
    std::vector<int> numbers;
    for (const std::size_t i : found)
      if (compiled_[i].fact.at.known()) numbers.push_back(compiled_[i].fact.at.line());
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.empty()) return "no line";
    std::string text = numbers.size() == 1 ? "line " : "lines ";
    for (std::size_t i = 0; i < numbers.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", numbers[i]);
    return text;
  }

  /// Where the source makes an object, not where it uses one.
  bool makes_barrier(const Fact& fact) const { return fact.says.find("(NamedBarrier)") != std::string::npos; }

  /// A named barrier is the hardware's of its number. Of several objects with one number each is answered by
  /// those operations alone that have its threads.
  void named_barrier(std::size_t s) {
    const Fact& maker = source_.facts[s];
    const auto number = maker.values.find("id");
    if (number == maker.values.end() || !number->second.determined()) {
      if (maker.subject.starts_with("self.")) as_subject(s, kind::barrier, "the operations of the object");
      return;
    }
    if (!makes_barrier(maker)) return;
    const bool shared = std::any_of(source_.facts.begin(), source_.facts.end(), [&](const Fact& other) {
      return &other != &maker && other.kind == kind::barrier && makes_barrier(other) &&
             text_of(other, "active") != "false" && text_of(other, "id") == text_of(maker, "id");
    });
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      const Fact& operation = compiled_[i].fact;
      if (operation.kind == kind::barrier && text_of(operation, "id") == number->second.text() &&
          (!shared || text_of(operation, "threads") == text_of(maker, "threads")))
        found.push_back(i);
    }
    take(s, found, "the barrier of its number: " + lines(found));
  }

  /// An operation of an MMA is an object of Python; the atom that is made of it comes later in the function.
  void mma_operation(std::size_t s) {
    const Fact& made = source_.facts[s];
    const evidence::Function* function = around(made.at);
    std::size_t best = compiled_.size();
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      const Fact& atom = compiled_[i].fact;
      if (atom.kind != kind::mma || !atom.at.known() || atom.at.file != made.at.file ||
          atom.at.line() < made.at.line() || around(atom.at) != function)
        continue;
      if (best == compiled_.size() || atom.at.line() < compiled_[best].fact.at.line()) best = i;
    }
    if (best != compiled_.size()) take(s, {best}, "the atom made of it: " + lines({best}));
  }

  /// The registers that a task is given are set where the scheduler runs it.
  void scheduled_budget(std::size_t s) {
    const auto wanted = source_.facts[s].values.find("registers");
    if (wanted == source_.facts[s].values.end() || !wanted->second.determined()) return;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      const Fact& set = compiled_[i].fact;
      if (set.kind == kind::register_budget && text_of(set, "through").starts_with("TaskManager.") &&
          text_of(set, "registers") == wanted->second.text())
        found.push_back(i);
    }
    take(s, found, "set where the scheduler runs the task: " + lines(found));
    if (!found.empty()) answers_.only[s] = "registers";
  }

  /// The innermost function that holds the line.
  const evidence::Function* around(const evidence::Location& at) const {
    const evidence::Function* found = nullptr;
    for (const evidence::Function& function : source_.functions)
      if (function.at.file == at.file && function.at.line() <= at.line() &&
          static_cast<int>(function.at.span.end_line) >= at.line() &&
          (found == nullptr || function.at.line() > found->at.line()))
        found = &function;
    return found;
  }

  /// An object is answered by what answers the calls on it.
  void as_subject(std::size_t s, const char* of_kind, const char* how) {
    std::vector<std::size_t> found;
    for (std::size_t other = 0; other < source_.facts.size(); ++other)
      if (source_.facts[other].kind == of_kind && source_.facts[other].subject == source_.facts[s].subject)
        found.insert(found.end(), answers_.of_source[other].begin(), answers_.of_source[other].end());
    take(s, found, std::string(how) + ": " + lines(found));
  }

  /// A number that the source names, where another fact's value is that name and the compiler states it.
  void named_numbers() {
    static const std::map<std::string, const char*> kinds = {{kind::stages, "stages"},
                                                             {"transaction-bytes", "bytes"},
                                                             {"tmem-columns", "columns"},
                                                             {"size-formula", "smem_bytes"}};
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> by_name;
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const Fact& fact = source_.facts[s];
      const auto known = kinds.find(fact.kind);
      const std::string_view name = last_name(fact.subject);
      if (known != kinds.end() && !name.empty() && fact.values.contains(known->second) &&
          answers_.of_source[s].empty() && text_of(fact, "active") != "false")
        by_name[{known->second, std::string(name)}].push_back(s);
    }
    for (const auto& [name, facts] : by_name) named_number(name.first, name.second, facts);
  }

  /// `facts` are the statements that give the name a number.
  void named_number(const std::string& value, const std::string& name,
                    const std::vector<std::size_t>& facts) {
    std::vector<std::size_t> found;
    const Value *stated = nullptr, *given = nullptr;
    for (std::size_t s = 0; s < source_.facts.size(); ++s) {
      const auto passed = source_.facts[s].values.find(value);
      if (passed == source_.facts[s].values.end() || last_name(passed->second.formula) != name) continue;
      given = &passed->second;
      for (const std::size_t i : answers_.of_source[s])
        if (const auto known = compiled_[i].fact.values.find(value);
            known != compiled_[i].fact.values.end() && known->second.determined() &&
            (stated == nullptr || equal(value, *stated, known->second))) {
          stated = &known->second;
          found.push_back(i);
        }
    }
    if (stated == nullptr) return;
    // Of the statements that give the name a number: that of the number which the source sees passed on.
    std::vector<std::size_t> meant;
    for (const std::size_t s : facts)
      if (const Value& known = source_.facts[s].values.at(value);
          !known.determined() || !given->determined() || equal(value, known, *given))
        meant.push_back(s);
    if (!given->determined()) keep_likely(value, *stated, meant);
    for (const std::size_t s : meant) {
      take(s, found, "passed on by its name: " + lines(found));
      answers_.only[s] = value;
    }
  }

  /// Where the source does not see which number is passed on: a statement whose number is another one than
  /// the compiler's is an earlier step as long as there is one that may be it (n = 2, then n += what is
  /// left).
  void keep_likely(const std::string& value, const Value& stated, std::vector<std::size_t>& meant) const {
    std::vector<std::size_t> likely;
    for (const std::size_t s : meant)
      if (const Value& known = source_.facts[s].values.at(value);
          !known.determined() || equal(value, known, stated))
        likely.push_back(s);
    if (!likely.empty()) meant = likely;
  }

  const evidence::Reading& source_;
  const std::vector<Candidate>& compiled_;
  Answers& answers_;
};

}  // namespace

void match_objects(const evidence::Reading& source, const std::vector<Candidate>& compiled,
                   Answers& answers) {
  Objects(source, compiled, answers).run();
}

}  // namespace cutelab::compiled
