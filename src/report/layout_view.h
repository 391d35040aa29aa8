#pragma once
#include <string>
#include <utility>
#include <vector>

#include "layout/composed.h"

namespace cutelab::report {

/// One step that led to the layout: "logical_divide by (4,2)", and what came out.
struct LayoutStep {
  std::string operation;
  layout::ComposedLayout result;
};

/// What `cutelab layout` shows of one layout. Sample of the text form:
///
///   ((2,2),(2,3)):((4,1),(2,8))
///
///   start           (4,2,3):(2,1,8)
///   logical_divide  ((2,2),(2,3)):((4,1),(2,8))
///
///   size     24           elements it takes
///   cosize   24           elements of storage it reaches
///   rank     2            depth 2
///   simplest (2,2,2,3):(4,1,2,8)
///   values   each of 0 … 23 once
struct LayoutView {
  layout::ComposedLayout layout;
  std::vector<LayoutStep> steps;                          ///< empty: the expression itself
  std::vector<std::string> sections;                      ///< further text blocks: analyses, explanations
  std::vector<std::pair<std::string, std::string>> data;  ///< their JSON: name and text of an object
};

std::string layout_text(const LayoutView& view);
std::string layout_json(const LayoutView& view);

/// Facts that hold for the layout, in words: "each of 0 … 23 once", "12 of 24 values, holes between", "values
/// repeat".
std::string coverage(const layout::ComposedLayout& layout);

}  // namespace cutelab::report
