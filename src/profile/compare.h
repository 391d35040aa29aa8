#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "device/device.h"
#include "evidence/run.h"
#include "profile/event_timing.h"

namespace cutelab::profile {

/// How a comparison is made and when it says what.
struct CompareSpec {
  TimingSpec timing;     ///< L2 state and warm-up; its stop rule is not used
  double margin = 0.01;  ///< relative differences below this do not matter: SAME
  double z = 3;          ///< half-width of the interval in standard errors: 3 = 99.7 % for one look
  int least_rounds = 60;
  int most_rounds = 6000;
  double least_seconds = 0.2;  ///< so that some of the machine's drift is seen
  double most_seconds = 6;
};

/// The relative difference of `right` to `left` (0.03 = 3 % slower) as an interval.
struct Difference {
  double low = 0;
  double centre = 0;  ///< of the medians of each round
  double high = 0;
  double trimmed = 0;  ///< mean over the middle 80 % of the rounds: far from the centre = more than one mode
};

/// `left[i]` and `right[i]` (microseconds) were measured in the same round. What both share in a round
/// (clock, power, temperature) drops out of their ratio; of the ratios, the median is taken with an interval
/// by order statistics, which no outlier moves, widened for what neighbouring rounds share and for the step
/// of the timer. Precondition: same size, at least two rounds, times above 0.
Difference paired_difference(const std::vector<double>& left, const std::vector<double>& right, double z);

/// SLOWER or FASTER: the whole interval and the mean lie beyond the margin on that side. SAME: the whole
/// interval lies within it. AMBIGUOUS: neither, or median and mean tell different things.
evidence::Verdict judge_difference(const Difference& difference, double margin);

/// Adds to the verdict's reason that both sides run the same machine code, where they do
/// (Provenance::code_hash): why they are the SAME; or that a difference then comes from the launch, the
/// inputs or the machine.
void explain_by_code(evidence::Verdict& verdict, const evidence::Run& left, const evidence::Run& right);

/// Two runs of different times, `right` against `left`: an interval from both medians' errors, widened by
/// `run_to_run`, since nothing of what the machine did drops out as it does between rounds. AMBIGUOUS, with
/// what differs, where the runs were not measured the same way: device, driver, L2, inputs, SM clock by more
/// than 2 %. IMPOSSIBLE: one has no time. `difference` is given wherever both have one.
struct StoredComparison {
  evidence::Verdict verdict;
  std::optional<Difference> difference;
};
StoredComparison compare_stored(const evidence::Run& left, const evidence::Run& right, double margin,
                                double z);
/// The largest difference seen between repeated runs of one kernel (docs/kernels/rmsnorm.md: 0.6 %).
inline constexpr double run_to_run = 0.006;

/// Times of several launches in matching rounds: samples_us of each has one entry per round.
/// In each round every launch is timed once, the cache set before each; the order changes from round to round
/// so that none always follows the same. Stops when every launch is judged against the first, or at the
/// limits. Errors: a launch's, or the driver's.
Result<std::vector<Timing>> time_interleaved(device::Session& session,
                                             const std::vector<std::function<Status()>>& launches,
                                             const CompareSpec& spec, const Clock& clock);

}  // namespace cutelab::profile
