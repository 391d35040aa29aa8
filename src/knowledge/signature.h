#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/reading.h"
#include "knowledge/yaml.h"

namespace cutelab::knowledge {

/// What a value must be. Written in YAML as a scalar:
///   `PipelineTmaAsync`, `4`, `true`   equal (a list `[1, 1, 1]` equals the value's text "(1, 1, 1)")
///   `Copy*`                           a name with `*` (any run of characters)
///   `"> 1"`, `">= 2"`, `"< 8"`, `"<= 8"`  a number in that relation
///   `"!= none"`                       not equal, names with `*` too
///   `any`                             the fact has such a value, determined or not
///   `known`                           it has one and it is determined
struct Condition {
  enum class Op { equal, not_equal, less, at_most, greater, at_least, any, known };
  Op op = Op::equal;
  std::string text;
  double number = 0;  ///< of the four relations

  std::string spelled() const;  ///< as in YAML, unquoted
};

/// `fact: {family: D2, kind: pipeline, class: PipelineTmaAsync, count: "> 1"}`. Keys that are not family,
/// kind, subject, says, role, kernel or count name a value of the fact.
struct FactTerm {
  std::optional<evidence::Family> family;
  std::map<std::string, Condition> text;    ///< kind, subject, says, role, kernel
  std::map<std::string, Condition> values;  ///< class, stages, direction, …
  Condition count{Condition::Op::at_least, "1", 1};
};

/// `pattern: P2` or `pattern: {id: P8, kind: tma_store, present: true, active: true}`.
struct PatternTerm {
  std::string id;
  bool present = true;
  std::optional<bool> active;               ///< under the file's own defaults
  std::map<std::string, Condition> values;  ///< kind, and the finding's values
};

/// A statement about a reading that a program can decide: a tree of all / any / none over facts, patterns,
/// language and architecture.
struct Signature {
  enum class Op { all, any, none, fact, pattern, language, arch, untold };
  Op op = Op::all;
  std::vector<Signature> parts;  ///< of all, any, none
  FactTerm fact;
  PatternTerm pattern;
  Condition name;  ///< of language and arch; of untold: why a kernel's source does not tell, never a match
  int line = 0;    ///< where it stands in its file

  std::string spelled() const;  ///< one line of YAML flow style; parses back to the same signature
};

/// Errors (kind input) with file:line: an unknown word, an unknown family or pattern, a count that is no
/// relation, an empty group.
Result<Signature> parse_signature(const Yaml& yaml, const std::string& path);

/// Post-conditions of matching a reading against a signature:
///   1. `yes` and `no` are final: they hold whatever the undetermined values of the reading turn out to be.
///   2. `undetermined` names what it depends on in `because`.
///   3. On `yes`, `at` holds the statements of the facts and patterns that decided it, without repeats.
///   4. On `no`, `because` names each term that failed, in the signature's own words.
struct Match {
  evidence::Tristate verdict = evidence::Tristate::no;
  std::vector<evidence::Location> at;
  std::vector<std::string> because;
};
Match match(const Signature& signature, const evidence::Reading& reading);

/// The patterns (P1 … P10) that the signature asks to be present, in order of mention.
std::vector<std::string> patterns_of(const Signature& signature);

/// Every fact term outside `none`, in order of mention.
std::vector<const FactTerm*> facts_of(const Signature& signature);

/// How one fact stands to one term, count aside.
evidence::Tristate match_fact(const FactTerm& term, const evidence::Fact& fact);

}  // namespace cutelab::knowledge
