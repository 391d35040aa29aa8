#include <array>

#include "base/text.h"
#include "layout/algebra.h"
#include "layout/divide.h"
#include "layout/smem.h"
#include "reading/cpp/cpp_folder.h"

/// Tiled operations, the shapes they cut tiles into, and layouts taken apart.
namespace cutelab::reading {
using CppKind = CppValue::Kind;
using layout::IntTuple;
namespace {

CppValue first_unknown(const std::vector<CppValue>& arguments, std::string_view name) {
  for (const CppValue& a : arguments)
    if (!a.known()) return a;
  return CppValue::unknown("a library function that is not folded", std::string(name));
}

std::optional<std::int64_t> number_field(const CppValue& v, std::string_view name) {
  for (const auto& [field, value] : v.fields)
    if (field == name) return value.integer();
  return std::nullopt;
}

/// 64, 128, 16 of "SM90_64x128x16_F16F16F16_SS".
std::optional<std::array<std::int64_t, 3>> extents_in_name(std::string_view name) {
  for (const auto part : split(name, '_')) {
    const auto numbers = split(part, 'x');
    if (numbers.size() != 3) continue;
    std::array<std::int64_t, 3> out{};
    bool all = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto n = parse_integer(numbers[i]);
      all = all && n && *n > 0;
      out[i] = n.value_or(0);
    }
    if (all) return out;
  }
  return std::nullopt;
}

/// One tcgen05.mma takes 32 bytes of K; sub-byte types that it does not unpack take as many bits.
std::optional<std::array<std::int64_t, 3>> extents_of_tcgen05(std::string_view name,
                                                              const std::vector<CppValue>& arguments) {
  if (!name.starts_with("SM100_MMA_") || arguments.empty() || !arguments[0].is(CppKind::type)) return {};
  std::vector<std::int64_t> numbers;
  for (const CppValue& a : arguments)
    if (a.integer()) numbers.push_back(*a.integer());
  if (numbers.size() < 2 || arguments[0].bits <= 0) return {};
  const std::int64_t bits = name.find("F8F6F4") != std::string_view::npos ? 8 : arguments[0].bits;
  return std::array<std::int64_t, 3>{numbers[0], numbers[1], 256 / bits};
}

constexpr std::array<const char*, 3> tile_names = {"m", "n", "k"};
constexpr std::array<const char*, 3> operation_names = {"op-m", "op-n", "op-k"};

/// A tiled MMA: threads of the atom times the atoms side by side, and the tile they cover together.
CppValue tiled_mma(const std::vector<CppValue>& a) {
  if (a.empty() || !a[0].is(CppKind::threads)) return first_unknown(a, "make_tiled_mma");
  if (a.size() < 2) return a[0];
  if (!a[1].is(CppKind::layout) && !a[1].is(CppKind::tuple) && !a[1].is(CppKind::integer))
    return first_unknown({a[1]}, "make_tiled_mma");
  const IntTuple& atoms = a[1].is(CppKind::layout) ? a[1].layout->shape() : a[1].tuple;
  const auto count = layout::product(atoms);
  if (!count.known()) return CppValue::unknown("the size is not known");
  CppValue out = a[0];
  out.tuple = IntTuple(a[0].tuple.leaf().value() * count.value());
  const CppValue* permuted = a.size() > 2 && a[2].is(CppKind::tuple) ? &a[2] : nullptr;
  for (auto& [field, value] : out.fields)
    for (std::size_t i = 0; i < 3; ++i) {
      if (field != tile_names[i] || !value.integer()) continue;
      const bool given = permuted && static_cast<int>(i) < permuted->tuple.rank();
      const auto along = static_cast<int>(i) < atoms.rank() ? layout::product(atoms.mode(static_cast<int>(i)))
                                                            : layout::Int(1);
      const auto tile = given ? layout::product(permuted->tuple.mode(static_cast<int>(i)))
                              : layout::Int(*value.integer() * (along.known() ? along.value() : 1));
      if (tile.known()) value = CppValue::of(tile.value());
    }
  return out;
}

CppValue tile_size(const std::vector<CppValue>& a, const std::vector<CppValue>& modes) {
  if (a.size() != 1 || !a[0].is(CppKind::threads) || modes.size() != 1 || !modes[0].integer())
    return first_unknown(a, "tile_size");
  const std::int64_t mode = *modes[0].integer();
  const auto n =
      mode >= 0 && mode < 3 ? number_field(a[0], tile_names[static_cast<std::size_t>(mode)]) : std::nullopt;
  return n ? CppValue::of(*n) : CppValue::unknown("the shape of the operation is not known", a[0].text);
}

CppValue tile_shape(const std::vector<CppValue>& a) {
  std::vector<IntTuple> out;
  for (std::size_t i = 0; i < 3; ++i) {
    const CppValue one = tile_size(a, {CppValue::of(static_cast<std::int64_t>(i))});
    if (!one.integer()) return one;
    out.emplace_back(*one.integer());
  }
  return CppValue::of(IntTuple::tuple(out));
}

/// partition_shape_A and its kin: ((extent of one instruction in this CTA, …), rest, rest, stages…).
CppValue partition_shape(char operand, const std::vector<CppValue>& a) {
  if (a.size() != 2 || !a[0].is(CppKind::threads) || !a[1].is(CppKind::tuple))
    return first_unknown(a, "partition_shape");
  const std::size_t rows = operand == 'B' ? 1 : 0, columns = operand == 'C' ? 1 : 2;
  const auto ctas = number_field(a[0], "ctas");
  const auto op_rows = number_field(a[0], operation_names[rows]),
             op_columns = number_field(a[0], operation_names[columns]);
  const auto tile_rows = number_field(a[0], tile_names[rows]),
             tile_columns = number_field(a[0], tile_names[columns]);
  const IntTuple& tile = a[1].tuple;
  if (!ctas || !op_rows || !op_columns || tile_rows != op_rows || tile_columns != op_columns ||
      tile.rank() < 2 || !tile.mode(0).is_leaf() || !tile.mode(1).is_leaf() || !tile.mode(0).leaf().known() ||
      !tile.mode(1).leaf().known())
    return CppValue::unknown("the operation's part of the tile is not known", a[0].text);
  if (tile.mode(0).leaf().value() % *op_rows != 0 || tile.mode(1).leaf().value() % *op_columns != 0)
    return CppValue::unknown("the operation does not divide the tile", a[0].text);
  std::vector<IntTuple> out = {IntTuple::tuple({IntTuple(*op_rows / *ctas), IntTuple(*op_columns)}),
                               IntTuple(tile.mode(0).leaf().value() / *op_rows),
                               IntTuple(tile.mode(1).leaf().value() / *op_columns)};
  for (int i = 2; i < tile.rank(); ++i) out.push_back(tile.mode(i));
  return CppValue::of(IntTuple::tuple(out));
}

CppValue to_mma_shape(const std::vector<CppValue>& a) {
  if (a.size() < 2 || !a[0].is(CppKind::layout) || !a[1].is(CppKind::tuple))
    return first_unknown(a, "tile_to_mma_shape");
  std::vector<IntTuple> order;
  for (int i = 1; i < a[1].tuple.rank(); ++i) order.emplace_back(i);
  const IntTuple in_turn = IntTuple::tuple(order);
  if (a.size() > 2 && !a[2].is(CppKind::tuple)) return first_unknown({a[2]}, "tile_to_mma_shape");
  auto out = layout::tile_to_mma_shape(*a[0].layout, a[1].tuple, a.size() > 2 ? a[2].tuple : in_turn);
  return out ? CppValue::of(std::move(*out)) : CppValue::unknown("the atom does not tile the shape");
}

CppValue divided(std::string_view name, const std::vector<CppValue>& a) {
  if (a.size() != 2 || !a[0].is(CppKind::layout)) return first_unknown(a, name);
  layout::Tiler tiler = layout::Tiler::all();
  if (a[1].is(CppKind::layout))
    tiler = layout::Tiler(a[1].layout->layout());
  else if (a[1].is(CppKind::tuple) || a[1].is(CppKind::integer))
    tiler = layout::Tiler::of_shape(a[1].tuple);
  else
    return first_unknown({a[1]}, name);
  auto out = a[0].layout->map([&](const layout::Layout& l) {
    return name == "zipped_divide" ? layout::zipped_divide(l, tiler)
           : name == "flat_divide" ? layout::flat_divide(l, tiler)
                                   : layout::tiled_divide(l, tiler);
  });
  return out ? CppValue::of(std::move(*out)) : CppValue::unknown("the tiler does not divide the layout");
}

CppValue grouped(const std::vector<CppValue>& a, const std::vector<CppValue>& modes) {
  if (a.size() != 1 || !a[0].is(CppKind::layout) || modes.size() != 2 || !modes[0].integer() ||
      !modes[1].integer())
    return first_unknown(a, "group");
  auto out = a[0].layout->map([&](const layout::Layout& l) {
    return layout::group(l, static_cast<int>(*modes[0].integer()), static_cast<int>(*modes[1].integer()));
  });
  return out ? CppValue::of(std::move(*out)) : CppValue::unknown("has no such modes");
}

CppValue selected(const std::vector<CppValue>& a, const std::vector<CppValue>& modes) {
  if (a.size() != 1 || !a[0].is(CppKind::tuple)) return first_unknown(a, "select");
  std::vector<IntTuple> out;
  for (const CppValue& mode : modes) {
    if (!mode.integer() || *mode.integer() < 0 || *mode.integer() >= a[0].tuple.rank())
      return CppValue::unknown("has no such mode");
    out.push_back(a[0].tuple.mode(static_cast<int>(*mode.integer())));
  }
  return CppValue::of(IntTuple::tuple(out));
}

/// make_tensor(pointer, layout) or (pointer, shape, stride): a tensor is its layout here.
CppValue tensor(const std::vector<CppValue>& a) {
  if (a.size() == 2 && a[1].is(CppKind::layout)) return a[1];
  if (a.size() < 2 || a.size() > 3) return first_unknown(a, "make_tensor");
  for (std::size_t i = 1; i < a.size(); ++i)
    if (!a[i].is(CppKind::tuple) && !a[i].is(CppKind::integer)) return first_unknown({a[i]}, "make_tensor");
  if (a.size() == 2) return CppValue::of(layout::ComposedLayout(layout::Layout(a[1].tuple)));
  auto made = layout::Layout::make(a[1].tuple, a[2].tuple);
  return made ? CppValue::of(layout::ComposedLayout(std::move(*made))) : CppValue::unknown("no such layout");
}
}  // namespace

