#pragma once
#include <map>
#include <string>
#include <string_view>

#include "layout/int_tuple.h"

namespace cutelab::layout {

/// The lower half of the expression parser: characters, errors with a caret, and the leaves of tuples.
class LeafParser {
 public:
  explicit LeafParser(std::string_view text) : text_(text) {}

 protected:
  void skip();
  char peek();
  bool accept(std::string_view token);
  Status expect(std::string_view token);
  std::string_view name_here();
  Error error(std::size_t at, std::string wrong, std::string remedy) const;
  Error unexpected(const std::string& wanted);
  /// An operation's own error, placed at the text that asked for it.
  Error placed(std::size_t at, const Error& inner) const;
  static bool is_leaf_function(std::string_view name);
  Result<Int> leaf_sum();
  Result<Int> leaf_product();
  Result<Int> leaf_with_basis();
  Result<Int> leaf_atom();
  Result<Int> named();
  Result<Int> basis_element();
  Result<Int> leaf_function(const std::string& name);
  Result<Int> unknown_size();
  // {div=8}, {i64 div=8}, {i64}; 0 when absent.
  Result<std::int64_t> divisibility_here();
  Result<Int> symbol(std::size_t start, const std::string& name, std::int64_t divisibility);
  Result<std::int64_t> integer();
  /// A tuple that holds only numbers and tuples of them, read in one go: true and at_ behind it. False and
  /// at_ unchanged for everything else, errors included: the general way then reads it.
  bool numbers_tuple(IntTuple& out);

  bool numbers(std::size_t& at, int depth, TupleBuilder& build) const;

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int unknowns_ = 0;
  std::map<std::string, std::int64_t> symbols_;
};

}  // namespace cutelab::layout
