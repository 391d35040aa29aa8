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
  put(m, made, "function", function);
  put(m, made, "arguments", m.tuple(arguments));
  Dict* named = m.make<Dict>();
  for (const auto& [name, value] : keywords) named->items.emplace_back(m.text(m.name_of(name)), value);
  put(m, made, "keywords", named);
  put(m, made, "first_activation", Value::integer(m.activation_count()));
  m.call(function, std::move(arguments), std::move(keywords), call.node, call.module, call.complete);
  put(m, made, "end_activation", Value::integer(m.activation_count()));
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

/// The arguments of a call with those of compile time put back.
std::vector<Value> whole_arguments(Machine& m, const Value& callable, const Tuple* compiled,
                                   std::vector<Value> given) {
  if (!compiled || given.size() >= compiled->items.size()) return given;
  bool bound_self = false;
  const Function* function = function_behind(m, callable, bound_self);
  const auto fixed = function ? compile_time_parameters(m, *function, bound_self) : std::vector<bool>();
  std::vector<Value> whole;
  std::size_t next = 0;
  for (std::size_t i = 0; i < compiled->items.size(); ++i) {
    const bool keeps = i < fixed.size() && fixed[i];
    if (!keeps && next == given.size()) break;
    whole.push_back(keeps ? compiled->items[i] : given[next++]);
  }
  return whole;
}

/// Keywords of the call, and those of the compilation that it does not give.
Keywords whole_keywords(Machine& m, const Record* self, Keywords given) {
  const auto* compiled = m.field(self, "keywords").as<Dict>();
  if (!compiled) return given;
  for (const auto& [key, value] : compiled->items) {
    const Symbol name = m.symbol(text_in(key).value_or(""));
    const bool there =
        std::any_of(given.begin(), given.end(), [&](const auto& one) { return one.first == name; });
    if (!there) given.emplace_back(name, value);
  }
  return given;
}

/// A tensor that came in the place of a stand-in, a number that was another, in tuples too.
bool differs(Machine& m, const Value& then, const Value& now) {
  if (is_fake(m, then) || (then.is_unknown() && !now.is_unknown())) return true;
  if (then.is_number() && now.is_number()) return then.as_real() != now.as_real();
  const auto *items_then = sequence_of(then), *items_now = sequence_of(now);
  if (!items_then || !items_now || items_then->size() != items_now->size()) return false;
  for (std::size_t i = 0; i < items_now->size(); ++i)
    if (differs(m, (*items_then)[i], (*items_now)[i])) return true;
  return false;
}

/// Whether a run with these arguments could launch otherwise than the one at compilation did.
bool tells_more(Machine& m, const Tuple* compiled, const std::vector<Value>& now) {
  if (std::any_of(now.begin(), now.end(), [&](const Value& v) { return is_fake(m, v); })) return false;
  if (!compiled || compiled->items.size() != now.size())
    return compiled && compiled->items.size() < now.size();
  for (std::size_t i = 0; i < now.size(); ++i)
    if (differs(m, compiled->items[i], now[i])) return true;
  return false;
}

/// A call of something compiled: run again when it was compiled for stand-ins or for other numbers.
std::optional<Value> call_compiled(Call& call) {
  Machine& m = call.machine;
  Record* self = record_if(call.self, "compiled");
  if (!self) return std::nullopt;
  const Value callable = m.field(self, "function");
  const auto* compiled = m.field(self, "arguments").as<Tuple>();
  std::vector<Value> arguments = whole_arguments(m, callable, compiled, call.arguments);
  if (!tells_more(m, compiled, arguments)) {
    m.set_field(self, "stands", Value::boolean(true));  // the launch at compilation is one that is made
    return Value::none();
  }
  const std::size_t launches = m.launches().size();
  const Value now = m.tuple(arguments);
  m.call(callable, std::move(arguments), whole_keywords(m, self, call.keywords), call.node, call.module);
  const auto first = integer_in(m.field(self, "first_activation")),
             end = integer_in(m.field(self, "end_activation"));
  if (m.launches().size() > launches && first && end && !m.field(self, "stands").bound())
    m.supersede(static_cast<int>(*first), static_cast<int>(*end));
  m.set_field(self, "arguments", now);  // the same again tells nothing more
  m.set_field(self, "stands", Value::boolean(true));
  return m.raising() ? Value() : Value::none();
}

}  // namespace compilation_models

Value run_once(Call& call, const Value& callable, std::vector<Value> arguments,
               std::vector<std::pair<Symbol, Value>> keywords) {
  return call.machine.call(callable, std::move(arguments), std::move(keywords), call.node, call.module);
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
