#include "compiled/ir_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "layout/parse.h"

namespace cutelab::compiled {
using evidence::Fact;
using evidence::Value;

namespace {

Value with(Value::Data data) {
  Value value;
  value.data = std::move(data);
  value.known_by = evidence::KnownBy::compiled;
  return value;
}

}  // namespace

Value stated(std::int64_t number) { return with(number); }
Value stated(bool truth) { return with(truth); }
Value stated(std::string text) { return with(std::move(text)); }
Value stated(std::string_view text) { return with(std::string(text)); }
Value stated(const char* text) { return with(std::string(text)); }
Value stated(std::vector<Value> items) { return with(std::move(items)); }

Value stated_layout(std::string_view swizzle, std::string_view layout) {
  std::string text(layout);
  if (!swizzle.empty()) text = fmt::format("{} o 0 o {}", swizzle, layout);
  auto parsed = layout::parse_layout(text);
  return stated(parsed ? layout::print(*parsed, layout::Notation::dsl) : text);
}

Value stated_shape(std::string_view shape) {
  shape = shape.substr(0, shape.find(':'));
  if (!shape.empty() && shape.front() == '(') shape = ir::bracketed(shape);
  std::vector<Value> items;
  const bool crosses = shape.find('x') != std::string_view::npos && shape.find(',') == std::string_view::npos;
  for (const std::string_view part : crosses ? split(shape, 'x') : ir::parts_of(shape)) {
    const auto number = parse_integer(trim(part));
    items.push_back(number ? stated(static_cast<std::int64_t>(*number)) : stated(trim(part)));
  }
  return stated(std::move(items));
}

Value IrReader::number_or_unknown(ir::Id value) const {
  if (const auto known = number(value)) return stated(*known);
  Value unknown = evidence::undetermined("known only at run time", {}, {}, "");
  unknown.known_by = evidence::KnownBy::compiled;
  return unknown;
}

std::string_view IrReader::input_type(const ir::Operation& operation, std::size_t index) const {
  const auto signature = ir::signature_of(operation);
  return index < signature.inputs.size() ? type(signature.inputs[index]) : std::string_view{};
}

std::string_view IrReader::result_type(const ir::Operation& operation, std::size_t index) const {
  const auto signature = ir::signature_of(operation);
  const auto& list = signature.results.empty() ? signature.inputs : signature.results;
  return index < list.size() ? type(list[index]) : std::string_view{};
}

Value IrReader::inside(const ir::Operation& operation, const Place& place) {
  std::vector<Value> around;
  for (ir::Id at = operation.parent; at != ir::none; at = module_.operations[at].parent) {
    const ir::Operation& outer = module_.operations[at];
    const char* word = outer.name == "scf.for"     ? "for"
                       : outer.name == "scf.while" ? "while"
                       : outer.name == "scf.if"    ? "if"
                                                   : nullptr;
    if (word == nullptr) continue;
    const Place& there = places_.of(outer.location);
    if (!there.at.known() || there.at.line() == place.at.line()) continue;
    Value entry = stated(fmt::format("{} {}", word, there.at.line()));
    if (around.empty() || !(around.back() == entry)) around.push_back(std::move(entry));
  }
  std::reverse(around.begin(), around.end());
  return stated(std::move(around));
}

Fact* IrReader::add(const ir::Operation& operation, Draft draft) {
  const Place place = places_.of(operation.location);
  const bool unplaced = kernel_ != nullptr && kernel_->without_lines;
  if (!place.at.known() && !unplaced) return nullptr;
  std::string key = fmt::format("{}|{}|{}:{}", draft.kind, draft.subject, place.at.file, place.at.line());
  if (!place.at.known()) key += fmt::format("#{}", module_.index_of(operation));
  for (const auto& caller : place.callers) key += fmt::format("<{}:{}", caller.file, caller.line());
  for (auto again = index_.find(key); again != index_.end(); again = index_.find(key)) {
    Fact& same = out_.facts[again->second];
    const bool clash = std::any_of(draft.values.begin(), draft.values.end(), [&](const auto& entry) {
      const auto other = same.values.find(entry.first);
      return other != same.values.end() && !(other->second == entry.second);
    });
    if (!clash) {
      for (auto& [name, value] : draft.values) same.values.emplace(name, std::move(value));
      return &same;
    }
    key += "+";
  }
  Fact fact;
  fact.family = draft.family;
  fact.kind = std::move(draft.kind);
  fact.subject = std::move(draft.subject);
  fact.says = std::move(draft.says);
  fact.at = place.at;
  fact.values = std::move(draft.values);
  fact.kernel = kernel_ != nullptr ? kernel_->name : "";
  fact.optional = draft.optional;
  fact.known_by = evidence::KnownBy::compiled;
  if (!place.callers.empty() || !place.library.empty()) {
    Value through = stated(join(place.library, " > "));
    through.origins = place.callers;
    through.origins.insert(through.origins.end(), place.inner.begin(), place.inner.end());
    fact.values.emplace("through", std::move(through));
  }
  if (Value around = inside(operation, place); !around.list()->empty())
    fact.values.emplace("inside", std::move(around));
  index_.emplace(std::move(key), out_.facts.size());
  out_.facts.push_back(std::move(fact));
  return &out_.facts.back();
}

void IrReader::add_lesser(const ir::Operation& operation, Draft draft) {
  const Place& place = places_.of(operation.location);
  if (!place.at.known()) return;
  std::string key = fmt::format("{}|{}:{}", draft.kind, place.at.file, place.at.line());
  for (const auto& caller : place.callers) key += fmt::format("<{}:{}", caller.file, caller.line());
  for (const auto& [name, value] : draft.values) key += "|" + value.text();
  if (!lesser_.insert(std::move(key)).second) return;
  Fact fact;
  fact.family = draft.family;
  fact.kind = std::move(draft.kind);
  fact.at = place.at;
  fact.values = std::move(draft.values);
  fact.kernel = kernel_ != nullptr ? kernel_->name : "";
  fact.known_by = evidence::KnownBy::compiled;
  if (!place.callers.empty()) {
    Value through = stated(join(place.library, " > "));
    through.origins = place.callers;
    fact.values.emplace("through", std::move(through));
  }
  out_.lesser.push_back(std::move(fact));
}

void IrReader::enter(const ir::Operation& function) {
  function_ = &function;
  kernel_ = nullptr;
  launch_ = {};
  buffers_.clear();
  pipelines_.clear();
  if (function.name != "cuda.kernel" && function.name != "gpu.func" && function.name != "lir.func") return;
  IrKernel kernel;
  kernel.without_lines = function.name == "lir.func";
  const auto begin = function.header.find('@');
  if (begin != std::string_view::npos)
    kernel.symbol = function.header.substr(begin + 1, function.header.find('(', begin) - begin - 1);
  constexpr std::string_view asked = "smem.config_smem_size = ";
  if (const auto at = function.header.find(asked); at != std::string_view::npos) {
    const std::string_view number = function.header.substr(at + asked.size());
    if (const auto bytes = parse_integer(number.substr(0, number.find_first_not_of("0123456789"))))
      kernel.configured_bytes = *bytes;
  }
  const Place place = places_.of(function.location);
  kernel.at = place.at;
  kernel.name = kernel_name(function, place);
  out_.kernels.push_back(std::move(kernel));
  kernel_ = &out_.kernels.back();
}

/// The location of a kernel names its class or module, the locations of its content the function.
std::string IrReader::kernel_name(const ir::Operation& kernel, const Place& place) {
  const std::string owner = place.function.starts_with("<") ? "" : place.function;
  for (ir::Id i = module_.index_of(kernel) + 1; i < kernel.end; ++i) {
    const Place& inner = places_.of(module_.operations[i].location);
    if (!inner.launch.known()) continue;
    const std::string function = inner.callers.empty() ? inner.function : inner.outermost_function;
    if (owner.empty() || function == owner || function.find('.') != std::string::npos) return function;
    return owner + "." + function;
  }
  return owner;
}

void IrReader::leave() {
  if (kernel_ != nullptr) {
    emit_pipelines();
    for (const Buffer& buffer : buffers_) {
      const std::int64_t aligned = (kernel_->shared_bytes + buffer.alignment - 1) / buffer.alignment;
      kernel_->shared_bytes = aligned * buffer.alignment + buffer.bytes;
    }
    launches_.emplace(kernel_->symbol, launch_);
  }
  function_ = nullptr;
  kernel_ = nullptr;
}

IrReading IrReader::run() {
  out_.operations = static_cast<int>(module_.operations.size());
  const auto& known = handlers();
  std::unordered_map<std::string_view, int> unread;
  const auto& operations = module_.operations;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ir::Operation& operation = operations[i];
    if (function_ != nullptr && i >= function_->end) leave();
    if (operation.name == "cuda.kernel" || operation.name == "gpu.func" || operation.name == "func.func" ||
        operation.name == "lir.func") {
      enter(operation);
      continue;
    }
    if (kernel_ != nullptr && !launch_.known()) launch_ = places_.of(operation.location).launch;
    const auto handler = known.find(operation.name);
    if (const Handler chosen = handler != known.end() ? handler->second : family_handler(operation.name);
        chosen != nullptr)
      (this->*chosen)(operation);
    else
      ++unread[operation.name];
  }
  if (function_ != nullptr) leave();
  out_.lines = places_.lines();
  std::stable_sort(out_.facts.begin(), out_.facts.end(), [](const Fact& a, const Fact& b) {
    return std::pair(a.at.file, a.at.line()) < std::pair(b.at.file, b.at.line());
  });
  for (const auto& [name, count] : unread) out_.unread.emplace(name, count);
  return std::move(out_);
}

