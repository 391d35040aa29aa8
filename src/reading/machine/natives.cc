#include "reading/machine/natives.h"

namespace cutelab::reading::machine {
namespace {
std::string key(std::string_view a, std::string_view b) {
  std::string out(a);
  out += '\n';
  out += b;
  return out;
}
template <class T>
T find(const std::unordered_map<std::string, T>& table, const std::string& k) {
  const auto found = table.find(k);
  return found == table.end() ? nullptr : found->second;
}
}  // namespace

void Natives::function(std::string_view package, std::string_view tail, Native native) {
  functions_[key(package, tail)] = native;
}
void Natives::method(std::string_view kind, std::string_view name, Native native) {
  methods_[key(kind, name)] = native;
}
void Natives::getter(std::string_view kind, std::string_view name, Getter answer) {
  getters_[key(kind, name)] = answer;
}

Native Natives::find_function(std::string_view path) const {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view package = path.substr(0, dot);
  std::size_t starts[4];
  int count = 0;
  for (std::size_t at = path.size(); count < 4 && at > dot;) {
    at = path.rfind('.', at - 1);
    if (at == std::string_view::npos) break;
    starts[count++] = at + 1;
    if (at == 0) break;
  }
  for (int i = count - 1; i >= 0; --i)
    if (const Native found = find(functions_, key(package, path.substr(starts[i])))) return found;
  return nullptr;
}
Native Natives::find_method(std::string_view kind, std::string_view name) const {
  return find(methods_, key(kind, name));
}
Getter Natives::find_getter(std::string_view kind, std::string_view name) const {
  return find(getters_, key(kind, name));
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
