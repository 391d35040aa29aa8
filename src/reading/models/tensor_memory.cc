#include "reading/models/tensor_memory.h"

#include <utility>

namespace cutelab::reading::machine {
namespace tensor_memory_models {

using Answer = std::optional<Value>;
using layout::IntTuple;
using layout::Layout;

Answer add(Call& call) { return moved_in_tensor_memory(call.machine, call.self, call.get(0, "other")); }

Answer subtract(Call& call) {
  const Value by = call.get(0, "other");
  return moved_in_tensor_memory(
      call.machine, call.self,
      by.is_integral() ? Value::integer(-by.number()) : not_told(call, "how far the pointer moves", by));
}

Answer same_pointer(Call& call) { return call.self; }

Answer scale_factors(Call& call) {
  const Value given = call.get(3, "smem_layout");
  auto shared = given.is_unknown() ? std::nullopt : layout_of(call.machine, given);
  if (!shared || !shared->plain())
    return not_told(call, "the layout of the scale factors in shared memory is not known", given);
  auto made = scale_factor_layout(shared->layout());
  if (!made) return not_told(call, "no rule for this layout of scale factors in tensor memory");
  return call.machine.layout(layout::ComposedLayout(std::move(*made)));
}

/// The stride of a mode in tensor memory, of one along K in shared memory. Factors in steps of 4, a column,
/// are 512 elements apart there.
std::optional<std::int64_t> factor_stride(std::int64_t extent, std::int64_t stride, std::int64_t row_groups) {
  constexpr std::int64_t atom = 512, in_column = 4;
  if (extent == 1 || stride == 0) return 0;
  if (stride > 0 && stride < in_column) return stride;
  if (stride < atom || stride % atom != 0) return std::nullopt;
  return stride / atom * in_column * row_groups;
}

/// Whether 32 rows are 16 elements apart each, and the next 32 lie 4 elements behind the first.
bool in_groups_of_rows(layout::LayoutView rows) {
  for (const auto& [row, place] : {std::pair<std::int64_t, std::int64_t>{1, 16}, {8, 128}, {32, 4}}) {
    const auto at = layout::crd2idx(IntTuple(row), rows);
    if (!at || !at->is_leaf() || !at->leaf().known() || at->leaf().value() != place) return false;
  }
  return true;
}

/// A mode behind the first: along K; rows there are one of stride 0.
std::optional<Layout> rest_of_factors(layout::LayoutView mode, std::int64_t row_groups) {
  const auto extents = layout::leaves(mode.shape), steps = layout::leaves(mode.stride);
  std::vector<IntTuple> strides;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!extents[i].known() || !steps[i].known()) return std::nullopt;
    const auto step = factor_stride(extents[i].value(), steps[i].value(), row_groups);
    if (!step) return std::nullopt;
    strides.emplace_back(*step);
  }
  if (mode.shape.is_leaf()) return Layout::unchecked(IntTuple(mode.shape), strides.front());
  auto nested = layout::unflatten(IntTuple::tuple(strides), mode.shape);
  if (!nested) return std::nullopt;
  return Layout::unchecked(IntTuple(mode.shape), std::move(*nested));
}

}  // namespace tensor_memory_models

void place_in_tensor_memory(Machine& machine, Record* pointer, const Value& bits, const char* base) {
  machine.set_field(pointer, "tmem_bits", bits);
  machine.set_field(pointer, "tmem_base", machine.text(base));
}

bool is_placed(Machine& machine, const Value& pointer) {
  const Record* record = pointer.as<Record>();
  return record && machine.field(record, "tmem_bits").bound();
}

Value moved_in_tensor_memory(Machine& machine, const Value& pointer, const Value& elements) {
  Record* from = record_of(pointer, "Pointer");
  const Value bits = from ? machine.field(from, "tmem_bits") : Value();
  if (!bits.bound() || (elements.is_integral() && elements.number() == 0)) return pointer;
  Record* made = machine.record("Pointer", from->path);
  made->fields.copy_names(from->fields);
  made->made_at = from->made_at;
  made->made_in = from->made_in;
  const auto width = width_of(machine, machine.field(from, "dtype"));
  Value now = bits;
  if (!bits.is_unknown() && !elements.is_integral())
    now = elements.is_unknown() ? elements : machine.unknown("how far the pointer moves is not known");
  else if (!bits.is_unknown() && !width)
    now = machine.unknown("the element type of the pointer is not known");
  else if (!bits.is_unknown())
    now = Value::integer(bits.number() + elements.number() * *width);
  machine.set_field(made, "tmem_bits", now);
  return made;
}

