#include <fmt/format.h>

#include <algorithm>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

bool is_wait(const Fact& fact) {
  return fact.says.find("wait") != std::string::npos || fact.says.find("Wait") != std::string::npos;
}

std::vector<const Fact*> waits(const Check& check) {
  auto out = check.facts("dependent-launch");
  std::erase_if(out, [](const Fact* f) { return !is_wait(*f); });
  return out;
}

void hold_launch(Check& check, const Fact& keyword) {
  const evidence::Value* value = value_of(keyword, keyword.subject.c_str());
  const auto on = value ? value->boolean() : std::nullopt;
  if (!on) return check.undecided(keyword, keyword.subject.c_str());
  if (!*on) return check.passed();
  bool elsewhere = false;
  for (const Fact* wait : waits(check)) {
    if (wait->kernel == keyword.kernel || check.kernels().size() == 1) return check.passed();
    elsewhere = elsewhere || wait->kernel.empty();
  }
  const bool here = std::any_of(check.reading.functions.begin(), check.reading.functions.end(), [&](auto& f) {
    return f.kind == evidence::Function::Kind::kernel && f.name == keyword.kernel && f.at.file == 0;
  });
  if (elsewhere || !here)
    return check.undecided("whether " + keyword.kernel + " waits in a helper", {keyword.kernel}, keyword.at);
  check.fire(
      fmt::format("{} may start before the kernel ahead of it ends ({}=True) and never waits for it: right "
                  "only if it touches nothing that kernel reads or writes",
                  keyword.kernel, keyword.subject),
      "", {keyword.at});
}

/// The tensor that a fact loads from global memory; "" = it loads none.
std::string loaded(const Fact& fact) {
  if (fact.kind == "early-read") return fact.subject;
  const std::string operation = text_of(fact, "operation");
  return operation == "tma-load" || operation == "cp-async" ? text_of(fact, "source") : "";
}

/// What a wait's own threads read ahead of every wait of the kernel.
void hold_reads(Check& check, const Fact& wait, const std::vector<const Fact*>& all) {
  if (wait.kernel.empty()) return check.passed();
  bool early = false;
  for (const char* kind : {evidence::kind::copy, "early-read"})
    for (const Fact* read : check.facts(kind)) {
      if (loaded(*read).empty() || read->kernel != wait.kernel || read->role != wait.role) continue;
      const bool first = std::all_of(all.begin(), all.end(), [&](const Fact* w) {
        return w->kernel != wait.kernel || w->at.span.begin > read->at.span.begin;
      });
      if (!first) continue;
      check.fire(fmt::format("{} is read on line {}, the wait stands on line {}: right only if the "
                             "kernel ahead does not write it",
                             loaded(*read), read->at.line(), wait.at.line()),
                 "", {read->at, wait.at});
      early = true;
    }
  if (!early) check.passed();
}

/// The wait without the attribute: nothing overlaps.
void hold_attribute(Check& check, const Fact& wait) {
  if (wait.kernel.empty()) return;
  const Fact* launch = nullptr;
  for (const Fact* one : check.facts(evidence::kind::launch))
    if (one->kernel == wait.kernel || one->subject == wait.kernel) launch = one;
  if (!launch) return check.undecided("no launch of " + wait.kernel + " here", {wait.kernel}, wait.at);
  for (const Fact* keyword : check.facts(evidence::kind::launch_keyword))
    if (keyword->kernel == wait.kernel &&
        (keyword->subject == "use_pdl" || keyword->subject.starts_with("*")))
      return check.passed();
  check.fire(
      fmt::format("{} waits for the kernel ahead, but its launch does not let it start early: the wait "
                  "returns at once and nothing overlaps",
                  wait.kernel),
      "", {wait.at, launch->at});
}
}  // namespace

Rule dependent_launch_attribute() {
  return {
      "dependent-launch-attribute", "a kernel that waits for the one ahead is launched to overlap with it",
      "launch(…, use_pdl=True) on this kernel, and griddepcontrol_launch_dependents() in the one ahead: both "
      "sides opt in",
      evidence::Severity::note, [](Check& check) {
        for (const Fact* wait : waits(check)) hold_attribute(check, *wait);
      }};
}

Rule dependent_launch_wait() {
  return {"dependent-launch-wait", "a kernel of a dependent launch waits before it reads what came before",
          "call cute.arch.griddepcontrol_wait() before the first dependent read", evidence::Severity::warning,
          [](Check& check) {
            for (const Fact* keyword : check.facts(evidence::kind::launch_keyword))
              if (keyword->subject == "use_pdl") hold_launch(check, *keyword);
          }};
}

Rule dependent_read_early() {
  return {"dependent-read-early", "global memory is read after the wait for the kernel ahead",
          "move the read behind griddepcontrol_wait(), unless nobody ahead writes that tensor",
          evidence::Severity::note, [](Check& check) {
            const auto all = waits(check);
            for (const Fact* wait : all) hold_reads(check, *wait, all);
          }};
}

}  // namespace cutelab::reading::lints
