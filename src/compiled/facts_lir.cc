// The dialect of cute_ext: pipelines and copies that a later pass of the compiler takes apart. Its operations
// have no locations.
#include <fmt/format.h>

#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Family;
namespace kind = evidence::kind;

namespace {

/// "2, SM90_TMA_LOAD -> SM100_MMA_1SM_SS, cta" of the first "!lir.pipeline<…>" in a type.
std::string_view pipeline_parts(std::string_view type) {
  constexpr std::string_view begin = "!lir.pipeline<";
  const auto at = type.find(begin);
  return at == npos ? std::string_view{} : ir::bracketed(type.substr(at));
}

/// "SM90_TMA_LOAD -> SM100_MMA_1SM_SS"
std::string_view ends_of(std::string_view parts) {
  const auto comma = parts.find(',');
  return comma == npos ? std::string_view{} : trim(parts.substr(comma + 1, parts.rfind(',') - comma - 1));
}

}  // namespace

void IrReader::on_lir_pipeline(const ir::Operation& operation) {
  const std::string_view parts = pipeline_parts(operation.header);
  const auto stages = parse_integer(trim(parts.substr(0, parts.find(','))));
  if (!stages) {
    ++out_.lost_values;
    return;
  }
  Values values = {{"stages", stated(static_cast<std::int64_t>(*stages))},
                   {"between", stated(ends_of(parts))},
                   {"producer_arrivals", number_or_unknown(module_.operand(operation, 0))},
                   {"consumer_arrivals", number_or_unknown(module_.operand(operation, 1))}};
  add(operation, {Family::D2, kind::pipeline, "", std::move(values), fmt::format("{} stages", *stages)});
}

void IrReader::on_lir_step(const ir::Operation& operation) {
  const std::string_view name = operation.name.substr(operation.name.rfind('_') + 1);
  const char* step = name == "acquire"  ? kind::acquire
                     : name == "commit" ? kind::commit
                     : name == "wait"   ? kind::wait
                     : name == "tail"   ? kind::tail
                                        : kind::release;
  add(operation, {Family::D2,
                  step,
                  "",
                  {{"between", stated(ends_of(pipeline_parts(operation.header)))}},
                  std::string(operation.name)});
}

void IrReader::on_lir_copy(const ir::Operation& operation) {
  const bool load = operation.name == "lir.tma_load";
  Values values = {{"operation", stated(load ? "tma-load" : "tma-store")}};
  add(operation, {Family::D3, kind::copy, "", std::move(values), load ? "tma-load" : "tma-store"});
}

void IrReader::on_lir_dot(const ir::Operation& operation) {
  Values values = mma_values(input_type(operation, 0));
  const auto accumulator = ir::memory_of(input_type(operation, 3));
  if (accumulator)
    values["accumulator"] = stated(accumulator->space == "rmem" ? "registers" : "tensor-memory");
  add(operation, {Family::D4, kind::gemm, "", std::move(values), "matrix multiply and accumulate"});
}

}  // namespace cutelab::compiled
