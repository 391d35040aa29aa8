#include "reading/machine/containers.h"

#include <functional>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {
namespace {
constexpr std::size_t few = 16;  ///< items that are looked through one by one

/// The same for equal keys; nullopt: only comparing tells.
std::optional<std::size_t> hash_of_key(const Value& v, int depth = 0) {
  if (v.is_number()) return std::hash<double>()(v.as_real());
  if (v.is_none()) return 1;
  if (const Text* t = v.as<Text>()) return std::hash<std::string>()(t->text);
  const Tuple* tuple = v.as<Tuple>();
  if (!tuple || depth > 4) return std::nullopt;
  std::size_t out = tuple->items.size();
  for (const Value& item : tuple->items) {
    const auto one = hash_of_key(item, depth + 1);
    if (!one) return std::nullopt;
    out = out * 0x9E3779B97F4A7C15u + *one;
  }
  return out;
}
}  // namespace

Distinct::Place Distinct::find(const Value& key) {
  const auto hash = hash_of_key(key);
  if (!hash || !all_hashed_ || keys_.size() < few) return look_through(key);
  if (by_hash_.empty())
    for (std::size_t i = 0; i < keys_.size(); ++i) by_hash_.emplace(*hash_of_key(keys_[i]), i);
  const auto [begin, end] = by_hash_.equal_range(*hash);
  for (auto at = begin; at != end; ++at)
    if (same(keys_[at->second], key) == Machine::Truth::yes) return {at->second, true, false};
  return {};
}

Machine::Truth Distinct::same(const Value& a, const Value& b) const {
  if (a.as<External>() && b.as<External>()) return a.same(b) ? Machine::Truth::yes : Machine::Truth::no;
  const Machine::Truth equal = m_.equal(a, b);
  return equal == Machine::Truth::unknown && !a.is_unknown() && !b.is_unknown() ? Machine::Truth::no : equal;
}

Distinct::Place Distinct::look_through(const Value& key) const {
  Place out;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Machine::Truth one = same(keys_[i], key);
    if (one == Machine::Truth::yes) return {i, true, out.maybe};
    out.maybe = out.maybe || one == Machine::Truth::unknown;
  }
  return out;
}

Distinct::Place Distinct::add(const Value& key) {
  const Place place = find(key);
  if (place.there) return place;
  const auto hash = hash_of_key(key);
  all_hashed_ = all_hashed_ && hash;
  if (hash && !by_hash_.empty()) by_hash_.emplace(*hash, keys_.size());
  keys_.push_back(key);
  return {keys_.size() - 1, false, place.maybe};
}

void DictFiller::put(const Value& key, const Value& value) {
  if (key.object() && keys_.refuses(key)) return;
  const Distinct::Place place = keys_.add(key);
  dict_->open = dict_->open || place.maybe;
  if (place.there)
    dict_->items[place.at].second = value;
  else
    dict_->items.emplace_back(key, value);
}

void SetFiller::put(const Value& key) {
  if (key.object() && keys_.refuses(key)) return;
  const Distinct::Place place = keys_.add(key);
  set_->open = set_->open || place.maybe;
  if (!place.there) set_->items.push_back(key);
}

}  // namespace cutelab::reading::machine
