#include <fmt/format.h>

#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Family;
using evidence::Value;
namespace kind = evidence::kind;

void IrReader::on_copy(const ir::Operation& operation) {
  const auto signature = ir::signature_of(operation);
  if (signature.inputs.size() < 3) {
    ++out_.lost_values;
    return;
  }
  const std::string_view atom = type(signature.inputs[0]);
  if (atom.find("tmem_") != npos) {
    add(operation, {Family::D4,
                    "tmem-copy",
                    "",
                    {{"atom", stated(ir::bracketed(atom))}},
                    "copy between tensor memory and registers",
                    true});
    if (atom.find("tmem_load") != npos) add_register_accumulator(module_.operand(operation, 2), true);
    return;
  }
  const char* what = atom.find("tma_load") != npos          ? "tma-load"
                     : atom.find("tma_store") != npos       ? "tma-store"
                     : atom.find("tma_reduce") != npos      ? "tma-reduce"
                     : atom.find("simt_async_copy") != npos ? "cp-async"
                     : atom.find("bulk_copy") != npos       ? "bulk-copy"
                                                            : nullptr;
  if (what == nullptr) return;  // between registers, shared and global memory by plain instructions
  Values values = {{"operation", stated(what)}};
  if (const auto bits = parse_integer(ir::attribute(atom, "copy_bits")))
    values["bytes"] = stated(static_cast<std::int64_t>(*bits / 8));
  const std::size_t shared = type(signature.inputs[2]).find(", smem") != npos ? 2 : 1;
  const std::string buffer = buffer_name(address_of(module_.operand(operation, shared)));
  if (!buffer.empty()) values["buffer"] = stated(buffer);
  if (const ir::Operation* setting = module_.maker(module_.operand(operation, 0));
      setting != nullptr && setting->header.starts_with("<tma_bar>"))
    if (const std::string barrier = buffer_name(address_of(module_.operand(*setting, 1))); !barrier.empty())
      values["barrier"] = stated(barrier);
  add(operation, {Family::D3, kind::copy, buffer, std::move(values), what});
}

void IrReader::on_gemm(const ir::Operation& operation) {
  const auto signature = ir::signature_of(operation);
  if (signature.inputs.size() < 2) {
    ++out_.lost_values;
    return;
  }
  Values values = mma_values(type(signature.inputs[0]));
  const auto accumulator = ir::memory_of(type(signature.inputs[1]));
  const bool registers = accumulator && accumulator->space == "rmem";
  if (accumulator) values["accumulator"] = stated(registers ? "registers" : "tensor-memory");
  const ir::Id target = module_.operand(operation, 1);
  add(operation, {Family::D4, kind::gemm, "", std::move(values), "matrix multiply and accumulate"});
  if (registers) add_register_accumulator(target, false);
}

/// The allocation in registers behind a value, where that is one.
void IrReader::add_register_accumulator(ir::Id value, bool copied) {
  const Address address = address_of(value);
  if (address.allocation == ir::none) return;
  const ir::Operation& allocation = module_.operations[address.allocation];
  const auto memory = ir::memory_of(result_type(allocation));
  if (!memory || memory->space != "rmem") return;
  add(allocation, {Family::D4,
                   "accumulator",
                   "",
                   {{"accumulator", stated("registers")}, {"layout", stated_layout("", memory->layout)}},
                   "accumulators in registers",
                   copied});
}

void IrReader::on_mma_field(const ir::Operation& operation) {
  const std::string_view field = ir::bracketed(operation.header);
  const char* name = field.starts_with("accum") ? "ACCUMULATE"
                     : field == "sf_a"          ? "SFA"
                     : field == "sf_b"          ? "SFB"
                                                : nullptr;
  if (name == nullptr) return;  // of a copy, told there
  const bool accumulates = field.starts_with("accum");
  add(operation, {Family::D4,
                  "mma-field",
                  "",
                  {{"field", stated(name)}},
                  accumulates ? "accumulate field set" : "scale factors set"});
}

void IrReader::on_accumulator(const ir::Operation& operation) {
  const auto memory = ir::memory_of(result_type(operation));
  const bool accumulator = trim(operation.header).starts_with("C");
  if (!accumulator) {
    add(operation, {Family::D4, "operand-fragment", "", {}, "operand fragment", true});
    return;
  }
  if (!memory) return;
  add(operation, {Family::D4,
                  "accumulator",
                  "",
                  {{"accumulator", stated(memory->space == "tmem" ? "tensor-memory" : "registers")},
                   {"layout", stated_layout("", memory->layout)}},
                  "accumulators"});
}

