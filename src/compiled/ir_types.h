#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiled/ir.h"

namespace cutelab::compiled::ir {

/// Types that an operation states after its last ':' outside brackets: "(A, B) -> C", "A, B", "A to B".
struct Signature {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> results;  ///< empty where only one list stands there
};
Signature signature_of(const Operation& operation);

/// The type with its alias replaced: "!memref_smem_f16" -> "!cute.memref<f16, smem, …>".
std::string_view resolved(const Module& module, std::string_view type);

/// What stands between the first '<' (or '(' or '[') of the text and the bracket that closes it.
std::string_view bracketed(std::string_view text);

/// Parts between commas outside brackets and strings, trimmed.
std::vector<std::string_view> parts_of(std::string_view text);

/// The value of "name = value" in a list of attributes: up to a comma, space or closing bracket outside
/// brackets and strings. Empty if it is not there.
std::string_view attribute(std::string_view text, std::string_view name);

/// What stands between the first two quotes; empty without them.
std::string_view quoted(std::string_view text);

/// The value of an arith.constant: an integer, true, false. Nothing where the value is not constant.
std::optional<std::int64_t> constant(const Module& module, Id value);

/// Bits of an element: "f16", "i64", "bf16", "tf32", "f8E4M3FN"; 0 where it is not known.
int bits_of(std::string_view element);

/// "!cute.memref<f16, smem, align<1024>, S<3,4,3>, "…">" and "!cute.ptr<…>" in parts.
struct Memory {
  std::string_view element;
  std::string_view space;      ///< "smem", "tmem", "rmem", "gmem"
  std::int64_t alignment = 0;  ///< bytes; 0 where none is stated
  std::string_view swizzle;    ///< "S<3,4,3>"; empty without
  std::string_view layout;     ///< "(8,64):(64,1)"; empty for a pointer
};
std::optional<Memory> memory_of(std::string_view resolved_type);

}  // namespace cutelab::compiled::ir
