#include <fmt/format.h>

#include "layout/atoms.h"
#include "layout/divide.h"
#include "layout/fault.h"
#include "reading/models/copy_atoms.h"

// Thread-value layouts of copies and the algebra of tiled copies, as cute/atom/copy_atom.hpp writes it.

namespace cutelab::reading::machine {
namespace {

using layout::Int;
using layout::IntTuple;
using layout::Layout;
using layout::Slicer;
using layout::Tiler;

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }
bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

/// "Ld32x32bOp" → "32x32b"; empty: not a tensor-memory copy.
std::string tmem_shape(std::string_view name) {
  for (const char* shape : {"32x32b", "16x64b", "16x128b", "16x256b"})
    if (name == fmt::format("Ld{}Op", shape) || name == fmt::format("St{}Op", shape)) return shape;
  return {};
}

/// "x32" of a Repetition, or its number.
std::optional<std::int64_t> repetition(Machine& m, const Record* op) {
  const Value value = m.field(op, "repeat");
  if (value.is_int()) return value.number();
  const std::string name = member_name(m, value);
  if (name.size() < 2 || name.size() > 4 || name[0] != 'x' ||
      name.find_first_not_of("0123456789", 1) != std::string::npos)
    return std::nullopt;
  return std::stoll(name.substr(1));
}

std::string matrix_name(Machine& m, const Record* op, std::string_view name) {
  const Value transpose = m.field(op, "transpose");
  const auto count = integer_of(m.field(op, "num_matrices"));
  if (!count || !transpose.is_bool()) return {};
  const char* verb = starts(name, "LdMatrix8x8x16b")   ? "ldmatrix"
                     : starts(name, "StMatrix8x8x16b") ? "stmatrix"
                                                       : "";
  if (!*verb) return {};
  return fmt::format("{}.x{}{}", verb, *count, transpose.number() ? ".trans" : "");
}

}  // namespace

std::optional<CopyLayouts> copy_layouts(Machine& m, const Record* op, std::int64_t bits,
                                        std::int64_t bits_per_copy) {
  const std::string_view name = leaf(op->path);
  if (starts(name, "CopyUniversal") || starts(name, "CopyG2SOp") || starts(name, "CopyG2R") ||
      starts(name, "CopyR2G") || starts(name, "CopyS2R") || starts(name, "CopyR2S")) {
    if (bits_per_copy % bits != 0) return std::nullopt;
    const std::int64_t count = bits_per_copy == 0 ? 1 : bits_per_copy / bits;
    const Layout values =
        Layout::unchecked(IntTuple::tuple({1, count}), IntTuple::tuple({0, count == 1 ? 0 : 1}));
    return CopyLayouts{Layout::unchecked(1, 0), values, values, true};
  }
  std::string atom_name = matrix_name(m, op, name);
  if (const std::string shape = tmem_shape(name); !shape.empty()) {
    const auto repeat = repetition(m, op);
    if (!repeat) return std::nullopt;
    atom_name = fmt::format("tcgen05.{}.{}.x{}", starts(name, "Ld") ? "ld" : "st", shape, *repeat);
  }
  if (atom_name.empty()) return std::nullopt;
  auto atom = layout::copy_atom(atom_name);
  if (!atom) return std::nullopt;
  auto source = layout::recast(atom->source, 1, bits),
       destination = layout::recast(atom->destination, 1, bits);
  if (!source || !destination) return std::nullopt;
  // The side that the tile is described by: registers for ldmatrix and stmatrix, tensor memory for its
  // copies.
  const bool by_source = starts(name, "StMatrix") || starts(name, "Ld16") || starts(name, "Ld32");
  return CopyLayouts{Layout::unchecked(32, 1), std::move(*source), std::move(*destination), by_source};
}

