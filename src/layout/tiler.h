#pragma once
#include <string>
#include <vector>

#include "layout/layout.h"

namespace cutelab::layout {

/// What divides, multiplies or selects modes: a layout, an integer (n stands for n:1), `_` (leave the mode
/// alone), or a tuple of those.
class Tiler {
 public:
  enum class Kind { layout, integer, all, tuple };
  static Tiler all() { return Tiler(Kind::all); }
  static Tiler tuple(std::vector<Tiler> modes) {
    Tiler t(Kind::tuple);
    t.modes_ = std::move(modes);
    return t;
  }
  explicit Tiler(Layout layout) : kind_(Kind::layout), layout_(std::move(layout)) {}
  /// A shape: integers become integer tilers, tuples tuples.
  static Tiler of_shape(TupleView shape);

  Kind kind() const { return kind_; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  /// Pre: kind is layout or integer.
  const Layout& layout() const { return layout_; }
  const std::vector<Tiler>& modes() const { return modes_; }
  int rank() const { return is_tuple() ? static_cast<int>(modes_.size()) : 1; }
  std::string text() const;

 private:
  explicit Tiler(Kind kind) : kind_(kind) {}
  Kind kind_;
  Layout layout_;
  std::vector<Tiler> modes_;
};

/// A coordinate in which `_` keeps a mode.
class Slicer {
 public:
  static Slicer all() { return Slicer(); }
  static Slicer tuple(std::vector<Slicer> modes) {
    Slicer s;
    s.kind_ = Kind::tuple;
    s.modes_ = std::move(modes);
    return s;
  }
  Slicer(IntTuple coord)
      : kind_(Kind::coordinate), coord_(std::move(coord)) {}  // NOLINT: implicit on purpose

  bool is_all() const { return kind_ == Kind::all; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  const IntTuple& coordinate() const { return coord_; }
  const std::vector<Slicer>& modes() const { return modes_; }

 private:
  enum class Kind { all, coordinate, tuple };
  Slicer() = default;
  Kind kind_ = Kind::all;
  IntTuple coord_;
  std::vector<Slicer> modes_;
};

}  // namespace cutelab::layout
