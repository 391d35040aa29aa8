#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evidence/lint.h"
#include "evidence/value.h"

namespace cutelab::evidence {

/// Fact families, as the construct tables name them.
enum class Family {
  H1,  ///< TMA descriptors and multicast masks
  H2,  ///< launch: grid, block, cluster
  H3,  ///< shared memory: storage, members, stages, capacity
  H4,  ///< other launch keywords
  D1,  ///< thread, warp, warpgroup and CTA roles; register reallocation
  D2,  ///< pipelines: creation, states, acquire, commit, wait, release, tail
  D3,  ///< TMA and asynchronous copies
  D4,  ///< MMA: operation, accumulators, tensor memory, gemm calls
  D5,  ///< synchronisation: named barriers, mbarriers, cluster, fences, dependent launch
  D6,  ///< shared-memory layouts and swizzles
  E1,  ///< epilogue: staging and final store
  B1,  ///< boundary handling: predicates, masks
  S1,  ///< tile scheduler and persistent loop
  M1   ///< machine code: registers, local memory, instructions of each line
};
inline constexpr Family all_families[] = {Family::H1, Family::H2, Family::H3, Family::H4, Family::D1,
                                          Family::D2, Family::D3, Family::D4, Family::D5, Family::D6,
                                          Family::E1, Family::B1, Family::S1, Family::M1};
const char* name_of(Family family);   ///< "H1"
const char* title_of(Family family);  ///< "TMA descriptors"

/// One thing the reading claims, with the statement that carries it.
struct Fact {
  Family family = Family::H1;
  std::string
      kind;  ///< construct, kebab-case; evidence/names.h lists them: "tma-descriptor", "storage-member", …
  std::string
      subject;  ///< the source's own name for it: "tma_atom_a", "mainloop_pipeline", "sA", "self.mma_warp_id"
  std::string says;                     ///< one sentence for people
  Location at;                          ///< the statement
  std::map<std::string, Value> values;  ///< "stages", "bytes", "class", "direction", "swizzle", …
  std::string kernel;                   ///< kernel it belongs to; empty = the whole file
  std::string role;                     ///< role block it stands in; empty = all threads or host
  bool optional = false;                ///< supporting detail: shown in the full report, not on the card
  KnownBy known_by = KnownBy::literal;
  friend bool operator==(const Fact&, const Fact&) = default;
};

enum class Tristate { no, yes, undetermined };

/// One of the ten patterns of the workflow's checklist.
struct PatternFinding {
  std::string id;     ///< "P1"
  std::string title;  ///< "TMA multi-stage pipeline"
  bool present = false;
  Tristate default_active = Tristate::no;
  std::string kind;       ///< P3: static, clc_dynamic, custom_static; P8: tma_store, …
  std::string condition;  ///< the flag or expression that turns it on or off
  std::string says;       ///< why present or absent, one sentence
  std::vector<Location> at;
  std::map<std::string, Value> values;  ///< numbers and sub-flags that belong to it
  friend bool operator==(const PatternFinding&, const PatternFinding&) = default;
};

/// A host or device function and whom it calls; edges by index into Reading::functions.
struct Function {
  enum class Kind { host, jit, kernel, device };
  std::string name;  ///< "HopperWgmmaGemmKernel.kernel"
  Kind kind = Kind::host;
  Location at;
  struct Call {
    int callee = 0;
    Location at;
    bool launches = false;
    friend bool operator==(const Call&, const Call&) = default;
  };
  std::vector<Call> calls;
  friend bool operator==(const Function&, const Function&) = default;
};

/// Which architectures it is for, and the line that decides.
struct ArchRequirement {
  std::string minimum;              ///< "sm_90a"; empty = undetermined
  std::vector<std::string> family;  ///< other names the deciding operation accepts
  std::string reason;               ///< of the line that decides
  std::vector<Location> at;         ///< lines that need the minimum, the deciding one first
  /// A line with what it needs by itself.
  struct Line {
    Location at;
    std::string minimum;  ///< "sm_90"
    std::string reason;   ///< "TMA descriptor"
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::vector<Line> lines;  ///< one for each reason, the deciding one first, then by what they need
  friend bool operator==(const ArchRequirement&, const ArchRequirement&) = default;
};

struct CommandFlag {
  std::string name;  ///< "--mma_tiler_mn"
  std::string help;
  Value default_value;
  Location at;
  friend bool operator==(const CommandFlag&, const CommandFlag&) = default;
};

struct LocalImport {
  std::string module;    ///< as written
  std::string resolved;  ///< path, empty if not found
  Location at;
  friend bool operator==(const LocalImport&, const LocalImport&) = default;
};

/// A rule the docstring or a guard states, and how the problem that was read stands to it.
struct Constraint {
  enum class Verdict {
    not_understood,  ///< prose that no check was made of
    satisfied,
    violated,
    undetermined  ///< a check was made, but a number is missing
  };
  std::string text;  ///< as the source words it
  Location at;
  Verdict verdict = Verdict::not_understood;
  std::string says;  ///< the check with its numbers: "mma_tiler_mn[0] = 100 is none of 64, 128"
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

const char* name_of(Constraint::Verdict verdict);  ///< "not-understood", "satisfied", …

/// An input that several places of the source give a default, not all the same. The first is the one that the
/// reading took.
struct DefaultConflict {
  struct Stated {
    std::string by;  ///< "--mma_tiler_mn", "run()", "DenseGemmKernel()", "__main__"
    Value value;
    Location at;
    friend bool operator==(const Stated&, const Stated&) = default;
  };
  std::string name;  ///< the input's name where it is used last: "mma_tiler_mn"
  std::vector<Stated> stated;
  friend bool operator==(const DefaultConflict&, const DefaultConflict&) = default;
};

struct ParseProblem {
  std::string what;  ///< "syntax error"
  Location at;
  friend bool operator==(const ParseProblem&, const ParseProblem&) = default;
};

struct SourceFile {
  std::string path;
  std::string revision;  ///< sha256 of the content, first 16 hex digits
  int lines = 0;
  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// Everything known about one kernel source. Views, lints, catalogs and comparisons work on this and on
/// nothing else.
struct Reading {
  static constexpr int schema_version = 1;
  std::vector<SourceFile> files;  ///< [0] is the file asked for, then helpers it imports
  std::string language;           ///< "cute-dsl", "cute-cpp"
  std::string style;    ///< class, tutorial, primitives, task-scheduling, cute-ext, function, cpp, helper
  std::string summary;  ///< first docstring or comment sentence
  bool helper = false;  ///< holds no kernel of its own
  std::vector<Function> functions;
  ArchRequirement arch;
  std::vector<Fact> facts;
  std::vector<PatternFinding> patterns;  ///< P1 … P10, always ten
  std::vector<CommandFlag> flags;
  std::vector<LocalImport> imports;
  std::vector<Constraint> constraints;
  std::vector<DefaultConflict> default_conflicts;  ///< inputs whose defaults disagree
  std::vector<ParseProblem> problems;
  std::vector<Undetermined> give_ups;   ///< places where the run of the program could not be followed
  std::vector<Lint> lints;              ///< every rule that was asked, also those without a finding
  std::vector<ModeVerdict> boundaries;  ///< one for each tiled mode of a tensor in global memory
  friend bool operator==(const Reading&, const Reading&) = default;
};

struct UndeterminedTotal {
  int facts = 0;         ///< facts in all
  int values = 0;        ///< values in all
  int undetermined = 0;  ///< values that are not determined
};
UndeterminedTotal undetermined_total(const Reading& reading);

}  // namespace cutelab::evidence