std::optional<TiledCopyParts> tiled_copy_parts(Machine& m, const Value& value) {
  const Record* copy = value.as<Record>();
  if (!copy) return std::nullopt;
  const auto held = [&](std::string_view name) -> const Layout* {
    const LayoutObject* object = m.field(copy, name).as<LayoutObject>();
    return object ? &object->layout.layout() : nullptr;
  };
  const Layout *threads = held("thr_id"), *source = held("layout_src_tv"),
               *destination = held("layout_dst_tv"), *values = held("layout_tv_tiled");
  auto tiler = tiler_of(m, m.field(copy, "tiler_mn"));
  if (!threads || !source || !destination || !values || !tiler) return std::nullopt;
  const bool by_source = text_of(m.field(copy, "described_by")) == "source";
  return TiledCopyParts{{*threads, *source, *destination, by_source}, *values, std::move(*tiler)};
}

namespace {

const Layout& reference(const TiledCopyParts& copy) {
  return copy.atom.by_source ? copy.atom.source : copy.atom.destination;
}

/// tile2thrfrg: ((thread),(value)) of the tile on the given side. The atom is as large as its reference: a
/// side whose threads hold less of it, registers beside tensor memory, takes its part of that.
Result<Layout> thread_fragments(const TiledCopyParts& copy, const Layout& tiled,
                                const Layout& reference_to_target) {
  const layout::LayoutView whole = reference(copy).view();
  const IntTuple atom =
      IntTuple::tuple({IntTuple(layout::size(whole.mode(0))), IntTuple(layout::size(whole.mode(1)))});
  auto atoms = layout::zipped_divide(copy.thread_values, Tiler::of_shape(atom));
  if (!atoms) return atoms;
  auto target = layout::composition(*atoms, Tiler::tuple({Tiler(reference_to_target), Tiler::all()}));
  if (!target) return target;
  auto zipped = layout::zip(*target);
  if (!zipped) return zipped;
  auto values = layout::coalesce(*zipped, IntTuple::tuple({1, IntTuple::tuple({1, 1})}));
  if (!values) return values;
  return layout::composition(tiled, Tiler::tuple({Tiler(std::move(*values)), Tiler::all()}));
}

Result<Layout> reference_to(const TiledCopyParts& copy, const Layout& side) {
  auto inverse = layout::right_inverse(reference(copy));
  if (!inverse) return inverse;
  return layout::composition(*inverse, side);
}

}  // namespace

Result<Layout> tiled_side(const TiledCopyParts& copy, bool source) {
  auto to = reference_to(copy, source ? copy.atom.source : copy.atom.destination);
  if (!to) return to;
  // The tile itself, as one column-major layout over its extents.
  std::vector<IntTuple> extents;
  for (const Tiler& mode : copy.tiler.is_tuple() ? copy.tiler.modes() : std::vector<Tiler>{copy.tiler})
    extents.push_back(IntTuple(layout::size(mode.layout())));
  const Layout tile = Layout::concat({Layout(IntTuple::tuple(extents)), Layout::unchecked(1, 0)});
  auto fragments = thread_fragments(copy, tile, *to);
  if (!fragments) return fragments;
  return Layout(fragments->view().mode(0));
}

Result<Layout> copy_partition(const TiledCopyParts& copy, const Layout& tensor, bool source) {
  auto to = reference_to(copy, source ? copy.atom.source : copy.atom.destination);
  if (!to) return to;
  auto divided = layout::zipped_divide(tensor, copy.tiler);
  if (!divided) return divided;
  auto fragments = thread_fragments(copy, *divided, *to);
  if (!fragments) return fragments;
  const layout::LayoutView values = fragments->view().mode(0), rest = fragments->view().mode(1);
  std::vector<Layout> modes = {Layout(values.mode(1))};
  if (rest.is_leaf())
    modes.push_back(Layout(rest));
  else
    for (int i = 0; i < rest.rank(); ++i) modes.push_back(Layout(rest.mode(i)));
  return Layout::concat(modes);
}

