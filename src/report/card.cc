#include "report/card.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/names.h"

namespace cutelab::report {
using evidence::Fact;
using evidence::Reading;
using evidence::Tristate;
using evidence::Value;
using nlohmann::ordered_json;
namespace {

ordered_json plain(const Value& value) {
  if (!value.determined()) return nullptr;
  if (const auto b = value.boolean()) return *b;
  if (const auto n = value.integer()) return *n;
  if (const auto* s = value.string()) return *s == "None" ? ordered_json() : ordered_json(*s);
  if (const auto* list = value.list()) {
    ordered_json out = ordered_json::array();
    for (const Value& item : *list) out.push_back(plain(item));
    return out;
  }
  return nullptr;
}

const Value* named_value(const Fact& fact, const char* name) {
  const auto found = fact.values.find(name);
  return found == fact.values.end() ? nullptr : &found->second;
}

/// Of the first launch that the defaults take; of the first where they take none.
ordered_json first_launch(const Reading& reading, const char* name) {
  const Value* left_out = nullptr;
  for (const Fact& fact : reading.facts) {
    const Value* v = fact.kind == evidence::kind::launch ? named_value(fact, name) : nullptr;
    if (!v) continue;
    const Value* active = named_value(fact, "active");
    if (!active || active->boolean() != false) return plain(*v);
    if (!left_out) left_out = v;
  }
  return left_out ? plain(*left_out) : ordered_json();
}

/// What a launch asks for and what its kernel has besides, in arrays of fixed size.
ordered_json shared_memory(const Reading& reading) {
  ordered_json asked = first_launch(reading, "smem_bytes");
  const ordered_json fixed = first_launch(reading, "static_smem_bytes");
  if (!fixed.is_number()) return asked;
  return fixed.get<std::int64_t>() + (asked.is_number() ? asked.get<std::int64_t>() : 0);
}

ordered_json pipelines(const Reading& reading) {
  ordered_json out = ordered_json::array();
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::pipeline || !named_value(fact, "class")) continue;
    const Value* active = named_value(fact, "active");
    if (active && active->boolean() == false) continue;
    const std::string name = named_value(fact, "class")->text();
    const Value* stages = named_value(fact, "stages");
    if (name == "PipelineOrder" || (stages && stages->integer() == 0)) continue;
    if (!stages || !stages->determined()) return nullptr;
    out.push_back({{"class", name}, {"stages", plain(*stages)}});
  }
  return out.empty() ? ordered_json() : out;
}

ordered_json descriptors(const Reading& reading) {
  ordered_json out = ordered_json::array();
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::tma_descriptor || !named_value(fact, "direction")) continue;
    const Value* active = named_value(fact, "active");
    if (active && active->boolean() == false) continue;
    const Value* multicast = named_value(fact, "multicast");
    if (!multicast || !multicast->determined()) return nullptr;
    const Value* tensor = named_value(fact, "tensor");
    out.push_back({{"tensor", tensor ? plain(*tensor) : ordered_json()},
                   {"direction", named_value(fact, "direction")->text()},
                   {"multicast_capable", plain(*multicast)}});
  }
  return out.empty() ? ordered_json() : out;
}

ordered_json registers(const Reading& reading) {
  ordered_json out = ordered_json::object();
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::register_budget || !named_value(fact, "action")) continue;
    const Value* count = named_value(fact, "registers");
    if (!count || !count->determined()) return nullptr;
    out[fact.role.empty() ? "line " + std::to_string(fact.at.line())
                          : fact.role + " " + std::to_string(fact.at.line())] = plain(*count);
  }
  return out.empty() ? ordered_json() : out;
}

ordered_json tensor_memory(const Reading& reading) {
  for (const Fact& fact : reading.facts)
    if (fact.kind == evidence::kind::tensor_memory_allocation)
      if (const Value* columns = named_value(fact, "columns")) return plain(*columns);
  return nullptr;
}

ordered_json key_numbers(const Reading& reading) {
  ordered_json out;
  out["threads_per_cta"] = first_launch(reading, "threads");
  out["cluster"] = first_launch(reading, "cluster");
  out["grid"] = first_launch(reading, "grid");
  out["smem_bytes_total"] = shared_memory(reading);
  out["tmem_cols"] = tensor_memory(reading);
  out["regs"] = registers(reading);
  out["pipelines"] = pipelines(reading);
  out["tma"] = descriptors(reading);
  return out;
}

ordered_json patterns(const Reading& reading) {
  ordered_json out = ordered_json::object();
  for (const auto& finding : reading.patterns) {
    ordered_json one;
    one["present"] = finding.present;
    one["default_active"] = finding.default_active == Tristate::undetermined
                                ? ordered_json()
                                : ordered_json(finding.default_active == Tristate::yes);
    one["lines"] = ordered_json::array();
    for (const auto& place : finding.at)
      if (place.file == 0) one["lines"].push_back(place.line());
    out[finding.id] = std::move(one);
  }
  return out;
}

ordered_json facts(const Reading& reading) {
  ordered_json out = ordered_json::object();
  for (const auto family : evidence::all_families) {
    if (family == evidence::Family::E1 || family == evidence::Family::B1 || family == evidence::Family::S1)
      continue;
    std::set<int> lines;
    for (const Fact& fact : reading.facts)
      if (fact.family == family && !fact.optional && fact.at.known() && fact.at.file == 0)
        lines.insert(fact.at.line());
    ordered_json items = ordered_json::array();
    for (const int line : lines) items.push_back({{"lines", {line}}});
    out[evidence::name_of(family)] = std::move(items);
  }
  return out;
}
}  // namespace

ordered_json card(const Reading& reading) {
  ordered_json out;
  out["file"] = reading.files.empty() ? "" : reading.files.front().path;
  out["key_numbers"] = key_numbers(reading);
  out["patterns"] = patterns(reading);
  out["facts"] = facts(reading);
  out["arch"]["minimum"] = reading.arch.minimum.empty() ? ordered_json() : ordered_json(reading.arch.minimum);
  return out;
}

}  // namespace cutelab::report
