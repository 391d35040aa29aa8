#include "reading/machine/machine.h"

#include <algorithm>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {

Machine::Machine(source::Program& program, Options options)
    : program_(program),
      options_(std::move(options)),
      arch_(options_.arch),
      names_(options_.library ? options_.library->names() : own_names_) {
  interpreter_ = std::make_unique<Interpreter>(*this);
}

Machine::~Machine() = default;

void Machine::run_main() {
  Scope* scope = interpreter_->main_scope();
  interpreter_->run_body(scope, 0);
  exited_ = ended_by_exit();
  // What calls that are not followed may have launched before is not known.
  if (exited_ && launches_.empty() && interpreter_->unfollowed_calls == 0) error_ = exit_text;
  if (raising_ && !exited_) {
    const Record* record = exception_.as<Record>();
    error_ = exception_text();
    give_up("the program ends with an error: " + exception_text(), {}, record ? record->made_in : 0,
            record ? record->made_at : source::Node());
  }
  raising_ = false;
}

void Machine::supersede(int first, int end) {
  trace_.supersede(first, end);
  std::erase_if(launches_, [&](const Launch& l) { return l.activation >= first && l.activation < end; });
}

namespace {
bool holds_launch(source::Node function) {
  for (std::uint32_t i = function.index(); i < function.end_index(); ++i) {
    const source::Node n = function.tree()->at(i);
    if (!n.is(source::Kind::call)) continue;
    const source::Node callee = n.child(source::Field::function_field);
    if (callee.is(source::Kind::attribute) && callee.child(source::Field::attribute_field).text() == "launch")
      return true;
  }
  return false;
}
}  // namespace

void Machine::run_entries() {
  if (!stopped_by_.empty()) return;
  Scope* scope = interpreter_->main_scope();
  const source::PythonModule& module = program_.module(0);
  for (std::size_t f = 0; f < module.functions().size(); ++f) {
    const source::PythonFunction& function = module.functions()[f];
    if (function.enclosing >= 0 || !holds_launch(function.body) || trace_.entered(0, static_cast<int>(f)))
      continue;
    by_entries_ = true;
    Value callee;
    if (function.class_index >= 0) {
      const std::string& name = module.classes()[static_cast<std::size_t>(function.class_index)].name;
      const Value* klass = scope->names.find(symbol(name));
      if (exited_ && !klass) failed_entries_[static_cast<int>(f)] = exit_text;
      if (!klass || !klass->as<Class>()) continue;
      const Value made = interpreter_->instantiate(klass->as<Class>(), {}, {}, {}, 0);
      raising_ = false;
      if (made.bound())
        callee = attribute(
            made, name_of(interpreter_->symbol_of(function.node.child(source::Field::name_field), 0)));
    } else if (const Value* found = scope->names.find(symbol(function.name))) {
      callee = *found;
    } else if (exited_) {
      failed_entries_[static_cast<int>(f)] = exit_text;  // it exits before it defines it
    }
    if (callee.bound() && (callee.as<Function>() || callee.as<Method>())) call(callee, {}, {}, {}, 0);
    if (raising_ && !ended_by_exit()) failed_entries_[static_cast<int>(f)] = exception_text();
    if (raising_ && !ended_by_exit())
      give_up("an entry ends with an error: " + exception_text(), function.qualified, 0, function.node);
    raising_ = false;
  }
}

Value Machine::unknown(std::string reason, std::string depends_on, std::string path) {
  if (!current_launch_) ++uncertain_;
  auto* out = make<Unknown>();
  out->reason = std::move(reason);
  out->depends_on = std::move(depends_on);
  out->path = std::move(path);
  out->of_host = !current_launch_;
  return out;
}

Value Machine::external(std::string_view path) {
  if (const auto known = externals_.find(path); known != externals_.end()) return known->second;
  External* made = make<External>();
  made->path = path;
  externals_.emplace(path, made);
  return made;
}

Record* Machine::record(std::string kind, std::string path, const Call* made_by) {
  auto* out = make<Record>();
  out->kind = std::move(kind);
  out->path = std::move(path);
  if (made_by) {
    out->made_at = made_by->node;
    out->made_in = made_by->module;
  }
  return out;
}

Value Machine::field(const Record* record, std::string_view name) {
  const Value* found = record->fields.find(symbol(name));
  return found ? *found : Value();
}

void Machine::set(Slots& slots, Symbol name, Value value) {
  Value& place = slots.at(name);
  interpreter_->remember(&slots, name, place);
  place = value;
  if (slots.dict) mirror(slots, name, value);
}

