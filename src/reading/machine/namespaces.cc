#include <algorithm>
#include <cctype>

#include "reading/machine/interpreter.h"

// Names of objects and modules as dictionaries, and what may be written under names that are not known.
namespace cutelab::reading::machine {

namespace {
Value unseen(Machine& m, const char* why, const std::string& name) {
  const Value out = m.unknown(why, name);
  out.as<Unknown>()->changed = true;
  return out;
}

/// What a name may be given anew without the program's structure being another.
bool is_data(const Value& v) {
  return v.bound() && !v.as<Function>() && !v.as<Class>() && !v.as<External>() && !v.as<Module>() &&
         !v.as<Method>();
}

bool holds_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}
}  // namespace

Value Machine::dict_of(Slots& names) {
  if (!names.dict) {
    names.dict = make<Dict>();
    names.dict->born = 0;  // a branch that asks first may be taken back
    names.dict->names = &names;
  }
  Dict* dict = names.dict;
  std::vector<std::pair<Symbol, Value>> bound;
  for (const auto& one : names.items())
    if (one.second.bound()) bound.push_back(one);
  const bool same =
      std::equal(bound.begin(), bound.end(), dict->items.begin(), dict->items.end(),
                 [&](const auto& name, const auto& item) {
                   const Text* key = item.first.template as<Text>();
                   return key && key->text == name_of(name.first) && item.second.same(name.second);
                 });
  if (same) return dict;
  interpreter_->remember(dict);
  dict->items.clear();
  for (const auto& [name, value] : bound) dict->items.emplace_back(text(name_of(name)), value);
  return dict;
}

/// The dictionary of names follows what is written to them.
void Machine::mirror(Slots& slots, Symbol name, const Value& value) {
  interpreter_->remember(slots.dict);
  auto& items = slots.dict->items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) {
    const Text* key = item.first.template as<Text>();
    return key && key->text == name_of(name);
  });
  if (found != items.end() && value.bound())
    found->second = value;
  else if (found != items.end())
    items.erase(found);
  else if (value.bound())
    items.emplace_back(text(name_of(name)), value);
}

void Machine::lose_names(const Value& object) {
  const auto lose = [&](Slots& from, Slots& to) {
    for (const auto& [name, value] : std::vector(from.items()))
      if (is_data(value) && !name_of(name).starts_with("__"))
        set(to, name, unseen(*this, "set under a name that is not known", name_of(name)));
  };
  if (Instance* instance = object.as<Instance>()) {
    lose(instance->attributes, instance->attributes);
    for (Class* c : interpreter_->line_of(instance->klass)) lose(c->attributes, instance->attributes);
  }
  if (Class* klass = object.as<Class>()) lose(klass->attributes, klass->attributes);
  if (Module* module = object.as<Module>()) lose(module->scope->names, module->scope->names);
  Record* record = object.as<Record>();
  if (record && (record->kind == "Namespace" || record->kind == "argument"))
    lose(record->fields, record->fields);
}

void Machine::lose_globals(int module, const Text* code) {
  Slots& names = interpreter_->module_scope(module)->names;
  for (const auto& [name, value] : std::vector(names.items())) {
    const std::string& plain = name_of(name);
    if (!value.bound() || (code && !holds_word(code->text, plain))) continue;
    interpreter_->lose_content(value);
    lose_names(value);
    if (is_data(value)) set(names, name, unseen(*this, "code that is not followed may set it", plain));
  }
}

/// exec(), eval(): names and what they hold, of those that the text speaks of, or of all. A function's own
/// names are not set by it.
void Machine::Interpreter::unseen_code(const Value& code, Scope* from) {
  const Text* text = code.as<Text>();
  for (Scope* s = from; s && s->parent; s = s->parent)
    for (const auto& [name, value] : std::vector(s->names.items())) {
      if (!value.bound() || (text && !holds_word(text->text, m.name_of(name)))) continue;
      lose_content(value);
      m.lose_names(value);
      if (s->is_class && is_data(value))
        m.set(s->names, name, unseen(m, "code that is not followed may set it", m.name_of(name)));
    }
  if (from) m.lose_globals(from->module, text);
}

/// Notes a call that may have called functions of the program. Python's own modules call what they are given.
void Machine::Interpreter::note_unfollowed(std::string_view path, const Call& call) {
  if (m.current_launch_ || library_depth > 0) return;
  static constexpr std::string_view runners[] = {"unittest", "doctest", "runpy", "importlib"};
  const std::string_view package = path.substr(0, path.find('.'));
  const auto may_call = [](const Value& v) {
    return v.as<Function>() || v.as<Method>() || v.as<Class>() || v.as<Instance>() || v.as<Record>();
  };
  const auto named = [&](const auto& keyword) { return may_call(keyword.second); };
  if (!is_installed(package) || path.empty() ||
      std::find(std::begin(runners), std::end(runners), package) != std::end(runners) ||
      std::any_of(call.arguments.begin(), call.arguments.end(), may_call) ||
      std::any_of(call.keywords.begin(), call.keywords.end(), named))
    ++unfollowed_calls;
}

/// `from module import *` of a module that is not at hand: what had a value may have another.
void Machine::Interpreter::import_unseen(const std::string& module, Scope* s) {
  if (s->module >= Library::first) return;
  if (is_installed(module)) stars_.push_back(module);
  for (const auto& [name, value] : std::vector(s->names.items())) {
    const std::string& plain = m.name_of(name);
    if (!value.bound() || plain.starts_with('_')) continue;
    const std::string path = module + "." + plain;
    if (is_library(module) ? library(path).bound()
                           : natives.find_function(path) || natives.find_function(path + ".__get__"))
      m.set(s->names, name, member(module, plain, s->module));
    else if (!is_installed(module) && is_data(value))
      m.set(s->names, name, unseen(m, "a module that is not at hand may give the name anew", plain));
  }
}

/// A builtin's name that `from module import *` gave something else; unbound: none did.
Value Machine::Interpreter::hidden_by_star(Symbol name) {
  static constexpr std::pair<std::string_view, std::string_view> shared[] = {
      {"math", " pow "},
      {"os", " open "},
      {"numpy", " abs all any bool max min round sum pow "},
      {"torch", " abs all any max min range round sum pow float int bool complex "},
      {"operator", " abs pow "}};
  const std::string word = " " + m.name_of(name) + " ";
  for (std::size_t i = stars_.size(); i-- > 0;)
    for (const auto& [module, names] : shared)
      if (module == stars_[i] && names.find(word) != std::string_view::npos)
        return m.external(stars_[i] + "." + m.name_of(name));
  return {};
}

/// The process ends at once: no handler and no `finally` runs.
bool Machine::Interpreter::ends_process() const {
  const Record* r = m.exception_.as<Record>();
  return r && r->kind == "process-exit";
}

}  // namespace cutelab::reading::machine
