#include "layout/smem.h"

#include "layout/fault.h"

namespace cutelab::layout {
namespace {

struct Atom {
  SmemAtomKind kind;
  std::string_view name;
  Major major;
  std::int64_t span_bytes;
  Swizzle swizzle;  // on bytes
};

constexpr Atom atoms[] = {
    {SmemAtomKind::mn_inter, "MN_INTER", Major::mn, 16, {0, 4, 3}},
    {SmemAtomKind::mn_sw32, "MN_SW32", Major::mn, 32, {1, 4, 3}},
    {SmemAtomKind::mn_sw64, "MN_SW64", Major::mn, 64, {2, 4, 3}},
    {SmemAtomKind::mn_sw128, "MN_SW128", Major::mn, 128, {3, 4, 3}},
    {SmemAtomKind::mn_sw128_32b, "MN_SW128_32B", Major::mn, 128, {2, 5, 2}},
    {SmemAtomKind::k_inter, "K_INTER", Major::k, 16, {0, 4, 3}},
    {SmemAtomKind::k_sw32, "K_SW32", Major::k, 32, {1, 4, 3}},
    {SmemAtomKind::k_sw64, "K_SW64", Major::k, 64, {2, 4, 3}},
    {SmemAtomKind::k_sw128, "K_SW128", Major::k, 128, {3, 4, 3}},
};

const Atom& atom_of(SmemAtomKind kind) {
  for (const Atom& atom : atoms)
    if (atom.kind == kind) return atom;
  return atoms[0];
}

Result<SmemAtomKind> widest(Major major, std::int64_t bits, std::int64_t extent) {
  if (bits <= 0 || bits > most_element_bits || extent > most_evaluated_offset)
    return fault("get_smem_layout_atom", 1, "{} elements of {} bits", extent, bits);
  if (extent <= 0 || extent % 8 != 0)
    return fault("get_smem_layout_atom", 1, "the contiguous extent {} is not a multiple of 8 elements",
                 extent);
  const std::int64_t row = extent * bits;
  if (row % 1024 == 0) return major == Major::k ? SmemAtomKind::k_sw128 : SmemAtomKind::mn_sw128;
  if (row % 512 == 0) return major == Major::k ? SmemAtomKind::k_sw64 : SmemAtomKind::mn_sw64;
  if (row % 256 == 0) return major == Major::k ? SmemAtomKind::k_sw32 : SmemAtomKind::mn_sw32;
  return major == Major::k ? SmemAtomKind::k_inter : SmemAtomKind::mn_inter;
}

using Choose = Result<SmemAtomKind> (*)(Major, std::int64_t, std::int64_t);

// (rows, columns, stages): columns are contiguous for Major::k.
Result<ComposedLayout> staged(Choose choose, Major major, std::int64_t bits, std::int64_t rows,
                              std::int64_t columns, std::int64_t stages) {
  auto kind = choose(major, bits, major == Major::k ? columns : rows);
  if (!kind) return kind.error();
  auto atom = smem_layout_atom(*kind, bits);
  if (!atom) return atom;
  const IntTuple shape = IntTuple::tuple({rows, columns, stages});
  const IntTuple order = major == Major::k ? IntTuple::tuple({0, 1, 2}) : IntTuple::tuple({1, 0, 2});
  return atom->map([&](const Layout& l) { return tile_to_shape(l, shape, &order); });
}

// `rows` of the CTA's part and `k` in instructions of (inst_rows, inst_k).
Result<ComposedLayout> mma_staged(Major major, std::int64_t inst_rows, std::int64_t inst_k, std::int64_t rows,
                                  std::int64_t k, std::int64_t bits, std::int64_t stages) {
  if (inst_rows <= 0 || inst_k <= 0 || rows % inst_rows != 0 || k % inst_k != 0)
    return fault("make_smem_layout", 1, "the instruction's {}x{} does not divide the tile's {}x{}", inst_rows,
                 inst_k, rows, k);
  auto kind = sm100_smem_atom(major, bits, major == Major::k ? k : rows);
  if (!kind) return kind.error();
  auto atom = smem_layout_atom(*kind, bits);
  if (!atom) return atom;
  const IntTuple shape =
      IntTuple::tuple({IntTuple::tuple({inst_rows, inst_k}), rows / inst_rows, k / inst_k, stages});
  return tile_to_mma_shape(*atom, shape,
                           major == Major::k ? IntTuple::tuple({1, 2, 3}) : IntTuple::tuple({2, 1, 3}));
}

Status check_ctas(int ctas) {
  if (ctas == 1 || ctas == 2) return {};
  return fault("make_smem_layout", 1, "{} CTAs: one or a pair", ctas);
}

}  // namespace

std::string_view name_of(SmemAtomKind kind) { return atom_of(kind).name; }
std::int64_t span_bytes(SmemAtomKind kind) { return atom_of(kind).span_bytes; }
Major major_of(SmemAtomKind kind) { return atom_of(kind).major; }

std::optional<SmemAtomKind> smem_atom_kind(std::string_view name) {
  for (const Atom& atom : atoms)
    if (atom.name == name) return atom.kind;
  return std::nullopt;
}

Result<ComposedLayout> smem_layout_atom(SmemAtomKind kind, std::int64_t bits) {
  const Atom& atom = atom_of(kind);
  if (bits <= 0 || bits > 64 || atom.span_bytes * 8 % bits != 0)
    return fault("make_smem_layout_atom", 1, "elements of {} bits do not divide a row of {} bytes", bits,
                 atom.span_bytes);
  const std::int64_t row = atom.span_bytes * 8 / bits;
  const IntTuple shape = atom.major == Major::k ? IntTuple::tuple({8, row}) : IntTuple::tuple({row, 8});
  const IntTuple stride = atom.major == Major::k ? IntTuple::tuple({row, 1}) : IntTuple::tuple({1, row});
  return ComposedLayout(atom.swizzle, 0, Layout::unchecked(shape, stride));
}

Result<SmemAtomKind> sm90_smem_atom(Major major, std::int64_t bits, std::int64_t extent) {
  return widest(major, bits, extent);
}

Result<SmemAtomKind> sm100_smem_atom(Major major, std::int64_t bits, std::int64_t extent) {
  auto kind = widest(major, bits, extent);
  if (!kind) return kind;
  if (extent * bits % 128 != 0)
    return fault("get_smem_layout_atom", 1,
                 "the contiguous extent {} of {}-bit elements is not a multiple of 16 bytes", extent, bits);
  if (*kind == SmemAtomKind::mn_sw128 && bits == 32) return SmemAtomKind::mn_sw128_32b;
  return kind;
}

Result<ComposedLayout> sm90_make_smem_layout_a(Major major, const TileMnk& tile, std::int64_t bits,
                                               std::int64_t stages) {
  return staged(sm90_smem_atom, major, bits, tile.m, tile.k, stages);
}
Result<ComposedLayout> sm90_make_smem_layout_b(Major major, const TileMnk& tile, std::int64_t bits,
                                               std::int64_t stages) {
  return staged(sm90_smem_atom, major, bits, tile.n, tile.k, stages);
}
Result<ComposedLayout> sm90_make_smem_layout_epi(std::int64_t bits, bool n_major, std::int64_t m,
                                                 std::int64_t n, std::int64_t stages) {
  return staged(sm90_smem_atom, n_major ? Major::k : Major::mn, bits, m, n, stages);
}
Result<ComposedLayout> sm100_make_smem_layout_epi(std::int64_t bits, bool n_major, std::int64_t m,
                                                  std::int64_t n, std::int64_t stages) {
  return staged(sm100_smem_atom, n_major ? Major::k : Major::mn, bits, m, n, stages);
}

Result<ComposedLayout> sm100_make_smem_layout_a(Major major, const TileMnk& instruction, int ctas,
                                                const TileMnk& tile, std::int64_t bits, std::int64_t stages) {
  if (auto status = check_ctas(ctas); !status) return status.error();
  return mma_staged(major, instruction.m / ctas, instruction.k, tile.m / ctas, tile.k, bits, stages);
}
Result<ComposedLayout> sm100_make_smem_layout_b(Major major, const TileMnk& instruction, int ctas,
                                                const TileMnk& tile, std::int64_t bits, std::int64_t stages) {
  if (auto status = check_ctas(ctas); !status) return status.error();
  return mma_staged(major, instruction.n / ctas, instruction.k, tile.n / ctas, tile.k, bits, stages);
}

Result<ComposedLayout> tile_to_mma_shape(const ComposedLayout& atom, const IntTuple& shape,
                                         const IntTuple& order) {
  if (shape.rank() < 3 || shape.mode(0).rank() != 2)
    return fault("tile_to_mma_shape", 1, "{} is not a shape ((m,k),rest m,rest k,…)", shape.text());
  std::vector<IntTuple> whole = {IntTuple::tuple({shape.mode(0).mode(0), shape.mode(1)}),
                                 IntTuple::tuple({shape.mode(0).mode(1), shape.mode(2)})};
  for (int i = 3; i < shape.rank(); ++i) whole.push_back(shape.mode(i));
  const IntTuple target = IntTuple::tuple(whole);
  return atom.map([&](const Layout& l) -> Result<Layout> {
    auto tiled = tile_to_shape(l, target, &order);
    if (!tiled) return tiled;
    auto divided = tiled_divide(*tiled, Tiler::of_shape(product_each(shape.mode(0))));
    if (!divided) return divided;
    return coalesce(*divided, shape);
  });
}

Result<ComposedLayout> element_form(const ComposedLayout& smem, std::int64_t bits) {
  auto swizzle = recast(smem.swizzle(), 8, bits);
  if (!swizzle) return swizzle.error();
  return ComposedLayout(*swizzle, smem.offset(), smem.layout());
}

Result<ComposedLayout> byte_form(const ComposedLayout& smem, std::int64_t bits) {
  if (bits <= 0 || bits % 8 != 0)
    return fault("byte_form", 1, "elements of {} bits are no whole bytes", bits);
  const std::int64_t bytes = bits / 8;
  TupleBuilder strides;
  const auto walk = [&](auto&& self, TupleView v) -> void {
    if (v.is_leaf()) return strides.leaf(v.leaf() * Int(bytes));
    const auto at = strides.open();
    for (int i = 0; i < v.rank(); ++i) self(self, v.mode(i));
    strides.close(at, v.rank());
  };
  walk(walk, smem.layout().stride());
  return ComposedLayout(smem.swizzle(), smem.offset() * Int(bytes),
                        Layout::unchecked(smem.shape(), strides.take()));
}

}  // namespace cutelab::layout
