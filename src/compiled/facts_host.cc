#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"
#include "layout/parse.h"

namespace cutelab::compiled {
using evidence::Family;
using evidence::Value;
namespace kind = evidence::kind;

namespace {

/// CUtensorMapDataType and CUtensorMapSwizzle (CUDA driver API).
constexpr std::array<const char*, 13> tensor_map_types = {
    "u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "f32-ftz", "tf32", "tf32-ftz"};
constexpr std::array<const char*, 4> tensor_map_swizzles = {"none", "32 bytes", "64 bytes", "128 bytes"};

/// The names between the brackets of "blockDim = (%a, %b, %c)" lie among the operands in the order of the
/// text.
std::size_t operands_before(std::string_view header, std::string_view name) {
  const auto at = header.find(name);
  if (at == npos) return npos;
  std::size_t count = 0;
  for (std::size_t i = 0; i < at; ++i) count += header[i] == '%';
  return count;
}

const char* family_of(std::string_view atom) {
  if (atom.find("sm90.mma") != npos) return "wgmma";
  if (atom.find("sm100.mma") != npos || atom.find("sm103.mma") != npos || atom.find("tcgen05") != npos)
    return "tcgen05";
  if (atom.find("mma") != npos && atom.find("universal") == npos) return "mma.sync";
  return atom.find("universal_fma") != npos || atom.find("universal_mma") != npos ? "simt" : nullptr;
}

}  // namespace

std::map<std::string, Value> mma_values(std::string_view type) {
  std::map<std::string, Value> values;
  const char* family = family_of(type);
  if (family == nullptr) return values;
  values["family"] = stated(family);
  const auto atom = type.find("cute_nvgpu.");
  const std::string_view inside = ir::bracketed(atom == npos ? type : type.substr(atom));
  const auto parts = ir::parts_of(inside);
  if (!parts.empty() && parts[0].find('x') != npos) values["shape"] = stated_shape(parts[0]);
  const auto types = ir::parts_of(ir::bracketed(ir::attribute(inside, "elem_type")));
  const char* names[] = {"a_type", "b_type", "accumulator_type"};
  for (std::size_t i = 0; i < 3 && i < types.size(); ++i) values[names[i]] = stated(types[i]);
  const auto majors = ir::parts_of(ir::bracketed(ir::attribute(inside, "ab_major")));
  if (majors.size() == 2) {
    values["a_major"] = stated(majors[0]);
    values["b_major"] = stated(majors[1]);
  }
  if (const auto source = ir::attribute(inside, "frag_kind"); !source.empty()) {
    const char* a = source[0] == 's' ? "shared memory" : source[0] == 't' ? "tensor memory" : "registers";
    values["a_source"] = stated(a);
  }
  if (const auto ctas = ir::attribute(inside, "num_cta"); !ctas.empty())
    values["ctas"] = stated(static_cast<std::int64_t>(parse_integer(ctas).value_or(0)));
  return values;
}

void IrReader::on_launch_config(const ir::Operation& operation) {
  Values values;
  for (const auto& [written, name] : {std::pair{"blockDim = (", "block"}, {"gridDim = (", "grid"}}) {
    const std::size_t first = operands_before(operation.header, written);
    if (first == npos) continue;
    std::vector<Value> extents;
    for (std::size_t i = 0; i < 3; ++i)
      extents.push_back(number_or_unknown(module_.operand(operation, first + i)));
    values[name] = stated(std::move(extents));
  }
  std::int64_t threads = 1;
  if (const auto block = values.find("block"); block != values.end() && block->second.determined()) {
    for (const Value& extent : *block->second.list()) threads *= extent.integer().value_or(0);
    values["threads"] = stated(threads);
  }
  configurations_[operation.first_result] = std::move(values);
}

void IrReader::on_launch_attribute(const ir::Operation& operation) {
  const auto configuration = configurations_.find(module_.operand(operation, 0));
  if (configuration == configurations_.end()) return;
  Values& values = configuration->second;
  const std::string_view name = operation.name.substr(operation.name.rfind('.') + 1);
  if (name == "cluster_dim" || name == "preferred_cluster_dim") {
    std::vector<Value> extents;
    for (std::size_t i = 1; i < operation.operands; ++i)
      extents.push_back(number_or_unknown(module_.operand(operation, i)));
    values[name == "cluster_dim" ? "cluster" : "preferred_cluster"] = stated(std::move(extents));
    return;
  }
  const auto on = number(module_.operand(operation, 1));
  if (on) values[name == "cooperative" ? "cooperative" : "dependent_launch"] = stated(*on != 0);
}

void IrReader::on_launch(const ir::Operation& operation) {
  const auto at = operation.header.rfind('@', operation.header.find('<'));
  const std::string symbol(
      at == npos ? std::string_view{}
                 : operation.header.substr(at + 1, operation.header.find_first_of("<( ", at) - at - 1));
  Values values;
  for (ir::Id i = 0; i < operation.operands; ++i)
    if (const auto known = configurations_.find(module_.operand(operation, i));
        known != configurations_.end())
      values = known->second;
  // Where a preferred cluster is passed too, the cluster dimension is only its fallback.
  if (auto preferred = values.extract("preferred_cluster"); !preferred.empty()) {
    if (auto fallback = values.extract("cluster"); !fallback.empty())
      values["fallback_cluster"] = std::move(fallback.mapped());
    values["cluster"] = std::move(preferred.mapped());
  }
  values["symbol"] = stated(symbol);
  const IrKernel* kernel = nullptr;
  for (const IrKernel& candidate : out_.kernels)
    if (candidate.symbol == symbol) kernel = &candidate;
  if (kernel != nullptr && kernel->configured_bytes)
    values["smem_bytes"] = stated(*kernel->configured_bytes);
  else if (kernel != nullptr && !kernel->without_lines)
    values["smem_bytes"] = stated(kernel->shared_bytes);
  evidence::Fact* fact = add(operation, {Family::H2, kind::launch, kernel != nullptr ? kernel->name : symbol,
                                         std::move(values), "launch as compiled"});
  if (fact == nullptr) return;
  if (kernel != nullptr) fact->kernel = kernel->name;
  if (const auto line = launches_.find(symbol); line != launches_.end() && line->second.known())
    fact->at = line->second;
}

void IrReader::on_tma_descriptor(const ir::Operation& operation) {
  const bool load = operation.name.find("load") != npos;
  const bool reduce = operation.name.find("reduce") != npos;
  const std::string_view atom = result_type(operation, 0);
  const std::string_view inside = ir::bracketed(atom);
  Values values = {{"direction", stated(load ? "load" : reduce ? "reduce" : "store")}};
  const std::string_view variant = ir::bracketed(ir::attribute(operation.header, "kind"));
  const bool multicast = variant.find("multicast") != npos;
  values["operation"] =
      stated(load     ? (multicast ? "CopyBulkTensorTileG2SMulticastOp" : "CopyBulkTensorTileG2SOp")
             : reduce ? "CopyReduceBulkTensorTileS2GOp"
                      : "CopyBulkTensorTileS2GOp");
  values["multicast"] = stated(multicast);
  if (variant.find("2sm") != npos) values["ctas"] = stated(std::int64_t{2});
  if (const auto degree = parse_integer(ir::attribute(operation.header, "num_multicast")))
    values["multicast_degree"] = stated(static_cast<std::int64_t>(*degree));
  if (const auto box = ir::quoted(ir::attribute(inside, "tma_gbasis")); !box.empty())
    values["box"] = stated_shape(box);
  if (const auto bits = parse_integer(ir::attribute(inside, "copy_bits")))
    values["bytes"] = stated(static_cast<std::int64_t>(*bits / 8));
  for (const std::string_view part : ir::parts_of(inside))
    if (ir::bits_of(part) > 0 && part.find('=') == npos && !part.starts_with("sm_"))
      values["element"] = stated(part);
  if (const std::string_view layout = ir::quoted(input_type(operation, 1)); !layout.empty()) {
    values["layout"] = stated_layout("", layout);
    if (layout.starts_with("S<")) values["swizzle"] = stated(layout.substr(0, layout.find('>') + 1));
  }
  add(operation, {Family::H1, kind::tma_descriptor, "", std::move(values),
                  fmt::format("TMA {} descriptor", load     ? "load"
                                                   : reduce ? "reduce"
                                                            : "store")});
}

namespace {
std::string_view class_of_pipeline(const Place& place) {
  for (const std::string& function : place.library)
    if (function.starts_with("Pipeline") || function.starts_with("TaskManager")) return function;
  return {};
}
}  // namespace

/// The mask of a multicast is added up over the CTAs that a slice of the cluster's layout names.
void IrReader::on_multicast_mask(const ir::Operation& operation) {
  const Place& place = places_.of(operation.location);
  // A pipeline makes masks of its own, for the CTAs that its release tells.
  if (!place.made_by("make_layout_image_mask") || !class_of_pipeline(place).empty()) return;
  const auto slice = layout::parse_layout(ir::quoted(result_type(operation)));
  Values values;
  if (slice && layout::size(*slice).known()) values["ctas"] = stated(layout::size(*slice).value());
  add(operation,
      {Family::H1, kind::multicast_mask, "", std::move(values), "CTAs that a TMA load is sent to"});
}

/// What the host's code has stored, element by element, to the array behind an operand.
std::vector<Value> IrReader::stored_numbers(const ir::Operation& user, std::size_t operand) const {
  const auto array_of = [&](ir::Id pointer) {
    const ir::Operation* maker = module_.maker(pointer);
    const bool element = maker != nullptr && maker->name == "llvm.getelementptr";
    return std::pair(element ? module_.operand(*maker, 0) : ir::none, element ? maker : nullptr);
  };
  std::vector<Value> found;
  const ir::Id array = array_of(module_.operand(user, operand)).first;
  if (array == ir::none || function_ == nullptr) return found;
  constexpr std::int64_t most_modes = 5;
  for (ir::Id i = module_.index_of(*function_) + 1; i < module_.index_of(user); ++i) {
    const ir::Operation& store = module_.operations[i];
    if (store.name != "llvm.store") continue;
    const auto [base, element] = array_of(module_.operand(store, 1));
    if (base != array || element == nullptr) continue;
    const auto index = parse_integer(trim(ir::bracketed(element->header.substr(element->header.find('[')))));
    if (!index || *index < 0 || *index >= most_modes) continue;
    if (found.size() <= static_cast<std::size_t>(*index))
      found.resize(static_cast<std::size_t>(*index) + 1, number_or_unknown(ir::none));
    found[static_cast<std::size_t>(*index)] = number_or_unknown(module_.operand(store, 0));
  }
  return found;
}

/// A descriptor that the host encodes through the driver. It says nothing about the direction.
void IrReader::on_tensor_map(const ir::Operation& operation) {
  const auto coded = [&](const char* written, const auto& names) {
    const std::size_t at = operands_before(operation.header, written);
    const auto code = at == npos ? std::nullopt : number(module_.operand(operation, at));
    return code && *code >= 0 && *code < static_cast<std::int64_t>(names.size())
               ? stated(names[static_cast<std::size_t>(*code)])
               : number_or_unknown(ir::none);
  };
  Values values = {{"element", coded("data_type = ", tensor_map_types)},
                   {"swizzle", coded("swizzle = ", tensor_map_swizzles)}};
  if (auto box = stored_numbers(operation, operands_before(operation.header, "box_dim = ")); !box.empty())
    values["box"] = stated(std::move(box));
  add_lesser(operation, {Family::D6, "swizzle-applied", "", {{"swizzle", values["swizzle"]}}, ""});
  add(operation, {Family::H1, kind::tma_descriptor, "", std::move(values),
                  "TMA descriptor encoded by the host, box innermost first"});
}

void IrReader::on_atom(const ir::Operation& operation) {
  const std::string_view atom = result_type(operation);
  if (auto values = mma_values(atom); !values.empty()) {
    const std::string says = "MMA " + values["family"].text() +
                             (values.contains("shape") ? " " + values["shape"].text() : std::string());
    add(operation, {Family::D4, kind::mma, "", std::move(values), says});
    return;
  }
  if (atom.find("simt_async_copy") != npos)
    add(operation, {Family::D3,
                    kind::copy,
                    "",
                    {{"operation", stated("cp-async")}, {"atom", stated(ir::bracketed(atom))}},
                    "copy atom of cp.async"});
  if (atom.find("tmem_") != npos)
    add(operation, {Family::D4,
                    "tmem-copy",
                    "",
                    {{"atom", stated(ir::bracketed(atom))}},
                    "copy between tensor memory and registers",
                    true});
}

}  // namespace cutelab::compiled