Result<Layout> copy_retile(const TiledCopyParts& copy, const Layout& fragment) {
  const Int values = layout::size(fragment.view().mode(0));
  const Int threads = layout::size(copy.thread_values.view().mode(0));
  auto inverse = layout::right_inverse(copy.thread_values);
  if (!inverse || !values.known() || !threads.known())
    return layout::undetermined("retile", "how many values?", {});
  std::vector<IntTuple> extents;
  for (const Tiler& mode : copy.tiler.is_tuple() ? copy.tiler.modes() : std::vector<Tiler>{copy.tiler})
    extents.push_back(IntTuple(layout::size(mode.layout())));
  auto shaped = layout::composition(*inverse, Layout(IntTuple::tuple(extents)));
  if (!shaped) return shaped;
  auto by_thread = layout::upcast(*shaped, threads.value() * values.value());
  if (!by_thread) return by_thread;
  auto back = layout::right_inverse(*by_thread);
  if (!back) return back;
  auto product = layout::logical_product(Layout(IntTuple(values)), Tiler(std::move(*back)));
  if (!product) return product;
  auto order =
      layout::zipped_divide(*product, Tiler(Layout(IntTuple(layout::size(copy.atom.source.view().mode(1))))));
  if (!order) return order;
  const IntTuple tile = layout::prepend(layout::product_each(by_thread->shape()), IntTuple(values));
  auto divided = layout::zipped_divide(fragment, Tiler::of_shape(tile));
  if (!divided) return divided;
  auto retiled = layout::composition(*divided, Tiler::tuple({Tiler(std::move(*order)), Tiler::all()}));
  if (!retiled) return retiled;
  std::vector<Layout> modes = {Layout(retiled->view().mode(0))};
  const layout::LayoutView rest = retiled->view().mode(1);
  for (int i = 1; i < rest.rank(); ++i) modes.push_back(Layout(rest.mode(i)));
  return Layout::concat(modes);
}

Result<Cotiled> cotiled(const Layout& addresses, const Layout& data) {
  auto inverse = layout::left_inverse(data);
  if (!inverse) return inverse.error();
  const Layout coordinates = Layout::concat({*inverse, Layout::unchecked(1, 0)});
  auto to_data = layout::composition(coordinates, addresses);
  if (!to_data) return to_data.error();
  const IntTuple extents = layout::product_each(data.shape());
  std::vector<Tiler> tiler;
  for (int i = 0; i < extents.rank(); ++i) {
    std::vector<IntTuple> strides;
    for (int j = 0; j < extents.rank(); ++j) strides.push_back(IntTuple(i == j ? 1 : 0));
    auto along = layout::composition(Layout::unchecked(extents, IntTuple::tuple(strides)), *to_data);
    if (!along) return along.error();
    tiler.push_back(Tiler(layout::filter(*along)));
  }
  auto tile_to_data = layout::composition(Layout(extents), Tiler::tuple(tiler));
  if (!tile_to_data) return tile_to_data.error();
  auto to_tile = layout::left_inverse(*tile_to_data);
  if (!to_tile) return to_tile.error();
  auto values = layout::composition(*to_tile, *to_data);
  if (!values) return values.error();
  return Cotiled{std::move(*values), Tiler::tuple(std::move(tiler))};
}

std::optional<Layout> tensor_memory_addresses(Machine& m, const Record* op, std::int64_t bits) {
  const std::string shape = tmem_shape(leaf(op->path));
  const auto repeat = repetition(m, op);
  if (shape.empty() || !repeat || 32 % bits != 0) return std::nullopt;
  const std::int64_t path_bits = std::int64_t{1} << 21;  // 2^16 columns of 32 bits
  const std::int64_t paths = shape[0] == '3' ? 32 : 16;
  const std::int64_t column_bits = std::stoll(shape.substr(3)) * *repeat;
  const Layout value_bits =
      Layout::unchecked(IntTuple::tuple({column_bits, paths}), IntTuple::tuple({1, path_bits}));
  auto values = layout::upcast(value_bits, bits);
  if (!values) return std::nullopt;
  const Layout threads =
      Layout::unchecked(IntTuple::tuple({32, 4}), IntTuple::tuple({0, 32 * path_bits / bits}));
  return Layout::concat({threads, layout::coalesce(*values)});
}

}  // namespace cutelab::reading::machine