void IrReader::on_wgmma(const ir::Operation& operation) {
  if (operation.name == "nvvm.wgmma.wait.group.sync.aligned") {
    Values values;
    if (const auto pending = parse_integer(trim(operation.header)))
      values["pending"] = stated(static_cast<std::int64_t>(*pending));
    add(operation, {Family::D4, "wgmma-wait", "", std::move(values), "waits for wgmma groups"});
    return;
  }
  const bool fence = operation.name == "nvvm.wgmma.fence.aligned";
  add(operation, {Family::D4,
                  fence ? "wgmma-fence" : "wgmma-commit",
                  "",
                  {},
                  fence ? "wgmma fence" : "wgmma group committed"});
}

/// A loop whose copies the compiler is asked to issue ahead. Other loops are no facts of their own.
void IrReader::on_loop(const ir::Operation& operation) {
  const auto stages = parse_integer(ir::attribute(operation.trailer, "cutlass.pipelining"));
  if (!stages) return;
  add(operation, {Family::D4,
                  "pipelined-loop",
                  "prefetch_stages",
                  {{"prefetch_stages", stated(static_cast<std::int64_t>(*stages))}},
                  fmt::format("loop pipelined by the compiler, {} stages ahead", *stages)});
}

void IrReader::on_tensor_memory(const ir::Operation& operation) {
  const std::string_view name = operation.name.substr(operation.name.rfind('.') + 1);
  Values values;
  if (const auto bracket = operation.header.find("[ cta_"); bracket != npos)
    values["ctas"] = stated(static_cast<std::int64_t>(operation.header[bracket + 6] - '0'));
  if (name == "alloc_tmem" || name == "alloc") {
    values["columns"] = number_or_unknown(module_.operand(operation, name == "alloc" ? 1 : 0));
    add(operation,
        {Family::D4, kind::tensor_memory_allocation, "", std::move(values), "tensor memory allocated"});
  } else if (name == "dealloc_tmem" || name == "dealloc") {
    values["columns"] = number_or_unknown(module_.operand(operation, 1));
    add(operation, {Family::D4, "tmem-release", "", std::move(values), "tensor memory released"});
  } else {
    add(operation, {Family::D4,
                    name == "retrieve_tmem_ptr" ? "tmem-pointer" : "tmem-permit",
                    "",
                    {},
                    name == "retrieve_tmem_ptr" ? "tensor-memory pointer read" : "allocation permit given up",
                    true});
  }
}

void IrReader::on_group(const ir::Operation& operation) {
  const Place& place = places_.of(operation.location);
  Values values;
  const bool waits = operation.name.find("wait") != npos;
  const bool bulk = operation.name.find("bulk") != npos;
  const std::string_view header = trim(operation.header);
  const auto pending = waits ? parse_integer(header.substr(0, header.find(' '))) : std::nullopt;
  if (pending) values["pending"] = stated(static_cast<std::int64_t>(*pending));
  if (bulk && place.made_by("PipelineTmaStore.producer_acquire") && pending)
    add(operation,
        {Family::D2,
         kind::pipeline,
         "PipelineTmaStore",
         {{"class", stated("PipelineTmaStore")}, {"stages", stated(static_cast<std::int64_t>(*pending + 1))}},
         fmt::format("a stage is taken when at most {} stores are pending", *pending)});
  if (pipeline_call(operation, place, "", "PipelineTmaStore", values)) return;
  add(operation, {Family::D3, "copy-group", bulk ? "bulk" : "cp.async", std::move(values),
                  waits ? "waits for copy groups" : "copy group committed"});
}

/// A copy or an MMA that the program writes as the instruction itself.
void IrReader::on_instruction(const ir::Operation& operation) {
  const std::string_view name = operation.name;
  if (name.find("mma") != npos) {
    const char* family = name.starts_with("nvvm.tcgen05") ? "tcgen05"
                         : name.starts_with("nvvm.wgmma") ? "wgmma"
                                                          : "mma.sync";
    add(operation, {Family::D4, kind::gemm, "", {{"family", stated(family)}}, std::string(name.substr(5))});
    return;
  }
  const bool tensor = name.find("tensor") != npos;
  const bool loads = name.find(".shared.cluster.global") != npos || name.find(".shared.cta.global") != npos;
  const char* what = name.find("bulk") == npos                     ? "cp-async"
                     : name.find("reduce") != npos                 ? "tma-reduce"
                     : loads                                       ? (tensor ? "tma-load" : "bulk-load")
                     : tensor                                      ? "tma-store"
                     : name.find(".global.shared") != npos         ? "bulk-store"
                     : name.find(".shared.cluster.shared") != npos ? "remote-copy"
                                                                   : "bulk-copy";
  add(operation, {Family::D3, kind::copy, "", {{"operation", stated(what)}}, std::string(name.substr(5))});
}

void IrReader::on_small_copy(const ir::Operation& operation) {
  const bool prefetch = operation.name.find("prefetch") != npos;
  add(operation, {Family::D3,
                  prefetch ? "descriptor-prefetch" : "tma-partition",
                  "",
                  {},
                  prefetch ? "TMA descriptor prefetched" : "tensors partitioned for TMA",
                  true});
}

}  // namespace cutelab::compiled