void forget_place(Machine& machine, Record* tensor, std::string reason) {
  Record* from = record_of(machine.field(tensor, "iterator"), "Pointer");
  if (!from || !machine.field(from, "tmem_bits").bound()) return;
  Record* made = machine.record("Pointer", from->path);
  made->fields.copy_names(from->fields);
  machine.set_field(made, "tmem_bits", machine.unknown(std::move(reason)));
  machine.set_field(tensor, "iterator", made);
}

std::optional<TensorMemoryPart> extent_in_tensor_memory(Machine& machine, const Value& layout,
                                                        const Value& type, std::int64_t from_bits) {
  const auto bits = width_of(machine, type);
  const auto* object = layout.as<LayoutObject>();
  if (!bits || !object || !object->layout.plain() || layout::has_basis(object->layout.layout()))
    return std::nullopt;
  const auto extents = layout::leaves(object->layout.layout().shape()),
             steps = layout::leaves(object->layout.layout().stride());
  std::int64_t lanes = 1, column_end = from_bits % tmem_lane_bits + *bits;
  for (std::size_t i = 0; i < extents.size() && i < steps.size(); ++i) {
    if (!extents[i].known() || !steps[i].known() || extents[i].value() < 1 || steps[i].value() < 0)
      return std::nullopt;
    const std::int64_t step = steps[i].value() * *bits, times = extents[i].value() - 1;
    lanes += times * (step / tmem_lane_bits);
    column_end += times * (step % tmem_lane_bits);
  }
  TensorMemoryPart out;
  out.first_column = from_bits % tmem_lane_bits / tmem_column_bits;
  out.columns = (column_end + tmem_column_bits - 1) / tmem_column_bits - out.first_column;
  out.first_lane = from_bits / tmem_lane_bits;
  out.lanes = lanes;
  return out;
}

std::optional<layout::Layout> scale_factor_layout(const layout::Layout& shared) {
  using namespace tensor_memory_models;
  constexpr std::int64_t lane = 65536 * 4, warp_lanes = 32, warps = 4, column = 4;
  if (!shared.shape().known() || shared.rank() < 2 || shared.shape().mode(0).rank() != 2) return std::nullopt;
  const layout::LayoutView first = shared.view().mode(0);
  const IntTuple factors = shared.shape().mode(0).mode(1);
  if (factors.rank() != 2 || !factors.mode(0).is_leaf() || !factors.mode(1).is_leaf()) return std::nullopt;
  const std::int64_t rows = layout::product(first.shape.mode(0)).value(),
                     in_column = factors.mode(1).leaf().value();
  if (rows % (warp_lanes * 4) != 0 || !in_groups_of_rows(first.mode(0)) ||
      layout::product(shared.shape().mode(1)).value() != 1 || in_column > 4)
    return std::nullopt;
  const std::int64_t groups = rows / warp_lanes;
  const IntTuple tile =
      IntTuple::tuple({IntTuple::tuple({IntTuple::tuple({warp_lanes, groups}), warps}), factors});
  const IntTuple strides =
      IntTuple::tuple({IntTuple::tuple({IntTuple::tuple({lane, column}), warp_lanes * lane}),
                       IntTuple::tuple({0, in_column > 1 ? 1 : 0})});
  std::vector<Layout> modes = {Layout::unchecked(tile, strides)};
  for (int i = 1; i < shared.rank(); ++i) {
    auto rest = rest_of_factors(shared.view().mode(i), groups);
    if (!rest) return std::nullopt;
    modes.push_back(std::move(*rest));
  }
  return Layout::concat(modes);
}

void add_tensor_memory(Natives& natives) {
  using namespace tensor_memory_models;
  natives.function("cutlass", "make_tmem_layout_sfa", scale_factors);
  natives.function("cutlass", "make_tmem_layout_sfb", scale_factors);
  for (const char* name : {"__add__", "__radd__"}) natives.method("Pointer", name, add);
  natives.method("Pointer", "__sub__", subtract);
  natives.method("Pointer", "align", same_pointer);
}

}  // namespace cutelab::reading::machine
