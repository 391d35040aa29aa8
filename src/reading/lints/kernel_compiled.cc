#include <fmt/format.h>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule kernel_compiled() {
  return {"kernel-compiled", "cute.compile takes the host function (@cute.jit), not the kernel",
          "write a @cute.jit function that launches the kernel, and compile that", evidence::Severity::error,
          [](Check& check) {
            for (const evidence::Fact* compile : check.facts("compile")) {
              if (text_of(*compile, "target") == "kernel")
                check.fire(fmt::format("{} is a @cute.kernel", compile->subject), "", {compile->at});
              else
                check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
