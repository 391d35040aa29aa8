#include "reading/machine/natives.h"

#include <algorithm>

namespace cutelab::reading::machine {
namespace {
constexpr std::ptrdiff_t most_parts = 4;  ///< of a tail

/// The last name of a path; with the one before it where it is special ("Float16.__get__"): many share those.
std::string_view ending_of(std::string_view path) {
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || !path.substr(dot + 1).starts_with("__"))
    return path.substr(dot + 1);
  return path.substr(path.rfind('.', dot - 1) + 1);
}

template <class Table, class Key>
auto find(const Table& table, const Key& key) {
  const auto* found = table.find(key);
  return found ? *found : nullptr;
}
}  // namespace

void Natives::function(std::string_view package, std::string_view tail, Native native) {
  auto& same_ending = functions_[ending_of(tail)];
  for (Entry& known : same_ending)
    if (known.package == package && known.tail == tail) {
      known.native = native;
      return;
    }
  same_ending.push_back({std::string(package), std::string(tail), native});
}
void Natives::method(std::string_view kind, std::string_view name, Native native) {
  methods_[{kind, name}] = native;
}
void Natives::getter(std::string_view kind, std::string_view name, Getter answer) {
  getters_[{kind, name}] = answer;
}

Native Natives::find_function(std::string_view path) const {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::vector<Entry>* same_ending = functions_.find(ending_of(path));
  if (!same_ending) return nullptr;
  const std::string_view package = path.substr(0, dot), rest = path.substr(dot);  // with its dot
  const Entry* longest = nullptr;
  for (const Entry& f : *same_ending) {
    if (f.package != package || f.tail.size() >= rest.size() || !rest.ends_with(f.tail)) continue;
    if (rest[rest.size() - f.tail.size() - 1] != '.') continue;
    if (std::count(f.tail.begin(), f.tail.end(), '.') >= most_parts) continue;
    if (!longest || f.tail.size() > longest->tail.size()) longest = &f;
  }
  return longest ? longest->native : nullptr;
}
Native Natives::find_method(std::string_view kind, std::string_view name) const {
  return kind.empty() ? nullptr : find(methods_, MemberView{kind, name});
}
Getter Natives::find_getter(std::string_view kind, std::string_view name) const {
  return kind.empty() ? nullptr : find(getters_, MemberView{kind, name});
}

const Natives& Natives::all() {
  static const Natives natives = [] {
    Natives n;
    add_builtins(n);
    add_argparse(n);
    add_torch(n);
    add_runtime(n);
    add_layouts(n);
    add_tensors(n);
    add_atoms(n);
    add_descriptors(n);
    add_storage(n);
    add_numeric_types(n);
    return n;
  }();
  return natives;
}

}  // namespace cutelab::reading::machine
