#pragma once
#include <string>

#include "cli/verb.h"
#include "evidence/known.h"
#include "evidence/reading.h"
#include "knowledge/library.h"

namespace cutelab::cli {

/// Readings held against the entries of a knowledge base: where reading and knowledge meet.
class ReadKnown {
 public:
  /// `folder`: empty = the default one. Errors: a folder that was named and cannot be read.
  Status load(const std::string& folder, const Context& context);
  evidence::Knowledge of(const evidence::Reading& reading) const;
  bool empty() const { return library_.entries.empty(); }

 private:
  knowledge::Library library_;
};

}  // namespace cutelab::cli
