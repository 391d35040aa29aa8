#include "reading/models/argparse.h"

#include <algorithm>

/// argparse: parsers as the program builds them. What they parse: argparse_words.cc.
namespace cutelab::reading::machine {
namespace argparse_models {

bool is_suppressed(const Value& value) {
  const auto* name = value.as<External>();
  return (name && name->leaf() == "SUPPRESS") || text_in(value) == "==SUPPRESS==";
}

std::string destination(std::string_view flag, std::string_view prefixes) {
  const auto begin = flag.find_first_not_of(prefixes);
  std::string out(begin == std::string_view::npos ? std::string_view() : flag.substr(begin));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

bool is_positional(Machine& machine, const Record* argument) {
  const auto* flags = sequence_of(machine.field(argument, "option_strings"));
  return flags && flags->empty();
}

const List* arguments_of(Machine& machine, const Record* parser) {
  return machine.field(parser, "_actions").as<List>();
}

namespace {

List* list_field(Machine& machine, const Record* record, std::string_view name) {
  return machine.field(record, name).as<List>();
}

/// What a dict of the program's holds under a name; unbound: nothing that is known.
Value named(Machine& machine, const Value& dict, const std::string& name) {
  const Dict* d = dict.as<Dict>();
  if (d)
    for (const auto& [key, value] : d->items)
      if (text_in(key) == name) return value;
  return d && d->open ? machine.unknown("of a dictionary that is not known", name) : Value();
}

std::string prefixes_of(Machine& machine, const Record* parser) {
  return text_in(machine.field(parser, "prefix_chars")).value_or("-");
}

struct Names {
  std::vector<std::string> flags;  ///< none: it is positional
  std::string dest;
  bool known = true;
  const char* error = nullptr;
};

/// Whether the only name given is one of a place, not of an option; nullopt: it has no character.
std::optional<bool> names_a_place(const std::vector<std::string>& flags, const std::string& prefixes) {
  if (flags.size() == 1 && flags[0].empty()) return std::nullopt;
  return flags.empty() || (flags.size() == 1 && prefixes.find(flags[0][0]) == std::string::npos);
}

/// As argparse: the first long option names it, else the first.
void name_option(Names& out, const std::string& prefixes) {
  if (!out.dest.empty()) return;
  const auto is_long = [&](const std::string& flag) {
    return flag.size() > 1 && prefixes.find(flag[1]) != std::string::npos;
  };
  const auto chosen = std::find_if(out.flags.begin(), out.flags.end(), is_long);
  out.dest = destination(chosen == out.flags.end() ? out.flags.front() : *chosen, prefixes);
  if (out.dest.empty()) out.error = "ValueError: an option without a name needs dest=";
}

Names names_of(const Call& call, const std::string& prefixes) {
  Names out;
  out.known = call.complete;
  for (const Value& argument : call.arguments) {
    const auto text = text_in(argument);
    out.known = out.known && text;
    out.flags.push_back(text.value_or("?"));
  }
  const Value dest = call.get(-1, "dest");
  if (const auto text = text_in(dest)) out.dest = *text;
  out.known = out.known && (!dest.bound() || text_in(dest) || is_suppressed(dest));
  const auto place = names_a_place(out.flags, prefixes);
  if (!place) {
    out.error = "IndexError: string index out of range";
  } else if (*place) {
    if (!out.flags.empty() && dest.bound())
      out.error = "ValueError: dest supplied twice for positional argument";
    if (!out.flags.empty()) out.dest = out.flags.front();
    out.flags.clear();
  } else if (!is_suppressed(dest)) {
    name_option(out, prefixes);
  }
  return out;
}

std::string action_of(const Call& call) {
  const Value action = call.get(-1, "action");
  if (const auto text = text_in(action)) return *text;
  if (const auto* name = action.as<External>(); name && name->leaf() == "BooleanOptionalAction")
    return std::string(name->leaf());
  return action.bound() ? "other" : "store";
}

/// What an argument is where the command line does not give it: its own default, that of set_defaults() so
/// far, the parser's, that of its action.
Value default_of(Call& call, const Record* self, const Names& names, const std::string& action) {
  Machine& m = call.machine;
  if (const Value given = call.get(-1, "default"); given.bound()) return given;
  if (const Value set = named(m, m.field(self, "_defaults"), names.dest); set.bound()) return set;
  if (const Value all = m.field(self, "argument_default"); all.bound() && !all.is_none()) return all;
  if (action == "help" || action == "version") return m.text("==SUPPRESS==");
  if (action == "store_true") return Value::boolean(false);
  return action == "store_false" ? Value::boolean(true) : Value::none();
}

/// An option string stands for one argument.
bool is_taken(Machine& m, const Record* parser, const std::vector<std::string>& flags) {
  const List* all = arguments_of(m, parser);
  for (const Value& one : all ? all->items : std::vector<Value>()) {
    const Record* argument = record_if(one, "argument");
    const auto* known = argument ? sequence_of(m.field(argument, "option_strings")) : nullptr;
    for (const Value& flag : known ? *known : std::vector<Value>())
      if (std::find(flags.begin(), flags.end(), text_in(flag).value_or("")) != flags.end()) return true;
  }
  return false;
}

/// conflict_handler="resolve": those that had the options lose them, and are gone without any.
void take_over(Machine& m, const Record* parser, const std::vector<std::string>& flags) {
  List* all = list_field(m, parser, "_actions");
  std::vector<Value> left;
  for (const Value& one : std::vector(all->items)) {
    Record* argument = record_if(one, "argument");
    const auto* known = argument ? sequence_of(m.field(argument, "option_strings")) : nullptr;
    std::vector<Value> others;
    for (const Value& flag : known ? *known : others)
      if (std::find(flags.begin(), flags.end(), text_in(flag).value_or("")) == flags.end())
        others.push_back(flag);
    if (known && others.empty() && !known->empty()) continue;
    left.push_back(one);
    if (known && others.size() != known->size()) m.set_field(argument, "option_strings", m.list(others));
  }
  if (left.size() != all->items.size()) m.mutable_items(all) = std::move(left);
}

/// BooleanOptionalAction adds "--no-x" to each "--x".
std::vector<Value> option_strings(Machine& m, const Names& names, const std::string& action) {
  std::vector<Value> out;
  for (const std::string& flag : names.flags) {
    out.push_back(m.text(flag));
    if (action == "BooleanOptionalAction" && flag.starts_with("--"))
      out.push_back(m.text("--no-" + flag.substr(2)));
  }
  return out;
}

Value required_of(const Call& call, const Names& names) {
  if (!names.flags.empty()) return call.get(-1, "required", Value::boolean(false));
  const Value nargs = call.get(-1, "nargs", Value::none());
  const auto form = text_in(nargs);
  return Value::boolean(!form || (*form != "?" && (*form != "*" || !call.get(-1, "default").bound())));
}

std::optional<Value> add_argument(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  Machine& m = call.machine;
  const Names names = names_of(call, prefixes_of(m, self));
  if (names.error) return m.raise(names.error, call.node, call.module);
  const std::string action = action_of(call);
  if (is_taken(m, self, names.flags)) {
    if (!m.field(self, "conflict_handler").bound())
      return m.raise("ArgumentError: conflicting option string " + names.flags.front(), call.node,
                     call.module);
    take_over(m, self, names.flags);
  }
  Record* made = m.record("argument", "argparse.argument", &call);
  put(m, made, "option_strings", m.list(option_strings(m, names, action)));
  put(m, made, "dest", names.known ? m.text(names.dest) : lost(m, "which argument it is is not known"));
  put(m, made, "action", m.text(action));
  put(m, made, "default", default_of(call, self, names, action));
  put(m, made, "required", required_of(call, names));
  for (const char* name : {"type", "choices", "nargs", "const", "help", "metavar"})
    put(m, made, name, call.get(-1, name, Value::none()));
  if (action == "store_true" || action == "store_false")
    put(m, made, "const", Value::boolean(action == "store_true"));
  m.mutable_items(list_field(m, self, "_actions")).push_back(made);
  if (List* group = list_field(m, self, "_group_actions")) m.mutable_items(group).push_back(made);
  return made;
}

void add_help(Call& call, Record* parser) {
  const Value wanted = call.get(-1, "add_help", Value::boolean(true));
  if (call.machine.truth(wanted) != Machine::Truth::yes) return;
  Machine& m = call.machine;
  const std::string prefix =
      prefixes_of(m, parser).find('-') != std::string::npos ? "-" : prefixes_of(m, parser).substr(0, 1);
  Call help{m,  call.path, parser,      {m.text(prefix + "h"), m.text(prefix + prefix + "help")},
            {}, call.node, call.module, true};
  help.keywords = {{m.symbol("action"), m.text("help")}, {m.symbol("default"), m.text("==SUPPRESS==")}};
  add_argument(help);
}

void add_parent(Call& call, Record* parser, const Record* parent) {
  Machine& m = call.machine;
  for (const char* name : {"_actions", "_exclusive"})
    if (const List* more = list_field(m, parent, name)) {
      auto& items = m.mutable_items(list_field(m, parser, name));
      items.insert(items.end(), more->items.begin(), more->items.end());
    }
  if (const Dict* defaults = m.field(parent, "_defaults").as<Dict>())
    for (const auto& [name, value] : std::vector(defaults->items))
      m.put(m.field(parser, "_defaults").as<Dict>(), name, value);
}

std::optional<Value> parser(Call& call) {
  Machine& m = call.machine;
  Record* made = record_of(call, "ArgumentParser");
  put(m, made, "_actions", m.list({}));
  put(m, made, "_exclusive", m.list({}));
  put(m, made, "_defaults", m.make<Dict>());
  for (const char* name : {"argument_default", "description", "epilog", "prog"})
    put(m, made, name, call.get(-1, name, Value::none()));
  for (const char* name : {"prefix_chars", "conflict_handler", "fromfile_prefix_chars", "allow_abbrev"})
    put(m, made, name, call.get(-1, name));
  add_help(call, made);
  const Value parents = call.get(-1, "parents");
  const auto* all = sequence_of(parents);
  bool known = !parents.bound() || all;
  for (const Value& one : all ? *all : std::vector<Value>()) {
    const Record* parent = record_if(one, "ArgumentParser");
    known = known && parent;
    if (parent) add_parent(call, made, parent);
  }
  if (!known) m.field(made, "_actions").as<List>()->open = true;
  return made;
}

/// __init__ of a class that derives from it.
std::optional<Value> init_parser(Call& call) {
  Instance* self = call.count() ? call.arguments[0].as<Instance>() : nullptr;
  if (!self) return std::nullopt;
  Call plain = call;
  plain.arguments.erase(plain.arguments.begin());
  plain.path = "argparse.ArgumentParser";
  const auto made = parser(plain);
  call.machine.set(self->attributes, call.machine.symbol("__modelled__"), *made);
  return Value::none();
}

/// A group shows its arguments under a title; they are the parser's.
std::optional<Value> add_group(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  Machine& m = call.machine;
  Record* made = record_of(call, "ArgumentParser");
  for (const char* name : {"_actions", "_exclusive", "_defaults", "prefix_chars", "conflict_handler"})
    put(m, made, name, m.field(self, name));
  put(m, made, "argument_default", call.get(-1, "argument_default", m.field(self, "argument_default")));
  put(m, made, "_group_actions", m.list({}));
  if (!call.path.ends_with("add_mutually_exclusive_group")) return made;
  put(m, made, "required", call.get(0, "required", Value::boolean(false)));
  m.mutable_items(list_field(m, self, "_exclusive")).push_back(made);
  return made;
}

/// They are the arguments' own from here on, and those of arguments that are added later without one.
std::optional<Value> set_defaults(Call& call) {
  Record* self = call.self.as<Record>();
  Dict* defaults = self ? call.machine.field(self, "_defaults").as<Dict>() : nullptr;
  if (!defaults) return std::nullopt;
  Machine& m = call.machine;
  const List* all = arguments_of(m, self);
  for (const auto& [symbol, value] : call.keywords) {
    const std::string name = m.name_of(symbol);
    m.put(defaults, m.text(name), value);
    for (const Value& one : all ? all->items : std::vector<Value>())
      if (Record* argument = record_if(one, "argument"))
        if (text_in(m.field(argument, "dest")) == name) m.set_field(argument, "default", value);
  }
  if (call.complete) return Value::none();
  defaults->open = true;
  for (const Value& one : all ? all->items : std::vector<Value>())
    if (Record* argument = record_if(one, "argument"))
      m.set_field(argument, "default", lost(m, "set_defaults() with names that are not known"));
  return Value::none();
}

std::optional<Value> get_default(Call& call) {
  const Record* self = call.self.as<Record>();
  const auto dest = text_in(call.get(0, "dest"));
  const List* all = self ? arguments_of(call.machine, self) : nullptr;
  if (!all || !dest) return std::nullopt;
  if (all->open) return lost(call.machine, "which arguments a parser has is not known");
  for (const Value& one : all->items)
    if (const Record* argument = record_if(one, "argument"))
      if (text_in(call.machine.field(argument, "dest")) == dest) {
        const Value value = call.machine.field(argument, "default");
        if (!value.is_none()) return value;
      }
  const Value set = named(call.machine, call.machine.field(self, "_defaults"), *dest);
  return set.bound() ? set : Value::none();
}

std::optional<Value> add_subparsers(Call& call) {
  Record* self = call.self.as<Record>();
  if (!self) return std::nullopt;
  Machine& m = call.machine;
  Record* made = m.record("argument", "argparse.argument", &call);
  put(m, made, "dest", call.get(-1, "dest", m.text("==SUPPRESS==")));
  put(m, made, "required", call.get(-1, "required", Value::boolean(false)));
  put(m, made, "option_strings", m.list({}));
  put(m, made, "action", m.text("parsers"));
  put(m, made, "parsers", m.list({}));
  for (const char* name : {"default", "type", "choices", "nargs", "const"}) put(m, made, name, Value::none());
  m.mutable_items(list_field(m, self, "_actions")).push_back(made);
  return made;
}

std::optional<Value> add_parser(Call& call) {
  Record* self = call.self.as<Record>();
  const Value name = call.get(0, "name");
  Call plain = call;
  plain.arguments.clear();
  plain.self = Value();
  const auto made = parser(plain);
  if (!self || !made || !name.bound()) return std::nullopt;
  auto& all = call.machine.mutable_items(list_field(call.machine, self, "parsers"));
  all.push_back(call.machine.tuple({name, *made}));
  if (const auto* aliases = sequence_of(call.get(-1, "aliases")))
    for (const Value& alias : *aliases) all.push_back(call.machine.tuple({alias, *made}));
  return made;
}

/// parser._option_string_actions: arguments by their options.
std::optional<Value> by_option(Machine& machine, const Value& self) {
  const List* all = arguments_of(machine, self.as<Record>());
  if (!all || all->open) return std::nullopt;
  Dict* out = machine.make<Dict>();
  for (const Value& one : all->items)
    if (const Record* argument = record_if(one, "argument"))
      if (const auto* flags = sequence_of(machine.field(argument, "option_strings")))
        for (const Value& flag : *flags) out->items.emplace_back(flag, one);
  return out;
}

std::optional<Value> error(Call& call) {
  return call.machine.raise_error("SystemExit",
                                  "SystemExit: " + call.machine.str(call.get(0, "message", Value::none())),
                                  call.node, call.module);
}

/// parser.exit(status=0, message=None)
std::optional<Value> exit(Call& call) {
  const Value status = call.get(0, "status", Value::integer(0));
  const bool failure = call.machine.truth(status) == Machine::Truth::yes;
  return call.machine.raise_error(
      "SystemExit", failure ? "the program exits with " + call.machine.str(status) : Machine::exit_text,
      call.node, call.module);
}

std::optional<Value> space(Call& call) {
  Record* made = call.machine.record("Namespace", std::string(call.path), &call);
  for (const auto& [name, value] : call.keywords) made->fields.at(name) = value;
  return made;
}

std::optional<Value> names_of_space(Machine& machine, const Value& self) {
  return machine.dict_of(self.as<Record>()->fields);
}

}  // namespace
}  // namespace argparse_models

void add_argparse(Natives& natives) {
  using namespace argparse_models;
  natives.function("argparse", "ArgumentParser", parser);
  natives.function("argparse", "ArgumentParser.__init__", init_parser);
  natives.function("argparse", "Namespace", space);
  natives.function("types", "SimpleNamespace", space);
  natives.getter("Namespace", "__dict__", names_of_space);
  natives.method("ArgumentParser", "add_argument", add_argument);
  for (const char* name : {"add_argument_group", "add_mutually_exclusive_group"})
    natives.method("ArgumentParser", name, add_group);
  natives.method("ArgumentParser", "set_defaults", set_defaults);
  natives.method("ArgumentParser", "get_default", get_default);
  natives.method("ArgumentParser", "add_subparsers", add_subparsers);
  natives.method("ArgumentParser", "parse_args", parse_args);
  natives.method("ArgumentParser", "parse_known_args", parse_known_args);
  natives.method("ArgumentParser", "parse_intermixed_args", parse_intermixed_args);
  natives.method("ArgumentParser", "error", error);
  natives.method("ArgumentParser", "exit", exit);
  natives.getter("ArgumentParser", "_option_string_actions", by_option);
  for (const char* name : {"print_help", "print_usage"}) natives.method("ArgumentParser", name, answer_none);
  natives.method("argument", "add_parser", add_parser);
}

}  // namespace cutelab::reading::machine
