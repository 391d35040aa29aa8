#include "reading/lints.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading {
namespace lints {

const evidence::Value* value_of(const evidence::Fact& fact, const char* name) {
  const auto found = fact.values.find(name);
  return found == fact.values.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> number_of(const evidence::Fact& fact, const char* name) {
  const evidence::Value* value = value_of(fact, name);
  return value ? value->integer() : std::nullopt;
}

std::string text_of(const evidence::Fact& fact, const char* name) {
  const evidence::Value* value = value_of(fact, name);
  return value && value->string() ? *value->string() : "";
}

bool flag_of(const evidence::Fact& fact, const char* name) {
  const evidence::Value* value = value_of(fact, name);
  return value && value->boolean() == true;
}

std::optional<std::vector<std::int64_t>> numbers_of(const evidence::Value* value) {
  if (!value) return std::nullopt;
  if (const auto one = value->integer()) return std::vector{*one};
  const auto* items = value->list();
  if (!items) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const evidence::Value& item : *items) {
    const auto n = item.integer();
    if (!n) return std::nullopt;
    out.push_back(*n);
  }
  return out;
}

std::string product_text(const std::vector<std::int64_t>& factors) {
  return fmt::format("{}", fmt::join(factors, " * "));
}

std::vector<const evidence::Fact*> Check::facts(std::string_view kind) const {
  std::vector<const evidence::Fact*> out;
  for (const evidence::Fact& fact : reading.facts) {
    if (fact.kind != kind) continue;
    const evidence::Value* active = value_of(fact, "active");
    if (!(active && active->boolean() == false)) out.push_back(&fact);
  }
  return out;
}

std::string Check::arch() const { return target.arch.empty() ? reading.arch.minimum : target.arch; }

std::vector<const evidence::Function*> Check::kernels() const {
  std::vector<const evidence::Function*> out;
  for (const evidence::Function& f : reading.functions)
    if (f.kind == evidence::Function::Kind::kernel) out.push_back(&f);
  return out;
}

const evidence::Fact* Check::role_block(const evidence::Fact& inner) const {
  const evidence::Fact* best = nullptr;
  for (const evidence::Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::role || fact.subject != inner.role || fact.at.file != inner.at.file)
      continue;
    const Span& span = fact.at.span;
    if (span.begin > inner.at.span.begin || span.end < inner.at.span.end) continue;
    if (!best || span.end - span.begin < best->at.span.end - best->at.span.begin) best = &fact;
  }
  return best;
}

void Check::fire(std::string message, std::string formula, Places at) {
  ++lint_.decided;
  lint_.findings.push_back({std::move(message), std::move(formula), std::move(at)});
}

void Check::undecided(std::string reason, std::vector<std::string> depends_on, evidence::Location at) {
  lint_.undecided.push_back({std::move(reason), std::move(depends_on), at});
}

void Check::undecided(const evidence::Fact& fact, const char* name) {
  const evidence::Value* value = value_of(fact, name);
  const evidence::Undetermined* why = nullptr;
  if (value) why = value->undetermined();
  if (value && !why && value->list())
    for (const evidence::Value& item : *value->list())
      if (!why) why = item.undetermined();
  const std::string what = (fact.subject.empty() ? fact.kind : fact.subject) + ": " + name;
  if (why)
    undecided(what + ": " + why->reason, why->depends_on, fact.at);
  else
    undecided(what + " is not told by this source", {}, fact.at);
}

namespace {
const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = {smem_over_limit(),
                                          no_stages(),
                                          no_extent(),
                                          arrival_count(),
                                          transaction_bytes(),
                                          missing_drain(),
                                          store_not_waited(),
                                          unguarded_issue(),
                                          store_without_fence(),
                                          tma_box(),
                                          tma_stride(),
                                          tma_shared_step(),
                                          operand_layout(),
                                          dropped_tail(),
                                          steps_beyond_end(),
                                          cluster_shape(),
                                          cluster_not_portable(),
                                          register_budget(),
                                          register_count(),
                                          print_in_small_role(),
                                          dependent_launch_wait(),
                                          dependent_read_early(),
                                          bulk_copy_election(),
                                          architecture(),
                                          kernel_compiled(),
                                          epilogue_subtile(),
                                          unguarded_mode(),
                                          narrow_tensor_memory_load(),
                                          pending_groups(),
                                          remote_arrive_scope(),
                                          storage_field_in_branch(),
                                          barrier_fence(),
                                          barrier_never_waited(),
                                          first_wait_parity(),
                                          thread_branch_copy(),
                                          dependent_launch_attribute()};
  return rules;
}
}  // namespace
}  // namespace lints

void run_lints(evidence::Reading& reading, const LintTarget& target) {
  reading.boundaries = mode_verdicts(reading);
  std::vector<evidence::Lint> out;
  for (const lints::Rule& rule : lints::all_rules()) {
    evidence::Lint lint;
    lint.id = rule.id;
    lint.title = rule.title;
    lint.remedy = rule.remedy;
    lint.severity = rule.severity;
    lints::Check check(reading, target, lint);
    rule.check(check);
    out.push_back(std::move(lint));
  }
  reading.lints = std::move(out);
}

}  // namespace cutelab::reading
