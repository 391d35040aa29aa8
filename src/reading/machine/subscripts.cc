#include <algorithm>

#include "reading/machine/interpreter.h"
#include "reading/machine/members.h"
#include "reading/machine/slices.h"
#include "reading/machine/unicode.h"

namespace cutelab::reading::machine {
using source::Node;
Value Machine::Interpreter::item_of_sequence(const Value& object, const Value& index, Node at) {
  const Tuple* tuple = object.as<Tuple>();
  const List* list = object.as<List>();
  const std::vector<Value>& items = tuple ? tuple->items : list->items;
  if (list && list->open) {
    const bool there = index.is_integral() && index.number() >= 0 &&
                       index.number() < static_cast<std::int64_t>(items.size());
    return there ? items[static_cast<std::size_t>(index.number())]
                 : m.unknown("how many items a list has is not known", std::string(at.text().substr(0, 80)));
  }
  if (index.is_integral()) {
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t i = index.number() < 0 ? index.number() + size : index.number();
    if (i >= 0 && i < size) return items[static_cast<std::size_t>(i)];
    return m.raise_error(
        "IndexError",
        "index " + std::to_string(index.number()) + " is outside a sequence of " + std::to_string(size), at);
  }
  if (index.is_real() || index.is_none() || index.as<Text>())
    return m.raise_error("TypeError", m.repr(index) + " is no index of a sequence", at);
  const Slice* slice = index.as<Slice>();
  if (slice && slice->step.is_integral() && slice->step.number() == 0)
    return m.raise_error("ValueError", "slice step cannot be zero", at);
  if (slice)
    if (const auto chosen = positions_of(*slice, items.size())) {
      std::vector<Value> out;
      for (const std::size_t i : *chosen) out.push_back(items[i]);
      return tuple ? m.tuple(std::move(out)) : m.list(std::move(out));
    }
  // Which item is not known; all the same is known.
  Value joined = items.empty() ? Value() : items.front();
  for (const Value& item : items) joined = join(joined, item, std::string(at.text().substr(0, 60)));
  return joined.bound() && !joined.is_unknown()
             ? joined
             : m.unknown("the index is not known", std::string(at.text().substr(0, 80)));
}

Value Machine::Interpreter::item_of_dict(const Value& object, const Value& index, Node at) {
  Dict* dict = object.as<Dict>();
  if (index.object() && m.refuses_key(index, at)) return {};
  bool undecided = false;
  for (const auto& [key, value] : dict->items) {
    const Truth same = m.equal(key, index);
    if (same == Truth::yes) return value;
    undecided = undecided || same == Truth::unknown;
  }
  if (undecided || dict->open || index.is_unknown()) {
    if (dict->factory.bound() && !dict->factory.is_none()) lose_content(object);  // it may be put there
    return m.unknown("the key is not known", std::string(at.text().substr(0, 80)));
  }
  if (dict->form == Dict::Form::counting) return Value::integer(0);
  if (!dict->factory.bound() || dict->factory.is_none()) return m.raise_error("KeyError", m.repr(index), at);
  const Value made = call(dict->factory, {}, {}, at, at_module_);
  if (!m.raising_) m.put(dict, index, made);
  return m.raising_ ? Value() : made;
}

Value Machine::Interpreter::item_of_text(const Value& object, const Value& index, Node at) {
  const auto all = characters(object.as<Text>()->text);
  if (index.is_integral()) {
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t i = index.number() < 0 ? index.number() + size : index.number();
    if (i >= 0 && i < size) return m.text(std::string(all[static_cast<std::size_t>(i)]));
    return m.raise_error("IndexError", "string index out of range", at);
  }
  const Slice* slice = index.as<Slice>();
  if (slice && slice->step.is_integral() && slice->step.number() == 0)
    return m.raise_error("ValueError", "slice step cannot be zero", at);
  if (slice)
    if (const auto chosen = positions_of(*slice, all.size())) {
      std::string out;
      for (const std::size_t i : *chosen) out += all[i];
      return m.text(std::move(out));
    }
  if (index.is_real() || index.is_none() || index.as<Text>())
    return m.raise_error("TypeError", "string indices must be integers", at);
  return m.unknown("part of a text", std::string(at.text().substr(0, 80)));
}

namespace {
/// A range again.
Value slice_of_range(Machine& m, const Range& range, const Slice& slice, Node at) {
  const Value whole = const_cast<Range*>(&range);
  if (slice.step.is_integral() && slice.step.number() == 0)
    return m.raise_error("ValueError", "slice step cannot be zero", at);
  const auto items = m.items(whole);
  const auto bounds = items ? bounds_of(slice, items->size()) : std::nullopt;
  if (!bounds || !range.begin.is_integral() || !range.step.is_integral())
    return m.unknown("part of a range", std::string(at.text().substr(0, 80)));
  const std::int64_t begin = range.begin.number(), step = range.step.number();
  Range* out = m.make<Range>();
  out->begin = Value::integer(begin + bounds->begin * step);
  out->end = Value::integer(begin + bounds->end * step);
  out->step = Value::integer(bounds->step * step);
  out->unrolled = range.unrolled;
  return out;
}
}  // namespace

Value Machine::Interpreter::subscript(const Value& object, const Value& index, Node at) {
  const Value out = subscript_plain(object, index, at);
  return out.is_unknown() ? aliased(out, {object}) : out;
}

Value Machine::Interpreter::subscript_plain(const Value& object, const Value& index, Node at) {
  if (object.is_number() || object.is_none() || (object.as<List>() && object.as<List>()->view_of) ||
      object.as<Iterator>() || object.as<Set>())
    return m.raise_error("TypeError", m.repr(object) + " is not subscriptable", at);
  if (object.as<Tuple>() || object.as<List>()) return item_of_sequence(object, as_index(m, index), at);
  if (object.as<Dict>()) return item_of_dict(object, index, at);
  if (object.as<Text>()) return item_of_text(object, as_index(m, index), at);
  if (const Slice* slice = index.as<Slice>(); slice && object.as<Range>())
    return slice_of_range(m, *object.as<Range>(), *slice, at);
  if (object.as<Range>())
    if (const auto items = m.items(object)) return subscript(m.list(*items), index, at);
  if (const Class* klass = object.as<Class>()) {
    const Text* key = klass->is_enum ? index.as<Text>() : nullptr;
    const Value* found = key ? klass->attributes.find(m.symbol(key->text)) : nullptr;
    if (found) return *found;
    if (key && klass->module < Library::first) return m.raise_error("KeyError", m.repr(index), at);
    if (class_attribute(const_cast<Class*>(klass), m.symbol("__class_getitem__")).bound())
      return m.unknown("what __class_getitem__ gives", std::string(at.text().substr(0, 80)));
    return object;  // a generic class with its parameters
  }
  return item_of_object(object, index, at);
}

/// By a model or the object's own __getitem__.
Value Machine::Interpreter::item_of_object(const Value& object, const Value& index, Node at) {
  std::vector<Value> parts = index.as<Tuple>() ? index.as<Tuple>()->items : std::vector<Value>{index};
  if (const Instance* instance = object.as<Instance>()) {
    const Value method = class_attribute(instance->klass, m.symbol("__getitem__"));
    if (const Function* f = method.as<Function>())
      return call_function(const_cast<Function*>(f), &object, {index}, {}, at, f->module);
  }
  std::string path;
  Native native = nullptr;
  if (const External* e = object.as<External>()) {
    path = e->path;
    native = natives.find_function(path + ".__getitem__");
    if (!native && (path.starts_with("typing.") || path.starts_with("builtins."))) return object;
  } else if (const Record* r = object.as<Record>()) {
    path = r->path;
    native = natives.find_method(r->kind, "__getitem__");
  } else if (object.as<LayoutObject>()) {
    native = natives.find_method("Layout", "__getitem__");
  } else if (const Unknown* u = object.as<Unknown>()) {
    path = u->path;
  }
  if (native) {
    Call call{m, path, object, std::move(parts), {}, at, 0};
    if (auto value = native(call)) return *value;
    if (m.raising_) return {};
  }
  if (const External* e = object.as<External>()) {
    const Value defined = library(e->path);
    if (defined.bound() && !defined.as<External>()) return subscript(defined, index, at);
  }
  const std::string suffix = index.is_integral() ? "[" + std::to_string(index.number()) + "]" : "[]";
  return m.unknown("item of " + why(object), std::string(at.text().substr(0, 80)),
                   path.empty() ? path : path + suffix);
}

}  // namespace cutelab::reading::machine
