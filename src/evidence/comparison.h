#pragma once
#include <string>
#include <vector>

#include "evidence/reading.h"

namespace cutelab::evidence {

/// How what was read from the source stands to what the compiler says.
enum class Agreement {
  agree,         ///< both say it, and every value that both know is equal
  filled,        ///< both say it; the compiler knows a value that the source left undetermined
  differ,        ///< both say it; a value is not equal
  source_only,   ///< nothing of what was compiled answers to it
  compiled_only  ///< the reading from source has nothing on this line
};
const char* name_of(Agreement agreement);  ///< "agree", "filled", "differ", "source-only", "compiled-only"

struct ComparedValue {
  std::string name;
  Value source;
  Value compiled;
  Agreement agreement = Agreement::agree;  ///< agree, filled or differ
  friend bool operator==(const ComparedValue&, const ComparedValue&) = default;
};

/// One fact of either side.
struct ComparedFact {
  Agreement agreement = Agreement::agree;
  Family family = Family::H1;
  std::string kind;
  std::string subject;  ///< the source's name for it; the compiler's where the source has none
  Location at;          ///< the source's statement; the compiler's line where the source has none
  std::vector<ComparedValue> values;  ///< those that both sides name
  std::string reason;                 ///< of source_only: why there may be nothing
  friend bool operator==(const ComparedFact&, const ComparedFact&) = default;
};

/// Two readings of one source, held against each other.
struct Comparison {
  std::vector<SourceFile> files;
  std::string arch;
  std::string compiler;             ///< "CuTe DSL 4.8.1"
  std::vector<ComparedFact> facts;  ///< by file and line
  int count(Agreement agreement) const;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

}  // namespace cutelab::evidence
