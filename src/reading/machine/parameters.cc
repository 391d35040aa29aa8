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
    for (const auto& p : parameters) formals.push_back({p.name, p.default_value, p.form});
    return formals;
  }
  for (const Node p : f->node.child(Field::parameters_field).children()) {
    const bool with_default = p.is(NodeKind::default_parameter);
    formals.push_back({(with_default ? p.child(Field::name_field) : p).text(),
                       with_default ? p.child(Field::value_field) : Node(), source::Parameter::Form::plain});
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

bool Machine::Interpreter::enter_function(Function* f, Scope* s, std::vector<Value>& arguments,
                                          std::vector<std::pair<Symbol, Value>>& keywords, bool complete) {
  const std::vector<Formal> formals = formals_of(f);
  std::size_t next = 0;
  std::vector<bool> used(keywords.size(), false);
  for (std::size_t place = 0; place < formals.size(); ++place) {
    const Formal& formal = formals[place];
    const Symbol name = m.symbol(formal.name);
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
        if (keywords[i].first == name && !used[i]) {
          value = keywords[i].second;
          used[i] = true;
        }
      if (!value.bound() && next < arguments.size()) value = arguments[next++];
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
