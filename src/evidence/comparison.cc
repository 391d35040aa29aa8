#include "evidence/comparison.h"

#include <algorithm>

namespace cutelab::evidence {

const char* name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::agree:
      return "agree";
    case Agreement::filled:
      return "filled";
    case Agreement::differ:
      return "differ";
    case Agreement::source_only:
      return "source-only";
    case Agreement::compiled_only:
      return "compiled-only";
  }
  return "";
}

int Comparison::count(Agreement agreement) const {
  return static_cast<int>(std::count_if(
      facts.begin(), facts.end(), [&](const ComparedFact& fact) { return fact.agreement == agreement; }));
}

}  // namespace cutelab::evidence
