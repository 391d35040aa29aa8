#pragma once
#include <string>
#include <vector>

#include "evidence/value.h"

namespace cutelab::evidence {

/// How bad it is when a lint fires.
enum class Severity {
  note,     ///< worth knowing; right code may do it
  warning,  ///< wrong or slow under a condition that the message names
  error     ///< does not launch, hangs or computes wrongly
};
const char* name_of(Severity severity);  ///< "note", "warning", "error"

/// One place where a rule is broken. Only determined numbers lead here.
struct LintFinding {
  std::string message;       ///< one sentence with the numbers
  std::string formula;       ///< how the numbers came to be: "4 * 57344 + 64 = 229440"; empty = none
  std::vector<Location> at;  ///< the deciding statement first, then what it is compared with
  friend bool operator==(const LintFinding&, const LintFinding&) = default;
};

/// What one rule found in a reading: findings, and what it could not decide.
struct Lint {
  std::string id;     ///< "smem-over-limit"
  std::string title;  ///< the rule, one sentence
  std::string remedy;
  Severity severity = Severity::warning;
  int decided = 0;  ///< places that were held to the rule, those with findings among them
  std::vector<LintFinding> findings;
  std::vector<Undetermined> undecided;  ///< places where a number was missing, each with why
  friend bool operator==(const Lint&, const Lint&) = default;
};

/// How accesses to one mode of a tensor stay inside it.
struct ModeVerdict {
  std::string tensor;   ///< "mA_mkl"
  std::string mode;     ///< "0", or the source's letter for it: "m"
  std::string verdict;  ///< divisible, predicated, tma-zero-fill, tma-clip, unguarded, undetermined
  std::string says;     ///< "256 = 2 * 128", "16384 % 100 = 84: …"
  Location at;          ///< where the tensor is tiled
  friend bool operator==(const ModeVerdict&, const ModeVerdict&) = default;
};

}  // namespace cutelab::evidence
