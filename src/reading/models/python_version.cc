#include <algorithm>

#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// sys.version_info: what holds of every Python that the DSL's wheels are for, 3.10 and later.
namespace cutelab::reading::machine::python_models {
namespace {
constexpr std::int64_t version_three = 3, least_minor = 10;

/// How the version stands to one that is written down: 1 is later, -1 earlier; nullopt: some are this, some
/// that.
std::optional<int> order_of_version(Call& c) {
  const Tuple* other = c.count() == 1 ? c.arguments[0].as<Tuple>() : nullptr;
  if (!other) return std::nullopt;
  const auto& items = other->items;
  if (items.empty()) return 1;
  if (!items[0].is_integral()) return std::nullopt;
  if (items[0].number() != version_three) return items[0].number() < version_three ? 1 : -1;
  if (items.size() == 1) return 1;
  if (!items[1].is_integral()) return std::nullopt;
  return items[1].number() < least_minor ? std::optional(1) : std::nullopt;
}

/// 3.10 itself, of which no version is earlier.
bool is_least(Call& c) {
  const Tuple* other = c.count() == 1 ? c.arguments[0].as<Tuple>() : nullptr;
  return other && other->items.size() == 2 && other->items[0].is_integral() &&
         other->items[1].is_integral() && other->items[0].number() == version_three &&
         other->items[1].number() == least_minor;
}

/// >= and >; <= and < are what they are not.
template <bool later, bool or_equal>
Answer version_compared(Call& c) {
  if (is_least(c) && or_equal == later) return Value::boolean(later);
  const auto order = order_of_version(c);
  return order ? Answer(Value::boolean((*order > 0) == later)) : std::nullopt;
}

/// version_info[0]; a slice from the front is a version again.
Answer part(Call& c) {
  const Value index = c.count() == 1 ? c.arguments[0] : Value();
  if (index.is_integral() && index.number() == 0) return Value::integer(version_three);
  const Slice* slice = index.as<Slice>();
  const bool from_front = slice && (!slice->begin.bound() || slice->begin.is_none() ||
                                    (slice->begin.is_integral() && slice->begin.number() == 0));
  const bool has_minor = from_front && slice->end.is_integral() && slice->end.number() >= 2;
  return has_minor && !slice->step.is_integral() ? Answer(c.self) : std::nullopt;
}

Answer version(Call& c) {
  Record* out = c.machine.record("python-version", "sys.version_info");
  c.machine.set_field(out, "major", Value::integer(version_three));
  return Value(out);
}
}  // namespace

void add_python_version(Natives& n) {
  n.function("sys", "version_info.__get__", version);
  n.method("python-version", "__ge__", version_compared<true, true>);
  n.method("python-version", "__gt__", version_compared<true, false>);
  n.method("python-version", "__le__", version_compared<false, true>);
  n.method("python-version", "__lt__", version_compared<false, false>);
  n.method("python-version", "__getitem__", part);
}

}  // namespace cutelab::reading::machine::python_models