void Machine::set_field(Record* record, std::string_view name, Value value) {
  set(record->fields, symbol(name), value);
}

std::vector<Value>& Machine::mutable_items(List* list) {
  interpreter_->remember(list);
  return list->items;
}

std::vector<std::pair<Value, Value>>& Machine::mutable_items(Dict* dict) {
  interpreter_->remember(dict);
  if (dict->names)  // an object's __dict__ changes in a way that is not followed
    for (const auto& [name, value] : std::vector(dict->names->items())) {
      if (!value.bound()) continue;
      const Value lost = unknown("changed through __dict__", name_of(name));
      lost.as<Unknown>()->changed = true;
      set(*dict->names, name, lost);
    }
  return dict->items;
}

std::vector<Value>& Machine::mutable_items(Set* set) {
  interpreter_->remember(set);
  return set->items;
}

Value Machine::evaluate(source::Node expression, Scope* scope) {
  return interpreter_->expression(expression, scope);
}

Value Machine::attribute(const Value& object, std::string_view name, source::Node at, int module) {
  return interpreter_->attribute(object, name, at, module);
}

Value Machine::subscript(const Value& object, const Value& index, source::Node at) {
  return interpreter_->subscript(object, index, at);
}

Value Machine::call(const Value& callee, std::vector<Value> arguments,
                    std::vector<std::pair<Symbol, Value>> keywords, source::Node at, int module,
                    bool complete) {
  return interpreter_->call(callee, std::move(arguments), std::move(keywords), at, module, complete);
}

Value Machine::raise(std::string what, source::Node at, int module) {
  if (raising_) return {};
  own_raise_ = false;
  Record* exception = record("error", "builtins.Exception");
  exception->made_at = at;
  exception->made_in = module;
  set_field(exception, "message", text(std::move(what)));
  exception_ = exception;
  raising_ = true;
  return {};
}

std::string Machine::exception_text() const {
  const Record* record = exception_.as<Record>();
  if (record)
    for (const auto& [name, value] : record->fields.items())
      if (name_of(name) == "message")
        if (!value.is_unknown()) return const_cast<Machine*>(this)->str(value);
  if (const Instance* instance = exception_.as<Instance>()) return instance->klass->name;
  return record ? record->path : "an exception";
}

bool Machine::catches(const Value& type) { return interpreter_->caught_by(type); }

void Machine::abandon(std::string reason, std::string depends_on, int module, source::Node node) {
  if (interpreter_->stopped_) return;
  interpreter_->stopped_ = true;
  raising_ = false;
  give_up(std::move(reason), std::move(depends_on), module, node);
}

void Machine::give_up(std::string reason, std::string depends_on, int module, source::Node node) {
  constexpr std::size_t most = 500;
  if (give_ups_.size() > most) return;
  if (interpreter_->stopped_ && stopped_by_.empty()) stopped_by_ = reason;
  if (give_ups_.size() == most) {
    reason = "more than " + std::to_string(most) + " places where the run could not follow";
    depends_on.clear();
  }
  give_ups_.push_back({std::move(reason), std::move(depends_on), module, node});
}

Value Machine::limit(const std::string& reason, std::string depends_on) {
  const source::Node at = interpreter_->at_;
  const auto same = [&](const GiveUp& g) { return g.node == at && g.reason == reason; };
  if (std::none_of(give_ups_.begin(), give_ups_.end(), same))
    give_up(reason, depends_on.empty() && at ? std::string(at.text().substr(0, 80)) : depends_on,
            interpreter_->at_module_, at);
  const Value out = unknown(reason, std::move(depends_on));
  out.as<Unknown>()->changed = true;
  return out;
}

const std::string* Machine::setting(const std::string& name) {
  for (const auto& [key, value] : options_.settings) {
    if (key != name) continue;
    used_settings_.insert(key);
    return &value;
  }
  return nullptr;
}

Value Call::get(int position, std::string_view keyword) const {
  if (position >= 0 && static_cast<std::size_t>(position) < arguments.size())
    return arguments[static_cast<std::size_t>(position)];
  if (keyword.empty() && complete) return {};
  for (const auto& [name, value] : keywords)
    if (machine.name_of(name) == keyword) return value;
  if (!complete) return machine.unknown("an argument that an unpacked value may give", std::string(keyword));
  return {};
}

}  // namespace cutelab::reading::machine
