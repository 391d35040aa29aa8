#include "reading/models/surroundings.h"

#include <algorithm>
#include <array>

#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// What surrounds a program: its environment, the words of its command line, its process, other modules.
namespace cutelab::reading::machine {
namespace python_models {
namespace {

/// Of the environment: nothing of the program's own stands in it unless the program wrote it. A name that was
/// taken out has None.
struct Variable {
  Value value;           ///< unbound: not there, or not known
  bool is_gone = false;  ///< the program took it out
};

Dict* held_by(Machine& m, const Value& environment) {
  const Record* record = record_if(environment, "environ");
  return record ? m.field(record, "held").as<Dict>() : nullptr;
}

Value environment_of(Machine& m) { return m.attribute(m.external("os"), "environ"); }

/// os.environ: one for the whole run.
Answer environment(Call& c) {
  External* os = c.machine.external("os").as<External>();
  Value& known = os->members.at(c.machine.symbol("environ"));
  if (known.bound()) return known;
  Dict* held = c.machine.make<Dict>();
  held->born = 0;  // a branch that asks for it first may be taken back
  for (const auto& [name, value] : variables_of_ranks(c.machine))
    held->items.emplace_back(c.machine.text(name), c.machine.text(value));
  Record* made = record_of(c, "environ", {{"held", held}});
  return known = made;
}

std::optional<Variable> variable(Machine& m, const Value& environment, const Value& name) {
  const Dict* held = held_by(m, environment);
  if (!held || !name.as<Text>()) return std::nullopt;
  for (const auto& [key, value] : held->items) {
    const auto same = m.equal(key, name);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::yes) return Variable{value.is_none() ? Value() : value, value.is_none()};
  }
  return held->open ? std::nullopt : std::optional(Variable());
}

/// What a person's machine has there as a rule, whatever the program is started with.
bool belongs_to_the_machine(std::string_view name) {
  static constexpr std::array<std::string_view, 22> names = {"HOME",         "PATH",
                                                             "USER",         "LOGNAME",
                                                             "SHELL",        "PWD",
                                                             "OLDPWD",       "LANG",
                                                             "TERM",         "HOSTNAME",
                                                             "TMPDIR",       "TZ",
                                                             "CUDA_HOME",    "CUDA_PATH",
                                                             "CUDA_ROOT",    "LD_LIBRARY_PATH",
                                                             "PYTHONPATH",   "VIRTUAL_ENV",
                                                             "DISPLAY",      "EDITOR",
                                                             "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES"};
  return std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("LC_") ||
         name.starts_with("SLURM_") || name.starts_with("XDG_");
}

Value of_the_machine(Machine& m, const Value& name) {
  return lost(m, "the environment is not known", text_in(name).value_or(""));
}

/// environ.get(name, default=None), os.getenv: a variable that only a person would set is not set.
Answer get_variable(Call& c) {
  Machine& m = c.machine;
  const Value of = c.self.bound() ? c.self : environment_of(m);
  const Value name = c.get(0, "key"), otherwise = c.get(1, "default", Value::none());
  if (!held_by(m, of))
    return m.call(m.attribute(of, "get"), c.arguments, c.keywords, c.node, c.module, c.complete);
  const auto found = variable(m, of, name);
  if (!found) return of_the_machine(m, name);
  if (found->value.bound()) return found->value;
  return found->is_gone || !belongs_to_the_machine(text_in(name).value_or("")) ? otherwise
                                                                               : of_the_machine(m, name);
}

Answer variable_item(Call& c) {
  const Value name = c.count() ? c.arguments[0] : Value();
  const auto found = variable(c.machine, c.self, name);
  if (found && found->value.bound()) return found->value;
  if (found && found->is_gone)
    return c.machine.raise_error("KeyError", c.machine.repr(name), c.node, c.module);
  return of_the_machine(c.machine, name);
}

/// Of ranks that torchrun started all that counts is there.
Answer has_variable(Call& c) {
  const Value name = c.count() ? c.arguments[0] : Value();
  const auto found = variable(c.machine, c.self, name);
  if (found && (found->value.bound() || found->is_gone)) return Value::boolean(found->value.bound());
  if (found && !variables_of_ranks(c.machine).empty()) return Value::boolean(false);
  return of_the_machine(c.machine, name);
}

void put_variable(Call& c, const Value& name, const Value& value) {
  Machine& m = c.machine;
  if (value.is_number() || value.is_none() || name.is_number()) {
    m.raise_error("TypeError", "str expected", c.node, c.module);
    return;
  }
  m.put(held_by(m, c.self), name, value);
}

Answer set_variable(Call& c) {
  if (c.count() == 2) put_variable(c, c.arguments[0], c.arguments[1]);
  return c.machine.raising() ? Value() : Value::none();
}

Answer default_variable(Call& c) {
  const auto found = variable(c.machine, c.self, c.get(0, "key"));
  const Value name = c.get(0, "key");
  if (found && found->value.bound()) return found->value;
  const bool unset = found && (found->is_gone || !belongs_to_the_machine(text_in(name).value_or("")));
  const Value value = unset ? c.get(1, "value", Value::none()) : of_the_machine(c.machine, name);
  put_variable(c, name, value);
  return c.machine.raising() ? Value() : value;
}

/// environ.pop(name[, default]), del environ[name]
Answer pop_variable(Call& c) {
  Machine& m = c.machine;
  const Value name = c.count() ? c.arguments[0] : Value();
  const auto found = variable(m, c.self, name);
  if (found && found->is_gone)
    return c.count() > 1 ? c.arguments[1] : m.raise_error("KeyError", m.repr(name), c.node, c.module);
  const bool unset = found && !belongs_to_the_machine(text_in(name).value_or(""));
  const Value out = found && found->value.bound() ? found->value
                    : unset && c.count() > 1      ? c.arguments[1]
                                                  : of_the_machine(m, name);
  m.put(held_by(m, c.self), name, Value::none());
  return out;
}

Answer update_variables(Call& c) {
  Machine& m = c.machine;
  const Dict* given = c.count() ? c.arguments[0].as<Dict>() : nullptr;
  if (!c.complete || (c.count() && (!given || given->open))) {
    Dict* held = held_by(m, c.self);
    for (const auto& [name, value] : std::vector(held->items)) m.put(held, name, of_the_machine(m, name));
    held->open = true;
    return Value::none();
  }
  for (const auto& [name, value] : given ? std::vector(given->items) : std::vector<std::pair<Value, Value>>())
    put_variable(c, name, value);
  for (const auto& [name, value] : c.keywords) put_variable(c, m.text(m.name_of(name)), value);
  return m.raising() ? Value() : Value::none();
}

/// sys.argv.append(…) and others that change it: the words are the program's from here on. Before they are
/// those of an empty command line.
Answer change_words(Call& c) {
  Machine& m = c.machine;
  const Value words = m.list({m.text(m.program().module(0).path())});
  m.store(m.external("sys"), m.symbol("argv"), words, c.node, c.module);
  const std::string_view method = leaf_name(c.path);
  if (method == "__iadd__") {
    m.call(m.attribute(words, "extend"), c.arguments, {}, c.node, c.module);
    return words;
  }
  return m.call(m.attribute(words, method), c.arguments, c.keywords, c.node, c.module, c.complete);
}

/// sys.argv[…] = …
Answer set_word(Call& c) {
  c.machine.store(c.machine.external("sys"), c.machine.symbol("argv"),
                  lost(c.machine, "words of the program's own"), c.node, c.module);
  return Value::none();
}

/// os._exit, os.abort: the process ends here.
Answer end_process(Call& c) {
  c.machine.raise(Machine::exit_text, c.node, c.module);
  c.machine.exception().as<Record>()->kind = "process-exit";
  return Value();
}

/// sys.modules["__main__"]
Answer loaded_module(Call& c) {
  const auto name = c.count() ? text_in(c.arguments[0]) : std::nullopt;
  if (!name) return std::nullopt;
  if (*name == "__main__") return Value(c.machine.module_at(0));
  return *name == "module" ? std::nullopt : Answer(c.machine.external(*name));
}

/// unittest.mock.patch("module.name", …): what the name gives meanwhile, and for how long, is not followed.
Answer patch(Call& c) {
  const std::string target = text_in(c.get(0, "target")).value_or("");
  const auto dot = target.rfind('.');
  if (dot != std::string::npos)
    c.machine.store(c.machine.external(target.substr(0, dot)), c.machine.symbol(target.substr(dot + 1)),
                    lost(c.machine, "patched by unittest.mock", target), c.node, c.module);
  return std::nullopt;
}

Answer patch_object(Call& c) {
  const auto name = text_in(c.get(1, "attribute"));
  if (name)
    c.machine.store(c.get(0, "target"), c.machine.symbol(*name),
                    lost(c.machine, "patched by unittest.mock", *name), c.node, c.module);
  return std::nullopt;
}

Answer patch_dict(Call& c) {
  const Value of = c.get(0, "in_dict");
  Call update{c.machine, c.path, of, {lost(c.machine, "patched by unittest.mock")}, {}, c.node, c.module};
  if (held_by(c.machine, of)) return update_variables(update);
  if (Dict* dict = of.as<Dict>()) {
    for (auto& [key, value] : c.machine.mutable_items(dict))
      value = lost(c.machine, "patched by unittest.mock");
    dict->open = true;
  }
  return std::nullopt;
}
}  // namespace

void add_surroundings(Natives& n) {
  n.function("os", "environ.__get__", environment);
  n.function("os", "getenv", get_variable);
  n.method("environ", "get", get_variable);
  n.method("environ", "__getitem__", variable_item);
  n.method("environ", "__contains__", has_variable);
  n.method("environ", "__setitem__", set_variable);
  n.method("environ", "setdefault", default_variable);
  for (const char* name : {"pop", "__delitem__"}) n.method("environ", name, pop_variable);
  n.method("environ", "update", update_variables);
  for (const char* name : {"putenv", "unsetenv"}) n.function("os", name, answer_nothing);
  for (const char* name : {"append", "extend", "insert", "pop", "remove", "clear", "__iadd__"})
    n.function("sys", std::string("argv.") + name, change_words);
  n.function("sys", "argv.__setitem__", set_word);
  for (const char* name : {"_exit", "abort", "execv", "execve", "execvp", "execvpe", "execl", "execlp"})
    n.function("os", name, end_process);
  n.function("sys", "modules.__getitem__", loaded_module);
  n.function("unittest", "mock.patch", patch);
  n.function("unittest", "mock.patch.object", patch_object);
  n.function("unittest", "mock.patch.dict", patch_dict);
}

}  // namespace python_models
}  // namespace cutelab::reading::machine
