#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule epilogue_subtile() {
  return {"epilogue-subtile", "the epilogue's tile divides the CTA's tile",
          "take the greatest common divisor as the epilogue's tile", evidence::Severity::error,
          [](Check& check) {
            const auto wholes = check.facts("cta-tile");
            for (const evidence::Fact* part : check.facts("epilogue-tile")) {
              const auto small = numbers_of(value_of(*part, "tile"));
              if (!small) {
                check.undecided(*part, "tile");
                continue;
              }
              for (const evidence::Fact* whole : wholes) {
                const auto large = numbers_of(value_of(*whole, "tile"));
                if (!large) {
                  check.undecided(*whole, "tile");
                  continue;
                }
                bool divides = true;
                for (std::size_t i = 0; i < std::min({small->size(), large->size(), std::size_t{2}}); ++i) {
                  const auto a = (*large)[i], b = (*small)[i];
                  if (b <= 0 || a % b == 0) continue;
                  divides = false;
                  check.fire(fmt::format("mode {}: {} of {} does not divide {} of {}; {} does", i, b,
                                         part->subject, a, whole->subject, std::gcd(a, b)),
                             fmt::format("{} % {} = {}", a, b, a % b), {part->at, whole->at});
                }
                if (divides) check.passed();
              }
            }
          }};
}

}  // namespace cutelab::reading::lints
