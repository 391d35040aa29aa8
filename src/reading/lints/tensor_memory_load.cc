#include <fmt/format.h>

#include <cstdint>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule narrow_tensor_memory_load() {
  return {"narrow-tensor-memory-load", "a load from tensor memory brings more than one repetition",
          "take a wider repetition (x32, x64, x128) as the registers allow: fewer loads, fewer waits",
          evidence::Severity::note, [](Check& check) {
            for (const evidence::Fact* load : check.facts("tmem-copy")) {
              if (!value_of(*load, "repeat") || text_of(*load, "direction") != "load") continue;
              const std::string repeat = text_of(*load, "repeat");
              const auto times = number_of(*load, "repeat");  // Repetition(n)
              if (repeat.empty() && !times)
                check.undecided(*load, "repeat");
              else if (repeat == "x1" || times == std::int64_t{1})
                check.fire(fmt::format("{} with repetition x1", load->subject), "", {load->at});
              else
                check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
