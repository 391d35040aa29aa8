#include <algorithm>

#include "reading/models/runtime.h"

/// cute.compile: the compiled function is called at once, since that is when its launches are made. Record
/// "compiled": function, arguments (tuple), fake (some argument only stood for one to come).
namespace cutelab::reading::machine {
namespace compilation_models {

using Keywords = std::vector<std::pair<Symbol, Value>>;

bool is_fake(Machine& m, const Value& value) {
  if (const Record* tensor = record_if(value, "Tensor")) {
    const Value fake = m.field(tensor, "fake");
    return fake.is_bool() && fake.number() != 0;
  }
  const auto* items = sequence_of(value);
  return items && std::any_of(items->begin(), items->end(), [&](const Value& v) { return is_fake(m, v); });
}

bool is_option(std::string_view name) {
  return name == "options" || name == "no_cache" || name == "compile_only";
}

std::optional<Value> compile(Call& call) {
  Machine& m = call.machine;
  if (call.arguments.empty()) return std::nullopt;
  const Value function = call.arguments.front();
  if (record_if(function, "compiled")) return function;
  std::vector<Value> arguments(call.arguments.begin() + 1, call.arguments.end());
  Keywords keywords;
  for (const auto& [name, value] : call.keywords)
    if (!is_option(m.name_of(name))) keywords.emplace_back(name, value);
  Record* made = record_of(call, "compiled");
  bool fake = false;
  for (const Value& argument : arguments) fake = fake || is_fake(m, argument);
  for (const auto& [name, value] : keywords) fake = fake || is_fake(m, value);
  put(m, made, "function", function);
  put(m, made, "arguments", m.tuple(arguments));
  put(m, made, "fake", Value::boolean(fake));
  m.call(function, std::move(arguments), std::move(keywords), call.node, call.module);
  return m.raising() ? Value() : Value(made);
}

/// cute.compile[options](…): the options change no launch.
std::optional<Value> with_options(Call& call) { return call.machine.external("cutlass.cute.compile"); }

/// Which parameters a compiled function no longer takes: those of compile time.
std::vector<bool> compile_time_parameters(Machine& m, const Function& function, bool bound_self) {
  std::vector<bool> out;
  if (function.index < 0) return out;
  const auto& found =
      m.program().module(function.module).functions()[static_cast<std::size_t>(function.index)];
  for (std::size_t i = bound_self ? 1 : 0; i < found.parameters.size(); ++i)
    out.push_back(found.parameters[i].annotation.text().find("Constexpr") != std::string_view::npos);
  return out;
}

const Function* function_behind(Machine& m, const Value& callable, bool& bound_self) {
  bound_self = false;
  if (const auto* function = callable.as<Function>()) return function;
  if (const auto* method = callable.as<Method>()) {
    bound_self = true;
    return method->function.as<Function>();
  }
  if (const auto* instance = callable.as<Instance>()) {
    bound_self = true;
    if (const Value* call = instance->klass->attributes.find(m.symbol("__call__")))
      return call->as<Function>();
  }
  return nullptr;
}

/// A call of something compiled for stand-ins: run again with the arguments that are there now.
std::optional<Value> call_compiled(Call& call) {
  Machine& m = call.machine;
  const Record* self = record_if(call.self, "compiled");
  if (!self || m.truth(m.field(self, "fake")) != Machine::Truth::yes) return Value::none();
  const Value callable = m.field(self, "function");
  const auto* compiled = m.field(self, "arguments").as<Tuple>();
  std::vector<Value> arguments = call.arguments;
  if (compiled && arguments.size() < compiled->items.size()) {
    bool bound_self = false;
    const Function* function = function_behind(m, callable, bound_self);
    const auto fixed = function ? compile_time_parameters(m, *function, bound_self) : std::vector<bool>();
    std::vector<Value> whole;
    std::size_t next = 0;
    for (std::size_t i = 0; i < compiled->items.size(); ++i) {
      const bool keeps = i < fixed.size() && fixed[i];
      if (!keeps && next == arguments.size()) break;
      whole.push_back(keeps ? compiled->items[i] : arguments[next++]);
    }
    arguments = std::move(whole);
  }
  if (std::any_of(arguments.begin(), arguments.end(), [&](const Value& v) { return is_fake(m, v); }))
    return Value::none();
  arguments = [&] {  // plain torch tensors may be passed where tensors were compiled for
    std::vector<Value> out;
    for (const Value& a : arguments) {
      const bool torch = record_if(a, "torch") != nullptr;
      out.push_back(
          torch ? m.call(m.external("cutlass.cute.runtime.from_dlpack"), {a}, {}, call.node, call.module)
                : a);
    }
    return out;
  }();
  m.call(callable, std::move(arguments), call.keywords, call.node, call.module);
  return m.raising() ? Value() : Value::none();
}

}  // namespace compilation_models

Value run_once(Call& call, const Value& callable, std::vector<Value> arguments,
               std::vector<std::pair<Symbol, Value>> keywords) {
  const Record* compiled = record_if(callable, "compiled");
  Machine& m = call.machine;
  if (compiled && m.truth(m.field(compiled, "fake")) != Machine::Truth::yes) return Value::none();
  return m.call(callable, std::move(arguments), std::move(keywords), call.node, call.module);
}

void add_compilation(Natives& natives) {
  using namespace compilation_models;
  natives.function("cutlass", "compile", compile);
  natives.function("cutlass", "compile.__getitem__", with_options);
  natives.function("cutlass", "compile_to", compile);
  natives.method("compiled", "__call__", call_compiled);
  natives.method("compiled", "launch", call_compiled);
  for (const char* name : {"export_to_c", "set_dynamic_shared_memory_size"})
    natives.method("compiled", name, answer_none);
  for (const char* name : {"to", "generate_execution_args"}) natives.method("compiled", name, answer_self);
}

}  // namespace cutelab::reading::machine
