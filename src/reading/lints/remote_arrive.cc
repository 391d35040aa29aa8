#include <fmt/format.h>

#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
using evidence::Fact;

Rule remote_arrive_scope() {
  return {
      "remote-arrive-scope", "an arrive on another CTA's barrier has cluster scope",
      "scope=MemScope.CLUSTER, and a wait on the side that is told", evidence::Severity::warning,
      [](Check& check) {
        for (const Fact* arrive : check.facts("remote-arrive")) {
          const std::string scope = text_of(*arrive, "scope");
          if (scope.empty())
            check.undecided(*arrive, "scope");
          else if (scope == "CTA")
            check.fire(
                fmt::format("{} lies in another CTA, yet the arrive orders memory within its own CTA alone: "
                            "wrong where the other CTA reads what was written before it",
                            arrive->subject),
                "", {arrive->at});
          else
            check.passed();
        }
      }};
}

Rule storage_field_in_branch() {
  return {
      "storage-field-in-branch", "members of shared storage are opened before warps part",
      "move the call above the branch, as tensor = storage.member.get_tensor(layout)",
      evidence::Severity::note, [](Check& check) {
        for (const Fact* access : check.facts("storage-access")) {
          if (access->role.empty() || !value_of(*access, "branch"))
            check.passed();
          else
            check.fire(
                fmt::format("{} is opened where only some warps go ({}): the DSL may refuse the struct as an "
                            "object of a dynamic branch",
                            access->subject, text_of(*access, "branch")),
                "", {access->at});
        }
      }};
}

}  // namespace cutelab::reading::lints
