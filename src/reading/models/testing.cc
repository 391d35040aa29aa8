#include <algorithm>

#include "reading/models/runtime.h"
#include "reading/models/stand_in_device.h"

/// cutlass.testing and cutlass.cute.testing: kernels are called once, times are not known.
namespace cutelab::reading::machine {
namespace testing_models {

/// Record "JitArguments": args (tuple), kwargs (dict).
std::optional<Value> jit_arguments(Call& call) {
  Dict* named = call.machine.make<Dict>();
  for (const auto& [name, value] : call.keywords)
    named->items.emplace_back(call.machine.text(call.machine.name_of(name)), value);
  return record_of(call, "JitArguments", {{"args", call.machine.tuple(call.arguments)}, {"kwargs", named}});
}

std::optional<Value> benchmark(Call& call) {
  Machine& m = call.machine;
  const Value callable = call.get(0, "callable");
  Value arguments = call.get(-1, "kernel_arguments", Value::none());
  const Value generator = call.get(-1, "workspace_generator", Value::none());
  if (!generator.is_none() && !generator.is_unknown())
    arguments = m.call(generator, {}, {}, call.node, call.module);
  if (m.raising()) return Value();
  const Record* given = record_if(arguments, "JitArguments");
  std::vector<Value> positional;
  std::vector<std::pair<Symbol, Value>> keywords;
  if (given) {
    positional = m.field(given, "args").as<Tuple>()->items;
    for (const auto& [key, value] : m.field(given, "kwargs").as<Dict>()->items)
      keywords.emplace_back(m.symbol(text_in(key).value_or("")), value);
  }
  if (given || arguments.is_none()) run_once(call, callable, std::move(positional), std::move(keywords));
  if (m.raising()) return Value();
  return m.unknown("a measured time", {}, std::string(call.path));
}

std::optional<Value> workspaces(Call& call) {
  const auto device = stand_in_device(call.machine);
  const auto bytes = integer_in(call.get(0, "one_workspace_bytes")),
             warmup = integer_in(call.get(1, "warmup_iterations")),
             rounds = integer_in(call.get(2, "iterations"));
  if (!device || !bytes || !warmup || !rounds || *bytes < 1) return std::nullopt;
  const std::int64_t wanted = device->l2_bytes * 3 / *bytes + 1;
  return Value::integer(std::min(wanted, *warmup + *rounds));
}

}  // namespace testing_models

void add_testing(Natives& natives) {
  using namespace testing_models;
  natives.function("cutlass", "JitArguments", jit_arguments);
  natives.function("cutlass", "testing.JitArguments", jit_arguments);
  natives.method("JitArguments", "add_to_scope", answer_none);
  natives.function("cutlass", "testing.benchmark", benchmark);
  natives.function("cutlass", "testing.get_workspace_count", workspaces);
  for (const char* name : {"testing.assert_", "testing.convert", "testing.assert_close"})
    natives.function("cutlass", name, answer_none);
}

}  // namespace cutelab::reading::machine
