#include "evidence/value.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutelab::evidence {

bool Value::determined() const {
  if (undetermined()) return false;
  if (const List* items = list())
    return std::all_of(items->begin(), items->end(), [](auto& v) { return v.determined(); });
  return true;
}

std::optional<std::int64_t> Value::integer() const {
  if (const auto* n = std::get_if<std::int64_t>(&data)) return *n;
  return std::nullopt;
}

std::optional<bool> Value::boolean() const {
  if (const auto* b = std::get_if<bool>(&data)) return *b;
  return std::nullopt;
}

std::string Value::text() const {
  if (undetermined()) return "?";
  if (const auto b = boolean()) return *b ? "true" : "false";
  if (const auto n = integer()) return fmt::format("{}", *n);
  if (const auto* d = std::get_if<double>(&data)) return fmt::format("{}", *d);
  if (const auto* s = string()) return *s;
  std::string out = "(";
  for (const Value& item : *list()) out += (out.size() > 1 ? ", " : "") + item.text();
  return out + ")";
}

namespace {
Value of(Value::Data data) {
  Value value;
  value.data = std::move(data);
  return value;
}
}  // namespace

Value literal(std::int64_t v) { return of(v); }
Value literal(bool v) { return of(v); }
Value literal(std::string v) { return of(std::move(v)); }
Value literal(const char* v) { return of(std::string(v)); }

Value undetermined(std::string reason, std::vector<std::string> depends_on, Location at,
                   std::string formula) {
  Value value = of(Undetermined{std::move(reason), std::move(depends_on), at});
  value.formula = std::move(formula);
  value.known_by = KnownBy::computed;
  return value;
}

}  // namespace cutelab::evidence
