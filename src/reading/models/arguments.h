#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reading/machine/machine.h"

/// What models ask of their arguments.
namespace cutelab::reading::machine {

inline std::optional<std::string> text_in(const Value& value) {
  const auto* text = value.as<Text>();
  return text ? std::optional<std::string>(text->text) : std::nullopt;
}

inline std::optional<std::int64_t> integer_in(const Value& value) {
  return value.is_integral() ? std::optional<std::int64_t>(value.number()) : std::nullopt;
}

/// A flag's truth; nullopt = not known.
std::optional<bool> flag_of(Machine& machine, const Value& value);
/// The items of a tuple or list, else nullptr.
const std::vector<Value>* sequence_of(const Value& value);
/// Extents given as f(2, 3) or f((2, 3)); nullopt = length not known. Items may be unknown.
std::optional<std::vector<Value>> spread(const Call& call, std::size_t from, std::string_view keyword);
/// Product of integers as a value; an unknown when one is not known.
Value product(Machine& machine, const std::vector<Value>& factors);

/// A Record of that kind whose path is the call's, with the given fields.
Record* record_of(Call& call, std::string kind,
                  const std::vector<std::pair<std::string_view, Value>>& fields = {});
/// Stores a field of a Record that was just made.
void put(Machine& machine, Record* record, std::string_view name, const Value& value);
/// The Record if it is of that kind.
Record* record_if(const Value& value, std::string_view kind);

/// An unknown in place of a value that there was: what else is known of the program's text does not hold.
Value lost(Machine& machine, std::string reason, std::string depends_on = {});

/// The last name of a path.
std::string_view leaf_name(std::string_view path);

// Models that answer the same whatever they are asked.
std::optional<Value> answer_none(Call& call);
std::optional<Value> answer_self(Call& call);
/// An unknown of run time, with the call's path.
std::optional<Value> answer_runtime(Call& call);

}  // namespace cutelab::reading::machine
