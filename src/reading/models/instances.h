#pragma once
#include <optional>
#include <string_view>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// Whether a value of a model (a record, a layout, an element type) is an instance of the library's class of
/// that name; nullopt: not told.
std::optional<bool> model_is_a(Machine& machine, const Value& value, std::string_view class_name);
/// Whether an instance of a class of Python source is one of the library's class of that name.
std::optional<bool> instance_is_a(const Instance* instance, std::string_view class_name);
/// Whether an element type derives from the library's class of that name (Numeric, Float, Integer).
std::optional<bool> model_is_subclass(const Value& type, std::string_view class_name);

}  // namespace cutelab::reading::machine
