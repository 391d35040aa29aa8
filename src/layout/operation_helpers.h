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
