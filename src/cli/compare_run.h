#pragma once
#include <string>
#include <vector>

#include "cli/kernel_choice.h"
#include "cli/kernel_run.h"
#include "cli/verb.h"
#include "device/device.h"
#include "evidence/run.h"
#include "profile/compare.h"
#include "report/compare_view.h"

namespace cutelab::cli {

/// What `cutelab compare` was asked for.
struct CompareRequest {
  std::vector<Contender> contenders;  ///< the first is what the others are held against
  profile::CompareSpec spec;
  int gpu = 0;
  double time_limit_seconds = 120;
  std::string command;
};

/// One run per contender, timed in the same rounds, with what the compiler says of each.
struct CompareOutcome {
  std::vector<evidence::Run> runs;
  evidence::Run::Outcome outcome;          ///< of the measurement as a whole
  std::vector<std::string> disagreements;  ///< contenders of one problem whose outputs differ
  std::vector<std::string> not_done;       ///< one sentence each
};

/// Compiles all, then measures all on one GPU in a process of its own. Contenders of the same problem get the
/// same inputs and their outputs are held against the first one's. What cannot be done becomes a reason.
Result<CompareOutcome> run_comparison(const CompareRequest& request, device::Device& device,
                                      const KernelLoader& load, const Context& context);

/// Every contender against the first: intervals, verdicts, and equal machine code where it explains them.
report::ComparedRuns compared_of(const CompareRequest& request, const CompareOutcome& outcome);

/// How often the verdict is right here: `pairs` comparisons of the contender with itself and as many with
/// itself made slower by `handicap` (0.03 = 3 %) through a second small kernel in the timed region.
struct SelfTest {
  int pairs = 0;
  double handicap = 0;                  ///< as measured, larger or smaller than asked for
  std::vector<evidence::Verdict> same;  ///< of the pairs of equals
  std::vector<evidence::Verdict> slow;  ///< of the pairs with a slower right side
  evidence::Run::Outcome outcome;
};
Result<SelfTest> run_self_test(const CompareRequest& request, int pairs, double handicap,
                               device::Device& device, const KernelLoader& load, const Context& context);

}  // namespace cutelab::cli
