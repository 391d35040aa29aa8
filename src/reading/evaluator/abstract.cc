#include "reading/evaluator/abstract.h"

#include <algorithm>

namespace cutelab::reading {
namespace {
Abstract of(Abstract::Kind kind) {
  Abstract a;
  a.kind = kind;
  return a;
}
}  // namespace

Abstract Abstract::unknown(std::string reason, std::vector<std::string> depends_on, source::Node at) {
  Abstract a;
  a.text = std::move(reason);
  a.depends_on = std::move(depends_on);
  a.made_at = at;
  return a;
}
Abstract Abstract::none() { return of(Kind::none); }
Abstract Abstract::boolean(bool b) {
  Abstract a = of(Kind::boolean);
  a.number = b ? 1 : 0;
  return a;
}
Abstract Abstract::integer(std::int64_t n) {
  Abstract a = of(Kind::integer);
  a.number = n;
  return a;
}
Abstract Abstract::of_real(double d) {
  Abstract a = of(Kind::real);
  a.real = d;
  return a;
}
Abstract Abstract::of_text(std::string s) {
  Abstract a = of(Kind::text);
  a.text = std::move(s);
  return a;
}
Abstract Abstract::tuple(std::vector<Abstract> items) {
  Abstract a = of(Kind::tuple);
  a.items = std::move(items);
  return a;
}
Abstract Abstract::name(std::string path) {
  Abstract a = of(Kind::name);
  a.path = std::move(path);
  return a;
}
Abstract Abstract::object(std::string path, int module, source::Node made_at) {
  Abstract a = of(Kind::object);
  a.path = std::move(path);
  a.module = module;
  a.made_at = made_at;
  return a;
}

bool same(const Abstract& a, const Abstract& b) {
  using Kind = Abstract::Kind;
  if (a.is_number() && b.is_number()) return a.number == b.number;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::unknown:
      return false;
    case Kind::none:
      return true;
    case Kind::boolean:
    case Kind::integer:
      return a.number == b.number;
    case Kind::real:
      return a.real == b.real;
    case Kind::text:
      return a.text == b.text;
    case Kind::tuple:
      return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
    case Kind::name:
      return a.path == b.path;
    case Kind::object:
    case Kind::instance:
      return a.made_at == b.made_at && a.frame == b.frame && a.path == b.path;
    case Kind::function:
    case Kind::type:
      return a.module == b.module && a.index == b.index;
  }
  return false;
}

}  // namespace cutelab::reading
