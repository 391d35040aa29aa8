#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule no_stages() {
  return {"no-stages", "a pipeline that runs has at least one stage",
          "make the tile smaller or leave the pipeline out where its stage count is zero",
          evidence::Severity::error, [](Check& check) {
            for (const evidence::Fact* pipeline : check.facts(evidence::kind::pipeline)) {
              if (!value_of(*pipeline, "stages")) continue;
              const auto stages = number_of(*pipeline, "stages");
              if (!stages) {
                check.undecided(*pipeline, "stages");
              } else if (*stages > 0) {
                check.passed();
              } else {
                check.fire(fmt::format("{} has {} stages", pipeline->subject, *stages),
                           fmt::format("{} = {}", value_of(*pipeline, "stages")->formula, *stages),
                           {pipeline->at});
              }
            }
          }};
}

}  // namespace cutelab::reading::lints
