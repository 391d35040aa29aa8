#include "layout/divide.h"
#include "layout/tma.h"
#include "reading/models/mma_atoms.h"
#include "reading/models/tensor_memory.h"

// cutlass.cute: MMA atoms, tiled MMAs, their partitions and fragments.

namespace cutelab::reading::machine {
namespace tiled_mma_models {

using Answer = std::optional<Value>;
using layout::Layout;

Value object_of(Machine& m, Layout layout) { return m.layout(layout::ComposedLayout(std::move(layout))); }

/// The fields that an operation gives its atom.
void fill_atom(Call& call, Record* atom, const Record* op) {
  Machine& m = call.machine;
  m.set_field(atom, "op", const_cast<Record*>(op));
  m.set_field(atom, "shape_mnk", m.field(op, "shape_mnk"));
  auto layouts = mma_layouts(m, op);
  const auto set = [&](std::string_view name, const Layout* layout) {
    m.set_field(atom, name,
                layout ? object_of(m, *layout) : not_told(call, "the operation's layouts are not known"));
  };
  const auto threads = layouts ? std::optional(layouts->threads) : mma_threads(m, op);
  set("thr_id", threads ? &*threads : nullptr);
  set("tv_layout_A", layouts ? &layouts->a : nullptr);
  set("tv_layout_B", layouts ? &layouts->b : nullptr);
  set("tv_layout_C", layouts ? &layouts->c : nullptr);
}

Answer make_mma_atom(Call& call) {
  const Value op_value = call.get(0, "op");
  const Record* op = record_of(op_value, "MmaOp");
  if (!op) return not_told(call, "the operation is not known", op_value);
  Record* atom = call.machine.record("MmaAtom", std::string(call.path), &call);
  fill_atom(call, atom, op);
  return atom;
}

Answer make_tiled_mma(Call& call) {
  Machine& m = call.machine;
  const Value given = call.get(0, "op_or_atom");
  const Record* op = record_of(given, "MmaOp");
  const Record* atom = given.as<Record>();
  if (!op && atom) op = record_of(m.field(atom, "op"), "MmaOp");
  if (!op) return not_told(call, "the operation is not known", given);
  Record* mma = m.record("TiledMma", std::string(call.path), &call);
  fill_atom(call, mma, op);
  const Value one = Value::integer(1);
  auto atoms = layout_of(m, call.get(1, "atom_layout_mnk", m.tuple({one, one, one})));
  const LayoutObject* threads = m.field(mma, "thr_id").as<LayoutObject>();
  Value vmnk = not_told(call, "the layout of atoms is not known", call.get(1, "atom_layout_mnk"));
  if (atoms && threads)
    vmnk = told(call, layout::tiled_product(threads->layout.layout(), layout::Tiler(atoms->layout())));
  m.set_field(mma, "atom_layout_mnk", atoms ? m.layout(*atoms) : vmnk);
  m.set_field(mma, "thr_layout_vmnk", vmnk);
  const LayoutObject* all = vmnk.as<LayoutObject>();
  m.set_field(mma, "size", all ? value_of(m, layout::size(all->layout)) : vmnk);
  const Value permutation = call.get(2, "permutation_mnk", Value::none());
  const Value none = Value::none();
  m.set_field(mma, "permutation_mnk", permutation.is_none() ? m.tuple({none, none, none}) : permutation);
  return mma;
}

Answer get_slice(Call& call) {
  Machine& m = call.machine;
  const Record* mma = call.self.as<Record>();
  Record* slice = m.record("ThrMma", mma->path, &call);
  slice->fields.copy_names(mma->fields);
  m.set_field(slice, "thr_idx", call.get(0, "thr_idx"));
  return slice;
}

Operand operand_of_name(std::string_view path) {
  return path.back() == 'A' ? Operand::a : path.back() == 'B' ? Operand::b : Operand::c;
}

Answer partition_shape(Call& call) {
  Machine& m = call.machine;
  const Value given = call.get(0, "shape");
  const Value shape_value = given.bound()           ? given
                            : call.keywords.empty() ? given
                                                    : call.keywords.front().second;
  auto mma = tiled_mma_parts(m, call.self);
  auto shape = shape_value.is_unknown() ? std::nullopt : int_tuple_of(m, shape_value);
  if (!mma || !shape) return not_told(call, "the tiled MMA or the shape is not known", shape_value);
  auto part = partition(*mma, operand_of_name(call.path), Layout(*shape));
  if (!part) return not_told(call, part.error().wrong);
  return value_of(m, part->layout.shape());
}

Answer partition_tensor(Call& call) {
  Machine& m = call.machine;
  const Value given = call.count() > 0        ? call.arguments[0]
                      : call.keywords.empty() ? Value()
                                              : call.keywords.front().second;
  const Record* tensor = tensor_of(given);
  if (!tensor) return not_told(call, "the tensor is not known", given);
  auto mma = tiled_mma_parts(m, call.self);
  auto whole = layout_of(m, given);
  if (!mma || !whole)
    return with_layout(call, tensor,
                       not_told(call, "the tiled MMA or the layout is not known", m.field(tensor, "layout")));
  auto part = partition(*mma, operand_of_name(call.path), whole->layout());
  if (!part) return with_layout(call, tensor, not_told(call, part.error().wrong));
  const Value made =
      with_layout(call, tensor, m.layout({whole->swizzle(), whole->offset(), std::move(part->layout)}));
  const Value iterator = m.field(tensor, "iterator");
  if (iterator.bound() && !iterator.as<Record>())
    m.set_field(made.as<Record>(), "iterator",
                not_told(call, "where a thread's part begins", m.field(call.self.as<Record>(), "thr_idx")));
  forget_place(m, made.as<Record>(), "where a thread's part begins");
  return made;
}

/// (1,RestM,RestK,…) in units of a matrix descriptor: 16 bytes.
Value descriptor_view(Call& call, const Record* tensor, const layout::ComposedLayout& whole) {
  Machine& m = call.machine;
  auto bits = width_of(m, m.field(tensor, "element_type"));
  if (!bits || whole.rank() < 2) return not_told(call, "the element type is not known");
  std::vector<Layout> modes = {Layout::unchecked(1, 0)};
  for (int i = 1; i < whole.rank(); ++i) modes.push_back(whole.layout().mode(i));
  return told(call, layout::recast(Layout::concat(modes), *bits, 128));
}

bool two_ctas(Machine& m, const Record* op) { return member_name(m, m.field(op, "cta_group")) == "TWO"; }

/// Which memory an operand's fragment lives in.
std::string fragment_space(Machine& m, const Record* op, Operand operand) {
  const std::string family = text_of(m.field(op, "family"));
  if (family == "tcgen05") {
    if (operand == Operand::c) return "tmem";
    return operand == Operand::a && member_name(m, m.field(op, "a_src")) == "TMEM" ? "tmem" : "smem";
  }
  if (family == "warpgroup" && operand != Operand::c)
    return operand == Operand::a && member_name(m, m.field(op, "a_src")) == "RMEM" ? "rmem" : "smem";
  return "rmem";
}

Value fragment_layout(Call& call, const Record* op, Operand operand, const std::string& space,
                      const Value& input, const Value& dtype) {
  Machine& m = call.machine;
  auto whole = input.is_unknown() ? std::nullopt : layout_of(m, input);
  if (!whole) return not_told(call, "the shape is not known", input);
  if (space == "smem") {
    const Record* tensor = tensor_of(input);
    return tensor ? descriptor_view(call, tensor, *whole) : not_told(call, "a descriptor wants a tensor");
  }
  if (space == "tmem") {
    auto bits = width_of(m, dtype);
    auto layout = bits ? tensor_memory_layout(whole->shape(), *bits, operand == Operand::c, two_ctas(m, op))
                       : std::nullopt;
    return layout ? object_of(m, std::move(*layout))
                  : not_told(call, "no rule for this shape in tensor memory");
  }
  if (operand == Operand::c || layout::has_basis(whole->layout()))
    return object_of(m, Layout(whole->shape()));
  return told(call, layout::make_fragment_like(whole->layout()));
}

Answer make_fragment(Call& call) {
  Machine& m = call.machine;
  const Value input = call.get(0, "input");
  const Record* op = record_of(m.field(call.self.as<Record>(), "op"), "MmaOp");
  if (!op) return not_told(call, "the operation is not known");
  const Operand operand = operand_of_name(call.path);
  TensorParts parts;
  parts.memspace = fragment_space(m, op, operand);
  parts.element_type = m.field(op, operand == Operand::a   ? "a_dtype"
                                   : operand == Operand::b ? "b_dtype"
                                                           : "acc_dtype");
  parts.layout = fragment_layout(call, op, operand, parts.memspace, input, parts.element_type);
  parts.iterator = make_pointer(call, parts.element_type, parts.memspace);
  if (parts.memspace == "tmem")
    place_in_tensor_memory(m, parts.iterator.as<Record>(), Value::integer(0), "zero");
  const bool by_descriptor = parts.memspace == "smem";
  Record* made = make_tensor_record(call, std::move(parts));
  if (by_descriptor) {
    const Record* shared = tensor_of(input);
    const auto atom = shared ? descriptor_atom(m, shared) : std::nullopt;
    m.set_field(made, "descriptor_atom",
                atom ? m.text(*atom) : not_told(call, "the operand's layout is not known", input));
  }
  return made;
}

/// Columns of tensor memory up to the end of a tensor.
Answer tmem_columns(Call& call) {
  Machine& m = call.machine;
  const Value tensor = call.get(0, "tmem_tensor");
  const Record* held = tensor_of(tensor);
  auto bits = held ? width_of(m, m.field(held, "element_type")) : std::nullopt;
  auto whole = layout_of(m, tensor);
  if (!bits || !whole) return not_told(call, "the tensor is not known", tensor);
  auto words = layout::recast(whole->layout(), *bits, 32);
  if (!words) return not_told(call, words.error().wrong);
  const layout::Int end = layout::cosize(*words);
  if (!end.known()) return not_told(call, "the tensor's extents are not known");
  return Value::integer(end.value() & 0xFFFF);
}

Answer get_tile_size(Call& call) {
  auto mma = tiled_mma_parts(call.machine, call.self);
  auto mode = integer_of(call.get(0, "mode_idx"));
  if (!mma || !mode || *mode < 0 || *mode > 2) return not_told(call, "the tiled MMA is not known");
  return value_of(call.machine, tile_size(*mma, static_cast<int>(*mode)));
}

template <Operand operand>
Answer tiled_values(Machine& m, const Value& self) {
  auto mma = tiled_mma_parts(m, self);
  if (!mma) return std::nullopt;
  auto layout = tiled_thread_values(*mma, operand);
  if (!layout) return m.unknown(layout.error().wrong);
  return object_of(m, std::move(*layout));
}

Answer fragments_of(Call& call) {
  Machine& m = call.machine;
  const Value input = call.get(0, "input");
  auto mma = tiled_mma_parts(m, call.self);
  auto whole = layout_of(m, input);
  if (!mma || !whole)
    return as_like(call, input, not_told(call, "the tiled MMA or the layout is not known", input));
  return as_like(call, input,
                 told(call, thread_fragments(*mma, operand_of_name(call.path), whole->layout())));
}

Answer nothing(Call&) { return Value::none(); }

}  // namespace tiled_mma_models

void add_tiled_mma(Natives& natives) {
  using namespace tiled_mma_models;
  add_cute(natives, "make_mma_atom", make_mma_atom);
  add_cute(natives, "make_tiled_mma", make_tiled_mma);
  for (const char* kind : {"TiledMma", "ThrMma", "MmaAtom"}) {
    for (const char* name : {"make_fragment_A", "make_fragment_B", "make_fragment_C"})
      natives.method(kind, name, make_fragment);
    for (const char* name : {"partition_shape_A", "partition_shape_B", "partition_shape_C"})
      natives.method(kind, name, partition_shape);
    for (const char* name : {"partition_A", "partition_B", "partition_C"})
      natives.method(kind, name, partition_tensor);
    for (const char* name : {"_thrfrg_A", "_thrfrg_B", "_thrfrg_C"}) natives.method(kind, name, fragments_of);
    natives.method(kind, "get_tile_size", get_tile_size);
    natives.method(kind, "get_slice", get_slice);
    natives.method(kind, "set", nothing);
    natives.getter(kind, "tv_layout_A_tiled", tiled_values<Operand::a>);
    natives.getter(kind, "tv_layout_B_tiled", tiled_values<Operand::b>);
    natives.getter(kind, "tv_layout_C_tiled", tiled_values<Operand::c>);
  }
  natives.function("cutlass", "find_tmem_tensor_col_offset", tmem_columns);
  for (const char* name : {"gemm", "mma_atom_call"}) add_cute(natives, name, nothing);
}

}  // namespace cutelab::reading::machine
