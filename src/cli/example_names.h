#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "corpus/workspace.h"

namespace cutelab::cli {

/// Finds the files that examples' names mean, for every verb that takes a source. The corpora are indexed at
/// the first name only.
class ExampleNames {
 public:
  /// `cutlass`: value of --cutlass; `arch`: value of --arch, decides among examples of one name. Either may
  /// be empty.
  ExampleNames(const Context& context, std::string cutlass, std::string arch)
      : context_(context), cutlass_(std::move(cutlass)), arch_(std::move(arch)) {}

  /// A file that is there is itself. `notes` gets what was corrected. Errors: no such example, several and
  /// nothing decides.
  Result<std::string> operator()(const std::string& name, std::vector<std::string>& notes);

 private:
  const Context& context_;
  std::string cutlass_, arch_;
  std::unique_ptr<corpus::Workspace> workspace_;
};

}  // namespace cutelab::cli
