#pragma once
#include <string_view>
#include <variant>

#include "layout/composed.h"

namespace cutelab::layout {

/// What an expression can stand for. A bare shape is a shape where one is wanted and its compact layout where
/// a layout is.
class Value {
 public:
  Value(IntTuple tuple) : data_(std::move(tuple)) {}                  // NOLINT: implicit on purpose
  Value(ComposedLayout layout) : data_(std::move(layout)) {}          // NOLINT
  Value(Layout layout) : data_(ComposedLayout(std::move(layout))) {}  // NOLINT
  Value(Tiler tiler) : data_(std::move(tiler)) {}                     // NOLINT
  Value(Swizzle swizzle) : data_(swizzle) {}                          // NOLINT

  const IntTuple* tuple() const { return std::get_if<IntTuple>(&data_); }
  const Swizzle* swizzle() const { return std::get_if<Swizzle>(&data_); }
  bool is_layout() const { return std::holds_alternative<ComposedLayout>(data_); }
  /// A layout, or the compact layout of a shape.
  Result<ComposedLayout> as_layout() const;
  Result<Layout> as_plain_layout() const;  ///< as_layout without a swizzle
  Result<Tiler> as_tiler() const;
  std::string text() const;

 private:
  std::variant<IntTuple, ComposedLayout, Tiler, Swizzle> data_;
};

/// Reads an expression:
///   layouts      (8,(2,4)):(1,(8,16))   8:1   (8,4) (compact)   Sw<3,4,3> o 0 o (8,64):(64,1)   A o B
///   (composition) leaves       8  _8  -1  M  M{div=8}  128*K  ?  ?{div=8}  ?{i64 div=8}  1@0  E<0,1> tilers
///   128   (128,64)   (8:1,_)   <8:1, 4:2>   [8:1, 4:2] calls        coalesce(A)  composition(A,B)
///   logical_divide(A,T)  … (operation_names) other prints S<3,4,3> o 0 o …, !cute.layout<"…">, "…",
///   S<3,4,3>, "…" (as the DSL and its IR spell them)
/// Errors (kind input) point at the character with a caret.
Result<Value> parse(std::string_view text);
Result<ComposedLayout> parse_layout(std::string_view text);
Result<Tiler> parse_tiler(std::string_view text);
Result<IntTuple> parse_tuple(std::string_view text);

/// How many nodes and how deep an expression may be; beyond it an error says so.
inline constexpr std::size_t max_expression_bytes = 16384;
inline constexpr int max_expression_depth = 64;

enum class Notation {
  plain,  ///< (8,M):(1,8), Sw<3,4,3> o 0 o …
  cpp,    ///< as CuTe C++ prints static integers: (_8,M):(_1,_8)
  dsl     ///< as the CuTe DSL: S<3,4,3> o 0 o …, unknown sizes as ?{div=8}
};
std::string print(const ComposedLayout& layout, Notation notation);
std::string print(const IntTuple& tuple, Notation notation);

}  // namespace cutelab::layout
