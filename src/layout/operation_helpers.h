#pragma once
#include <fmt/format.h>

#include "layout/operations.h"

// What the tables of operations share: reading arguments, wrapping results.

namespace cutelab::layout {

using Arguments = std::vector<Value>;

inline Error wants(const char* what, const Value& value) {
  return Error{ErrorKind::input, "", fmt::format("{} is wanted, not {}", what, value.text()), "", ""};
}

inline Result<std::int64_t> as_integer(const Value& value) {
  const IntTuple* t = value.tuple();
  if (!t || !t->is_leaf() || !t->leaf().known()) return wants("a number", value);
  return t->leaf().value();
}

inline Result<IntTuple> as_tuple(const Value& value) {
  if (const IntTuple* t = value.tuple()) return *t;
  return wants("an integer or a tuple of integers", value);
}

/// An integer or tuple whose known integers are extents: none is negative.
inline Result<IntTuple> as_shape(const Value& value) {
  auto shape = as_tuple(value);
  if (!shape) return shape;
  for (const Node& node : *shape)
    if (node.is_leaf() && (!node.leaf.plain() || signum(node.leaf) < 0))
      return Error{ErrorKind::input, "", fmt::format("{} is not an extent", node.leaf.text()), "",
                   "extents are 0 or more"};
  return shape;
}

inline Status check_extents(const Tiler& tiler) {
  if (tiler.kind() == Tiler::Kind::integer) {
    auto shape = as_shape(Value(tiler.layout().shape()));
    return shape ? Status{} : Status{shape.error()};
  }
  if (tiler.is_tuple())
    for (const Tiler& mode : tiler.modes())
      if (auto status = check_extents(mode); !status) return status;
  return {};
}

inline Result<Tiler> tiler_argument(const Value& value) {
  auto tiler = value.as_tiler();
  if (!tiler) return tiler;
  if (auto status = check_extents(*tiler); !status) return status.error();
  return tiler;
}

template <class T>
Result<Value> lift(Result<T> result) {
  if (!result) return result.error();
  return Value(std::move(*result));
}
inline Result<Value> lift(Result<Int> result) {
  if (!result) return result.error();
  return Value(IntTuple(std::move(*result)));
}

// Operations on the domain apply to the layout inside a swizzle.
template <class F>
Result<Value> on_domain(const Value& value, const F& f) {
  auto layout = value.as_layout();
  if (!layout) return layout.error();
  return lift(layout->map(f));
}

template <Result<Layout> (*Op)(LayoutView, LayoutView)>
Result<Value> two_layouts(const Arguments& a) {
  auto second = a[1].as_plain_layout();
  if (!second) return second.error();
  return on_domain(a[0], [&](const Layout& l) { return Op(l, *second); });
}

/// Casts, comparison and reshaping; coordinates and measures (operations_shape.cc).
std::vector<Operation> reshaping_operations();
std::vector<Operation> measuring_operations();

}  // namespace cutelab::layout
