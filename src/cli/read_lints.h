#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "corpus/api_changes.h"
#include "evidence/reading.h"

namespace cutelab::cli {

/// What `cutelab read` asks of rules beside the reading's own: names of the DSL against a release of the
/// wheel, and the exit code.
class ReadLints {
 public:
  ReadLints(const Arguments& arguments, const Context& context) : arguments_(arguments), context_(context) {}

  /// Errors (kind usage): --wheel is no release; (kind input) the table of API changes cannot be read.
  Status prepare();
  /// Runs the rules again for the wheel, if one is named, and adds what the names in the source say.
  /// `source`: the text of the file that was asked for.
  void apply(evidence::Reading& reading, const std::string& source) const;
  /// Whether a finding is as bad as --fail-on asks for.
  bool fails(const evidence::Reading& reading) const;

 private:
  evidence::Lint missing(const std::vector<corpus::ApiUse>& uses, const std::string& text) const;
  void add_range(const std::vector<corpus::ApiUse>& uses, const std::string& text,
                 evidence::Reading& reading) const;
  evidence::Lint deprecated(const std::vector<corpus::ApiUse>& uses, const std::string& text) const;

  const Arguments& arguments_;
  const Context& context_;
  std::optional<corpus::Release> wheel_;
  std::optional<corpus::ApiChanges> changes_;
};

}  // namespace cutelab::cli