void cpp_shape_of_operation(std::string_view name, const std::vector<CppValue>& arguments, CppValue& out) {
  auto extents = extents_of_tcgen05(name, arguments);
  if (!extents) extents = extents_in_name(name);
  if (!extents && name == "UniversalFMA") extents = std::array<std::int64_t, 3>{1, 1, 1};
  if (!extents) return;
  for (std::size_t i = 0; i < 3; ++i) {
    out.fields.emplace_back(tile_names[i], CppValue::of((*extents)[i]));
    out.fields.emplace_back(operation_names[i], CppValue::of((*extents)[i]));
  }
  if (name.starts_with("SM100_MMA_"))
    out.fields.emplace_back("ctas",
                            CppValue::of(std::int64_t{name.find("2x1SM") != std::string_view::npos ? 2 : 1}));
}

CppValue cpp_layout_call(std::string_view name, const std::vector<CppValue>& a,
                         const std::vector<CppValue>& template_arguments) {
  if (name == "make_tiled_mma") return tiled_mma(a);
  if (name == "tile_size") return tile_size(a, template_arguments);
  if (name == "tile_shape") return tile_shape(a);
  if (name.starts_with("partition_shape_") && name.size() == 17) return partition_shape(name.back(), a);
  if (name == "tile_to_mma_shape") return to_mma_shape(a);
  if (name == "tiled_divide" || name == "zipped_divide" || name == "flat_divide") return divided(name, a);
  if (name == "group" || name == "group_modes") return grouped(a, template_arguments);
  if (name == "select") return selected(a, template_arguments);
  if (name == "make_tensor") return tensor(a);
  return {};
}

}  // namespace cutelab::reading
