#pragma once
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "report/view.h"

namespace cutelab::report {

/// What a compiler said about one program: one side of a comparison of two compilations.
struct CompiledSide {
  std::vector<evidence::SourceFile> files;
  std::string arch;
  std::string compiler;               ///< "CuTe DSL 4.7.0"
  std::vector<std::string> flags;     ///< the program's own command line
  std::vector<evidence::Fact> facts;  ///< the compiler's, machine code among them
};

struct ChangedValue {
  std::string name;
  std::string left;   ///< empty: only the second has it
  std::string right;  ///< empty: only the first has it
};

/// One compiled fact that one side has and the other has not, or has otherwise.
struct CompiledDifference {
  evidence::Family family = evidence::Family::H1;
  std::string kind;
  std::string subject;
  evidence::Location left_at, right_at;  ///< unknown: that side has it not, or states no line
  enum class Change { fresh, gone, changed } change = Change::changed;
  std::vector<ChangedValue> values;
};

/// Facts are the same thing where kind, subject and line are (of two different sources: kind and subject), in
/// the order in which they were compiled. By family, then by line. Post-conditions:
///   1. compiled_differences(a, a) is empty.
///   2. A value that a side knows only at run time makes no difference.
///   3. Swapping the arguments swaps left and right.
std::vector<CompiledDifference> compiled_differences(const CompiledSide& left, const CompiledSide& right);

/// As aligned rows. Of lines whose instructions changed only those with the largest change stand there unless
/// `all`; the last row says how many more there are.
/// ```
/// gemm.py: sm_90a, CuTe DSL 4.7.0 -> sm_90a, CuTe DSL 4.8.1: 1 new, 1 gone, 2 changed
///
/// pipelines
///   ~  :22  pipeline  mainloop  stages 7 -> 6
///
/// synchronisation
///   +  :41  fence    proxy async.shared
///   -  :44  barrier  id 1; threads 128
///
/// machine code
///   ~  :12  machine-code  gemm  instructions 700 -> 712; registers 168 -> 160
/// ```
std::string compiled_diff(const CompiledSide& left, const CompiledSide& right, const ViewOptions& options,
                          bool all);

/// Schema cutelab.compiled-diff, version 1 (docs/compiled_diff.md).
std::string compiled_diff_json(const CompiledSide& left, const CompiledSide& right);

}  // namespace cutelab::report
