#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reading/facts/context.h"

namespace cutelab::reading {

/// Under construction: one pattern, its evidence gathered from the drafts.
class PatternBuilder {
 public:
  PatternBuilder(FactContext& shared, const char* id, const char* title) : context(shared) {
    finding.id = id;
    finding.title = title;
  }
  using Test = std::function<bool(const Draft&)>;
  /// Adds the drafts that pass as evidence; true when there was one. Evidence of a lower rank is more telling
  /// and stands first.
  bool cite(const Test& test, int rank = 0);
  bool any(const Test& test) const;
  bool any_active(const Test& test) const;  ///< one that the defaults do not leave out
  void cite_node(source::Node node, int rank = 0);
  /// Present, active as its evidence is. Evidence that the defaults leave out is kept only where none other
  /// is.
  evidence::PatternFinding present(std::string says);
  evidence::PatternFinding absent(std::string says);
  /// For a pattern that the defaults turn off: what they leave out is its evidence too.
  void keep_inactive() { keep_inactive_ = true; }
  void flag(const char* name, bool is) { finding.values[name] = evidence::literal(is); }

  FactContext& context;
  evidence::PatternFinding finding;

 private:
  struct Cited {
    source::Node node;
    int rank = 0;
  };
  std::vector<Cited> cited_;
  bool keep_inactive_ = false;
};

/// Whether code is compiled and executed under the defaults; that of a kernel whose launch they leave out is
/// not. A test on thread, warp or tile at run time does not turn code off.
Activity activity_of(FactContext& context, source::Node node);
bool is_active(FactContext& context, source::Node node);  ///< not left out by the defaults

/// The kernel that a node stands in, by index into the module's functions; -1 = none.
int kernel_holding(const FactContext& context, source::Node node);

/// Where sums are rescaled because a running maximum moved.
struct Rescaling {
  std::vector<source::Node> maxima;        ///< the maximum is carried on
  std::vector<source::Node> factors;       ///< exp of the old maximum minus the new one
  std::vector<source::Node> uses;          ///< what is multiplied by such a factor
  std::vector<source::Node> accumulators;  ///< those of `uses` where it is an accumulator
};
Rescaling find_rescaling(FactContext& context);

// Criteria: the checklist of the workflow, one file per pattern.
evidence::PatternFinding tma_pipeline(FactContext& context, Evaluator& anything);                   ///< P1
evidence::PatternFinding warp_specialization(FactContext& context);                                 ///< P2
evidence::PatternFinding persistent_loop(FactContext& context);                                     ///< P3
evidence::PatternFinding streaming_accumulation(FactContext& context, const Rescaling& rescaling);  ///< P4
evidence::PatternFinding accumulator_management(FactContext& context, const Rescaling& rescaling);  ///< P5
evidence::PatternFinding swizzle(FactContext& context);                                             ///< P6
evidence::PatternFinding cluster_communication(FactContext& context,
                                               const Abstract& unconstrained_cluster);  ///< P7
evidence::PatternFinding epilogue(FactContext& context);                                ///< P8
evidence::PatternFinding boundary_handling(FactContext& context);                       ///< P9
evidence::PatternFinding drain(FactContext& context);                                   ///< P10

bool contains(const std::string& text, const char* part);
/// A value of a fact as text; "" when the fact has none or it is not determined.
std::string told(const Draft& draft, const char* name);

}  // namespace cutelab::reading
