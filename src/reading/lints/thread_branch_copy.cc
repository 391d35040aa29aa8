#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule thread_branch_copy() {
  return {
      "thread-branch-copy", "cute.copy by TMA is reached by whole warps: it elects the thread itself",
      "test the warp (`if warp_idx == 0:`) and leave the election to cute.copy; mbarrier_init and expect_tx "
      "beside it want elect_one()",
      evidence::Severity::error, [](Check& check) {
        for (const evidence::Fact* copy : check.facts(evidence::kind::copy)) {
          const std::string by = text_of(*copy, "reached_by");
          if (by.empty()) continue;
          const auto parts = by.find(": ");
          if (parts == std::string::npos)
            check.passed();
          else
            check.fire(fmt::format("only some threads of a warp reach this copy ({}), and the election in "
                                   "cute.copy waits for the whole warp",
                                   by.substr(parts + 2)),
                       "", {copy->at});
        }
      }};
}

}  // namespace cutelab::reading::lints
