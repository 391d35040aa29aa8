#include <algorithm>

#include "reading/machine/interpreter.h"
#include "reading/machine/members.h"
#include "reading/machine/unicode.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr std::size_t most_walked = 65'536;

/// Items of a range of which all is known; nullopt also where they are too many to be walked.
std::optional<std::int64_t> length_of_range(const Range& r) {
  if (!r.begin.is_integral() || !r.end.is_integral() || !r.step.is_integral() || r.step.number() == 0)
    return std::nullopt;
  std::int64_t span = 0;
  if (__builtin_sub_overflow(r.end.number(), r.begin.number(), &span)) return std::nullopt;
  const std::int64_t step = r.step.number();
  if ((span > 0) != (step > 0) || span == 0) return 0;
  const std::int64_t whole = span / step + (span % step != 0 ? 1 : 0);
  return whole > static_cast<std::int64_t>(most_walked) ? std::nullopt : std::optional(whole);
}

template <class Items, class Of>
std::vector<Value> each(const Items& items, const Of& of) {
  std::vector<Value> out;
  out.reserve(items.size());
  for (const auto& item : items) out.push_back(of(item));
  return out;
}
}  // namespace

/// A walk over what is given; nullopt: what it holds is not known, or it cannot be walked.
std::optional<Machine::Interpreter::Walk> Machine::Interpreter::walk(const Value& v) {
  Walk out;
  out.source = v;
  if (v.as<Tuple>() || v.as<Iterator>()) return out;
  if (const List* l = v.as<List>(); l && l->view_of) {
    auto of_dict = walk(l->view_of);
    if (of_dict) of_dict->view = l->view;
    return of_dict;
  } else if (l) {
    return l->open ? std::nullopt : std::optional(out);
  }
  if (const Dict* d = v.as<Dict>()) {
    out.size = d->items.size();
    return d->open ? std::nullopt : std::optional(out);
  }
  if (const Set* s = v.as<Set>()) {
    out.size = s->items.size();
    return s->open ? std::nullopt : std::optional(out);
  }
  if (const Range* r = v.as<Range>()) {
    const auto length = length_of_range(*r);
    if (length) out.size = static_cast<std::size_t>(*length);
    const bool known = r->begin.is_integral() && r->end.is_integral() && r->step.is_integral();
    if (!length && known && r->step.number() != 0 && !m.current_launch_)
      m.limit("more than " + std::to_string(most_walked) + " items to walk over");
    return length ? std::optional(out) : std::nullopt;
  }
  if (const Instance* instance = v.as<Instance>()) return walk_of_instance(*instance, v);
  if (v.as<Text>() || v.as<Class>() || v.as<Record>())
    if (auto items = m.items(v)) {
      out.source = m.tuple(std::move(*items));
      return out;
    }
  return std::nullopt;
}

std::optional<Machine::Interpreter::Walk> Machine::Interpreter::walk_of_instance(const Instance& instance,
                                                                                 const Value& self) {
  Function* f = class_attribute(instance.klass, m.symbol("__iter__")).as<Function>();
  if (!f) return std::nullopt;
  const Value made = call_function(f, &self, {}, {}, {}, f->module);
  if (m.raising_) return std::nullopt;
  if (!made.as<Instance>()) return walk(made);
  Walk out;
  out.source = asked(made);
  return out;
}

/// An iterator over an object that has __next__.
Value Machine::Interpreter::asked(const Value& object) {
  Iterator* made = m.make<Iterator>(Iterator::Form::asked);
  made->sources = {object};
  return made;
}

Machine::Step Machine::Interpreter::next(Walk& w, Value& item) {
  const auto at = static_cast<std::size_t>(w.at);
  const auto take = [&](const std::vector<Value>& items) {
    if (at >= items.size()) return Step::end;
    item = items[at];
    ++w.at;
    return Step::item;
  };
  if (Iterator* it = w.source.as<Iterator>()) return next(it, item);
  if (const Tuple* t = w.source.as<Tuple>()) return take(t->items);
  if (const List* l = w.source.as<List>()) return l->open ? Step::unknown : take(l->items);
  if (const Range* r = w.source.as<Range>()) {
    if (at >= w.size) return Step::end;
    item = Value::integer(r->begin.number() + w.at++ * r->step.number());
    return Step::item;
  }
  if (const Set* s = w.source.as<Set>()) {
    if (s->open) return Step::unknown;
    if (s->items.size() != w.size) return changed_size("Set");
    const Step step = take(s->items);
    if (step == Step::item && w.size > 1) item = m.unknown("the order of a set's items is not known");
    return step;
  }
  const Dict* d = w.source.as<Dict>();
  if (!d || d->open) return Step::unknown;
  if (d->items.size() != w.size) return changed_size("dictionary");
  if (at > 0 && !d->items[at - 1].first.same(w.last)) return Step::unknown;
  if (at >= d->items.size()) return Step::end;
  item = viewed(d->items[at], w.view);
  w.last = d->items[at].first;
  ++w.at;
  return Step::item;
}

