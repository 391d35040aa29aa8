#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "layout/parse.h"

namespace cutelab::layout::testing {

/// The text of an expression's value, or the error's `wrong`.
inline std::string eval(const std::string& expression) {
  auto value = parse(expression);
  return value ? value->text() : "error: " + value.error().wrong;
}

inline Layout plain(const std::string& expression) {
  auto layout = parse_layout(expression);
  EXPECT_TRUE(layout.ok()) << expression;
  return layout->layout();
}

/// Value at an index, through the general (not the fast) path.
inline std::int64_t at(const Layout& layout, std::int64_t index) {
  auto value = crd2idx(IntTuple(index), layout.view());
  EXPECT_TRUE(value.ok());
  return value->leaf().value();
}

/// Seeded random layouts of the kind kernels use: small extents, nested up to two levels, compact in a random
/// order, some with holes or stride 0.
class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

  IntTuple shape(int most_modes, int depth = 2) {
    static constexpr int extents[] = {1, 2, 2, 3, 4, 4, 6, 8};
    if (depth == 0 || below(3) > 0) return IntTuple(extents[below(8)]);
    std::vector<IntTuple> modes;
    const int count = 1 + below(most_modes);
    for (int i = 0; i < count; ++i) modes.push_back(shape(most_modes, depth - 1));
    return IntTuple::tuple(modes);
  }

  /// Injective unless `repeats`: compact in a random order, holes between some modes.
  Layout layout(int most_modes, bool repeats = false) {
    const IntTuple s = shape(most_modes);
    std::vector<Int> extents = leaves(s);
    std::vector<std::size_t> order(extents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine_);
    std::vector<IntTuple> strides(extents.size());
    std::int64_t next = below(4) == 0 ? 2 : 1;
    for (std::size_t i : order) {
      const bool zero = repeats && below(5) == 0;
      strides[i] = zero ? IntTuple(0) : IntTuple(next);
      if (!zero) next *= extents[i].value() * (below(4) == 0 ? 2 : 1);
    }
    auto stride = unflatten(IntTuple::tuple(strides), s);
    return Layout::unchecked(s, *stride);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace cutelab::layout::testing
