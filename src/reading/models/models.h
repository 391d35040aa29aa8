#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reading/evaluator/abstract.h"

/// Values of operations and library functions that can be told without running anything. An answer that would
/// be a guess is an unknown.
namespace cutelab::reading::models {

Abstract arithmetic(std::string_view op, const Abstract& a, const Abstract& b, source::Node at);
Abstract compare(std::string_view op, const Abstract& a, const Abstract& b, source::Node at);
/// `tuple[begin:end]` with literal bounds.
Abstract sliced(const Abstract& tuple, source::Node slice);
/// Item `slot` of a value that is unpacked; `name` is what it is bound to.
Abstract slot(const Abstract& value, int slot, const std::string& name, source::Node at);
/// A command-line default given as text, through the flag's `type=`.
Abstract converted(const Abstract& text, source::Node type);
/// A setting as a person types it: 4, true, 128x256, (128, 256), 128,256, Float16, text.
Abstract from_text(const std::string& text);
/// cutlass.Float16.width and the like.
std::optional<Abstract> attribute_of_name(const std::string& path, const std::string& attribute);

/// Whether `call` may answer for a function of that path.
bool knows(const std::string& path);
/// Value of a library or built-in function; none = not told here.
std::optional<Abstract> call(const std::string& path, const std::vector<Abstract>& arguments,
                             source::Node at);

/// Bits of a DSL element type by its last name ("Float16" -> 16); none = no such type.
std::optional<int> bits_of_type(std::string_view name);
/// Largest dynamic shared memory of one CTA in bytes, by "sm_90", "sm_100a" …
std::optional<std::int64_t> shared_memory_capacity(std::string_view arch);

}  // namespace cutelab::reading::models
