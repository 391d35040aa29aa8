#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "evidence/run.h"
#include "profile/store.h"

namespace cutelab::profile {

/// What the compiler made otherwise than the last time that another compiler (else, other sources) compiled
/// the same kernel in the same configuration for the same architecture: spills, stack, registers. "local
/// loads and stores (spills) 0 -> 60, stack 0 -> 112 B, registers 168 since CuTe DSL 4.4.2 (run 12)".
struct CompileChange {
  std::string text;
  bool worse = false;  ///< more local memory than then
};

/// None: `now` has no compiled rows, or nothing comparable is kept. Errors: the store's.
Result<std::optional<CompileChange>> since_last_compile(const evidence::Run& now, const Store& store);

}  // namespace cutelab::profile
