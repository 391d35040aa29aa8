#include <algorithm>

#include "reading/models/arguments.h"

/// argparse: what the parser returns for an empty command line, with the settings a person gave in its place.
/// Record "ArgumentParser": actions, a list of Records "argument"; defaults, a dict of set_defaults;
/// subparsers. Groups of a parser share its lists, so a group is the parser's Record again.
namespace cutelab::reading::machine {
namespace argparse_models {

Value list_field(Machine& machine, Record* record, std::string_view name) {
  Value list = machine.field(record, name);
  if (list.bound()) return list;
  list = machine.list({});
  machine.set_field(record, name, list);
  return list;
}

std::optional<Value> parser(Call& call) {
  Record* made = record_of(call, "ArgumentParser");
  put(call.machine, made, "actions", call.machine.list({}));
  put(call.machine, made, "defaults", call.machine.list({}));
  put(call.machine, made, "argument_default", call.get(-1, "argument_default", Value::none()));
  put(call.machine, made, "description", call.get(-1, "description", Value::none()));
  if (const auto* parents = sequence_of(call.get(-1, "parents")))
    for (const Value& parent : *parents) {
      Record* record = record_if(parent, "ArgumentParser");
      if (!record) continue;
      auto& actions = call.machine.mutable_items(list_field(call.machine, made, "actions").as<List>());
      const List* more = call.machine.field(record, "actions").as<List>();
      if (more) actions.insert(actions.end(), more->items.begin(), more->items.end());
    }
  return made;
}

/// "--mma-tiler" -> "mma_tiler".
std::string destination(std::string_view flag) {
  while (!flag.empty() && flag.front() == '-') flag.remove_prefix(1);
  std::string out(flag);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

struct Names {
  std::vector<std::string> flags;
  std::string dest;
  bool positional = false;
};

Names names_of(const Call& call) {
  Names out;
  for (const Value& argument : call.arguments)
    if (const auto text = text_in(argument)) out.flags.push_back(*text);
  if (const auto dest = text_in(call.get(-1, "dest"))) out.dest = *dest;
  out.positional = out.flags.empty() || out.flags.front().rfind('-', 0) != 0;
  if (!out.dest.empty() || out.flags.empty()) return out;
  out.dest = out.positional ? out.flags.front() : std::string();
  for (const std::string& flag : out.flags)
    if (out.dest.empty() && flag.rfind("--", 0) == 0) out.dest = destination(flag);
  if (out.dest.empty()) out.dest = destination(out.flags.front());
  return out;
}

std::string action_of(const Call& call) {
  const Value action = call.get(-1, "action");
  if (const auto text = text_in(action)) return *text;
  if (const auto* name = action.as<External>()) return std::string(name->leaf());
  return action.bound() ? "other" : "store";
}

Value default_of(const std::string& action) {
  if (action == "store_true") return Value::boolean(false);
  if (action == "store_false") return Value::boolean(true);
  return Value();
}

std::optional<Value> add_argument(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  const Names names = names_of(call);
  const std::string action = action_of(call);
  if (action == "help" || action == "version") return Value::none();
  Machine& machine = call.machine;
  Record* made = machine.record("argument", "argparse.argument", &call);
  std::vector<Value> flags;
  for (const std::string& flag : names.flags) flags.push_back(machine.text(flag));
  put(machine, made, "dest", machine.text(names.dest));
  put(machine, made, "flags", machine.tuple(std::move(flags)));
  put(machine, made, "positional", Value::boolean(names.positional));
  put(machine, made, "action", machine.text(action));
  for (const char* name : {"default", "type", "choices", "nargs", "const", "required", "help"})
    put(machine, made, name, call.get(-1, name));
  if (!machine.field(made, "default").bound()) put(machine, made, "default", default_of(action));
  machine.mutable_items(list_field(machine, self, "actions").as<List>()).push_back(made);
  return made;
}

std::optional<Value> set_defaults(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  auto& defaults = call.machine.mutable_items(list_field(call.machine, self, "defaults").as<List>());
  for (const auto& [name, value] : call.keywords)
    defaults.push_back(call.machine.tuple({call.machine.text(call.machine.name_of(name)), value}));
  return Value::none();
}

std::optional<Value> add_subparsers(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  Record* made = call.machine.record("Subparsers", "argparse.Subparsers", &call);
  for (const char* name : {"dest", "required"}) put(call.machine, made, name, call.get(-1, name));
  put(call.machine, made, "parsers", call.machine.list({}));
  call.machine.set_field(self, "subparsers", made);
  return made;
}

std::optional<Value> add_parser(Call& call) {
  Record* self = call.self.as<Record>();
  const Value name = call.get(0, "name");
  auto made = parser(call);
  if (!self || !made || !name.bound()) return std::nullopt;
  auto& all = call.machine.mutable_items(list_field(call.machine, self, "parsers").as<List>());
  all.push_back(call.machine.tuple({name, *made}));
  return made;
}

/// Fills a namespace from one parser.
class Filling {
 public:
  Filling(Call& call, Record* space) : call_(call), m_(call.machine), space_(space) {}

  void fill(Record* parser) {
    if (const auto* actions = m_.field(parser, "actions").as<List>())
      for (const Value& one : actions->items)
        if (Record* argument = record_if(one, "argument"); argument && !m_.raising())
          this->argument(parser, argument);
    if (const auto* defaults = m_.field(parser, "defaults").as<List>())
      for (const Value& pair : defaults->items) set_default(pair);
    if (Record* sub = record_if(m_.field(parser, "subparsers"), "Subparsers")) command(sub);
  }

 private:
  void store(const std::string& name, const Value& value) { m_.set_field(space_, name, value); }

  /// set_defaults wins over the arguments' own, not over the command line.
  void set_default(const Value& pair) {
    const auto* items = sequence_of(pair);
    const auto name = text_in((*items)[0]);
    if (name && !m_.setting(*name)) store(*name, (*items)[1]);
  }

  const std::string* setting_of(Record* argument, const std::string& dest) {
    if (const std::string* given = m_.setting(dest)) return given;
    if (const auto* flags = sequence_of(m_.field(argument, "flags")))
      for (const Value& flag : *flags) {
        const std::string text = text_in(flag).value_or("");
        if (const std::string* given = m_.setting(text)) return given;
        if (const std::string* given = m_.setting(destination(text))) return given;
      }
    return nullptr;
  }

  void argument(Record* parser, Record* argument) {
    const std::string dest = text_in(m_.field(argument, "dest")).value_or("");
    if (dest.empty()) return;
    if (const std::string* given = setting_of(argument, dest)) return store(dest, parsed(argument, *given));
    Value value = m_.field(argument, "default");
    if (const auto* name = value.as<External>(); name && name->leaf() == "SUPPRESS") return;
    if (text_in(value) == "==SUPPRESS==") return;
    if (!value.bound() && wanted(argument))
      return store(dest, m_.unknown("no default: the command line must give it", dest));
    if (!value.bound()) value = m_.field(parser, "argument_default");
    if (value.as<Text>()) value = typed(argument, value);
    store(dest, value.bound() ? value : Value::none());
  }

  bool wanted(Record* argument) {
    if (m_.truth(m_.field(argument, "positional")) == Machine::Truth::yes) {
      const auto nargs = text_in(m_.field(argument, "nargs"));
      return !nargs || *nargs == "+";
    }
    const Value required = m_.field(argument, "required");
    return required.bound() && m_.truth(required) == Machine::Truth::yes;
  }

  Value typed(Record* argument, const Value& text) {
    const Value type = m_.field(argument, "type");
    if (!type.bound() || type.is_none()) return text;
    return m_.call(type, {text}, {}, argument->made_at, argument->made_in);
  }

  /// A setting as its text on the command line would be taken.
  Value parsed(Record* argument, const std::string& given) {
    const std::string action = text_in(m_.field(argument, "action")).value_or("store");
    if (action == "store_true" || action == "store_false" || action == "BooleanOptionalAction")
      return Value::boolean(given != "0" && given != "false" && given != "False" && given != "no");
    if (action == "store_const") return m_.field(argument, "const");
    if (given == "None" || given == "none") return Value::none();
    const Value nargs = m_.field(argument, "nargs");
    const bool several = nargs.is_int() || text_in(nargs) == "+" || text_in(nargs) == "*";
    if (!several && action != "append" && action != "extend")
      return checked(argument, typed(argument, m_.text(given)));
    std::vector<Value> items;
    for (const std::string& word : words(given))
      items.push_back(checked(argument, typed(argument, m_.text(word))));
    return m_.list(std::move(items));
  }

  static std::vector<std::string> words(const std::string& given) {
    std::vector<std::string> out(1);
    for (const char c : given) {
      if (c != ',' && c != ' ')
        out.back() += c;
      else if (!out.back().empty())
        out.emplace_back();
    }
    if (out.back().empty()) out.pop_back();
    return out;
  }

  Value checked(Record* argument, const Value& value) {
    const Value choices = m_.field(argument, "choices");
    const auto allowed = choices.bound() && !choices.is_none() ? m_.items(choices) : std::nullopt;
    if (!allowed || m_.raising()) return value;
    for (const Value& choice : *allowed)
      if (m_.equal(choice, value) != Machine::Truth::no) return value;
    return m_.raise("SystemExit: argument " + text_in(m_.field(argument, "dest")).value_or("") +
                        ": invalid choice " + m_.repr(value),
                    call_.node, call_.module);
  }

  void command(Record* subparsers) {
    const auto dest = text_in(m_.field(subparsers, "dest"));
    const std::string* given = dest ? m_.setting(*dest) : nullptr;
    if (dest && !given) {
      const Value required = m_.field(subparsers, "required");
      const bool must = required.bound() && m_.truth(required) == Machine::Truth::yes;
      store(*dest,
            must ? m_.unknown("no default: the command line must name a command", *dest) : Value::none());
    }
    const auto* all = m_.field(subparsers, "parsers").as<List>();
    if (!given || !all) return;
    store(*dest, m_.text(*given));
    for (const Value& pair : all->items) {
      const auto* items = sequence_of(pair);
      if (text_in((*items)[0]) == *given)
        if (Record* chosen = record_if((*items)[1], "ArgumentParser")) fill(chosen);
    }
  }

  Call& call_;
  Machine& m_;
  Record* space_;
};

std::optional<Value> parse_args(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  const List* words = call.get(0, "args", Value::none()).as<List>();
  if (words && !words->items.empty()) return call.machine.unknown("what words of the program's own say");
  Record* space = call.machine.record("Namespace", "argparse.Namespace", &call);
  if (Record* given = record_if(call.get(1, "namespace"), "Namespace")) space = given;
  Filling(call, space).fill(self);
  return call.machine.raising() ? Value() : Value(space);
}

std::optional<Value> parse_known_args(Call& call) {
  const auto space = parse_args(call);
  if (!space || !space->bound()) return space;
  return call.machine.tuple({*space, call.machine.list({})});
}

std::optional<Value> error(Call& call) {
  return call.machine.raise("SystemExit: " + call.machine.str(call.get(0, "message", Value::none())),
                            call.node, call.module);
}

std::optional<Value> get_default(Call& call) {
  Record* self = call.self.as<Record>();
  const auto dest = text_in(call.get(0, "dest"));
  const auto* actions = self ? call.machine.field(self, "actions").as<List>() : nullptr;
  if (!actions || !dest) return std::nullopt;
  for (const Value& one : actions->items)
    if (const Record* argument = record_if(one, "argument"))
      if (text_in(call.machine.field(argument, "dest")) == dest) {
        const Value value = call.machine.field(argument, "default");
        return value.bound() ? value : Value::none();
      }
  return Value::none();
}

std::optional<Value> space(Call& call) {
  Record* made = call.machine.record("Namespace", "argparse.Namespace", &call);
  for (const auto& [name, value] : call.keywords) made->fields.at(name) = value;
  return made;
}

}  // namespace argparse_models

void add_argparse(Natives& natives) {
  using namespace argparse_models;
  natives.function("argparse", "ArgumentParser", parser);
  natives.function("argparse", "Namespace", space);
  natives.method("ArgumentParser", "add_argument", add_argument);
  for (const char* name : {"add_argument_group", "add_mutually_exclusive_group"})
    natives.method("ArgumentParser", name, answer_self);
  natives.method("ArgumentParser", "set_defaults", set_defaults);
  natives.method("ArgumentParser", "get_default", get_default);
  natives.method("ArgumentParser", "add_subparsers", add_subparsers);
  natives.method("ArgumentParser", "parse_args", parse_args);
  natives.method("ArgumentParser", "parse_known_args", parse_known_args);
  natives.method("ArgumentParser", "error", error);
  natives.method("ArgumentParser", "exit", error);
  for (const char* name : {"print_help", "print_usage"}) natives.method("ArgumentParser", name, answer_none);
  natives.method("Subparsers", "add_parser", add_parser);
}

}  // namespace cutelab::reading::machine
