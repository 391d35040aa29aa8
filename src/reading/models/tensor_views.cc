#include "layout/divide.h"
#include "reading/models/tensor_memory.h"

// cutlass.cute: parts of tensors: slices, tiles, partitions, offsets.

namespace cutelab::reading::machine {
namespace {

using Answer = std::optional<Value>;

/// Coordinates add up leaf by leaf; offsets into memory are followed in tensor memory, else the pointer
/// stays.
Value moved(Machine& m, const Value& iterator, const layout::IntTuple& offset) {
  if (iterator.as<Record>())
    return is_placed(m, iterator)
               ? moved_in_tensor_memory(m, iterator, offset.is_leaf() ? value_of(m, offset.leaf()) : Value())
               : iterator;
  auto at = iterator.is_unknown() ? std::nullopt : int_tuple_of(m, iterator);
  if (!at) return iterator;
  const auto from = layout::leaves(*at), by = layout::leaves(offset);
  if (from.size() != by.size()) return iterator;
  layout::TupleBuilder flat;
  const std::size_t open = flat.open();
  for (std::size_t i = 0; i < from.size(); ++i) flat.leaf(from[i] + by[i]);
  flat.close(open, static_cast<int>(from.size()));
  const layout::IntTuple sum = flat.take();
  if (at->is_leaf()) return value_of(m, sum.mode(0));
  auto nested = layout::unflatten(sum, *at);
  return nested ? value_of(m, *nested) : iterator;
}

/// A part of a tensor of which neither the layout nor where it begins is told.
Value lost_part(Call& call, const Record* tensor, const char* why) {
  Machine& m = call.machine;
  const Value made = with_layout(call, tensor, not_told(call, why, m.field(tensor, "layout")));
  forget_place(m, made.as<Record>(), why);
  return made;
}

Value part_of(Call& call, const Record* tensor, const layout::ComposedLayout& whole,
              Result<layout::Sliced> part) {
  Machine& m = call.machine;
  if (!part) return with_layout(call, tensor, not_told(call, part.error().wrong));
  layout::ComposedLayout inside =
      whole.plain()
          ? layout::ComposedLayout(std::move(part->layout))
          : layout::ComposedLayout(whole.swizzle(),
                                   whole.offset() + (part->offset.is_leaf() ? part->offset.leaf() : 0),
                                   std::move(part->layout));
  const Value made = with_layout(call, tensor, m.layout(std::move(inside)));
  if (const Value iterator = m.field(tensor, "iterator"); iterator.bound())
    m.set_field(made.as<Record>(), "iterator", moved(m, iterator, part->offset));
  return made;
}

bool keeps_modes(const Value& coordinate) {
  if (coordinate.is_none() || coordinate.as<Slice>()) return true;
  if (const Tuple* tuple = coordinate.as<Tuple>())
    for (const Value& item : tuple->items)
      if (keeps_modes(item)) return true;
  return false;
}

/// The element at a full coordinate: a coordinate for coordinate tensors, unknown data otherwise.
Value element(Call& call, const Record* tensor, const Value& coordinate) {
  Machine& m = call.machine;
  auto whole = layout_of(m, m.field(tensor, "layout"));
  auto at = int_tuple_of(m, coordinate);
  if (whole && at && layout::has_basis(whole->layout())) {
    auto offset = layout::crd2idx(at->view(), whole->layout().view());
    if (offset) return moved(m, m.field(tensor, "iterator"), *offset);
  }
  return not_told(call, "an element of a tensor");
}

Answer getitem(Call& call) {
  Machine& m = call.machine;
  const Record* tensor = tensor_of(call.self);
  const Value coordinate = call.count() == 1 ? call.arguments[0] : m.tuple(call.arguments);
  if (!keeps_modes(coordinate)) return element(call, tensor, coordinate);
  auto whole = layout_of(m, m.field(tensor, "layout"));
  auto slicer = slicer_of(m, coordinate);
  if (!whole || !slicer) return lost_part(call, tensor, "layout or coordinate is not known");
  return part_of(call, tensor, *whole, layout::slice(whole->layout(), *slicer));
}

std::vector<bool> projection_of(const Value& proj) {
  std::vector<bool> out;
  if (const Tuple* tuple = proj.as<Tuple>())
    for (const Value& item : tuple->items) out.push_back(!item.is_none());
  return out;
}

Answer local_tile(Call& call) {
  Machine& m = call.machine;
  const Value target = call.get(0, "input");
  const Record* tensor = tensor_of(target);
  if (!tensor) return not_told(call, "the tensor is not known", target);
  auto whole = layout_of(m, target);
  auto tiler = tiler_of(m, call.get(1, "tiler"));
  auto at = slicer_of(m, call.get(2, "coord"));
  if (!whole || !tiler || !at) return lost_part(call, tensor, "layout, tiler or coordinate is not known");
  return part_of(
      call, tensor, *whole,
      layout::local_tile(whole->layout(), *tiler, *at, projection_of(call.get(3, "proj", Value::none()))));
}

Answer local_partition(Call& call) {
  Machine& m = call.machine;
  const Value target = call.get(0, "target");
  const Record* tensor = tensor_of(target);
  if (!tensor) return not_told(call, "the tensor is not known", target);
  auto whole = layout_of(m, target), threads = layout_of(m, call.get(1, "tiler"));
  auto index = int_tuple_of(m, call.get(2, "index"));
  if (!whole || !threads || !index || !index->is_leaf() ||
      call.get(3, "proj", Value::none()).bound() == false)
    return lost_part(call, tensor, "layout, threads or index are not known");
  return part_of(call, tensor, *whole,
                 layout::local_partition(whole->layout(), threads->layout(), index->leaf()));
}

Answer domain_offset(Call& call) {
  Machine& m = call.machine;
  const Value target = call.get(1, "tensor");
  const Record* tensor = tensor_of(target);
  if (!tensor) return not_told(call, "the tensor is not known", target);
  const Value made = with_layout(call, tensor, m.field(tensor, "layout"));
  auto whole = layout_of(m, target);
  auto at = int_tuple_of(m, call.get(0, "coord"));
  if (whole && at)
    if (auto offset = layout::crd2idx(at->view(), whole->layout().view()); offset)
      if (const Value iterator = m.field(tensor, "iterator"); iterator.bound())
        m.set_field(made.as<Record>(), "iterator", moved(m, iterator, *offset));
  if (!whole || !at) forget_place(m, made.as<Record>(), "the offset is not known");
  return made;
}

}  // namespace

void add_tensor_views(Natives& natives) {
  natives.method("Tensor", "__getitem__", getitem);
  add_cute(natives, "local_tile", local_tile);
  add_cute(natives, "local_partition", local_partition);
  add_cute(natives, "domain_offset", domain_offset);
}

}  // namespace cutelab::reading::machine
