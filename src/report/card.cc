#include "report/card.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

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

bool left_out(const Fact& fact) {
  const Value* active = named_value(fact, "active");
  return active && active->boolean() == false;
}

/// Bytes of a launch's shared memory: what it asks for and arrays of fixed size. None known: -1.
std::int64_t shared_bytes(const Fact& launch) {
  const Value *asked = named_value(launch, "smem_bytes"), *fixed = named_value(launch, "static_smem_bytes");
  const auto a = asked ? asked->integer() : std::nullopt, f = fixed ? fixed->integer() : std::nullopt;
  return a || f ? a.value_or(0) + f.value_or(0) : -1;
}

/// Whether a launch's kernel is where the products, copies and pipelines of the sources stand: a reference or
/// a check beside it has none. A kernel of another file has those that stand in no kernel.
bool does_the_work(const Reading& reading, const Fact& launch) {
  const bool here = std::any_of(reading.functions.begin(), reading.functions.end(), [&](auto& f) {
    return f.kind == evidence::Function::Kind::kernel && f.name == launch.kernel;
  });
  return std::any_of(reading.facts.begin(), reading.facts.end(), [&](const Fact& fact) {
    return (fact.kind == evidence::kind::mma || fact.kind == evidence::kind::pipeline ||
            fact.kind == "gemm" || fact.kind == "copy") &&
           fact.kernel == (here ? launch.kernel : "");
  });
}

/// The launch that the numbers are of: of those that the defaults take, of a kernel that does the work, the
/// one with the most shared memory, the first of equals; where there are none, of all.
const Fact* chosen_launch(const Reading& reading) {
  const Fact* best = nullptr;
  const auto rank = [&](const Fact& fact) {
    return std::tuple(!left_out(fact), does_the_work(reading, fact), shared_bytes(fact));
  };
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::launch || fact.values.empty()) continue;
    if (!best || rank(fact) > rank(*best)) best = &fact;
  }
  return best;
}

ordered_json of_launch(const Fact* launch, const char* name) {
  const Value* v = launch ? named_value(*launch, name) : nullptr;
  return v ? plain(*v) : ordered_json();
}

ordered_json shared_memory(const Fact* launch) {
  const bool fixed = launch && named_value(*launch, "static_smem_bytes");
  return fixed ? ordered_json(std::max<std::int64_t>(shared_bytes(*launch), 0))
               : of_launch(launch, "smem_bytes");
}

/// Whether a fact stands in another kernel than the launched one.
bool of_another(const Fact& fact, const Fact* launch) {
  return launch && !launch->kernel.empty() && !fact.kernel.empty() && fact.kernel != launch->kernel;
}

ordered_json pipelines(const Reading& reading, const Fact* launch) {
  ordered_json out = ordered_json::array();
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::pipeline || !named_value(fact, "class")) continue;
    if (left_out(fact) || of_another(fact, launch)) continue;
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
    if (left_out(fact)) continue;
    const Value* multicast = named_value(fact, "multicast");
    if (!multicast || !multicast->determined()) return nullptr;
    const Value* tensor = named_value(fact, "tensor");
    out.push_back({{"tensor", tensor ? plain(*tensor) : ordered_json()},
                   {"direction", named_value(fact, "direction")->text()},
                   {"multicast_capable", plain(*multicast)}});
  }
  return out.empty() ? ordered_json() : out;
}

ordered_json registers(const Reading& reading, const Fact* launch) {
  ordered_json out = ordered_json::object();
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::register_budget || !named_value(fact, "action")) continue;
    if (left_out(fact) || of_another(fact, launch)) continue;
    const Value* count = named_value(fact, "registers");
    if (!count || !count->determined()) return nullptr;
    out[fact.role.empty() ? "line " + std::to_string(fact.at.line())
                          : fact.role + " " + std::to_string(fact.at.line())] = plain(*count);
  }
  return out.empty() ? ordered_json() : out;
}

ordered_json tensor_memory(const Reading& reading, const Fact* launch) {
  for (const Fact& fact : reading.facts)
    if (fact.kind == evidence::kind::tensor_memory_allocation && !of_another(fact, launch))
      if (const Value* columns = named_value(fact, "columns")) return plain(*columns);
  return nullptr;
}

ordered_json key_numbers(const Reading& reading) {
  const Fact* launch = chosen_launch(reading);
  ordered_json out;
  out["threads_per_cta"] = of_launch(launch, "threads");
  out["cluster"] = of_launch(launch, "cluster");
  out["grid"] = of_launch(launch, "grid");
  out["smem_bytes_total"] = shared_memory(launch);
  out["tmem_cols"] = tensor_memory(reading, launch);
  out["regs"] = registers(reading, launch);
  out["pipelines"] = pipelines(reading, launch);
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
