#include "report/fact_values.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace cutelab::report {
using evidence::Fact;
using evidence::Value;

const Value* value_of(const Fact& fact, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto it = fact.values.find(name); it != fact.values.end()) return &it->second;
  return nullptr;
}

std::string text_of(const Fact& fact, std::initializer_list<const char*> names) {
  const Value* value = value_of(fact, names);
  return value ? value->text() : "";
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void add_names(std::vector<std::string>& names, const Value* value) {
  if (!value) return;
  if (const Value::List* items = value->list())
    for (const Value& item : *items) add_once(names, item.text());
  else if (value->determined())
    add_once(names, value->text());
}

std::string stem(std::string name) {
  if (name.starts_with("self.")) name.erase(0, 5);
  for (const char* ending : {"_producer", "_consumer", "_pipeline", "_warp_ids", "_warp_id", "_warp_idx",
                             "_warps", "_warp", "_barrier_ptr", "_array_ptr", "_mbar_ptr", "_mbar", "_ptr"})
    if (name.ends_with(ending) && name.size() > std::string_view(ending).size())
      name.resize(name.size() - std::string_view(ending).size());
  return name;
}

bool is_warp_name(const std::string& name) {
  return name.find("warp") != std::string::npos || name.find("thread") != std::string::npos;
}

std::string operation_text(const Fact& fact) {
  std::vector<std::string> parts;
  for (const char* name : {"family", "shape", "direction", "tensor", "operation"})
    if (const std::string text = text_of(fact, {name}); !text.empty())
      parts.push_back(std::string(name == std::string_view("tensor") ? "of " : "") + text);
  for (const auto& [name, shown] :
       {std::pair{"instruction_mnk", "instruction "}, {"atoms", "atoms "}, {"permutation", "permutation "}})
    if (const std::string text = text_of(fact, {name}); !text.empty()) parts.push_back(shown + text);
  if (const Value* multicast = value_of(fact, {"multicast"});
      multicast && multicast->boolean().value_or(false))
    parts.push_back("multicast");
  return parts.empty() ? fact.says : join(parts, ", ");
}

bool is_active(const Fact& fact) {
  const Value* active = value_of(fact, {"active"});
  return !active || active->boolean().value_or(true);
}

std::string barrier_text(const Fact& fact) {
  const std::string id = text_of(fact, {"id", "barrier_id"}),
                    threads = text_of(fact, {"threads", "num_threads"});
  std::string out = id.empty() ? "" : "id " + id;
  if (!threads.empty()) out += (out.empty() ? "" : ", ") + threads + " threads";
  return out.empty() ? fact.says : out;
}

}  // namespace cutelab::report
