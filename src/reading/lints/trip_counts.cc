#include <fmt/format.h>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule dropped_tail() {
  return {
      "dropped-tail", "a loop over tiles reaches the end of its extent",
      "round the count up and predicate the last tile, or refuse extents that the tile does not divide; "
      "check "
      "with extents one below, at and one above a multiple of tile times stages",
      evidence::Severity::error, [](Check& check) {
        for (const evidence::Fact* loop : check.facts("trip-count")) {
          const auto extent = number_of(*loop, "extent"), step = number_of(*loop, "step");
          if (flag_of(*loop, "remainder_handled") || (extent && step && *step > 0 && *extent % *step == 0))
            check.passed();
          else if (!extent || !step || *step <= 0)
            check.undecided(
                fmt::format("whether the loop over {} leaves a tail: it {}", loop->subject, loop->says),
                {loop->subject}, loop->at);
          else
            check.fire(fmt::format("the loop over {} {}: the last {} of {} are left out", loop->subject,
                                   loop->says, *extent % *step, *extent),
                       fmt::format("{} % {} = {}", *extent, *step, *extent % *step), {loop->at});
        }
      }};
}

Rule steps_beyond_end() {
  return {"steps-beyond-end", "a loop that takes several stages a round asks before each whether it is left",
          "guard each stage with `index + stage < end`, or make the end a multiple of the stages; check more "
          "than "
          "one batch with tile counts that are no multiple of the stages",
          evidence::Severity::error, [](Check& check) {
            for (const evidence::Fact* loop : check.facts("stepped-loop")) {
              const auto begin = number_of(*loop, "begin"), end = number_of(*loop, "end"),
                         step = number_of(*loop, "step");
              if (flag_of(*loop, "guarded")) {
                check.passed();
              } else if (!begin || !end || !step || *step <= 0) {
                check.undecided(fmt::format("whether the loop over {} ends on a whole round: {}",
                                            loop->subject, loop->says),
                                {loop->subject}, loop->at);
              } else if (*end <= *begin || (*end - *begin) % *step == 0) {
                check.passed();
              } else {
                const std::int64_t over = *step - (*end - *begin) % *step;
                check.fire(fmt::format("the last round of the loop over {} does {} steps beyond the end, {}",
                                       loop->subject, over, *end),
                           fmt::format("({} - {}) % {} = {}", *end, *begin, *step, *step - over), {loop->at});
              }
            }
          }};
}

}  // namespace cutelab::reading::lints
