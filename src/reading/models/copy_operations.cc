#include <array>

#include "reading/models/layout_values.h"

// cutlass.cute.nvgpu: copy operations as records of their parameters.

namespace cutelab::reading::machine {
namespace copy_operations_models {

using Answer = std::optional<Value>;

struct Parameter {
  std::string_view name;
  std::string_view otherwise = {};  ///< default: "1", "False", "None", or the path of an enumeration's member
};

struct CopySpec {
  std::string_view name;  ///< "Ld32x32bOp"
  std::array<Parameter, 3> parameters;
};

constexpr std::array<Parameter, 3> none = {};
constexpr std::array<Parameter, 3> matrix = {
    Parameter{"transpose", "False"}, {"num_matrices", "1"}, {"unpack_bits", "None"}};
constexpr std::array<Parameter, 3> load = {Parameter{"repeat", "tcgen05.Repetition.x1"},
                                           {"pack", "tcgen05.Pack.NONE"}};
constexpr std::array<Parameter, 3> store = {Parameter{"repeat"}, {"unpack", "tcgen05.Unpack.NONE"}};
constexpr std::array<Parameter, 3> group = {Parameter{"cta_group", "tcgen05.CtaGroup.ONE"}};

constexpr CopySpec specs[] = {
    {"CopyUniversalOp", none},
    {"CopyG2ROp", none},
    {"CopyR2GOp", none},
    {"CopyS2ROp", none},
    {"CopyR2SOp", none},
    {"CopyG2SOp", {Parameter{"cache_mode", "LoadCacheMode.ALWAYS"}}},
    {"CopyBulkTensorTileG2SOp", group},
    {"CopyBulkTensorTileG2SMulticastOp", group},
    {"CopyBulkTensorIm2ColG2SOp", group},
    {"CopyBulkTensorIm2ColG2SMulticastOp", group},
    {"CopyBulkTensorTileS2GOp", none},
    {"CopyBulkTensorIm2ColS2GOp", none},
    {"CopyReduceBulkTensorTileS2GOp", {Parameter{"reduction_kind", "ReductionKind.ADD"}}},
    {"CopyBulkTensor2DGather4G2SOp", group},
    {"CopyBulkTensor2DScatter4S2GOp", none},
    {"CopyBulkG2SOp", none},
    {"CopyBulkG2SMulticastOp", none},
    {"CopyBulkS2GOp", none},
    {"CopyBulkS2GByteMaskOp", none},
    {"CopyBulkS2SOp", none},
    {"CopyDsmemStoreOp", none},
    {"LdMatrix8x8x16bOp", matrix},
    {"LdMatrix8x16x8bOp", matrix},
    {"LdMatrix16x8x8bOp", matrix},
    {"LdMatrix16x16x8bOp", matrix},
    {"StMatrix8x8x16bOp", matrix},
    {"StMatrix16x8x8bOp", matrix},
    {"Ld16x64bOp", load},
    {"Ld16x128bOp", load},
    {"Ld16x256bOp", load},
    {"Ld16x32bx2Op", load},
    {"Ld32x32bOp", load},
    {"LdRed16x32bx2Op", load},
    {"LdRed32x32bOp", load},
    {"St16x64bOp", store},
    {"St16x128bOp", store},
    {"St16x256bOp", store},
    {"St16x32bx2Op", store},
    {"St32x32bOp", store},
    {"Cp128x256bOp", group},
    {"Cp128x128bOp", group},
    {"Cp4x256bOp", group},
    {"Cp4x32x128bOp", group},
    {"Cp2x64x128b0213Op", group},
    {"Cp2x64x128b0123Op", group},
};

Value default_of(Machine& m, std::string_view text) {
  if (text == "1") return Value::integer(1);
  if (text == "False") return Value::boolean(false);
  if (text == "None") return Value::none();
  return m.external("cutlass.cute.nvgpu." + std::string(text));
}

Answer make_operation(Call& call) {
  Machine& m = call.machine;
  const std::string_view name = call.path.substr(call.path.rfind('.') + 1);
  for (const CopySpec& spec : specs) {
    if (spec.name != name) continue;
    Record* op = m.record("CopyOp", std::string(call.path), &call);
    int position = 0;
    for (const Parameter& parameter : spec.parameters) {
      if (parameter.name.empty()) break;
      const Value given = call.get(position++, parameter.name);
      if (given.bound())
        m.set_field(op, parameter.name, given);
      else if (!parameter.otherwise.empty())
        m.set_field(op, parameter.name, default_of(m, parameter.otherwise));
    }
    return op;
  }
  return std::nullopt;
}

std::string_view operation_name(Machine& m, const Value& atom) {
  const Record* copy = atom.as<Record>();
  const Record* op = copy ? record_of(m.field(copy, "op"), "CopyOp") : nullptr;
  if (!op) return {};
  return std::string_view(op->path).substr(op->path.rfind('.') + 1);
}

Answer is_tmem_copy(Call& call) {
  const std::string_view name = operation_name(call.machine, call.get(0, "atom"));
  if (name.empty()) return not_told(call, "the copy's operation is not known", call.get(0, "atom"));
  const char* verb = call.path.find("is_tmem_load") != std::string_view::npos ? "Ld" : "St";
  return Value::boolean(name.substr(0, 2) == verb && name.size() > 2 && name[2] >= '1' && name[2] <= '9');
}

/// (data paths, bits, repetitions, packing)
Answer tmem_properties(Call& call) {
  Machine& m = call.machine;
  const Value atom = call.get(0, "atom");
  const std::string name(operation_name(m, atom));
  const std::size_t x = name.find('x');
  if (name.size() < 8 || x == std::string::npos)
    return not_told(call, "the copy's operation is not known", atom);
  const Record* op = m.field(atom.as<Record>(), "op").as<Record>();
  const std::string repeat = member_name(m, m.field(op, "repeat"));
  if (repeat.size() < 2 || repeat[0] != 'x') return not_told(call, "the repetition is not known");
  const Value packing = m.field(op, name[0] == 'L' ? "pack" : "unpack");
  return m.tuple({Value::integer(std::stoll(name.substr(2, x - 2))),
                  Value::integer(std::stoll(name.substr(x + 1))),
                  Value::integer(std::stoll(repeat.substr(1))), packing});
}

}  // namespace copy_operations_models

void add_copy_operations(Natives& natives) {
  using namespace copy_operations_models;
  for (const CopySpec& spec : specs) natives.function("cutlass", spec.name, make_operation);
  natives.function("cutlass", "is_tmem_load", is_tmem_copy);
  natives.function("cutlass", "is_tmem_store", is_tmem_copy);
  natives.function("cutlass", "get_tmem_copy_properties", tmem_properties);
}

}  // namespace cutelab::reading::machine
