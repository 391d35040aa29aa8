#include <algorithm>

#include "base/text.h"
#include "reading/evaluator/folder.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Assignment;
using source::Field;
using source::Node;
using source::PythonModule;
using NodeKind = source::Kind;

const Abstract& Folder::identifier(Node n, const Frame* frame) {
  const std::string name(n.text());
  const PythonModule& module = program_.module(frame->module);
  for (int scope = frame->function; scope >= 0;
       scope = module.functions()[static_cast<std::size_t>(scope)].enclosing) {
    const Frame* at = scope == frame->function ? frame : root(frame->module, scope);
    if (const Abstract* local = local_binding(name, n, at)) return *local;
    if (const Abstract* given = parameter(name, at)) return *given;
    if (auto inner = defined(frame->module, scope, name)) return kept(std::move(*inner));
  }
  if (const Abstract* global = local_binding(name, n, root(frame->module, -1))) return *global;
  return member_of_module(frame->module, name);
}

/// A name as seen from outside or at module level: binding, definition, import, builtin.
const Abstract& Folder::member_of_module(int module_index, const std::string& name) {
  const PythonModule& module = program_.module(module_index);
  if (auto known = defined(module_index, -1, name)) return kept(std::move(*known));
  const auto& bound = module.bindings(-1, name);
  if (!bound.empty()) {
    const Assignment& last = module.assignments()[static_cast<std::size_t>(bound.back())];
    const bool elsewhere = std::any_of(bound.begin(), bound.end(), [&](int index) {
      return module.assignments()[static_cast<std::size_t>(index)].function >= 0;
    });
    if (elsewhere) return kept(Abstract::unknown("a function sets it", {name}, last.statement));
    if (last.form == Assignment::Form::plain && last.value)
      return bound_value(module_index, last, root(module_index, -1));
    return kept(Abstract::unknown("needs evaluation", {name}, last.statement));
  }
  if (const source::Import* import = module.import_of(name)) return imported(module_index, *import);
  for (const source::Import& import : module.imports()) {
    if (import.name != "*") continue;
    const int other = program_.import(module_index, import.module);
    if (other < 0 || other == module_index) continue;
    if (defined(other, -1, name) || !program_.module(other).bindings(-1, name).empty())
      return member_of_module(other, name);
  }
  if (name == "__name__") return kept(Abstract::of_text(module_index == 0 ? "__main__" : "module"));
  return kept(Abstract::name(name));
}

std::optional<Abstract> Folder::defined(int module_index, int scope, const std::string& name) {
  const PythonModule& module = program_.module(module_index);
  Abstract out;
  out.module = module_index;
  out.path = name;
  if ((out.index = module.function_defined(scope, name)) >= 0) {
    out.kind = Kind::function;
    return out;
  }
  if ((out.index = module.class_defined(scope, name)) >= 0) {
    out.kind = Kind::type;
    return out;
  }
  return std::nullopt;
}

const Abstract& Folder::imported(int module_index, const source::Import& import) {
  if (const auto known = library_names_.find(&import); known != library_names_.end()) return known->second;
  const PythonModule& module = program_.module(module_index);
  const std::string path = module.qualified(import.local);
  if (import.name.empty()) return library_names_[&import] = Abstract::name(path);
  const std::string as_module = import.module + (import.module.ends_with('.') ? "" : ".") + import.name;
  const int owner = program_.import(module_index, import.module);
  if (owner >= 0 && owner != module_index) {
    const PythonModule& other = program_.module(owner);
    if (other.function_defined(-1, import.name) >= 0 || other.class_defined(-1, import.name) >= 0 ||
        !other.bindings(-1, import.name).empty() || other.import_of(import.name)) {
      if (++depth_ > deepest) {
        --depth_;
        ++cuts_;
        return kept(Abstract::unknown("imports go in a circle", {path}));
      }
      const Abstract& out = member_of_module(owner, import.name);
      --depth_;
      return out.path.empty() ? with_path(out, path) : out;
    }
  }
  Abstract out = Abstract::name(path);
  const int submodule = program_.import(module_index, as_module);
  if (submodule >= 0) out.module = submodule;
  return library_names_[&import] = std::move(out);
}

const Abstract& Folder::with_path(const Abstract& value, std::string path) {
  Abstract out = value;
  out.path = std::move(path);
  return kept(std::move(out));
}

