#include <algorithm>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

std::vector<Machine::Interpreter::Formal> Machine::Interpreter::formals_of(const Function* f) {
  std::vector<Formal> formals;
  if (f->index >= 0) {
    const auto& parameters = module_of(f->module).functions()[static_cast<std::size_t>(f->index)].parameters;
    formals.reserve(parameters.size());
    for (const auto& p : parameters)
      formals.push_back({p.name, p.default_value, p.form, p.by_name, p.by_place});
    return formals;
  }
  using Form = source::Parameter::Form;
  bool by_name = false;
  for (const Node p : f->node.child(Field::parameters_field).children()) {
    const bool with_default = p.is(NodeKind::default_parameter);
    const Form form = p.is(NodeKind::list_splat_pattern)         ? Form::star
                      : p.is(NodeKind::dictionary_splat_pattern) ? Form::double_star
                                                                 : Form::plain;
    if (p.is(NodeKind::positional_separator))
      for (Formal& before : formals) before.by_place = true;
    by_name = by_name || p.is(NodeKind::keyword_separator) || form == Form::star;
    if (p.is(NodeKind::positional_separator) || p.is(NodeKind::keyword_separator)) continue;
    const Node named = with_default ? p.child(Field::name_field) : form == Form::plain ? p : p.first();
    formals.push_back(
        {named.text(), with_default ? p.child(Field::value_field) : Node(), form, by_name, false});
  }
  return formals;
}

/// Python makes defaults once, where the `def` or `lambda` stands.
void Machine::Interpreter::make_defaults(Function* f, Scope* s) {
  if (s->lazy) return;
  ++library_depth;
  const std::vector<Formal> formals = formals_of(f);
  for (std::size_t i = 0; i < formals.size() && !m.raising_; ++i) {
    if (!formals[i].default_value) continue;
    f->defaults.resize(formals.size());
    f->defaults[i] = expression(formals[i].default_value, s);
  }
  --library_depth;
}

/// Whether the parameters take what a call gives; if not, Python's TypeError is under way.
bool Machine::Interpreter::fits(const Function* f, const std::vector<Formal>& formals, std::size_t given,
                                const std::vector<std::pair<Symbol, Value>>& keywords, Node at, int module) {
  using Form = source::Parameter::Form;
  std::size_t by_place = 0, named = 0;
  bool any_place = false, any_name = false;
  const char* wrong = nullptr;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Formal& formal = formals[i];
    any_place = any_place || formal.form == Form::star;
    any_name = any_name || formal.form == Form::double_star;
    if (formal.form != Form::plain) continue;
    const bool placed = !formal.by_name && by_place < given;
    by_place += formal.by_name ? 0 : 1;
    const Symbol name = formal.name.starts_with("__") ? mangled(formal.name, f->node) : m.symbol(formal.name);
    const bool by_keyword = !formal.by_place && std::any_of(keywords.begin(), keywords.end(),
                                                            [&](const auto& k) { return k.first == name; });
    named += by_keyword ? 1 : 0;
    if (placed && by_keyword) wrong = "multiple values for an argument";
    const bool otherwise = formal.default_value || (i < f->defaults.size() && f->defaults[i].bound());
    if (!placed && !by_keyword && !otherwise) wrong = "a missing argument";
  }
  if (given > by_place && !any_place) wrong = "too many arguments";
  if (named < keywords.size() && !any_name) wrong = "an unexpected keyword argument";
  if (wrong) m.raise_error("TypeError", f->path + "() got " + wrong, at, module);
  return !wrong;
}

bool Machine::Interpreter::enter_function(Function* f, Scope* s, std::vector<Value>& arguments,
                                          std::vector<std::pair<Symbol, Value>>& keywords, bool complete,
                                          Node at, int module) {
  const std::vector<Formal> formals = formals_of(f);
  const auto through_dsl = [&] {  // by itself; a function inside one is called as any other
    if (f->is_kernel || f->index < 0) return f->is_kernel;
    const auto& written = module_of(f->module).functions()[static_cast<std::size_t>(f->index)];
    return written.has_decorator("jit") || written.has_decorator("kernel");
  };
  const bool checked = complete && at && f->module < Library::first && library_depth == 0 &&
                       !(f->is_jit && through_dsl()) && !f->is_wrapped && !m.current_launch_ &&
                       !m.by_entries_;
  if (checked && !fits(f, formals, arguments.size(), keywords, at, module)) return false;
  std::size_t next = 0;
  std::vector<bool> used(keywords.size(), false);
  for (std::size_t place = 0; place < formals.size(); ++place) {
    const Formal& formal = formals[place];
    const Symbol name = formal.name.starts_with("__") ? mangled(formal.name, f->node) : m.symbol(formal.name);
    Value value;
    if (formal.form != source::Parameter::Form::plain && !complete) {
      value = m.unknown("holds what an unpacked value gives", std::string(formal.name));
    } else if (formal.form == source::Parameter::Form::star) {
      value = m.tuple({arguments.begin() + static_cast<std::ptrdiff_t>(std::min(next, arguments.size())),
                       arguments.end()});
      next = arguments.size();
    } else if (formal.form == source::Parameter::Form::double_star) {
      Dict* rest = m.make<Dict>();
      for (std::size_t i = 0; i < keywords.size(); ++i)
        if (!used[i]) rest->items.emplace_back(m.text(m.name_of(keywords[i].first)), keywords[i].second);
      value = rest;
    } else {
      for (std::size_t i = 0; i < keywords.size() && !value.bound(); ++i)
        if (keywords[i].first == name && !used[i] && !formal.by_place) {
          value = keywords[i].second;
          used[i] = true;
        }
      if (!value.bound() && !formal.by_name && next < arguments.size()) value = arguments[next++];
      if (!value.bound() && !complete)
        value = m.unknown("an argument that an unpacked value may give", std::string(formal.name));
      if (!value.bound() && place < f->defaults.size()) value = f->defaults[place];
      if (!value.bound() && formal.default_value) {
        ++library_depth;
        value = expression(formal.default_value, f->closure);
        --library_depth;
      }
      if (!value.bound())
        value = m.unknown("an argument that the call does not give", std::string(formal.name));
    }
    s->names.at(name) = value;
    if (!s->self.bound()) s->self = value;
  }
  return !m.raising_;
}

}  // namespace cutelab::reading::machine