Value Machine::Interpreter::viewed(const std::pair<Value, Value>& item, List::View view) {
  return view == List::View::values  ? item.second
         : view == List::View::items ? m.tuple({item.first, item.second})
                                     : item.first;
}

Machine::Step Machine::Interpreter::changed_size(const char* what) {
  m.raise_error("RuntimeError", std::string(what) + " changed size during iteration");
  return Step::raised;
}

std::optional<std::vector<Value>> Machine::items(const Value& v) {
  if (const Tuple* t = v.as<Tuple>()) return t->items;
  if (const List* l = v.as<List>()) {
    if (l->view_of && l->view_of->open) return std::nullopt;
    if (l->view_of)
      return each(l->view_of->items, [&](const auto& item) { return interpreter_->viewed(item, l->view); });
    return l->open ? std::nullopt : std::optional(l->items);
  }
  if (const Set* s = v.as<Set>()) return s->open ? std::nullopt : std::optional(s->items);
  if (const Dict* d = v.as<Dict>())
    return d->open ? std::nullopt
                   : std::optional(each(d->items, [](const auto& item) { return item.first; }));
  if (const Text* t = v.as<Text>())
    return each(characters(t->text), [&](std::string_view c) { return text(std::string(c)); });
  if (const Class* c = v.as<Class>()) {
    if (!c->is_enum || has_compound_flags(*this, *c)) return std::nullopt;
    std::vector<Value> out;
    for (const auto& item : c->attributes.items()) {
      const Value member = item.second;
      if (member.as<Instance>() &&
          std::none_of(out.begin(), out.end(), [&](const Value& m) { return m.same(member); }))
        out.push_back(member);  // another name of a member is none
    }
    return out;
  }
  if (const Record* r = v.as<Record>()) {
    const Native native = interpreter_->natives.find_method(r->kind, "__iter__");
    if (!native) return std::nullopt;
    Call c{*this, "__iter__", v, {}, {}, {}, 0};
    const auto value = native(c);
    return value && !value->as<Record>() ? items(*value) : std::nullopt;
  }
  return interpreter_->walked_to_the_end(v);
}

/// What is left of an iterator, the items of a range, of an object with __iter__.
std::optional<std::vector<Value>> Machine::Interpreter::walked_to_the_end(const Value& v) {
  if (!v.as<Iterator>() && !v.as<Range>() && !v.as<Instance>()) return std::nullopt;
  if (Iterator* it = v.as<Iterator>(); it && it->form == Iterator::Form::called) gather(it, true);
  auto w = m.raising_ ? std::nullopt : walk(v);
  if (!w || m.raising_) return std::nullopt;
  std::vector<Value> out;
  Value item;
  for (;;) {
    const Step step = out.size() < most_walked && !stopped_ ? next(*w, item) : Step::unknown;
    if (step == Step::end) return out;
    if (step != Step::item) {
      if (out.size() >= most_walked)
        m.limit("more than " + std::to_string(most_walked) + " items to walk over");
      if (Iterator* it = w->source.as<Iterator>()) m.lose(it);
      return std::nullopt;
    }
    out.push_back(item);
  }
}

std::optional<std::vector<Value>> Machine::items_in_order(const Value& v) {
  auto out = items(v);
  if (out && v.as<Set>() && out->size() > 1)
    for (Value& item : *out) item = unknown("the order of a set's items is not known");
  return out;
}

Iterator* Machine::iterator(const Value& v) {
  if (Iterator* it = v.as<Iterator>()) return it;
  const auto w = interpreter_->walk(v);
  if (!w || raising_) return nullptr;
  if (Iterator* it = w->source.as<Iterator>()) return it;
  Iterator* made = make<Iterator>(Iterator::Form::walk);
  made->sources = {w->source};
  made->count = static_cast<std::int64_t>(w->size);
  made->view = w->view;
  return made;
}

void Machine::lose(Iterator* iterator) {
  const Value* at = iterator->state.find(symbol("at"));
  if (at && at->is_unknown()) return;
  set(iterator->state, symbol("at"), unknown("how far an iterator was used up is not known"));
  interpreter_->unfollowed(iterator);
}

Machine::Step Machine::next(Iterator* iterator, Value& item) { return interpreter_->next(iterator, item); }

Machine::Step Machine::Interpreter::next(Iterator* it, Value& item) {
  const Symbol at = m.symbol("at");
  const Value* state = it->state.find(at);
  if (stopped_ || (state && state->is_unknown())) return Step::unknown;
  if (state && state->is_none()) return Step::end;
  if (stop(it->node, it->module)) return Step::unknown;
  ++depth_;
  const Step step = depth_ > 300 ? Step::unknown : step_of(it, state ? state->number() : 0, item);
  --depth_;
  if (step == Step::unknown) m.lose(it);
  if ((step == Step::end && it->form != Iterator::Form::zipped) ||
      (step == Step::raised && it->form == Iterator::Form::expression))
    m.set(it->state, at, Value::none());
  return step;
}

