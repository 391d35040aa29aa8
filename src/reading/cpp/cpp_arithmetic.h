#pragma once
#include <optional>
#include <string_view>

#include "reading/cpp/cpp_value.h"

namespace cutelab::reading {

/// Width and sign of an integer type.
struct CppIntegerType {
  int bits = 32;
  bool is_unsigned = false;
};

/// By its written name: `unsigned char`, `uint32_t`, `const long long`; none for any other type.
std::optional<CppIntegerType> cpp_integer_type(std::string_view written);
/// `128`, `0x80`, `0'17u`: the value with the type that the language gives it; unknown: no integer.
CppValue cpp_literal(std::string_view written);
/// An integer as an object of that type holds it; unknown where the type is no integer's or cannot hold it.
CppValue cpp_converted(const CppValue& number, std::string_view written_type);
/// `a op b` after the usual conversions; unknown: an operator that is not folded, or a result that the type
/// has no place for.
CppValue cpp_arithmetic(std::string_view op, const CppValue& a, const CppValue& b);
/// `op a`: + - ! ~
CppValue cpp_unary(std::string_view op, const CppValue& a);

}  // namespace cutelab::reading
