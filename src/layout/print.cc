#include <fmt/format.h>

#include "layout/parse.h"

namespace cutelab::layout {
namespace {

std::string leaf_text(const Int& leaf, Notation notation) {
  if (notation == Notation::plain) return leaf.text();
  std::string basis = Int(1).with_basis(leaf.basis()).text().substr(1);
  if (leaf.known()) return fmt::format("{}{}{}", notation == Notation::cpp ? "_" : "", leaf.value(), basis);
  if (notation == Notation::cpp) return leaf.text();
  return leaf.divisibility() > 1 ? fmt::format("?{{div={}}}{}", leaf.divisibility(), basis) : "?" + basis;
}

void write(TupleView t, Notation notation, std::string& out) {
  if (t.is_leaf()) {
    out += leaf_text(t.leaf(), notation);
    return;
  }
  out += "(";
  for (int i = 0; i < t.rank(); ++i) {
    if (i > 0) out += ",";
    write(t.mode(i), notation, out);
  }
  out += ")";
}

}  // namespace

std::string print(const IntTuple& tuple, Notation notation) {
  std::string out;
  write(tuple, notation, out);
  return out;
}

std::string print(const ComposedLayout& layout, Notation notation) {
  const std::string inner = print(layout.shape(), notation) + ":" + print(layout.layout().stride(), notation);
  if (layout.plain()) return inner;
  const Swizzle& sw = layout.swizzle();
  return fmt::format("{}<{},{},{}> o {} o {}", notation == Notation::dsl ? "S" : "Sw", sw.bits, sw.base,
                     sw.shift, leaf_text(layout.offset(), notation), inner);
}

Result<ComposedLayout> Value::as_layout() const {
  if (const auto* layout = std::get_if<ComposedLayout>(&data_)) return *layout;
  if (const IntTuple* shape = tuple()) {
    auto made = Layout::make(*shape, compact_col_major(*shape));
    if (!made) return made.error();
    return ComposedLayout(std::move(*made));
  }
  return Error{ErrorKind::input, "", fmt::format("{} is not a layout", text()), "", "write shape:stride"};
}

Result<Layout> Value::as_plain_layout() const {
  auto layout = as_layout();
  if (!layout) return layout.error();
  if (!layout->plain())
    return Error{ErrorKind::input, "",
                 fmt::format("{} has a swizzle; this operation wants a plain layout", text()), "", ""};
  return layout->layout();
}

Result<Tiler> Value::as_tiler() const {
  if (const auto* tiler = std::get_if<Tiler>(&data_)) return *tiler;
  if (const IntTuple* shape = tuple()) return Tiler::of_shape(*shape);
  auto layout = as_plain_layout();
  if (!layout) return layout.error();
  return Tiler(std::move(*layout));
}

std::string Value::text() const {
  if (const IntTuple* t = tuple()) return t->text();
  if (const auto* layout = std::get_if<ComposedLayout>(&data_)) return layout->text();
  if (const auto* tiler = std::get_if<Tiler>(&data_)) return tiler->text();
  return swizzle()->text();
}

}  // namespace cutelab::layout
