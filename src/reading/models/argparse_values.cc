#include <algorithm>

#include "reading/models/argparse_parsing.h"

/// What an argument is: of its words, of a setting, by default.
namespace cutelab::reading::machine::argparse_models {

Value Space::get(const std::string& name) const {
  if (const Record* record = space_.as<Record>()) return m_.field(record, name);
  const Instance* instance = space_.as<Instance>();
  if (const Value* own = instance->attributes.find(m_.symbol(name))) return *own;
  const Value of_class = m_.attribute(instance->klass, name, call_.node, call_.module);
  return of_class.is_unknown() ? Value() : of_class;
}

std::string text_field(Machine& m, const Record* record, const char* name) {
  return text_in(m.field(record, name)).value_or("");
}

Parsing::Parsing(Call& call, Space& space, Record* parser)
    : call_(call), m_(call.machine), space_(space), parser_(parser) {
  const List* all = arguments_of(m_, parser);
  for (const Value& one : all ? all->items : std::vector<Value>())
    if (Record* argument = record_if(one, "argument")) arguments_.push_back(argument);
}

void Parsing::run(const Words& words) {
  if (arguments_of(m_, parser_)->open) return lose("which arguments a parser has is not known");
  set_defaults();
  if (!words.empty() && !is_plain()) return lose("a command line that is not followed");
  parse(words);
  if (!m_.raising() && lost_) return lose("a command line that is not followed");
  set_settings();
  for (Record* argument : arguments_)
    if (!m_.raising() && seen_.count(argument) == 0) finish(argument);
  if (!m_.raising()) exclude();
}

std::string Parsing::dest_of(const Record* argument) const {
  const Value dest = m_.field(argument, "dest");
  return is_suppressed(dest) ? std::string() : text_in(dest).value_or("");
}

void Parsing::lose(const char* why) {
  for (const Record* argument : arguments_)
    if (const std::string dest = dest_of(argument); !dest.empty()) space_.set(dest, lost(m_, why, dest));
  if (const Dict* defaults = m_.field(parser_, "_defaults").as<Dict>())
    for (const auto& [name, value] : std::vector(defaults->items))
      if (const auto dest = text_in(name)) space_.set(*dest, lost(m_, why, *dest));
}

void Parsing::fail(const std::string& what) {
  m_.raise_error("SystemExit", "SystemExit: " + what, call_.node, call_.module);
}

bool Parsing::is_plain() const {
  const auto has_name = [&](const Record* a) { return text_in(m_.field(a, "dest")) || dest_of(a).empty(); };
  return !m_.field(parser_, "fromfile_prefix_chars").bound() && !m_.field(parser_, "prefix_chars").bound() &&
         !m_.field(parser_, "allow_abbrev").bound() &&
         std::all_of(arguments_.begin(), arguments_.end(), has_name);
}

bool takes_several(Machine& m, const Record* argument) {
  const Value nargs = m.field(argument, "nargs");
  return nargs.is_integral() || text_in(nargs) == "*" || text_in(nargs) == "+";
}

void Parsing::set_defaults() {
  for (const Record* argument : arguments_) {
    const std::string dest = dest_of(argument);
    const Value value = m_.field(argument, "default");
    if (!dest.empty() && !is_suppressed(value) && !space_.get(dest).bound()) space_.set(dest, value);
  }
  const Dict* defaults = m_.field(parser_, "_defaults").as<Dict>();
  for (const auto& [name, value] : defaults ? defaults->items : std::vector<std::pair<Value, Value>>()) {
    const auto dest = text_in(name);
    if (!dest || space_.get(*dest).bound()) continue;
    const std::string* given = m_.setting(*dest);
    space_.set(*dest, given ? m_.from_text(*given) : value);
  }
}

/// A text as the argument's type makes it.
Value Parsing::typed(const Record* argument, const Value& text) {
  const Value type = m_.field(argument, "type");
  if (!type.bound() || type.is_none() || !text.as<Text>()) return text;
  const Value made = m_.call(type, {text}, {}, argument->made_at, argument->made_in);
  if (!m_.raising()) return made;
  const auto refused = m_.tuple({m_.external("builtins.TypeError"), m_.external("builtins.ValueError"),
                                 m_.external("argparse.ArgumentTypeError")});
  if (!m_.catches(refused)) return made;
  const std::string why = m_.exception_text();
  m_.drop_error();
  fail("argument " + dest_of(argument) + ": " + why);
  return {};
}

Value Parsing::checked(const Record* argument, const Value& value) {
  const Value choices = m_.field(argument, "choices");
  const auto allowed = choices.bound() && !choices.is_none() ? m_.items(choices) : std::nullopt;
  if (!allowed || m_.raising()) return value;
  for (const Value& choice : *allowed)
    if (m_.equal(choice, value) != Machine::Truth::no) return value;
  fail("argument " + dest_of(argument) + ": invalid choice " + m_.repr(value));
  return {};
}

Value Parsing::of_word(const Record* argument, const std::string& word) {
  return checked(argument, typed(argument, m_.text(word)));
}

/// What an argument's words stand for; none of a place: its default.
Value Parsing::of_words(const Record* argument, bool place, const Words& words) {
  const Value otherwise = m_.field(argument, place ? "default" : "const");
  const auto form = text_in(m_.field(argument, "nargs"));
  if (words.empty() && form == "?")
    return otherwise.as<Text>() ? checked(argument, typed(argument, otherwise)) : otherwise;
  if (words.empty() && form == "*" && place && !otherwise.is_none()) return otherwise;
  if (!takes_several(m_, argument)) return words.empty() ? Value::none() : of_word(argument, words.front());
  std::vector<Value> items;
  for (const std::string& word : words) items.push_back(of_word(argument, word));
  return m_.list(std::move(items));
}

Value Parsing::taken(const Record* argument, const std::string& flag, const Words& words,
                     const Value& before) {
  const std::string action = text_field(m_, argument, "action");
  if (action == "count")
    return before.bound() && !before.is_none() ? m_.arithmetic("+", before, Value::integer(1))
                                               : Value::integer(1);
  if (action == "BooleanOptionalAction") return Value::boolean(!flag.starts_with("--no-"));
  if (action == "store_const" || action == "store_true" || action == "store_false")
    return m_.field(argument, "const");
  if (action == "append_const") return appended(before, m_.field(argument, "const"), false);
  if (action == "other") return lost(m_, "an action of the program's own", dest_of(argument));
  const Value value = of_words(argument, is_positional(m_, argument), words);
  if (m_.raising() || (action != "append" && action != "extend")) return value;
  return appended(before, value, action == "extend");
}

void Parsing::take(Record* argument, const std::string& flag, const Words& words) {
  seen_.insert(argument);
  const std::string action = text_field(m_, argument, "action"), dest = dest_of(argument);
  if (action == "help" || action == "version") {
    m_.raise_error("SystemExit", Machine::exit_text, call_.node, call_.module);
    return;
  }
  const Value value = taken(argument, flag, words, dest.empty() ? Value() : space_.get(dest));
  if (!m_.raising() && !dest.empty() && !is_suppressed(value)) space_.set(dest, value);
}

Value Parsing::appended(const Value& before, const Value& value, bool several) {
  auto items =
      !before.bound() || before.is_none() ? std::optional(std::vector<Value>()) : m_.items_in_order(before);
  const auto more = several ? m_.items_in_order(value) : std::optional(std::vector<Value>{value});
  if (!items || !more) return lost(m_, "a list that is not known");
  items->insert(items->end(), more->begin(), more->end());
  return m_.list(std::move(*items));
}

namespace {
Words split(const std::string& given) {
  Words out(1);
  for (const char c : given) {
    if (c != ',' && c != ' ')
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}
}  // namespace

const std::string* Parsing::setting_of(const Record* argument, const std::string& dest) {
  if (dest.empty()) return nullptr;
  if (const std::string* given = m_.setting(dest)) return given;
  if (const auto* flags = sequence_of(m_.field(argument, "option_strings")))
    for (const Value& flag : *flags) {
      const std::string text = text_in(flag).value_or("");
      if (const std::string* given = m_.setting(text)) return given;
      if (const std::string* given = m_.setting(destination(text))) return given;
    }
  return nullptr;
}

void Parsing::set_settings() {
  for (Record* argument : arguments_) {
    const std::string dest = dest_of(argument);
    const std::string* given = m_.raising() ? nullptr : setting_of(argument, dest);
    if (!given) continue;
    seen_.insert(argument);
    if (text_field(m_, argument, "action") == "parsers")
      command(argument, {*given});
    else
      space_.set(dest, as_setting(argument, *given));
  }
}

/// A setting as its text on the command line would be taken.
Value Parsing::as_setting(const Record* argument, const std::string& given) {
  const std::string action = text_field(m_, argument, "action");
  if (action == "store_true" || action == "store_false" || action == "BooleanOptionalAction")
    return Value::boolean(given != "0" && given != "false" && given != "False" && given != "no");
  if (action == "store_const") return m_.field(argument, "const");
  if (action == "count") return m_.from_text(given);
  if (given == "None" || given == "none") return Value::none();
  if (!takes_several(m_, argument) && action != "append" && action != "extend")
    return of_word(argument, given);
  std::vector<Value> items;
  for (const std::string& word : split(given)) items.push_back(of_word(argument, word));
  return m_.list(std::move(items));
}

/// A text that still stands as the default is taken as a word would be.
void Parsing::finish(const Record* argument) {
  const std::string dest = dest_of(argument);
  if (dest.empty()) return;
  if (m_.truth(m_.field(argument, "required")) == Machine::Truth::yes)
    return space_.set(dest, lost(m_, "no default: the command line must give it", dest));
  const Value otherwise = m_.field(argument, "default"), now = space_.get(dest);
  if (!otherwise.as<Text>() || !now.as<Text>() || is_suppressed(otherwise)) return;
  if (now.same(otherwise)) {
    const Value made = typed(argument, otherwise);
    if (!m_.raising() && !made.same(now)) space_.set(dest, made);
  } else if (text_in(now) == text_in(otherwise) && !m_.field(argument, "type").is_none()) {
    space_.set(dest, lost(m_, "whether a text is the default itself is not known", dest));
  }
}

/// One of a group that must be given.
void Parsing::exclude() {
  const List* groups = m_.field(parser_, "_exclusive").as<List>();
  for (const Value& one : groups ? groups->items : std::vector<Value>()) {
    const Record* group = record_if(one, "ArgumentParser");
    const List* own = group ? m_.field(group, "_group_actions").as<List>() : nullptr;
    if (!own || m_.truth(m_.field(group, "required")) != Machine::Truth::yes) continue;
    const auto is_seen = [&](const Value& a) { return seen_.count(a.as<Record>()) > 0; };
    if (std::any_of(own->items.begin(), own->items.end(), is_seen)) continue;
    for (const Value& a : own->items)
      if (const std::string dest = dest_of(a.as<Record>()); !dest.empty())
        space_.set(dest, lost(m_, "no default: the command line must give one of a group", dest));
  }
}

}  // namespace cutelab::reading::machine::argparse_models
