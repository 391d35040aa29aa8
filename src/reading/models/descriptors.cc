#include <algorithm>

#include "layout/smem.h"
#include "layout/tma.h"
#include "reading/models/mma_atoms.h"

// cutlass.cute.nvgpu: TMA atoms with their coordinate tensors, and layouts of shared-memory operands.
//   TmaAtom   op, smem_layout, tile (of the tensor), num_multicast, bytes (of one tile in shared memory),
//             value_type, gmem_tensor

namespace cutelab::reading::machine {
namespace descriptors_models {

using Answer = std::optional<Value>;
using layout::Basis;
using layout::Int;
using layout::IntTuple;
using layout::Layout;

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// Strides of a TMA tensor: the descriptor counts its dimensions from the contiguous one on. Strides whose
/// order is not known keep the tensor's order of modes.
Layout coordinate_layout(const Layout& global) {
  const auto strides = layout::leaves(global.stride());
  std::vector<std::size_t> order(strides.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool known =
      std::all_of(strides.begin(), strides.end(), [](const Int& s) { return s.known() && s.plain(); });
  if (known)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto place = [&](std::size_t i) {
        return strides[i].value() == 0 ? INT64_MAX : strides[i].value();
      };
      return place(a) < place(b);
    });
  std::vector<Int> basis(strides.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    basis[order[place]] = Int::basis_element(Basis().then(static_cast<int>(place)));
  layout::TupleBuilder flat;
  const std::size_t open = flat.open();
  for (const Int& stride : basis) flat.leaf(stride);
  flat.close(open, static_cast<int>(basis.size()));
  const IntTuple all = flat.take();
  if (global.shape().is_leaf()) return Layout::unchecked(global.shape(), all.mode(0));
  auto nested = layout::unflatten(all, global.shape());
  return nested ? Layout::unchecked(global.shape(), std::move(*nested)) : Layout::identity(global.shape());
}

Value tma_tensor(Call& call, const Value& global_value) {
  Machine& m = call.machine;
  const Record* global = tensor_of(global_value);
  TensorParts parts;
  parts.memspace = "gmem";
  auto layout = layout_of(m, global_value);
  if (global) parts.element_type = m.field(global, "element_type");
  if (!layout || !global) {
    parts.layout = not_told(call, "the tensor is not known", global_value);
    return make_tensor_record(call, std::move(parts));
  }
  const Layout coordinates = coordinate_layout(layout->layout());
  std::vector<IntTuple> zeros(layout::leaves(coordinates.shape()).size(), IntTuple(0));
  parts.iterator = value_of(m, IntTuple::tuple(zeros));
  parts.layout = m.layout(layout::ComposedLayout(coordinates));
  return make_tensor_record(call, std::move(parts));
}

struct TmaParts {
  Value op, global, smem, tile, multicast;
};

Value tma_atom(Call& call, TmaParts parts) {
  Machine& m = call.machine;
  Record* atom = m.record("TmaAtom", std::string(call.path), &call);
  const Record* global = tensor_of(parts.global);
  Value type = call.get(-1, "internal_type", Value::none());
  if (type.is_none() && global) type = m.field(global, "element_type");
  m.set_field(atom, "op", parts.op);
  m.set_field(atom, "smem_layout", parts.smem);
  m.set_field(atom, "tile", parts.tile);
  m.set_field(atom, "num_multicast", parts.multicast);
  m.set_field(atom, "value_type", type.is_none() ? not_told(call, "the element type is not known") : type);
  if (parts.global.bound()) m.set_field(atom, "gmem_tensor", parts.global);
  auto layout = layout_of(m, parts.smem);
  auto bits = global ? width_of(m, m.field(global, "element_type")) : std::nullopt;
  const bool staged =
      call.path.back() == 'A' || call.path.back() == 'B' ? layout && layout->rank() == 4 : false;
  if (layout && bits && !staged)
    m.set_field(atom, "bytes", value_of(m, layout::ceil_div(layout::size(*layout) * Int(*bits), Int(8))));
  const Value tensor = tma_tensor(call, parts.global);
  const Value both = m.tuple({atom, tensor});
  return both;
}

/// What the rules of the layout room want: the tensor's modes that the tile covers, mode by mode with the
/// tile's place in shared memory. nullopt: something of it is not known, or the modes do not correspond.
std::optional<layout::TmaRequest> request_of(Machine& m, const TmaParts& parts) {
  const Record* tensor = tensor_of(parts.global);
  auto global = tensor ? layout_of(m, parts.global) : std::nullopt;
  auto tile = parts.tile.is_unknown() ? std::nullopt : int_tuple_of(m, parts.tile);
  auto smem = parts.smem.is_unknown() ? std::nullopt : layout_of(m, parts.smem);
  const auto bits = tensor ? width_of(m, m.field(tensor, "element_type")) : std::nullopt;
  if (!global || !tile || !smem || !bits || tile->is_leaf() || !tile->known() || !smem->layout().known() ||
      tile->rank() > global->rank() || smem->rank() != tile->rank())
    return std::nullopt;
  layout::TmaRequest request;
  std::vector<Layout> modes;
  std::vector<IntTuple> extents;
  bool contiguous = false;
  for (int i = 0; i < tile->rank(); ++i) {
    modes.push_back(global->layout().mode(i));
    extents.emplace_back(layout::product(tile->view().mode(i)));
    if (layout::size(smem->layout().view().mode(i)) != extents.back().leaf()) return std::nullopt;
    const layout::TupleView stride = modes.back().view().stride;
    contiguous = contiguous || (stride.is_leaf() && stride.leaf().is(1));
  }
  if (!contiguous) return std::nullopt;
  request.global = Layout::concat(modes);
  request.tile = IntTuple::tuple(extents);
  request.bits = *bits;
  request.swizzle_span =
      smem->swizzle().identity() ? 16 : std::int64_t{16} << std::min(3, smem->swizzle().bits);
  request.smem = std::move(*smem);
  return request;
}

/// The CTAs that multicast a tile load a part of it each: the box is cut along its last modes
/// (cute/atom/copy_traits_sm90_tma.hpp, make_tma_copy_desc). False: their number does not divide it.
bool share_box(std::vector<std::int64_t>& box, std::int64_t ctas) {
  for (std::size_t i = box.size(); i-- > 0 && ctas > 1;) {
    if (box[i] % ctas != 0 && ctas % box[i] != 0) return false;
    const std::int64_t rest = (ctas + box[i] - 1) / box[i];
    box[i] = (box[i] + ctas - 1) / ctas;
    ctas = rest;
  }
  return ctas <= 1;
}

/// The box, and whether modes step through shared memory as TMA wants: what check_tma says of the request.
void add_box(Call& call, Record* atom, const TmaParts& parts) {
  Machine& m = call.machine;
  const auto request = request_of(m, parts);
  if (!request || request->bits < 4 || request->bits > 64) return;
  auto report = layout::check_tma(*request);
  if (!report) return;
  std::string steps = "holds";
  for (const layout::TmaRule& rule : report->rules) {
    if (rule.name != "smem-stride-16B" || rule.verdict == layout::Verdict::holds) continue;
    if (rule.verdict == layout::Verdict::undetermined) return;
    steps = rule.says;
  }
  m.set_field(atom, "shared_steps", m.text(steps));
  // The library cuts a mode of more than 256 elements itself.
  auto box = report->box;
  if (box.empty() || std::any_of(box.begin(), box.end(), [](std::int64_t n) { return n < 1 || n > 256; }))
    return;
  const auto ctas = integer_of(parts.multicast);
  if (!ctas || !share_box(box, *ctas)) return;
  std::vector<Value> extents;
  for (const std::int64_t n : box) extents.push_back(Value::integer(n));
  m.set_field(atom, "box", m.tuple(std::move(extents)));
  m.set_field(atom, "boxes", Value::integer(report->boxes));
  m.set_field(atom, "swizzle_bytes", Value::integer(request->swizzle_span));
}

Answer make_tiled_tma_atom(Call& call) {
  Value smem = call.get(2, "smem_layout_");
  if (!smem.bound()) smem = call.get(-1, "smem_layout");
  const TmaParts parts{call.get(0, "op"), call.get(1, "gmem_tensor"), smem, call.get(3, "cta_tiler"),
                       call.get(4, "num_multicast", Value::integer(1))};
  Value made = tma_atom(call, parts);
  if (const Tuple* pair = made.as<Tuple>()) add_box(call, pair->items.front().as<Record>(), parts);
  return made;
}

/// make_tiled_tma_atom_A, _B: the tile's and the cluster's modes of the operand.
Answer make_tiled_tma_atom_operand(Call& call) {
  Machine& m = call.machine;
  const bool a = call.path.back() == 'A';
  const Value op = call.get(0, "op"), tiler = call.get(3, "mma_tiler_mnk"),
              cluster = call.get(5, "cluster_shape_vmnk", Value::none());
  Value tile = not_told(call, "the tiler is not known", tiler);
  if (const Tuple* mnk = tiler.as<Tuple>(); mnk && mnk->items.size() >= 3) {
    std::vector<Value> modes = {mnk->items[a ? 0 : 1]};
    modes.insert(modes.end(), mnk->items.begin() + 2, mnk->items.end());
    tile = m.tuple(std::move(modes));
  }
  Value multicast = Value::integer(1);
  const Record* operation = op.as<Record>();
  if (operation && leaf(operation->path).find("Multicast") != std::string_view::npos) {
    auto shape = int_tuple_of(m, cluster);
    multicast = shape && shape->rank() == 4 ? value_of(m, layout::product(shape->view().mode(a ? 2 : 1)))
                                            : not_told(call, "the cluster's shape is not known", cluster);
  }
  return tma_atom(call, {op, call.get(1, "gmem_tensor"), call.get(2, "smem_layout"), tile, multicast});
}

/// Modes of one instruction and of its repetitions: a dimension that comes again starts the next box.
void split_boxes(const Layout& modes, std::vector<Layout>& box, std::vector<Layout>& repeat) {
  const Layout flat = layout::coalesce(modes);
  const int rank = flat.shape().is_leaf() ? 1 : flat.rank();
  std::vector<Basis> seen;
  for (int i = 0; i < rank; ++i) {
    const Layout mode = flat.mode(i);
    const Basis basis = mode.stride().leaf().basis();
    const bool again = !repeat.empty() || std::find(seen.begin(), seen.end(), basis) != seen.end();
    (again ? repeat : box).push_back(mode);
    seen.push_back(basis);
  }
}

Layout grouped(const std::vector<Layout>& modes) {
  if (modes.empty()) return Layout::unchecked(1, 0);
  return modes.size() == 1 ? modes.front() : Layout::concat(modes);
}

Layout with_rest(const Layout& first, const Layout& whole) {
  std::vector<Layout> modes = {first};
  for (int i = 1; i < whole.rank(); ++i) modes.push_back(whole.mode(i));
  return Layout::concat(modes);
}

/// ((box, repetitions), rest…) of the shared and of the global tensor.
Answer tma_partition(Call& call) {
  Machine& m = call.machine;
  const Value shared_value = call.get(3, "smem_tensor"), global_value = call.get(4, "gmem_tensor");
  const Record *shared_tensor = tensor_of(shared_value), *global_tensor = tensor_of(global_value);
  if (!shared_tensor || !global_tensor)
    return not_told(call, "a tensor is not known", shared_tensor ? global_value : shared_value);
  auto shared = layout_of(m, shared_value), global = layout_of(m, global_value);
  const auto unknown = [&](std::string reason) {
    const Value why = not_told(call, std::move(reason));
    return m.tuple({with_layout(call, shared_tensor, why), with_layout(call, global_tensor, why)});
  };
  if (!shared || !global) return unknown("a layout is not known");
  auto inverse = layout::right_inverse(shared->layout().mode(0));
  if (!inverse) return unknown(inverse.error().wrong);
  auto walked = layout::composition(global->layout().mode(0), *inverse);
  if (!walked) return unknown(walked.error().wrong);
  std::vector<Layout> box, repeat;
  split_boxes(*walked, box, repeat);
  const Layout global_mode = Layout::concat({grouped(box), grouped(repeat)});
  const Int box_size = layout::size(global_mode.view().mode(0)),
            repeats = layout::size(global_mode.view().mode(1));
  const Layout shared_mode =
      Layout::unchecked(IntTuple::tuple({IntTuple(box_size), IntTuple(repeats)}),
                        IntTuple::tuple({IntTuple(1), repeats.is(1) ? IntTuple(0) : IntTuple(box_size)}));
  const Value s =
      with_layout(call, shared_tensor,
                  m.layout({shared->swizzle(), shared->offset(), with_rest(shared_mode, shared->layout())}));
  const Value g = with_layout(call, global_tensor,
                              m.layout(layout::ComposedLayout(with_rest(global_mode, global->layout()))));
  return m.tuple({s, g});
}

Answer make_smem_layout_atom(Call& call) {
  Machine& m = call.machine;
  auto kind = layout::smem_atom_kind(member_name(m, call.get(0, "kind")));
  auto bits = width_of(m, call.get(1, "element_type"));
  if (!kind || !bits) return not_told(call, "kind or element type is not known", call.get(0, "kind"));
  return told(call, layout::smem_layout_atom(*kind, *bits));
}

Answer tile_to_mma_shape(Call& call) {
  Machine& m = call.machine;
  auto atom = layout_of(m, call.get(0, "atom"));
  auto shape = int_tuple_of(m, call.get(1, "mma_tile_shape"));
  const Value order_value = call.get(2, "order", Value::none());
  if (!atom || !shape || shape->is_leaf())
    return not_told(call, "atom or shape is not known", call.get(1, "mma_tile_shape"));
  std::vector<IntTuple> ascending;
  for (int i = 0; i + 1 < shape->rank(); ++i) ascending.push_back(IntTuple(i));
  auto order = order_value.is_none() ? IntTuple::tuple(ascending) : int_tuple_of(m, order_value);
  if (!order) return not_told(call, "the order is not known", order_value);
  return told(call, layout::tile_to_mma_shape(*atom, *shape, *order));
}

/// The DSL's TmaInfo unpacks as (atom, tensor) and has both and the layout as attributes.
template <int item>
Answer of_pair(Machine& m, const Value& self) {
  const Tuple* pair = self.as<Tuple>();
  if (!pair || pair->items.size() != 2 || !record_of(pair->items[0], "TmaAtom")) return std::nullopt;
  if (item < 2) return pair->items[item < 2 ? item : 0];
  return m.field(pair->items[0].as<Record>(), "smem_layout");
}

Answer nothing(Call&) { return Value::none(); }

}  // namespace descriptors_models

void add_descriptors(Natives& natives) {
  using namespace descriptors_models;
  natives.function("cutlass", "make_tiled_tma_atom", make_tiled_tma_atom);
  natives.function("cutlass", "make_tiled_tma_atom_A", make_tiled_tma_atom_operand);
  natives.function("cutlass", "make_tiled_tma_atom_B", make_tiled_tma_atom_operand);
  natives.getter("tuple", "atom", of_pair<0>);
  natives.getter("tuple", "tma_tensor", of_pair<1>);
  natives.getter("tuple", "smem_layout", of_pair<2>);
  natives.function("cutlass", "tma_partition", tma_partition);
  natives.function("cutlass", "make_smem_layout_atom", make_smem_layout_atom);
  natives.function("cutlass", "tile_to_mma_shape", tile_to_mma_shape);
  for (const char* name : {"prefetch_descriptor", "copy_tensormap", "update_tma_descriptor",
                           "fence_tma_desc_acquire", "cp_fence_tma_desc_release", "fence_tma_desc_release"})
    natives.function("cutlass", name, nothing);
}

}  // namespace cutelab::reading::machine
