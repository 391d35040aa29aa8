#include "reading/machine/trace.h"

#include <algorithm>

namespace cutelab::reading::machine {

int Trace::enter(Activation activation) {
  activations_.push_back(activation);
  ordinary_.push_back(0);
  return static_cast<int>(activations_.size()) - 1;
}

std::int32_t Trace::head(int module, source::Node node) const {
  const auto m = static_cast<std::size_t>(module);
  if (module < 0 || m >= heads_.size() || node.index() >= heads_[m].size()) return -1;
  return heads_[m][node.index()];
}

void Trace::note(int module, source::Node node, int activation, const Value& value) {
  const auto m = static_cast<std::size_t>(module);
  if (m >= heads_.size()) heads_.resize(m + 1);
  auto& heads = heads_[m];
  if (heads.empty()) heads.resize(node.tree()->size(), -1);
  std::int32_t& head = heads[node.index()];
  const Seen* newest = head >= 0 ? &seen_[static_cast<std::size_t>(head)] : nullptr;
  // Most often an activation comes to a node for the first time, or was the last to come there.
  if (newest && activation <= newest->latest)
    for (std::int32_t i = head; i >= 0; i = seen_[static_cast<std::size_t>(i)].next) {
      Seen& seen = seen_[static_cast<std::size_t>(i)];
      if (seen.activation != activation) continue;
      seen.varied = seen.varied || !seen.value.same(value);
      seen.value = value;
      return;
    }
  const int count = newest ? newest->count : 0;
  if (count >= most_per_node) {  // another number is not forgotten
    Seen& kept = seen_[static_cast<std::size_t>(head)];
    const bool plain = value.is_number() || value.is_none() || kept.value.is_number() || kept.value.is_none();
    kept.varied = kept.varied || (plain && !kept.value.same(value));
    return;
  }
  const int latest = newest ? std::max(newest->latest, activation) : activation;
  seen_.push_back({activation, latest, value, head, false, static_cast<std::uint8_t>(count + 1)});
  head = static_cast<std::int32_t>(seen_.size()) - 1;
}

bool Trace::entered(int module, int function) const {
  for (const Activation& a : activations_)
    if (a.module == module && a.function == function) return true;
  return false;
}

bool Trace::finished(int module, int function) const {
  bool any = false;
  for (std::size_t i = 0; i < activations_.size(); ++i) {
    if (activations_[i].module != module || activations_[i].function != function) continue;
    if (!ordinary_[i]) return false;
    any = true;
  }
  return any;
}

void Trace::finish(int activation, bool ordinary) {
  ordinary_[static_cast<std::size_t>(activation)] = ordinary;
}

}  // namespace cutelab::reading::machine
