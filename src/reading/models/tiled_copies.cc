#include "layout/divide.h"
#include "reading/models/copy_atoms.h"
#include "reading/models/mma_atoms.h"
#include "reading/models/tensor_memory.h"

// cutlass.cute: copy atoms, tiled copies and their partitions.

namespace cutelab::reading::machine {
namespace tiled_copies_models {

using Answer = std::optional<Value>;
using layout::Layout;

Value object_of(Machine& m, Layout layout) { return m.layout(layout::ComposedLayout(std::move(layout))); }

Answer make_copy_atom(Call& call) {
  Machine& m = call.machine;
  const Value op_value = call.get(0, "op"), type = call.get(1, "copy_internal_type");
  const Record* op = record_of(op_value, "CopyOp");
  if (!op) return not_told(call, "the operation is not known", op_value);
  Record* atom = m.record("CopyAtom", std::string(call.path), &call);
  m.set_field(atom, "op", op_value);
  m.set_field(atom, "value_type", type);
  const Value per_copy = call.get(-1, "num_bits_per_copy", Value::integer(0));
  m.set_field(atom, "num_bits_per_copy", per_copy);
  auto bits = width_of(m, type);
  auto layouts = bits && per_copy.is_int() ? copy_layouts(m, op, *bits, per_copy.number()) : std::nullopt;
  const auto set = [&](std::string_view name, const Layout* layout) {
    m.set_field(atom, name,
                layout ? object_of(m, *layout) : not_told(call, "the operation's layouts are not known"));
  };
  set("thr_id", layouts ? &layouts->threads : nullptr);
  set("layout_src_tv", layouts ? &layouts->source : nullptr);
  set("layout_dst_tv", layouts ? &layouts->destination : nullptr);
  m.set_field(atom, "described_by", m.text(layouts && !layouts->by_source ? "destination" : "source"));
  return atom;
}

/// A tiled copy of an atom; layout and tiler may be unknown.
Answer tiled(Call& call, const Value& atom_value, const Value& values, const Value& tiler) {
  Machine& m = call.machine;
  const Record* atom = atom_value.as<Record>();
  if (!atom) return not_told(call, "the copy atom is not known", atom_value);
  Record* copy = m.record("TiledCopy", std::string(call.path), &call);
  copy->fields.copy_names(atom->fields);
  m.set_field(copy, "layout_tv_tiled", values);
  m.set_field(copy, "tiler_mn", tiler);
  auto layout = layout_of(m, values);
  m.set_field(copy, "size",
              layout ? value_of(m, layout::size(layout->layout().view().mode(0)))
                     : not_told(call, "the thread-value layout is not known", values));
  return copy;
}

Answer make_tiled_copy(Call& call) {
  return tiled(call, call.get(0, "atom"), call.get(1, "layout_tv"), call.get(2, "tiler_mn"));
}

Answer make_tiled_copy_tv(Call& call) {
  Machine& m = call.machine;
  auto threads = layout_of(m, call.get(1, "thr_layout")), values = layout_of(m, call.get(2, "val_layout"));
  if (!threads || !values) {
    const Value unknown = not_told(call, "thread or value layout is not known", call.get(1, "thr_layout"));
    return tiled(call, call.get(0, "atom"), unknown, unknown);
  }
  auto tv = layout::make_layout_tv(threads->layout(), values->layout());
  if (!tv) return not_told(call, tv.error().wrong);
  const Value tiler = value_of(m, layout::product_each(tv->tiler));
  return tiled(call, call.get(0, "atom"), object_of(m, std::move(tv->tv)), tiler);
}

/// make_tiled_copy_A, _B, _C: the copy that fits an operand of a tiled MMA.
Answer make_tiled_copy_mma(Call& call) {
  Machine& m = call.machine;
  const char which = call.path.back();
  const Operand operand = which == 'A' ? Operand::a : which == 'B' ? Operand::b : Operand::c;
  auto mma = tiled_mma_parts(m, call.get(1, "tiled_mma"));
  const Value atom = call.get(0, "atom");
  if (!mma) {
    const Value unknown = not_told(call, "the tiled MMA is not known", call.get(1, "tiled_mma"));
    return tiled(call, atom, unknown, unknown);
  }
  auto values = tiled_thread_values(*mma, operand);
  const Value first = value_of(m, tile_size(*mma, operand == Operand::b ? 1 : 0));
  const Value second = value_of(m, tile_size(*mma, operand == Operand::c ? 1 : 2));
  return tiled(call, atom, values ? object_of(m, std::move(*values)) : not_told(call, values.error().wrong),
               m.tuple({first, second}));
}

/// make_tiled_copy_S, _D: the copy that fits a side of another one.
Answer make_tiled_copy_side(Call& call) {
  Machine& m = call.machine;
  const Value other = call.get(1, "tiled_copy");
  auto parts = tiled_copy_parts(m, other);
  if (!parts) {
    const Value unknown = not_told(call, "the tiled copy is not known", other);
    return tiled(call, call.get(0, "atom"), unknown, unknown);
  }
  auto side = tiled_side(*parts, call.path.back() == 'S');
  return tiled(call, call.get(0, "atom"),
               side ? object_of(m, std::move(*side)) : not_told(call, side.error().wrong),
               m.field(other.as<Record>(), "tiler_mn"));
}

Value tiler_value(Machine& m, const layout::Tiler& tiler) { return value_of(m, layout::Value(tiler)); }

Answer tiled_from_addresses(Call& call, const Value& atom, const Layout& addresses, const Layout& data) {
  auto made = cotiled(addresses, data);
  if (made)
    return tiled(call, atom, object_of(call.machine, std::move(made->thread_values)),
                 tiler_value(call.machine, made->tiler));
  const Value unknown = not_told(call, made.error().wrong);
  return tiled(call, atom, unknown, unknown);
}

Answer make_cotiled_copy(Call& call) {
  auto addresses = layout_of(call.machine, call.get(1, "atom_layout_tv")),
       data = layout_of(call.machine, call.get(2, "data_layout"));
  if (!addresses || !data) return not_told(call, "a layout is not known", call.get(1, "atom_layout_tv"));
  return tiled_from_addresses(call, call.get(0, "atom"), addresses->layout(), data->layout());
}

Answer make_tmem_copy(Call& call) {
  Machine& m = call.machine;
  const Value atom = call.get(0, "atom"), tensor = call.get(1, "tmem_tensor");
  const Record* copy = atom.as<Record>();
  const Record* op = copy ? record_of(m.field(copy, "op"), "CopyOp") : nullptr;
  const Record* held = tensor_of(tensor);
  auto bits = held ? width_of(m, m.field(held, "element_type")) : std::nullopt;
  auto data = layout_of(m, tensor);
  auto addresses = op && bits ? tensor_memory_addresses(m, op, *bits) : std::nullopt;
  if (data && addresses) return tiled_from_addresses(call, atom, *addresses, data->layout());
  const Value unknown = not_told(call, "copy or tensor is not known", tensor);
  return tiled(call, atom, unknown, unknown);
}

Answer make_unknown_copy(Call& call) {
  const Value unknown = not_told(call, "the layout of a copy from shared to tensor memory is not computed");
  return tiled(call, call.get(0, "atom"), unknown, unknown);
}

Answer get_slice(Call& call) {
  Machine& m = call.machine;
  const Record* copy = call.self.as<Record>();
  Record* slice = m.record("ThrCopy", copy->path, &call);
  slice->fields.copy_names(copy->fields);
  m.set_field(slice, "thr_idx", call.get(0, "thr_idx"));
  return slice;
}

Answer partition(Call& call) {
  Machine& m = call.machine;
  const Value given = call.count() > 0        ? call.arguments[0]
                      : call.keywords.empty() ? Value()
                                              : call.keywords.front().second;
  const Record* tensor = tensor_of(given);
  if (!tensor) return not_told(call, "the tensor is not known", given);
  auto copy = tiled_copy_parts(m, call.self);
  auto whole = layout_of(m, given);
  Value part = not_told(call, "the tiled copy or the layout is not known", m.field(tensor, "layout"));
  if (copy && whole)
    part = told(
        call, whole->map([&](const Layout& l) { return copy_partition(*copy, l, call.path.back() == 'S'); }));
  const Value made = with_layout(call, tensor, part);
  const Value iterator = m.field(tensor, "iterator");
  if (iterator.bound() && !iterator.as<Record>())
    m.set_field(made.as<Record>(), "iterator", not_told(call, "where a thread's part begins"));
  forget_place(m, made.as<Record>(), "where a thread's part begins");
  return made;
}

Answer retile(Call& call) {
  Machine& m = call.machine;
  const Value given = call.get(0, "src");
  const Record* tensor = tensor_of(given);
  if (!tensor) return not_told(call, "the tensor is not known", given);
  auto copy = tiled_copy_parts(m, call.self);
  auto whole = layout_of(m, given);
  Value part = not_told(call, "the tiled copy or the layout is not known", m.field(tensor, "layout"));
  if (copy && whole) part = told(call, copy_retile(*copy, whole->layout()));
  return with_layout(call, tensor, part);
}

template <bool source>
Answer side(Machine& m, const Value& self) {
  auto parts = tiled_copy_parts(m, self);
  if (!parts) return std::nullopt;
  auto answer = tiled_side(*parts, source);
  return answer ? object_of(m, std::move(*answer)) : m.unknown(answer.error().wrong);
}

Answer nothing(Call&) { return Value::none(); }
Answer itself(Call& call) { return call.self; }

}  // namespace tiled_copies_models

void add_tiled_copies(Natives& natives) {
  using namespace tiled_copies_models;
  add_cute(natives, "make_copy_atom", make_copy_atom);
  for (const char* name : {"make_tiled_copy", "_make_tiled_copy"}) add_cute(natives, name, make_tiled_copy);
  add_cute(natives, "make_tiled_copy_tv", make_tiled_copy_tv);
  for (const char* name : {"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C"})
    add_cute(natives, name, make_tiled_copy_mma);
  for (const char* name : {"make_tiled_copy_S", "make_tiled_copy_D"})
    add_cute(natives, name, make_tiled_copy_side);
  add_cute(natives, "make_cotiled_copy", make_cotiled_copy);
  natives.function("cutlass", "make_tmem_copy", make_tmem_copy);
  natives.function("cutlass", "make_s2t_copy", make_unknown_copy);
  for (const char* kind : {"TiledCopy", "ThrCopy", "CopyAtom"}) {
    natives.method(kind, "get_slice", get_slice);
    natives.method(kind, "partition_S", partition);
    natives.method(kind, "partition_D", partition);
    natives.method(kind, "retile", retile);
    natives.method(kind, "set", nothing);
    natives.method(kind, "with_", itself);
    natives.getter(kind, "layout_src_tv_tiled", side<true>);
    natives.getter(kind, "layout_dst_tv_tiled", side<false>);
  }
  for (const char* name :
       {"copy", "autovec_copy", "basic_copy", "basic_copy_if", "prefetch", "copy_atom_call"})
    add_cute(natives, name, nothing);
}

void add_atoms(Natives& natives) {
  using namespace tiled_copies_models;
  add_mma_operations(natives);
  add_copy_operations(natives);
  add_tiled_mma(natives);
  add_tiled_copies(natives);
}

}  // namespace cutelab::reading::machine
