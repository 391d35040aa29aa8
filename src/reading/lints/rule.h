#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reading/lints.h"

namespace cutelab::reading::lints {

using Places = std::vector<evidence::Location>;

/// The value `name` of a fact; nullptr where it has none.
const evidence::Value* value_of(const evidence::Fact& fact, const char* name);
std::optional<std::int64_t> number_of(const evidence::Fact& fact, const char* name);
std::string text_of(const evidence::Fact& fact, const char* name);  ///< "" where there is no such text
bool flag_of(const evidence::Fact& fact, const char* name);         ///< it is there and true
/// Integers of a list, or of one number; none when one is missing.
std::optional<std::vector<std::int64_t>> numbers_of(const evidence::Value* value);
/// "4 * 57344 + 64" and its like: numbers with thousands separated by nothing.
std::string product_text(const std::vector<std::int64_t>& factors);

/// What a rule sees and where it writes.
class Check {
 public:
  Check(const evidence::Reading& r, const LintTarget& t, evidence::Lint& lint)
      : reading(r), target(t), lint_(lint) {}

  /// Facts of a kind that the file's own defaults do not leave out.
  std::vector<const evidence::Fact*> facts(std::string_view kind) const;
  /// "sm_90a": the target, else what the source needs; empty = undetermined.
  std::string arch() const;
  /// Kernels of the files, as functions.
  std::vector<const evidence::Function*> kernels() const;
  /// The role block, as a fact, that a place stands in, by the name that the facts there carry.
  const evidence::Fact* role_block(const evidence::Fact& inner) const;

  void passed() { ++lint_.decided; }
  void fire(std::string message, std::string formula, Places at);
  void undecided(std::string reason, std::vector<std::string> depends_on, evidence::Location at);
  /// Because this value of the fact is missing or not determined.
  void undecided(const evidence::Fact& fact, const char* name);

  const evidence::Reading& reading;
  const LintTarget& target;

 private:
  evidence::Lint& lint_;
};

/// One rule: what it says, how bad a breach is, and the predicate over facts.
struct Rule {
  const char* id;
  const char* title;
  const char* remedy;
  evidence::Severity severity;
  void (*check)(Check&);
};

// One file each.
Rule smem_over_limit();
Rule no_stages();
Rule no_extent();
Rule arrival_count();
Rule transaction_bytes();
Rule missing_drain();
Rule store_not_waited();
Rule unguarded_issue();
Rule store_without_fence();
Rule tma_box();
Rule tma_stride();
Rule tma_shared_step();
Rule operand_layout();
Rule dropped_tail();
Rule steps_beyond_end();
Rule cluster_shape();
Rule cluster_not_portable();
Rule register_budget();
Rule register_count();
Rule print_in_small_role();
Rule dependent_launch_wait();
Rule dependent_read_early();
Rule bulk_copy_election();
Rule architecture();
Rule kernel_compiled();
Rule epilogue_subtile();
Rule unguarded_mode();
Rule narrow_tensor_memory_load();
Rule pending_groups();
Rule remote_arrive_scope();
Rule storage_field_in_branch();
Rule barrier_fence();
Rule barrier_never_waited();
Rule first_wait_parity();
Rule thread_branch_copy();
Rule dependent_launch_attribute();

}  // namespace cutelab::reading::lints
