#include <unordered_map>

#include "reading/models/python_models.h"

// copy.copy and copy.deepcopy.
namespace cutelab::reading::machine::python_models {
namespace {

/// Copies values and what they hold; an object that comes twice is copied once.
class Copier {
 public:
  Copier(Machine& machine, bool deep) : m_(machine), deep_(deep) {}

  Value copy(const Value& v, int depth = 0) {
    const Object* object = v.object();
    if (!object || v.is_unknown() || m_.raising()) return v;
    if (const auto known = copied_.find(object); known != copied_.end()) return known->second;
    if (depth > deepest || copied_.size() > most) return m_.limit("a copy of something too large");
    const char* own = deep_ ? "__deepcopy__" : "__copy__";
    if (v.as<Instance>()) {
      const Value made = deep_ ? m_.by_special(v, own, {m_.make<Dict>()}) : m_.by_special(v, own);
      if (made.bound() || m_.raising()) return made;
    }
    return plainly(v, depth);
  }

 private:
  static constexpr int deepest = 100;
  static constexpr std::size_t most = 20'000;

  Value inner(const Value& v, int depth) { return deep_ ? copy(v, depth + 1) : v; }

  Value plainly(const Value& v, int depth) {
    if (const List* l = v.as<List>(); l && !l->view_of) {
      List* out = m_.make<List>(std::vector<Value>{});
      copied_.emplace(l, out);
      out->open = l->open;
      for (const Value& item : l->items) out->items.push_back(inner(item, depth));
      return out;
    }
    if (const Dict* d = v.as<Dict>()) {
      Dict* out = m_.make<Dict>();
      copied_.emplace(d, out);
      out->open = d->open;
      out->form = d->form;
      out->factory = d->factory;
      for (const auto& [key, value] : d->items) out->items.emplace_back(key, inner(value, depth));
      return out;
    }
    if (const Record* r = v.as<Record>(); r && r->kind == "deque") {
      Record* out = m_.record(r->kind, r->path);
      copied_.emplace(r, out);
      const Value items = m_.field(r, "items");
      if (!items.as<List>()) return m_.unknown("a copy of a deque that is not known", "copy");
      m_.set_field(out, "items", copy(items, depth + 1));
      m_.set_field(out, "maxlen", m_.field(r, "maxlen"));
      return out;
    }
    if (const Set* s = v.as<Set>(); s && !s->frozen) {
      Set* out = m_.make<Set>();
      out->items = s->items;
      out->open = s->open;
      return out;
    }
    if (const Tuple* t = v.as<Tuple>(); t && deep_) {
      std::vector<Value> items;
      for (const Value& item : t->items) items.push_back(inner(item, depth));
      Tuple* out = m_.make<Tuple>(std::move(items));
      out->names = t->names;
      out->of = t->of;
      return out;
    }
    if (const Instance* i = v.as<Instance>(); i && !i->klass->is_enum) return of_instance(*i, depth);
    if (const Record* r = v.as<Record>(); r && r->kind == "Namespace") {
      Record* out = m_.record(r->kind, r->path);
      for (const auto& [name, value] : r->fields.items()) m_.set(out->fields, name, inner(value, depth));
      return out;
    }
    return v.as<Iterator>() ? m_.unknown("a copy of an iterator") : v;
  }

  Value of_instance(const Instance& i, int depth) {
    Instance* out = m_.make<Instance>();
    copied_.emplace(&i, out);
    out->klass = out->attributes.of = i.klass;
    out->made_at = i.made_at;
    out->made_in = i.made_in;
    for (const auto& [name, value] : std::vector(i.attributes.items()))
      if (value.bound()) out->attributes.at(name) = inner(value, depth);
    return out;
  }

  Machine& m_;
  bool deep_;
  std::unordered_map<const Object*, Value> copied_;
};

template <bool deep>
Answer copy_of(Call& c) {
  if (!c.count()) return std::nullopt;
  const Value out = Copier(c.machine, deep).copy(c.arguments[0]);
  return c.machine.raising() ? Value() : out;
}
}  // namespace

void add_copies(Natives& n) {
  n.function("copy", "copy", copy_of<false>);
  n.function("copy", "deepcopy", copy_of<true>);
}

}  // namespace cutelab::reading::machine::python_models
