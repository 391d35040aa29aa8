#include <array>

#include "reading/models/mma_atoms.h"

// cutlass.cute.nvgpu: matrix operations as records of their parameters.

namespace cutelab::reading::machine {
namespace mma_operations_models {

using Answer = std::optional<Value>;
using AttributeNames = std::array<std::string_view, 7>;

/// An operation's constructor: parameters in order, what it fixes itself, K of the instruction.
struct MmaSpec {
  std::string_view family, name;  ///< "warpgroup", "MmaF16BF16Op"
  AttributeNames parameters;
  int k = 0;  ///< appended to a shape (M, N); 0 = the shape is complete
  std::string_view ab_type = {}, acc_type = {}, sf_type = {};
  int sf_vec_size = 0;
  std::array<int, 3> shape = {0, 0, 0};  ///< of an operation that takes none
};

constexpr AttributeNames hopper_ab = {"ab_dtype", "acc_dtype",    "instruction_shape",
                                      "a_src",    "a_major_mode", "b_major_mode"};
constexpr AttributeNames hopper_a_b = {"a_dtype", "b_dtype",      "acc_dtype",   "instruction_shape",
                                       "a_src",   "a_major_mode", "b_major_mode"};
constexpr AttributeNames tc_ab_acc = {"ab_dtype", "acc_dtype",    "instruction_shape", "cta_group",
                                      "a_src",    "a_major_mode", "b_major_mode"};
constexpr AttributeNames tc_ab = {"ab_dtype", "instruction_shape", "cta_group",
                                  "a_src",    "a_major_mode",      "b_major_mode"};
constexpr AttributeNames tc_a_b = {"a_dtype", "b_dtype",      "instruction_shape", "cta_group",
                                   "a_src",   "a_major_mode", "b_major_mode"};
constexpr AttributeNames tc_none = {"instruction_shape", "cta_group", "a_src", "a_major_mode",
                                    "b_major_mode"};
constexpr AttributeNames tc_sf = {"sf_dtype", "instruction_shape", "cta_group", "a_src"};
constexpr AttributeNames warp_ab = {"ab_dtype", "acc_dtype", "shape_mnk"};
constexpr AttributeNames warp_sf = {"ab_dtype", "acc_dtype", "sf_type"};

constexpr MmaSpec specs[] = {
    {"nvgpu", "MmaUniversalOp", {"abacc_dtype"}, 0, {}, {}, {}, 0, {1, 1, 1}},
    {"warp", "MmaF16BF16Op", warp_ab},
    {"warp", "MmaTF32Op", {"shape_mnk"}, 0, "TFloat32", "Float32"},
    {"warp", "MmaFP8Op", warp_ab},
    {"warp", "MmaMXF4Op", warp_sf, 0, {}, {}, {}, 32, {16, 8, 64}},
    {"warp", "MmaMXF4NVF4Op", warp_sf, 0, {}, {}, {}, 16, {16, 8, 64}},
    {"warp", "MmaMXF8Op", warp_sf, 0, {}, {}, {}, 32, {16, 8, 32}},
    {"warp", "MmaMXF8F6F4Op", {"a_dtype", "b_dtype", "acc_dtype", "sf_type"}, 0, {}, {}, {}, 32, {16, 8, 32}},
    {"warpgroup", "MmaF16BF16Op", hopper_ab, 16},
    {"warpgroup",
     "MmaTF32Op",
     {"instruction_shape", "a_src", "a_major_mode", "b_major_mode"},
     8,
     "TFloat32",
     "Float32"},
    {"warpgroup", "MmaF8Op", hopper_a_b, 32},
    {"warpgroup", "MmaI8Op", hopper_a_b, 32},
    {"tcgen05", "MmaTF32Op", tc_none, 8, "TFloat32", "Float32"},
    {"tcgen05", "MmaF16BF16Op", tc_ab_acc, 16},
    {"tcgen05", "MmaI8Op", tc_ab, 32, {}, "Int32"},
    {"tcgen05", "MmaFP8Op", tc_ab_acc, 32},
    {"tcgen05",
     "MmaF8F6F4Op",
     {"a_dtype", "b_dtype", "acc_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode"},
     32},
    {"tcgen05", "MmaMXF8Op", tc_ab, 32, {}, "Float32", "Float8E8M0FNU", 32},
    {"tcgen05", "MmaMXF8F6F4Op", tc_a_b, 32, {}, "Float32", "Float8E8M0FNU", 32},
    {"tcgen05",
     "MmaMXF4Op",
     {"instruction_shape", "cta_group", "a_src"},
     64,
     "Float4E2M1FN",
     "Float32",
     "Float8E8M0FNU",
     32},
    {"tcgen05", "MmaMXF4NVF4Op", tc_sf, 64, "Float4E2M1FN", "Float32", {}, 16},
    {"tcgen05",
     "SM103MmaMXF4Op",
     {"instruction_shape", "cta_group", "a_src"},
     96,
     "Float4E2M1FN",
     "Float32",
     "Float8E8M0FNU",
     32},
    {"tcgen05", "SM103MmaMXF4NVF4Op", tc_sf, 96, "Float4E2M1FN", "Float32", {}, 16},
};

const MmaSpec* spec_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  for (const MmaSpec& spec : specs)
    if (spec.name == name && path.find("." + std::string(spec.family) + ".") != std::string_view::npos)
      return &spec;
  return nullptr;
}

/// (M, N) with the instruction's K; other shapes as they are.
Value complete_shape(Machine& m, const MmaSpec& spec, const Value& shape) {
  if (!shape.bound())
    return m.tuple(
        {Value::integer(spec.shape[0]), Value::integer(spec.shape[1]), Value::integer(spec.shape[2])});
  auto items = m.items(shape);
  if (!items || items->size() != 2 || spec.k == 0) return shape;
  return m.tuple({(*items)[0], (*items)[1], Value::integer(spec.k)});
}

void set_types(Machine& m, const MmaSpec& spec, Record* op) {
  const auto fixed = [&](std::string_view field, std::string_view type) {
    if (!type.empty() && !m.field(op, field).bound())
      m.set_field(op, field, m.external("cutlass." + std::string(type)));
  };
  const auto also = [&](std::string_view field, std::string_view from) {
    if (const Value value = m.field(op, from); value.bound() && !m.field(op, field).bound())
      m.set_field(op, field, value);
  };
  fixed("ab_dtype", spec.ab_type);
  fixed("acc_dtype", spec.acc_type);
  fixed("sf_dtype", spec.sf_type);
  for (const char* field : {"ab_dtype", "acc_dtype"}) also(field, "abacc_dtype");
  for (const char* field : {"a_dtype", "b_dtype"}) also(field, "ab_dtype");
  also("sf_dtype", "sf_type");
  also("sf_type", "sf_dtype");
}

Answer make_operation(Call& call) {
  const MmaSpec* spec = spec_of(call.path);
  if (!spec) return std::nullopt;
  Machine& m = call.machine;
  Record* op = m.record("MmaOp", std::string(call.path), &call);
  Value shape;
  for (std::size_t i = 0; i < spec->parameters.size() && !spec->parameters[i].empty(); ++i) {
    const std::string_view name = spec->parameters[i];
    Value given = call.get(static_cast<int>(i), name);
    if (name == "instruction_shape" && !given.bound()) given = call.get(-1, "shape_mnk");
    if (name == "instruction_shape" || name == "shape_mnk")
      shape = given;
    else if (given.bound())
      m.set_field(op, name, given);
  }
  // The eighth parameter of an operation with two operand types.
  if (spec->name == "MmaF8F6F4Op" && call.get(7, "b_major_mode").bound())
    m.set_field(op, "b_major_mode", call.get(7, "b_major_mode"));
  m.set_field(op, "shape_mnk", complete_shape(m, *spec, shape));
  m.set_field(op, "family", m.text(std::string(spec->family)));
  if (spec->sf_vec_size) m.set_field(op, "sf_vec_size", Value::integer(spec->sf_vec_size));
  set_types(m, *spec, op);
  if (spec->family == "tcgen05")
    for (const char* field : {"a_major_mode", "b_major_mode"})
      if (!m.field(op, field).bound())
        m.set_field(op, field, m.external("cutlass.cute.nvgpu.OperandMajorMode.K"));
  return op;
}

/// MmaSM120BlockScaledOp: everything is a parameter.
Answer make_block_scaled(Call& call) {
  Machine& m = call.machine;
  Record* op = m.record("MmaOp", std::string(call.path), &call);
  int position = 0;
  for (const char* name : {"ab_dtype", "acc_dtype", "shape_mnk", "sf_type", "sf_vec_size"})
    if (const Value given = call.get(position++, name); given.bound()) m.set_field(op, name, given);
  m.set_field(op, "family", m.text("warp"));
  for (const char* name : {"a_dtype", "b_dtype"}) m.set_field(op, name, call.get(0, "ab_dtype"));
  return op;
}

}  // namespace mma_operations_models

void add_mma_operations(Natives& natives) {
  using namespace mma_operations_models;
  for (const MmaSpec& spec : specs) {
    const std::string family(spec.family), name(spec.name);
    natives.function("cutlass", family + "." + name, make_operation);
    natives.function("cutlass", family + (family == "nvgpu" ? ".common." : ".mma.") + name, make_operation);
  }
  natives.function("cutlass", "warp.MmaSM120BlockScaledOp", make_block_scaled);
  natives.function("cutlass", "warp.mma.MmaSM120BlockScaledOp", make_block_scaled);
}

}  // namespace cutelab::reading::machine
