#include "layout/int_tuple.h"

#include <algorithm>

#include "layout/fault.h"

namespace cutelab::layout {

int TupleView::depth() const {
  if (is_leaf()) return 0;
  int deepest = 0;
  TupleView m = first();
  for (int i = 0; i < rank(); ++i, m = m.next()) deepest = std::max(deepest, m.depth());
  return deepest + 1;
}

TupleView TupleView::mode(int i) const {
  TupleView m = first();
  for (; i > 0; --i) m = m.next();
  return m;
}

bool TupleView::operator==(const TupleView& other) const {
  if (span() != other.span()) return false;
  for (std::size_t i = 0; i < span(); ++i) {
    const Node& a = node_[i];
    const Node& b = other.node_[i];
    if (a.arity != b.arity || (a.is_leaf() && !(a.leaf == b.leaf))) return false;
  }
  return true;
}

namespace {
template <class Modes>
IntTuple tuple_from(const Modes& modes) {
  TupleBuilder build;
  const auto at = build.open();
  for (const IntTuple& mode : modes) build.copy(mode);
  build.close(at, static_cast<int>(modes.size()));
  return build.take();
}
}  // namespace

IntTuple IntTuple::tuple(const std::vector<IntTuple>& modes) { return tuple_from(modes); }
IntTuple IntTuple::tuple(std::initializer_list<IntTuple> modes) { return tuple_from(modes); }

bool IntTuple::known() const {
  return std::all_of(begin(), end(), [](const Node& n) { return !n.is_leaf() || n.leaf.known(); });
}

std::vector<std::string> IntTuple::symbols() const {
  std::vector<std::string> names;
  for (const Node& node : *this)
    if (node.is_leaf() && !node.leaf.known())
      for (std::string& name : node.leaf.symbols()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace {
void write(TupleView t, std::string& out) {
  if (t.is_leaf()) {
    out += t.leaf().text();
    return;
  }
  out += "(";
  TupleView m = t.first();
  for (int i = 0; i < t.rank(); ++i, m = m.next()) {
    if (i > 0) out += ",";
    write(m, out);
  }
  out += ")";
}

void copy_like(TupleView t, TupleView guide, TupleBuilder& build) {
  if (guide.is_leaf()) {
    build.leaf(product(t));
    return;
  }
  const auto at = build.open();
  TupleView a = t.first();
  TupleView g = guide.first();
  for (int i = 0; i < guide.rank(); ++i, a = a.next(), g = g.next()) copy_like(a, g, build);
  build.close(at, guide.rank());
}
}  // namespace

std::string IntTuple::text() const {
  std::string out;
  write(view(), out);
  return out;
}

Int product(TupleView t) {
  if (t.is_leaf()) return t.leaf();
  Int out = 1;
  const Node* end = t.node() + t.span();
  for (const Node* n = t.node() + 1; n != end; ++n)
    if (n->is_leaf()) out = out * n->leaf;
  return out;
}

Int sum(TupleView t) {
  Int out = 0;
  const Node* end = t.node() + t.span();
  for (const Node* n = t.node(); n != end; ++n)
    if (n->is_leaf()) out = out + n->leaf;
  return out;
}

IntTuple product_each(TupleView t) {
  TupleBuilder build;
  const auto at = build.open();
  TupleView m = t.first();
  for (int i = 0; i < t.rank(); ++i, m = m.next()) build.leaf(product(m));
  build.close(at, t.rank());
  return build.take();
}

IntTuple product_like(TupleView t, TupleView guide) {
  TupleBuilder build;
  copy_like(t, guide, build);
  return build.take();
}

std::vector<Int> leaves(TupleView t) {
  std::vector<Int> out;
  for (const Node* n = t.node(); n != t.node() + t.span(); ++n)
    if (n->is_leaf()) out.push_back(n->leaf);
  return out;
}

IntTuple flatten(TupleView t) {
  if (t.is_leaf()) return IntTuple(t);
  TupleBuilder build;
  const auto at = build.open();
  int count = 0;
  for (const Node* n = t.node() + 1; n != t.node() + t.span(); ++n)
    if (n->is_leaf()) {
      build.leaf(n->leaf);
      ++count;
    }
  build.close(at, count);
  return build.take();
}

Result<IntTuple> unflatten(TupleView flat, TupleView profile) {
  const std::vector<Int> values = leaves(flat);
  IntTuple out(profile);
  std::size_t wanted = 0;
  for (const Node& node : out) wanted += node.is_leaf();
  if (wanted != values.size())
    return fault("unflatten", 1, "{} leaves do not fill the {} leaves of the profile", values.size(), wanted);
  TupleBuilder build;
  std::size_t next = 0;
  std::vector<std::pair<std::size_t, const Node*>> open;
  for (const Node& node : out) {
    if (node.is_leaf()) {
      build.leaf(values[next++]);
    } else {
      const auto at = build.open();
      open.emplace_back(at, &node);
    }
    while (!open.empty() && build.count() == open.back().first + open.back().second->span) {
      build.close(open.back().first, open.back().second->arity);
      open.pop_back();
    }
  }
  return build.take();
}

IntTuple repeat_like(TupleView t, const Int& value) {
  TupleBuilder build;
  const auto walk = [&](auto&& self, TupleView v) -> void {
    if (v.is_leaf()) return build.leaf(value);
    const auto at = build.open();
    TupleView m = v.first();
    for (int i = 0; i < v.rank(); ++i, m = m.next()) self(self, m);
    build.close(at, v.rank());
  };
  walk(walk, t);
  return build.take();
}

IntTuple append_to_rank(TupleView t, int rank, TupleView with) {
  if (t.rank() >= rank) return IntTuple(t);
  TupleBuilder build;
  const auto at = build.open();
  TupleView m = t.first();
  for (int i = 0; i < t.rank(); ++i, m = m.next()) build.copy(m);
  for (int i = t.rank(); i < rank; ++i) build.copy(with);
  build.close(at, rank);
  return build.take();
}

IntTuple append(TupleView t, TupleView mode) { return append_to_rank(t, t.rank() + 1, mode); }

IntTuple prepend(TupleView t, TupleView mode) {
  TupleBuilder build;
  const auto at = build.open();
  build.copy(mode);
  TupleView m = t.first();
  for (int i = 0; i < t.rank(); ++i, m = m.next()) build.copy(m);
  build.close(at, t.rank() + 1);
  return build.take();
}

Result<IntTuple> take(TupleView t, int begin, int end) {
  if (begin < 0 || begin >= end || end > t.rank())
    return fault("take", 1, "modes [{}, {}) do not lie in a tuple of rank {}", begin, end, t.rank());
  TupleBuilder build;
  const auto at = build.open();
  for (int i = begin; i < end; ++i) build.copy(t.mode(i));
  build.close(at, end - begin);
  return build.take();
}

Result<IntTuple> group(TupleView t, int begin, int end) {
  if (begin < 0 || begin >= end || end > t.rank())
    return fault("group", 1, "modes [{}, {}) do not lie in a tuple of rank {}", begin, end, t.rank());
  TupleBuilder build;
  const auto at = build.open();
  for (int i = 0; i < begin; ++i) build.copy(t.mode(i));
  const auto inner = build.open();
  for (int i = begin; i < end; ++i) build.copy(t.mode(i));
  build.close(inner, end - begin);
  for (int i = end; i < t.rank(); ++i) build.copy(t.mode(i));
  build.close(at, t.rank() - (end - begin) + 1);
  return build.take();
}

}  // namespace cutelab::layout