/// Of operations of which there are many on most lines.
void IrReader::add_common_handlers(std::unordered_map<std::string_view, Handler>& table) {
  for (const char* name : {"cute.make_layout", "cute.static", "cute.append", "cute.append_to_rank"})
    table[name] = &IrReader::on_plain_layout;
  for (const char* name : {"cute.tiled.copy.partition_S", "cute.tiled.copy.partition_D"})
    table[name] = &IrReader::on_partition;
  table["cute.recast_iter"] = &IrReader::on_recast;
  table["cute.slice"] = &IrReader::on_multicast_mask;
  table["scf.for"] = &IrReader::on_loop;
  for (const char* name : {"llvm.inline_asm", "nvvm.inline_ptx"}) table[name] = &IrReader::on_inline_text;
  table["llvm.fence"] = &IrReader::on_fence;
}

const std::unordered_map<std::string_view, IrReader::Handler>& IrReader::handlers() {
  static std::unordered_map<std::string_view, Handler> table = {
      {"cute.memref.alloca", &IrReader::on_allocation},
      {"cute.make_view", &IrReader::on_view},
      {"cute.tile_to_shape", &IrReader::on_layout},
      {"cute.make_composed_layout", &IrReader::on_layout},
      {"cute.composition", &IrReader::on_layout},
      {"cute.coalesce", &IrReader::on_layout},
      {"cute.tiled.mma.make_layout", &IrReader::on_layout},
      {"cute.logical_divide", &IrReader::on_layout},
      {"cuda.launch_cfg.create", &IrReader::on_launch_config},
      {"cuda.launch_cfg.cluster_dim", &IrReader::on_launch_attribute},
      {"cuda.launch_cfg.preferred_cluster_dim", &IrReader::on_launch_attribute},
      {"cuda.launch_cfg.cooperative", &IrReader::on_launch_attribute},
      {"cuda.launch_cfg.programmatic_stream_serialization_allowed", &IrReader::on_launch_attribute},
      {"cuda.launch_ex", &IrReader::on_launch},
      {"cute_nvgpu.atom.make_non_exec_tiled_tma_load", &IrReader::on_tma_descriptor},
      {"cute_nvgpu.atom.make_non_exec_tiled_tma_store", &IrReader::on_tma_descriptor},
      {"cute_nvgpu.atom.make_non_exec_tiled_tma_reduce", &IrReader::on_tma_descriptor},
      {"cute_nvgpu.atom.make_non_exec_im2col_tma_load", &IrReader::on_tma_descriptor},
      {"cute.make_atom", &IrReader::on_atom},
      {"cute.copy", &IrReader::on_copy},
      {"cute.gemm", &IrReader::on_gemm},
      {"cute_nvgpu.atom.set_value", &IrReader::on_mma_field},
      {"cute.mma.make_fragment", &IrReader::on_accumulator},
      {"nvvm.wgmma.fence.aligned", &IrReader::on_wgmma},
      {"nvvm.wgmma.commit.group.sync.aligned", &IrReader::on_wgmma},
      {"nvvm.wgmma.wait.group.sync.aligned", &IrReader::on_wgmma},
      {"cute_nvgpu.arch.sm100.alloc_tmem", &IrReader::on_tensor_memory},
      {"cute_nvgpu.arch.sm100.dealloc_tmem", &IrReader::on_tensor_memory},
      {"cute_nvgpu.arch.sm100.retrieve_tmem_ptr", &IrReader::on_tensor_memory},
      {"cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit", &IrReader::on_tensor_memory},
      {"cute_nvgpu.prefetch_tma_desc", &IrReader::on_small_copy},
      {"cute_nvgpu.atom.tma_partition", &IrReader::on_small_copy},
      {"cuda.tensor_map_encode_tiled", &IrReader::on_tensor_map},
      // Inside of lir.func the dialect's own name is left out.
      {"allocate_buffer", &IrReader::on_allocation},
      {"create_pipeline", &IrReader::on_lir_pipeline},
      {"lir.allocate_buffer", &IrReader::on_allocation},
      {"lir.create_pipeline", &IrReader::on_lir_pipeline},
      {"lir.producer_acquire", &IrReader::on_lir_step},
      {"lir.producer_commit", &IrReader::on_lir_step},
      {"lir.consumer_wait", &IrReader::on_lir_step},
      {"lir.consumer_release", &IrReader::on_lir_step},
      {"lir.producer_tail", &IrReader::on_lir_step},
      {"lir.tma_load", &IrReader::on_lir_copy},
      {"lir.tma_store", &IrReader::on_lir_copy},
      {"lir.dot", &IrReader::on_lir_dot},
      {"nvvm.cp.async.commit.group", &IrReader::on_group},
      {"nvvm.cp.async.wait.group", &IrReader::on_group},
      {"nvvm.cp.async.bulk.commit.group", &IrReader::on_group},
      {"nvvm.cp.async.bulk.wait_group", &IrReader::on_group},
      {"nvvm.mbarrier.init", &IrReader::on_mbarrier_init},
      {"nvvm.tcgen05.commit", &IrReader::on_mbarrier},
      {"nvvm.setmaxregister", &IrReader::on_registers}};
  static const bool complete = (add_common_handlers(table), true);
  (void)complete;
  return table;
}