const Abstract* Folder::local_binding(const std::string& name, Node use, const Frame* frame) {
  const PythonModule& module = program_.module(frame->module);
  const auto& bound = module.bindings(frame->function, name);
  if (bound.empty()) return nullptr;
  const bool elsewhere = use.tree() != &module.tree() || module.function_at(use) != frame->function;
  std::vector<Abstract> alternatives;
  for (auto it = bound.rbegin(); it != bound.rend(); ++it) {
    const Assignment& a = module.assignments()[static_cast<std::size_t>(*it)];
    const bool within_loop = a.form == Assignment::Form::loop && a.statement.contains(use);
    if (!elsewhere && !within_loop && (a.statement.contains(use) || a.statement.index() > use.index()))
      continue;
    if (!a.value && a.form == Assignment::Form::plain) continue;
    // A function that sets it may have run before or after, or not at all.
    const bool by_function = a.function != frame->function;
    const Frame* there = by_function ? root(frame->module, a.function) : frame;
    const Tristate reach = by_function ? Tristate::undetermined
                           : elsewhere ? reaches(a.statement, a.statement, frame)
                                       : reaches(a.statement, use, frame);
    if (reach == Tristate::no) continue;
    const Abstract* value = &bound_value(frame->module, a, there);
    if (value->path.empty() && a.annotation && value->is(Kind::unknown))
      value = &with_path(*value, module.qualified(a.annotation));
    if (reach == Tristate::yes && alternatives.empty()) return value;
    alternatives.push_back(*value);
    if (reach == Tristate::yes) return &kept(join(std::move(alternatives)));
    if (alternatives.size() > 12) break;
  }
  if (const Abstract* given = parameter(name, frame)) alternatives.push_back(*given);
  if (alternatives.empty()) return nullptr;
  return &kept(join(std::move(alternatives)));
}

namespace {
/// `x = x + y` or `x += y` in a loop: one step of it is not the value that the loop leaves behind.
bool steps_in_loop(const Assignment& a) {
  const bool augmented = a.form == Assignment::Form::augmented;
  if (!augmented && a.form != Assignment::Form::plain) return false;
  Node around = a.statement.parent();
  while (around && !around.is(NodeKind::for_statement) && !around.is(NodeKind::while_statement)) {
    if (around.is(NodeKind::function_definition) || around.is(NodeKind::class_definition)) return false;
    around = around.parent();
  }
  if (!around || augmented) return static_cast<bool>(around);
  for (std::uint32_t i = a.value.index(); i < a.value.end_index(); ++i)
    if (const Node n = a.value.tree()->at(i); n.is(NodeKind::identifier) && n.text() == a.name) return true;
  return false;
}
}  // namespace

namespace {
/// A statement of the file begins with xs[ or del xs[.
bool changes_by_index(const Assignment& a) {
  const std::string_view text = a.value.tree()->root().text();
  const std::string start = a.name + "[";
  for (auto at = text.find(start); at != std::string_view::npos; at = text.find(start, at + 1)) {
    std::string_view before = text.substr(0, at);
    before = trim(before.substr(before.rfind('\n') + 1));
    if (before.empty() || before == "del" || before.ends_with(':') || before.ends_with(';')) return true;
  }
  return false;
}
}  // namespace

/// xs = [1] and somewhere xs.extend(…): the literal is only what it starts with.
bool Folder::changes_in_place(int module_index, const Assignment& a) {
  if (!a.value.is(NodeKind::list) || !a.slots.empty()) return false;
  const auto [known, fresh] = changes_in_place_.try_emplace(&a);
  if (fresh) known->second = is_changed_in_place(module_index, a);
  return known->second;
}

bool Folder::is_changed_in_place(int module_index, const Assignment& a) {
  const PythonModule& module = program_.module(module_index);
  const auto& calls = calls_by_leaf(module_index);
  for (const char* leaf : {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"}) {
    const auto found = calls.find(leaf);
    if (found == calls.end()) continue;
    for (const Node call : found->second) {
      if (call.child(Field::function_field).child(Field::object_field).text() != a.name) continue;
      int f = module.function_at(call);
      while (f >= 0 && f != a.function) f = module.functions()[static_cast<std::size_t>(f)].enclosing;
      if (f == a.function || a.name.starts_with("self.")) return true;
    }
  }
  return changes_by_index(a);
}

const Abstract& Folder::bound_value(int module, const Assignment& a, const Frame* frame) {
  if (!a.value) return kept(Abstract::unknown("declared without a value", {a.name}, a.statement));
  if (steps_in_loop(a)) return kept(Abstract::unknown("changes in a loop", {a.name}, a.statement));
  if (changes_in_place(module, a))
    return kept(Abstract::unknown("a list that changes", {a.name}, a.statement));
  if (a.form == Assignment::Form::loop) {
    const Abstract& iterated = evaluate(a.value, frame);
    Abstract out = Abstract::unknown("loop variable", {a.name}, a.statement);
    if (iterated.is(Kind::object) || iterated.is(Kind::name)) out.path = iterated.path + "[]";
    return kept(std::move(out));
  }
  if (a.form == Assignment::Form::augmented) {
    const Node target = a.statement.is(NodeKind::expression_statement) ? a.statement.first() : a.statement;
    const std::string_view op = target.child(Field::operator_token).text();
    return kept(models::arithmetic(op.substr(0, op.size() - 1),
                                   evaluate(target.child(Field::left_field), frame), evaluate(a.value, frame),
                                   a.statement));
  }
  const Abstract& whole = evaluate(a.value, frame);
  if (a.slots.empty()) return whole;
  Abstract value = whole;
  for (const int slot : a.slots) value = models::slot(value, slot, a.name, a.statement);
  return kept(std::move(value));
}

const Abstract* Folder::parameter(const std::string& name, const Frame* frame) {
  if (frame->function < 0) return nullptr;
  const auto& function =
      program_.module(frame->module).functions()[static_cast<std::size_t>(frame->function)];
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i].name != name) continue;
    if (i == 0 && function.class_index >= 0 && !function.is_static()) {
      if (frame->self) return frame->self;
      if (const Abstract* self = self_of(frame->module, frame->function)) return self;
    }
    const Abstract& value = parameter_value(static_cast<int>(i), frame);
    if (!value.path.empty() || !function.parameters[i].annotation) return &value;
    return &with_path(value, program_.module(frame->module).qualified(function.parameters[i].annotation));
  }
  return nullptr;
}

