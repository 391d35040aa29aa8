#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule bulk_copy_election() {
  return {
      "bulk-copy-election",
      "one thread issues a bulk copy: the caller elects it, or in some wheels cute.copy does",
      "put cute.copy of a CopyBulk* atom in `with cute.arch.elect_one():`, except with the wheels that elect "
      "themselves",
      evidence::Severity::error, [](Check& check) {
        for (const evidence::Fact* copy : check.facts(evidence::kind::copy)) {
          const std::string atom = text_of(*copy, "atom");
          if (!atom.starts_with("CopyBulk") || atom.find("Tensor") != std::string::npos) continue;
          const bool elected = flag_of(*copy, "elected");
          if (!check.target.bulk_copy_elects)
            check.undecided("who elects depends on the wheel's release", {"--wheel"}, copy->at);
          else if (*check.target.bulk_copy_elects == elected)
            check.fire(
                elected ? fmt::format("wheel {} elects inside cute.copy: the elect_one around it leaves "
                                      "one lane in a warp-wide election, which hangs",
                                      check.target.wheel)
                        : fmt::format("wheel {} leaves the election to the caller: 32 lanes issue this copy",
                                      check.target.wheel),
                "", {copy->at});
          else
            check.passed();
        }
      }};
}

}  // namespace cutelab::reading::lints