/// Operations whose names begin alike and that say the same kind of thing: those that the program's own calls
/// of instructions make too.
IrReader::Handler IrReader::family_handler(std::string_view name) {
  if (!name.starts_with("nvvm.")) return nullptr;
  static const std::vector<std::pair<std::string_view, Handler>> families = {
      {"nvvm.mbarrier.inval", nullptr},
      {"nvvm.mbarrier.", &IrReader::on_mbarrier},
      {"nvvm.barrier", &IrReader::on_barrier},
      {"nvvm.bar.warp.sync", &IrReader::on_barrier},
      {"nvvm.cp.async.mbarrier.arrive", &IrReader::on_mbarrier},
      {"nvvm.cluster.", &IrReader::on_barrier},
      {"nvvm.griddepcontrol.", &IrReader::on_barrier},
      {"nvvm.fence.", &IrReader::on_fence},
      {"nvvm.tcgen05.fence", &IrReader::on_fence},
      {"nvvm.tcgen05.wait", &IrReader::on_fence},
      {"nvvm.tcgen05.alloc", &IrReader::on_tensor_memory},
      {"nvvm.tcgen05.dealloc", &IrReader::on_tensor_memory},
      {"nvvm.tcgen05.relinquish_alloc_permit", &IrReader::on_tensor_memory},
      {"nvvm.tcgen05.mma_smem_desc", &IrReader::on_operand_layout},
      {"nvvm.tcgen05.mma", &IrReader::on_instruction},
      {"nvvm.wgmma.mma_async", &IrReader::on_instruction},
      {"nvvm.mma_smem_desc", &IrReader::on_operand_layout},
      {"nvvm.mma.", &IrReader::on_instruction},
      {"nvvm.cp.async.bulk.prefetch", nullptr},
      {"nvvm.cp.async.bulk.tensor.prefetch", nullptr},
      {"nvvm.cp.async.bulk.", &IrReader::on_instruction},
      {"nvvm.cp.async.shared.global", &IrReader::on_instruction}};
  for (const auto& [begin, handler] : families)
    if (name.starts_with(begin)) return handler;
  return nullptr;
}

Result<IrReading> read_ir(std::string_view text, const std::vector<std::string>& files) {
  auto module = ir::parse(text);
  if (!module) return module.error();
  return IrReader(*module, files).run();
}

}  // namespace cutelab::compiled