const Abstract& Folder::parameter_value(int position, const Frame* frame) {
  const PythonModule& module = program_.module(frame->module);
  const auto& function = module.functions()[static_cast<std::size_t>(frame->function)];
  const auto& wanted = function.parameters[static_cast<std::size_t>(position)];
  if (wanted.form != source::Parameter::Form::plain)
    return kept(Abstract::unknown("variable arguments", {wanted.name}, function.node));
  if (inputs_ == Inputs::anything && function.name == "__init__")
    return kept(Abstract::unknown("any value may be given", {wanted.name}, function.node));
  // A parameter of a DSL number type is a run-time argument of the compiled function, whatever sample value
  // compiles it.
  if (wanted.annotation && (function.has_decorator("jit") || function.has_decorator("kernel")) &&
      models::bits_of_type(source::dotted_text(wanted.annotation)))
    return kept(Abstract::unknown("known only at run time: argument of " + function.qualified, {wanted.name},
                                  function.node));
  if (!frame->call) return parameter_from_callers(position, frame);
  bool splat = false;
  const int skip = function.class_index >= 0 && !function.is_static() ? 1 : 0;
  const auto given = argument(frame->call, function, position, skip, frame->arguments_after, &splat);
  if (given) return evaluate(*given, frame->caller);
  if (splat) return kept(Abstract::unknown("passed through unpacked arguments", {wanted.name}, frame->call));
  return parameter_default(position, frame);
}

const Abstract& Folder::parameter_default(int position, const Frame* frame) {
  const auto& function =
      program_.module(frame->module).functions()[static_cast<std::size_t>(frame->function)];
  const auto& wanted = function.parameters[static_cast<std::size_t>(position)];
  if (wanted.default_value) return evaluate(wanted.default_value, root(frame->module, function.enclosing));
  return kept(Abstract::unknown("known only at run time: argument of " + function.qualified, {wanted.name},
                                function.node));
}

const Abstract& Folder::parameter_from_callers(int position, const Frame* frame) {
  const auto& function =
      program_.module(frame->module).functions()[static_cast<std::size_t>(frame->function)];
  using State = FoldingMemo::State;
  const FoldingMemo::Key key{frame, function.node.tree(),
                             function.node.index() + 0x40000000u + static_cast<std::uint32_t>(position)};
  const State before = memo_[key].state;
  if (before == State::known) return *memo_[key].answer;
  if (depth_ >= deepest || before == State::evaluating) {
    ++cuts_;
    return kept(Abstract::unknown(
        "passed in a circle", {function.parameters[static_cast<std::size_t>(position)].name}, function.node));
  }
  memo_[key].state = State::evaluating;
  const int cuts_before = cuts_;
  std::vector<Abstract> alternatives;
  for (const Site& site : call_sites(frame->module, frame->function)) {
    if (alternatives.size() >= 12) break;
    const Frame* caller = root(site.module, program_.module(site.module).function_at(site.call));
    if (active(site.module, site.call).state == Tristate::no) continue;
    alternatives.push_back(parameter_value(
        position, enter({frame->module, frame->function, caller, site.call, site.skip, frame->self})));
  }
  memo_[key].state = State::empty;
  const Abstract& out =
      alternatives.empty() ? parameter_default(position, frame) : kept(join(std::move(alternatives)));
  if (cuts_ != cuts_before) return out;
  FoldingMemo::Slot& slot = memo_[key];
  slot.state = State::known;
  slot.answer = &out;
  return out;
}

}  // namespace cutelab::reading
