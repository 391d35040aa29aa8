#include "cli/example_names.h"

namespace cutelab::cli {

Result<std::string> ExampleNames::operator()(const std::string& name, std::vector<std::string>& notes) {
  if (!workspace_) {
    auto opened =
        corpus::Workspace::open({cutlass_, {}, context_.source_root}, context_.environment, context_.files);
    if (!opened) return opened.error();
    workspace_ = std::move(*opened);
    notes.insert(notes.end(), workspace_->notes.begin(), workspace_->notes.end());
  }
  return workspace_->file_of(name, arch_, context_.files, notes);
}

}  // namespace cutelab::cli
