#include "reading/models/arguments.h"

namespace cutelab::reading::machine {

std::optional<bool> flag_of(Machine& machine, const Value& value) {
  if (!value.bound()) return std::nullopt;
  switch (machine.truth(value)) {
    case Machine::Truth::yes:
      return true;
    case Machine::Truth::no:
      return false;
    default:
      return std::nullopt;
  }
}

const std::vector<Value>* sequence_of(const Value& value) {
  if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
  if (const auto* list = value.as<List>()) return &list->items;
  return nullptr;
}

std::optional<std::vector<Value>> spread(const Call& call, std::size_t from, std::string_view keyword) {
  if (!call.complete) return std::nullopt;
  const Value named = call.get(-1, keyword);
  if (named.bound()) {
    const auto* items = sequence_of(named);
    if (items) return *items;
    return named.is_unknown() ? std::nullopt : std::optional<std::vector<Value>>({named});
  }
  if (call.count() == from + 1)
    if (const auto* items = sequence_of(call.arguments[from])) return *items;
  if (call.count() < from) return std::vector<Value>();
  return std::vector<Value>(call.arguments.begin() + static_cast<std::ptrdiff_t>(from), call.arguments.end());
}

Value product(Machine& machine, const std::vector<Value>& factors) {
  Value out = Value::integer(1);
  for (const Value& factor : factors) out = machine.arithmetic("*", out, factor);
  return out;
}

void put(Machine& machine, Record* record, std::string_view name, const Value& value) {
  record->fields.at(machine.symbol(name)) = value;
}

Record* record_of(Call& call, std::string kind,
                  const std::vector<std::pair<std::string_view, Value>>& fields) {
  Record* record = call.machine.record(std::move(kind), std::string(call.path), &call);
  for (const auto& [name, value] : fields) put(call.machine, record, name, value);
  return record;
}

Record* record_if(const Value& value, std::string_view kind) {
  auto* record = value.as<Record>();
  return record && record->kind == kind ? record : nullptr;
}

Value lost(Machine& machine, std::string reason, std::string depends_on) {
  const Value out = machine.unknown(std::move(reason), std::move(depends_on));
  out.as<Unknown>()->changed = true;
  return out;
}

std::string_view leaf_name(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::optional<Value> answer_none(Call&) { return Value::none(); }
std::optional<Value> answer_self(Call& call) { return call.self; }
std::optional<Value> answer_runtime(Call& call) {
  return call.machine.unknown("known only at run time", {}, std::string(call.path));
}

}  // namespace cutelab::reading::machine
