#pragma once
#include <optional>
#include <string>
#include <vector>

#include "evidence/reading.h"

namespace cutelab::reading {

/// What a reading is held against beside its own facts.
struct LintTarget {
  std::string arch;   ///< "sm_90a"; empty = what the source itself needs
  std::string wheel;  ///< "4.6.1": release of nvidia-cutlass-dsl; empty = not known
  /// Whether cute.copy elects the thread of a non-tensor bulk copy itself in that wheel; none = not known.
  std::optional<bool> bulk_copy_elects;
};

/// Fills reading.lints (one entry for each rule, also those without a finding) and reading.boundaries from
/// the reading's facts. Post-conditions:
///   1. A finding rests on determined values alone; its first place is the statement to change.
///   2. What lacks a value is in `undecided` with the reason, not in `findings`.
///   3. Facts that the file's own defaults leave out (value `active` = false) are not looked at.
void run_lints(evidence::Reading& reading, const LintTarget& target);

/// How accesses to each tiled mode of a tensor in global memory stay inside it.
std::vector<evidence::ModeVerdict> mode_verdicts(const evidence::Reading& reading);

}  // namespace cutelab::reading
