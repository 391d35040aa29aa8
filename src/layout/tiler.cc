#include "layout/tiler.h"

namespace cutelab::layout {

Tiler Tiler::of_shape(TupleView shape) {
  if (shape.is_leaf()) {
    Tiler t{Layout(IntTuple(shape))};
    t.kind_ = Kind::integer;
    return t;
  }
  std::vector<Tiler> modes;
  TupleView m = shape.first();
  for (int i = 0; i < shape.rank(); ++i, m = m.next()) modes.push_back(of_shape(m));
  return tuple(std::move(modes));
}

std::string Tiler::text() const {
  switch (kind_) {
    case Kind::all:
      return "_";
    case Kind::integer:
      return layout_.shape().text();
    case Kind::layout:
      return layout_.text();
    case Kind::tuple:
      break;
  }
  std::string out = "<";
  for (const Tiler& mode : modes_) out += (out.size() > 1 ? "," : "") + mode.text();
  return out + ">";
}

}  // namespace cutelab::layout
