#include "reading/models/element_types.h"
#include "reading/models/runtime.h"

/// cutlass.experimental.cuda: TMA descriptors made by hand. Record "TensorMap": dtype, box_dims (tuple),
/// swizzle, tma_format, tensor where it was made from one.
namespace cutelab::reading::machine {
namespace tensor_map_models {

/// Boxes are kept with the fastest mode first; a view's are given in the tensor's order.
Value tma_order(Machine& m, const Value& boxes, const Value& tensor, const Value& stride_order) {
  const auto* given = sequence_of(boxes);
  if (!given) return boxes;
  if (!tensor.bound()) return m.tuple(*given);
  std::vector<Value> out(given->rbegin(), given->rend());
  const auto* order = sequence_of(stride_order);
  if (order && order->size() == given->size())
    for (std::size_t i = 0; i < given->size(); ++i) {
      const auto rank = integer_in((*order)[i]);
      if (!rank || *rank < 0 || *rank >= static_cast<std::int64_t>(out.size())) return boxes;
      out[static_cast<std::size_t>(*rank)] = (*given)[i];
    }
  return m.tuple(std::move(out));
}

std::optional<Value> explicit_map(Call& call) {
  return record_of(call, "TensorMap",
                   {{"dtype", call.get(1, "dtype")},
                    {"box_dims", tma_order(call.machine, call.get(4, "box_dims"), {}, {})},
                    {"swizzle", call.get(-1, "swizzle", Value::none())},
                    {"tma_format", call.get(-1, "tma_format", Value::none())}});
}

std::optional<Value> map_of_view(Call& call) {
  Machine& m = call.machine;
  const Value tensor = call.get(0, "tensor");
  Value dtype = call.get(-1, "dtype", Value::none());
  if (dtype.is_none() && tensor.as<Record>()) dtype = m.field(tensor.as<Record>(), "element_type");
  if (!dtype.bound()) dtype = m.unknown("the tensor's element type is not known");
  return record_of(call, "TensorMap",
                   {{"dtype", dtype},
                    {"tensor", tensor},
                    {"box_dims", tma_order(m, call.get(1, "box_dims"), tensor, call.get(-1, "stride_order"))},
                    {"swizzle", call.get(-1, "swizzle", Value::none())},
                    {"tma_format", call.get(-1, "tma_format", Value::none())}});
}

std::optional<Value> box_volume(Machine& m, const Value& self) {
  const auto* boxes = sequence_of(m.field(self.as<Record>(), "box_dims"));
  return boxes ? std::optional<Value>(product(m, *boxes)) : std::nullopt;
}

/// Bytes of one box where shared and global memory hold the elements alike.
std::optional<Value> box_bytes(Machine& m, const Value& self) {
  const Record* map = self.as<Record>();
  const ElementType* type = element_type_of(m.field(map, "dtype"));
  const auto volume = box_volume(m, self);
  if (!type || !volume || type->bits < 8 || !m.field(map, "tma_format").is_none()) return std::nullopt;
  return m.arithmetic("//", m.arithmetic("*", *volume, Value::integer(type->bits)), Value::integer(8));
}

std::optional<Value> transaction_bytes(Call& call) { return box_bytes(call.machine, call.self); }

std::optional<Value> same_type(Machine& m, const Value& self) { return m.field(self.as<Record>(), "dtype"); }

std::optional<Value> storage_type(Machine& m, const Value& self) {
  const Record* map = self.as<Record>();
  const ElementType* type = element_type_of(m.field(map, "dtype"));
  if (!type || type->bits < 8 || !m.field(map, "tma_format").is_none()) return std::nullopt;
  return m.field(map, "dtype");
}

}  // namespace tensor_map_models

void add_tensor_maps(Natives& natives) {
  using namespace tensor_map_models;
  natives.function("cutlass", "create_tensor_map_tiled", explicit_map);
  natives.function("cutlass", "create_tensor_map_tiled_from_view", map_of_view);
  natives.getter("TensorMap", "element_type", same_type);
  natives.getter("TensorMap", "box_volume", box_volume);
  natives.getter("TensorMap", "shared_storage_bytes", box_bytes);
  natives.getter("TensorMap", "shared_storage_dtype", storage_type);
  natives.method("TensorMap", "global_tx_bytes", transaction_bytes);
  natives.method("TensorMap", "get_ptr", answer_runtime);
}

}  // namespace cutelab::reading::machine
