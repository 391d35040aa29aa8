#pragma once
#include <functional>
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
  /// Adds the drafts that pass as evidence; true when there was one.
  bool cite(const Test& test);
  bool any(const Test& test) const;
  void cite_node(source::Node node);
  /// Present, active as its evidence is.
  evidence::PatternFinding present(std::string says);
  evidence::PatternFinding absent(std::string says);

  FactContext& context;
  evidence::PatternFinding finding;

 private:
  std::vector<source::Node> nodes_;
};

// Criteria: the checklist of the workflow, one file per pattern.
evidence::PatternFinding tma_pipeline(FactContext& context);            ///< P1
evidence::PatternFinding warp_specialization(FactContext& context);     ///< P2
evidence::PatternFinding persistent_loop(FactContext& context);         ///< P3
evidence::PatternFinding streaming_accumulation(FactContext& context);  ///< P4
evidence::PatternFinding accumulator_management(FactContext& context);  ///< P5
evidence::PatternFinding swizzle(FactContext& context);                 ///< P6
evidence::PatternFinding cluster_communication(FactContext& context,
                                               const Abstract& unconstrained_cluster);  ///< P7
evidence::PatternFinding epilogue(FactContext& context);                                ///< P8
evidence::PatternFinding boundary_handling(FactContext& context);                       ///< P9
evidence::PatternFinding drain(FactContext& context);                                   ///< P10

bool contains(const std::string& text, const char* part);

}  // namespace cutelab::reading
