#include "reading/machine/slices.h"

#include <algorithm>

namespace cutelab::reading::machine {
using source::Node;

std::optional<SliceBounds> bounds_of(const Slice& slice, std::size_t size) {
  const auto known = [](const Value& v) { return !v.bound() || v.is_none() || v.is_integral(); };
  if (!known(slice.begin) || !known(slice.end) || !known(slice.step)) return std::nullopt;
  const auto n = static_cast<std::int64_t>(size);
  const std::int64_t step = slice.step.is_integral() ? slice.step.number() : 1;
  if (step == 0) return std::nullopt;
  const auto bound = [&](const Value& v, std::int64_t otherwise) {
    if (!v.is_integral()) return otherwise;
    const std::int64_t at = v.number() < 0 ? v.number() + n : v.number();
    return step > 0 ? std::clamp<std::int64_t>(at, 0, n) : std::clamp<std::int64_t>(at, -1, n - 1);
  };
  return SliceBounds{bound(slice.begin, step > 0 ? 0 : n - 1), bound(slice.end, step > 0 ? n : -1), step};
}

std::optional<std::vector<std::size_t>> positions_of(const Slice& slice, std::size_t size) {
  const auto bounds = bounds_of(slice, size);
  if (!bounds) return std::nullopt;
  const auto [begin, end, step] = *bounds;
  std::vector<std::size_t> out;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    out.push_back(static_cast<std::size_t>(i));
  return out;
}

namespace {
/// Where a slice with a step of 1 begins.
std::size_t first_of(const Slice& slice, std::size_t size) {
  const auto n = static_cast<std::int64_t>(size);
  if (!slice.begin.is_integral()) return 0;
  const std::int64_t at = slice.begin.number() < 0 ? slice.begin.number() + n : slice.begin.number();
  return static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, n));
}

bool refuses_step(Machine& m, const Slice& slice, Node at, int module) {
  if (!slice.step.is_integral() || slice.step.number() != 0) return false;
  m.raise_error("ValueError", "slice step cannot be zero", at, module);
  return true;
}
}  // namespace

bool store_slice(Machine& m, List* list, const Slice& slice, const Value& value, Node at, int module) {
  if (list->open || list->view_of || m.current_launch()) return false;
  if (refuses_step(m, slice, at, module)) return true;
  if (value.is_number() || value.is_none()) {
    m.raise_error("TypeError", "can only assign an iterable", at, module);
    return true;
  }
  const auto given = m.items_in_order(value);
  if (m.raising()) return true;
  const auto chosen = positions_of(slice, list->items.size());
  if (!given || !chosen || list->items.size() + given->size() > 1'000'000) return false;
  const bool plain = !slice.step.is_integral() || slice.step.number() == 1;
  if (!plain && chosen->size() != given->size()) {
    m.raise_error("ValueError", "an extended slice of another length", at, module);
    return true;
  }
  const auto begin = static_cast<std::ptrdiff_t>(first_of(slice, list->items.size()));
  auto& items = m.mutable_items(list);
  for (std::size_t i = 0; !plain && i < chosen->size(); ++i) items[(*chosen)[i]] = (*given)[i];
  if (!plain) return true;
  items.erase(items.begin() + begin, items.begin() + begin + static_cast<std::ptrdiff_t>(chosen->size()));
  items.insert(items.begin() + begin, given->begin(), given->end());
  return true;
}

bool delete_slice(Machine& m, List* list, const Slice& slice, Node at, int module) {
  if (list->open || list->view_of || m.current_launch()) return false;
  if (refuses_step(m, slice, at, module)) return true;
  auto chosen = positions_of(slice, list->items.size());
  if (!chosen) return false;
  std::sort(chosen->begin(), chosen->end());
  auto& items = m.mutable_items(list);
  for (std::size_t i = chosen->size(); i-- > 0;)
    items.erase(items.begin() + static_cast<std::ptrdiff_t>((*chosen)[i]));
  return true;
}

}  // namespace cutelab::reading::machine
