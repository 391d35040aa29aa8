#include "layout/scale_factors.h"

#include "layout/divide.h"
#include "layout/fault.h"

namespace cutelab::layout {
namespace {

constexpr std::int64_t rows_per_block = 128;
constexpr std::int64_t factors_per_block = 4;  // of one row

// (rows, k) in instructions of (inst_rows, inst_k).
Result<Layout> factors_of_mma(std::int64_t rows, std::int64_t inst_rows, std::int64_t k, std::int64_t inst_k,
                              std::int64_t vector, std::int64_t stages) {
  auto whole = tile_atom_to_shape_sf(IntTuple::tuple({rows, k}), vector);
  if (!whole) return whole;
  auto by_instruction = tiled_divide(*whole, Tiler::of_shape(IntTuple::tuple({inst_rows, inst_k})));
  if (!by_instruction) return by_instruction;
  const Tiler atom = Tiler::of_shape(IntTuple::tuple({IntTuple::tuple({rows_per_block, vector})}));
  auto divided = logical_divide(*by_instruction, atom);
  if (!divided) return divided;
  const Layout stage = Layout::unchecked(IntTuple(stages), IntTuple(cosize(filter_zeros(*divided))));
  return Layout::unchecked(append(divided->shape(), stage.shape()),
                           append(divided->stride(), stage.stride()));
}

Status check(const TileMnk& instruction, int ctas, const TileMnk& tile, std::int64_t stages) {
  constexpr const char* name = "make_smem_layout_sf";
  for (const std::int64_t extent :
       {instruction.m, instruction.n, instruction.k, tile.m, tile.n, tile.k, stages})
    if (extent <= 0 || extent > most_evaluated_offset) return fault(name, 3, "an extent is {}", extent);
  if (ctas != 1 && ctas != 2) return fault(name, 3, "{} CTAs: one or a pair", ctas);
  if (tile.m % instruction.m != 0 || tile.n % instruction.n != 0 || tile.k % instruction.k != 0)
    return fault(name, 3, "the instruction's {}x{}x{} does not divide the tile's {}x{}x{}", instruction.m,
                 instruction.n, instruction.k, tile.m, tile.n, tile.k);
  return {};
}

}  // namespace

Result<Layout> scale_factor_atom(std::int64_t vector, Major major) {
  if (vector != 16 && vector != 32)
    return fault("scale_factor_atom", 1, "one scale factor per {} elements: 16 and 32 are possible", vector);
  const IntTuple rows = IntTuple::tuple({32, 4});
  const IntTuple rows_stride = IntTuple::tuple({16, 4});
  const IntTuple k = IntTuple::tuple({vector, factors_per_block});
  const IntTuple k_stride = IntTuple::tuple({0, 1});
  if (major == Major::k)
    return Layout::unchecked(IntTuple::tuple({rows, k}), IntTuple::tuple({rows_stride, k_stride}));
  return Layout::unchecked(IntTuple::tuple({k, rows}), IntTuple::tuple({k_stride, rows_stride}));
}

Result<Layout> tile_atom_to_shape_sf(const IntTuple& shape, std::int64_t vector) {
  auto atom = scale_factor_atom(vector);
  if (!atom) return atom;
  if (shape.is_leaf() || shape.rank() < 2 || shape.rank() > 3)
    return fault("tile_atom_to_shape_SF", 2, "{} is not (rows, K) or (rows, K, batch)", shape.text());
  const IntTuple order = shape.rank() == 2 ? IntTuple::tuple({2, 1}) : IntTuple::tuple({2, 1, 3});
  return tile_to_shape(*atom, shape, &order);
}

Result<Layout> sm100_make_smem_layout_sfa(const TileMnk& instruction, int ctas, const TileMnk& tile,
                                          std::int64_t vector, std::int64_t stages) {
  if (auto status = check(instruction, ctas, tile, stages); !status) return status.error();
  const std::int64_t rows = tile.m / ctas;
  return factors_of_mma(rows, rows / (tile.m / instruction.m), tile.k, instruction.k, vector, stages);
}

Result<Layout> sm100_make_smem_layout_sfb(const TileMnk& instruction, int ctas, const TileMnk& tile,
                                          std::int64_t vector, std::int64_t stages) {
  if (auto status = check(instruction, ctas, tile, stages); !status) return status.error();
  const std::int64_t rows = (tile.n + rows_per_block - 1) / rows_per_block * rows_per_block;
  return factors_of_mma(rows, rows / (tile.n / instruction.n), tile.k, instruction.k, vector, stages);
}

}  // namespace cutelab::layout
