#pragma once
#include <string>
#include <vector>

#include "evidence/run.h"

namespace cutelab::report {

/// One contender against the first: the relative difference of its time as an interval.
struct ComparedPair {
  evidence::Verdict verdict;
  double low = 0;  ///< 0.03 = 3 % slower than the first
  double centre = 0;
  double high = 0;
  bool measured = false;
};

struct ComparedRuns {
  std::vector<std::string> names;   ///< as written on the command line
  std::vector<evidence::Run> runs;  ///< one each
  std::vector<ComparedPair> pairs;  ///< for the second, third …: one fewer
  double margin = 0.01;
};

/// "FASTER", "SLOWER", "SAME", "AMBIGUOUS", "IMPOSSIBLE".
const char* word_of(evidence::VerdictKind kind);

/// For a terminal: one line per contender, then metric by metric the first against each of the others.
/// `width`: render::fitted.
/// ```
/// | Kernel        | Median (us) | Quartiles     | Against the first        | Verdict |
/// |---------------|------------:|---------------|--------------------------|---------|
/// | dense_gemm:v5 |      180.70 | 180.1 … 181.4 |                          |         |
/// | cublaslt_gemm |      180.02 | 179.3 … 180.9 | -0.38 % (-0.45 … -0.30)  | SAME    |
///
/// dense_gemm:v5 | cublaslt_gemm
///
/// | Metric        | dense_gemm:v5 | cublaslt_gemm | Delta | Insight |
/// …
/// ```
std::string comparison_report(const ComparedRuns& compared, int width = 0);

/// Schema cutelab.comparison, version 1 (docs/cli/compare.md).
std::string comparison_json(const ComparedRuns& compared);

}  // namespace cutelab::report