Machine::Step Machine::Interpreter::step_of(Iterator* it, std::int64_t at, Value& item) {
  using Form = Iterator::Form;
  switch (it->form) {
    case Form::walk: {
      const Symbol last = m.symbol("last");
      const Value* before = it->state.find(last);
      Walk w{it->sources[0], at, static_cast<std::size_t>(it->count), before ? *before : Value(), it->view};
      const Step step = next(w, item);
      if (step == Step::item) m.set(it->state, m.symbol("at"), Value::integer(w.at));
      if (step == Step::item && w.last.bound()) m.set(it->state, last, w.last);
      return step;
    }
    case Form::reversed:
      return step_back(it, at, item);
    case Form::expression:
      return step_of_expression(it, item);
    case Form::called:
      return step_of_call(it, at, item);
    case Form::asked:
      return step_of_instance(it, item);
    case Form::modelled: {
      const Step step = static_cast<Step>(it->step(m, *it, at, item));
      return m.raising_ ? Step::raised : step;
    }
    default:
      return step_of_several(it, at, item);
  }
}

Machine::Step Machine::Interpreter::step_back(Iterator* it, std::int64_t at, Value& item) {
  const Tuple* t = it->sources[0].as<Tuple>();
  const List* l = it->sources[0].as<List>();
  if (l && l->open) return Step::unknown;
  const auto& items = t ? t->items : l->items;
  const std::int64_t place = it->count - 1 - at;  // as Python: from the length that there was
  if (place < 0 || place >= static_cast<std::int64_t>(items.size())) return Step::end;
  item = items[static_cast<std::size_t>(place)];
  m.set(it->state, m.symbol("at"), Value::integer(at + 1));
  return Step::item;
}

/// Of an iterator over others.
Machine::Step Machine::Interpreter::step_of_several(Iterator* it, std::int64_t at, Value& item) {
  using Form = Iterator::Form;
  const auto source = [&](std::size_t i) { return it->sources[i].as<Iterator>(); };
  if (it->form == Form::chained) {
    for (std::int64_t i = at; i < static_cast<std::int64_t>(it->sources.size()); ++i) {
      if (i != at) m.set(it->state, m.symbol("at"), Value::integer(i));
      if (const Step step = next(source(static_cast<std::size_t>(i)), item); step != Step::end) return step;
    }
    return Step::end;
  }
  if (it->form == Form::filtered) return step_of_filter(it, item);
  std::vector<Value> row;
  for (std::size_t i = 0; i < it->sources.size(); ++i) {
    Value one;
    const Step step = next(source(i), one);
    if (step == Step::end && it->strict) return ends_together(it, i);
    if (step != Step::item) return step;
    row.push_back(one);
  }
  if (row.empty()) return Step::end;
  if (it->form == Form::zipped) {
    item = m.tuple(std::move(row));
  } else if (it->form == Form::enumerated) {
    item = m.tuple({Value::integer(it->count + at), row[0]});
    m.set(it->state, m.symbol("at"), Value::integer(at + 1));
  } else {
    item = call(it->function, std::move(row), {}, it->node, it->module);
  }
  return m.raising_ ? Step::raised : Step::item;
}

/// zip(strict=True) where source `ended` is at its end: all must be.
Machine::Step Machine::Interpreter::ends_together(Iterator* it, std::size_t ended) {
  Value item;
  bool longer = ended > 0;
  for (std::size_t i = 1; i < it->sources.size() && !longer; ++i) {
    const Step step = next(it->sources[i].as<Iterator>(), item);
    if (step == Step::unknown || step == Step::raised) return step;
    longer = step == Step::item;
  }
  if (!longer) return Step::end;
  m.raise_error("ValueError", "zip() arguments of different lengths", it->node, it->module);
  return Step::raised;
}

Machine::Step Machine::Interpreter::step_of_filter(Iterator* it, Value& item) {
  for (;;) {
    const Step step = next(it->sources[0].as<Iterator>(), item);
    if (step != Step::item) return step;
    const Value keep = it->function.is_none() ? item : call(it->function, {item}, {}, it->node, it->module);
    if (m.raising_) return Step::raised;
    const Truth truth = m.truth(keep);
    if (truth == Truth::unknown) return Step::unknown;
    if (truth == Truth::yes) return Step::item;
  }
}

Machine::Step Machine::Interpreter::step_of_instance(Iterator* it, Value& item) {
  const Value& self = it->sources[0];
  const Instance* instance = self.as<Instance>();
  Function* f = instance ? class_attribute(instance->klass, m.symbol("__next__")).as<Function>() : nullptr;
  if (!f) return Step::unknown;
  item = call_function(f, &self, {}, {}, it->node, f->module);
  if (!m.raising_) return item.bound() && !item.is_unknown() ? Step::item : Step::unknown;
  if (!exception_is("StopIteration")) return Step::raised;
  m.raising_ = false;
  return Step::end;
}

}  // namespace cutelab::reading::machine
