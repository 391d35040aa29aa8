#pragma once
#include <optional>
#include <string_view>

#include "reading/machine/machine.h"

/// Members of enumerations that are numbers, texts or flags as well. Unbound: not told here.
namespace cutelab::reading::machine {

bool is_flag(const Class& klass);
/// Flags that are several or none at once: whether Python counts them among the members depends on its
/// version.
bool has_compound_flags(Machine& machine, const Class& klass);
/// An operator where one side is a member.
Value operation_of_members(Machine& machine, std::string_view op, const Value& a, const Value& b);
/// < <= > >= of members that are numbers, of values that models order.
Value ordered_by_kind(Machine& machine, std::string_view op, const Value& a, const Value& b);
/// nullopt: they are no flags of one enumeration.
std::optional<Machine::Truth> equal_flags(Machine& machine, const Value& a, const Value& b);
/// flag in flags
Value is_within_flag(Machine& machine, const Value& a, const Value& b);
/// What an object is as an index: its number or __index__, else itself.
Value as_index(Machine& machine, const Value& index);

}  // namespace cutelab::reading::machine
