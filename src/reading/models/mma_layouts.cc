#include <fmt/format.h>

#include "layout/atoms.h"
#include "layout/divide.h"
#include "reading/models/mma_atoms.h"

// Thread-value layouts of matrix operations and the algebra of tiled MMAs, as cute/atom/mma_atom.hpp writes
// it.

namespace cutelab::reading::machine {
namespace {

using layout::Int;
using layout::IntTuple;
using layout::Layout;
using layout::Tiler;

Layout of(IntTuple shape, IntTuple stride) { return Layout::unchecked(std::move(shape), std::move(stride)); }

/// tcgen05: one CTA, or each of a pair, holds its part of the rows: (CTA, (row, column)) → row + rows·column.
Layout cta_part(int ctas, std::int64_t rows, std::int64_t columns) {
  const std::int64_t own = rows / ctas;
  return of(IntTuple::tuple({ctas, IntTuple::tuple({own, columns})}),
            IntTuple::tuple({own, IntTuple::tuple({1, rows})}));
}

std::string type_word(std::int64_t bits) {
  return bits == 64 ? "f64" : bits == 32 ? "tf32" : bits == 16 ? "f16" : bits == 8 ? "e4m3" : "nvf4";
}

std::optional<MmaLayouts> by_name(const std::string& name) {
  auto atom = layout::mma_atom(name);
  if (!atom) return std::nullopt;
  return MmaLayouts{atom->threads, atom->a, atom->b, atom->c};
}

}  // namespace

std::optional<MmaLayouts> mma_layouts(Machine& machine, const Record* op) {
  auto shape = int_tuple_of(machine, machine.field(op, "shape_mnk"));
  if (!shape || shape->rank() != 3 || shape->depth() != 1 || !shape->known()) return std::nullopt;
  const std::int64_t m = shape->mode(0).leaf().value(), n = shape->mode(1).leaf().value(),
                     k = shape->mode(2).leaf().value();
  const std::string family = text_of(machine.field(op, "family"));
  if (family == "nvgpu") {
    const Layout one = of(IntTuple::tuple({1, 1}), IntTuple::tuple({0, 0}));
    return MmaLayouts{of(1, 0), one, one, one};
  }
  if (family == "tcgen05") {
    const std::string group = member_name(machine, machine.field(op, "cta_group"));
    if (group != "ONE" && group != "TWO") return std::nullopt;
    const int ctas = group == "TWO" ? 2 : 1;
    return MmaLayouts{ctas == 2 ? of(2, 1) : of(1, 0), cta_part(ctas, m, k), cta_part(ctas, n, k),
                      cta_part(ctas, m, n)};
  }
  auto bits = width_of(machine, machine.field(op, "a_dtype"));
  if (!bits) return std::nullopt;
  if (family == "warp") return by_name(fmt::format("mma.m{}n{}k{}.{}", m, n, k, type_word(*bits)));
  const std::string source = member_name(machine, machine.field(op, "a_src"));
  return by_name(
      fmt::format("wgmma.m{}n{}k{}.{}{}", m, n, k, type_word(*bits), source == "RMEM" ? ".rs" : ""));
}

std::optional<layout::Layout> mma_threads(Machine& machine, const Record* op) {
  const std::string family = text_of(machine.field(op, "family"));
  if (family == "warpgroup") return of(128, 1);
  if (family == "warp") return of(32, 1);
  return std::nullopt;
}

std::optional<TiledMmaParts> tiled_mma_parts(Machine& machine, const Value& value) {
  const Record* mma = value.as<Record>();
  if (!mma) return std::nullopt;
  TiledMmaParts parts;
  const auto layout_field = [&](std::string_view name, Layout& into) {
    const LayoutObject* held = machine.field(mma, name).as<LayoutObject>();
    if (held) into = held->layout.layout();
    return held != nullptr;
  };
  auto shape = int_tuple_of(machine, machine.field(mma, "shape_mnk"));
  if (!shape || shape->rank() != 3 || !layout_field("thr_id", parts.atom.threads) ||
      !layout_field("tv_layout_A", parts.atom.a) || !layout_field("tv_layout_B", parts.atom.b) ||
      !layout_field("tv_layout_C", parts.atom.c) || !layout_field("thr_layout_vmnk", parts.threads_vmnk))
    return std::nullopt;
  parts.shape = std::move(*shape);
  auto permutation = machine.items(machine.field(mma, "permutation_mnk"));
  if (!permutation || permutation->size() != 3) return std::nullopt;
  for (const Value& mode : *permutation) {
    auto tiler = tiler_of(machine, mode);
    if (!tiler) return std::nullopt;
    parts.permutation.push_back(std::move(*tiler));
  }
  return parts;
}

Int tile_size(const TiledMmaParts& mma, int mode) {
  const Tiler& permutation = mma.permutation[static_cast<std::size_t>(mode)];
  if (permutation.kind() == Tiler::Kind::layout || permutation.kind() == Tiler::Kind::integer)
    return layout::size(permutation.layout());
  return layout::product(mma.shape.view().mode(mode)) * layout::size(mma.threads_vmnk.view().mode(mode + 1));
}

namespace {
struct Modes {
  int first, second;  ///< of (M, N, K)
};
Modes modes_of(Operand operand) {
  if (operand == Operand::a) return {0, 2};
  return operand == Operand::b ? Modes{1, 2} : Modes{0, 1};
}
Tiler tile_of(const Int& extent) { return Tiler(Layout(IntTuple(extent))); }
}  // namespace

Result<Layout> thread_fragments(const TiledMmaParts& mma, Operand operand, const Layout& tile) {
  const auto [first, second] = modes_of(operand);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const Tiler permutation = Tiler::tuple({mma.permutation[at(first)], mma.permutation[at(second)]});
  auto permuted = layout::logical_divide(tile, permutation);
  if (!permuted) return permuted;
  const Tiler atom = Tiler::tuple({tile_of(layout::product(mma.shape.view().mode(first))),
                                   tile_of(layout::product(mma.shape.view().mode(second)))});
  auto atoms = layout::zipped_divide(*permuted, atom);
  if (!atoms) return atoms;
  auto values = layout::composition(*atoms, Tiler::tuple({Tiler(mma.atom.of(operand)), Tiler::all()}));
  if (!values) return values;
  const Tiler threads = Tiler::tuple({tile_of(layout::size(mma.threads_vmnk.view().mode(first + 1))),
                                      tile_of(layout::size(mma.threads_vmnk.view().mode(second + 1)))});
  return layout::zipped_divide(*values, Tiler::tuple({Tiler::all(), threads}));
}

Result<layout::Sliced> partition(const TiledMmaParts& mma, Operand operand, const Layout& tile) {
  auto fragments = thread_fragments(mma, operand, tile);
  if (!fragments) return fragments.error();
  using layout::Slicer;
  const IntTuple shape = fragments->shape();
  const int rest = shape.mode(1).rank() == 2 ? shape.mode(1).mode(1).rank() : 1;
  const Slicer thread = Slicer(layout::repeat_like(shape.view().mode(0), Int(0)));
  const std::vector<Slicer> all(static_cast<std::size_t>(rest), Slicer::all());
  return layout::slice(*fragments,
                       Slicer::tuple({thread, Slicer::tuple({Slicer::all(), Slicer::tuple(all)})}));
}

Result<Layout> tiled_thread_values(const TiledMmaParts& mma, Operand operand) {
  const auto [first, second] = modes_of(operand);
  const Layout reference(
      IntTuple::tuple({IntTuple(tile_size(mma, first)), IntTuple(tile_size(mma, second))}));
  auto fragments = thread_fragments(mma, operand, reference);
  if (!fragments) return fragments;
  if (operand != Operand::c) {
    // A does not depend on the thread's N, B not on its M: (ThrM, ThrN) → ThrM, or ThrN.
    const IntTuple threads = IntTuple::tuple({IntTuple(layout::size(mma.threads_vmnk.view().mode(1))),
                                              IntTuple(layout::size(mma.threads_vmnk.view().mode(2)))});
    const bool a = operand == Operand::a;
    const Tiler broadcast = Tiler(of(threads, IntTuple::tuple({a ? 1 : 0, a ? 0 : 1})));
    const Tiler by_thread = Tiler::tuple({Tiler::all(), Tiler::tuple({broadcast, Tiler::all()})});
    fragments = layout::composition(*fragments, Tiler::tuple({by_thread, Tiler::all()}));
    if (!fragments) return fragments;
  }
  auto index = layout::right_inverse(mma.threads_vmnk);
  if (!index) return index;
  return layout::composition(*fragments, Tiler::tuple({Tiler(std::move(*index)), Tiler::all()}));
}

namespace {
/// Modes of one accumulator or operand tile, and how the tiles beside it follow each other.
struct TmemTile {
  Layout tile;
  Layout rest;  ///< index of a tile → offset
};

std::optional<TmemTile> tmem_tile(std::int64_t rows, std::int64_t columns, std::int64_t path,
                                  std::int64_t column, std::int64_t tiles, bool two_ctas) {
  if (rows == 128)
    return TmemTile{of(IntTuple::tuple({128, columns}), IntTuple::tuple({path, column})),
                    of(tiles, columns * column)};
  if (rows != 64) return std::nullopt;
  if (two_ctas) {
    if (columns % 2 != 0) return std::nullopt;
    const IntTuple halves = IntTuple::tuple({columns / 2, 2});
    return TmemTile{
        of(IntTuple::tuple({64, halves}), IntTuple::tuple({path, IntTuple::tuple({column, 64 * path})})),
        of(tiles, columns / 2 * column)};
  }
  // 16 rows in each warp's 32 data paths; the next tile takes the other 16.
  const IntTuple warps = IntTuple::tuple({16, 4});
  return TmemTile{
      of(IntTuple::tuple({warps, columns}), IntTuple::tuple({IntTuple::tuple({path, 32 * path}), column})),
      of(IntTuple::tuple({2, (tiles + 1) / 2}), IntTuple::tuple({16 * path, columns * column}))};
}
}  // namespace

std::optional<Layout> tensor_memory_layout(const IntTuple& shape, std::int64_t bits, bool accumulator,
                                           bool two_ctas) {
  if (shape.is_leaf() || shape.mode(0).is_leaf() || shape.mode(0).rank() != 2 || bits < 1 || 32 % bits != 0 ||
      !shape.known())
    return std::nullopt;
  const IntTuple rows = shape.mode(0).mode(0);
  if (!rows.is_leaf()) return std::nullopt;
  if (!accumulator && rows.leaf().value() != 128) return std::nullopt;
  const std::int64_t columns = layout::product(shape.mode(0).view().mode(1)).value();
  const std::int64_t path = 65536 * (32 / bits), column = accumulator ? 32 / bits : 1;
  std::vector<IntTuple> rest;
  for (int i = 1; i < shape.rank(); ++i) rest.push_back(shape.mode(i));
  const std::int64_t tiles = rest.empty() ? 1 : layout::product(IntTuple::tuple(rest)).value();
  auto tile = tmem_tile(rows.leaf().value(), columns, path, column, tiles, two_ctas);
  if (!tile) return std::nullopt;
  std::vector<Layout> modes = {tile->tile};
  if (!rest.empty()) {
    auto others = layout::composition(tile->rest, Layout(IntTuple::tuple(rest)));
    if (!others || others->rank() != static_cast<int>(rest.size())) return std::nullopt;
    for (int i = 0; i < others->rank(); ++i) modes.push_back(others->mode(i));
  }
  return Layout::concat(modes);
}

}  // namespace cutelab::reading::machine
