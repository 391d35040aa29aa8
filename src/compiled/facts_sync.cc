#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"

namespace cutelab::compiled {
using evidence::Family;
using evidence::Value;
namespace kind = evidence::kind;

namespace {

/// "PipelineTmaAsync.create" -> "PipelineTmaAsync", for the pipelines of the library.
std::string class_that(std::string_view does, const Place& place) {
  for (const std::string& function : place.library)
    if (function.starts_with("Pipeline") && function.ends_with(does))
      return function.substr(0, function.find('.'));
  return {};
}

/// What a method of a pipeline does, as the facts call it.
const char* step_of(std::string_view function) {
  const auto dot = function.rfind('.');
  if (dot == npos || (!function.starts_with("Pipeline") && function.find("Handle.") == npos)) return nullptr;
  const std::string_view method = function.substr(dot + 1);
  if (method.find("try_") != npos) return "pipeline-peek";
  if (method.find("acquire") != npos) return kind::acquire;
  if (method.find("commit") != npos) return kind::commit;
  if (method.find("wait") != npos) return kind::wait;
  if (method.find("release") != npos) return kind::release;
  if (method.find("tail") != npos) return kind::tail;
  return nullptr;
}

}  // namespace

/// The fact of a pipeline's acquire, commit, wait, release or tail, if the library's part of the chain is
/// one.
bool IrReader::pipeline_call(const ir::Operation& operation, const Place& place, const std::string& member,
                             const std::string& pipeline, Values values) {
  for (const std::string& function : place.library) {
    if (function.starts_with("PipelineOrder.")) {
      values["class"] = stated("PipelineOrder");
      add(operation,
          {Family::D5, kind::barrier, member, std::move(values), "order between warpgroups: " + function});
      return true;
    }
    const char* step = step_of(function);
    if (step == nullptr) continue;
    if (!pipeline.empty()) values["class"] = stated(pipeline);
    if (!member.empty()) values["barrier_storage"] = stated(member);
    const std::string subject = member.empty() ? pipeline : member;
    add(operation,
        {Family::D2, step, subject, std::move(values), function, std::string(step) == "pipeline-peek"});
    return true;
  }
  return false;
}

void IrReader::on_mbarrier_init(const ir::Operation& operation) {
  const Place& place = places_.of(operation.location);
  if (!place.at.known()) return;
  const Address address = address_of(module_.operand(operation, 0));
  const Member* member = member_at(address);
  const std::string made_by = class_that(".create", place);
  const std::string name = member != nullptr ? member->name : std::string();
  Pipeline* pipeline = nullptr;
  for (Pipeline& known : pipelines_) {
    const Place& there = places_.of(module_.operations[known.first].location);
    if (known.kind == made_by && known.member == name && there.at == place.at &&
        there.callers == place.callers)
      pipeline = &known;
  }
  if (pipeline == nullptr) {
    pipelines_.push_back({made_by, name, module_.index_of(operation), {}, {}, {}, {}});
    pipeline = &pipelines_.back();
  }
  if (pipeline->locations.empty() || pipeline->locations.back() != operation.location) {
    pipeline->locations.push_back(operation.location);
    pipeline->counts.push_back(0);
    pipeline->arrivals.push_back(number(module_.operand(operation, 1)).value_or(-1));
  }
  ++pipeline->counts.back();
}

void IrReader::emit_pipelines() {
  for (const Pipeline& pipeline : pipelines_) {
    const auto arrivals = [&](std::size_t group) {
      return pipeline.arrivals[group] < 0 ? number_or_unknown(ir::none) : stated(pipeline.arrivals[group]);
    };
    Values values;
    if (!pipeline.member.empty()) values["barrier_storage"] = stated(pipeline.member);
    const std::int64_t stages = pipeline.counts[0];
    if (pipeline.bytes.size() == 1) values["bytes"] = stated(pipeline.bytes[0]);
    const ir::Operation& first = module_.operations[pipeline.first];
    if (pipeline.kind.empty()) {
      values["count"] = stated(stages);
      values["arrivals"] = arrivals(0);
      add(first, {Family::D5, "mbarrier", pipeline.member, std::move(values),
                  fmt::format("{} mbarrier{} initialised", stages, stages == 1 ? "" : "s")});
      continue;
    }
    values["class"] = stated(pipeline.kind);
    values[pipeline.kind == "PipelineOrder" ? "barriers" : "stages"] = stated(stages);
    values["producer_arrivals"] = arrivals(0);
    if (pipeline.arrivals.size() > 1) values["consumer_arrivals"] = arrivals(1);
    add(first, {Family::D2, kind::pipeline, pipeline.member.empty() ? pipeline.kind : pipeline.member,
                std::move(values), fmt::format("{}: {} stages of mbarriers", pipeline.kind, stages)});
  }
}

void IrReader::on_mbarrier(const ir::Operation& operation) {
  const Place& place = places_.of(operation.location);
  if (!place.at.known()) return;
  const Address address = address_of(module_.operand(operation, 0));
  const std::string member = buffer_name(address);
  Pipeline* pipeline = nullptr;
  for (Pipeline& known : pipelines_)
    if (!member.empty() && known.member == member) pipeline = &known;
  Values values;
  const bool expects = operation.name.find("expect_tx") != npos;
  if (expects) {
    values["bytes"] = number_or_unknown(module_.operand(operation, 1));
    const auto bytes = values["bytes"].integer();
    if (pipeline != nullptr && bytes &&
        std::find(pipeline->bytes.begin(), pipeline->bytes.end(), *bytes) == pipeline->bytes.end())
      pipeline->bytes.push_back(*bytes);
  }
  if (pipeline_call(operation, place, member, pipeline != nullptr ? pipeline->kind : "", values)) return;
  const bool waits = operation.name.find("wait") != npos;
  const char* action = expects                                   ? "expect-bytes"
                       : waits                                   ? "wait"
                       : operation.name == "nvvm.tcgen05.commit" ? "commit"
                                                                 : "arrive";
  values["action"] = stated(action);
  add(operation, {Family::D5, "mbarrier", member, std::move(values), fmt::format("mbarrier: {}", action)});
}

void IrReader::on_barrier(const ir::Operation& operation) {
  Values values;
  if (operation.name.starts_with("nvvm.barrier")) {
    // "nvvm.barrier id = %a number_of_threads = %b", "nvvm.barrier.cta.sync %a, %b",
    // "nvvm.barrier.cta.red %predicate, %a, %b"
    const bool plain = operation.name.starts_with("nvvm.barrier.cta.");
    const ir::Id first = operation.name.starts_with("nvvm.barrier.cta.red") ? 1 : 0;
    const bool named = plain ? operation.operands > first : operation.header.find("id = ") != npos;
    const bool counted =
        plain ? operation.operands > first + 1 : operation.header.find("number_of_threads = ") != npos;
    values["id"] = named ? number_or_unknown(module_.operand(operation, first)) : stated(std::int64_t{0});
    if (counted) values["threads"] = number_or_unknown(module_.operand(operation, first + (named ? 1 : 0)));
  } else if (operation.name.starts_with("nvvm.cluster")) {
    values["scope"] = stated("cluster");
  } else if (operation.name.starts_with("nvvm.bar.warp")) {
    values["scope"] = stated("warp");
  } else {
    values["scope"] = stated("grid");
  }
  // A pipeline that is made without defer_sync waits by itself.
  const bool own = class_that(".create", places_.of(operation.location)).empty();
  add(operation,
      {Family::D5, kind::barrier, "", std::move(values), std::string(operation.name.substr(5)), !own});
}

void IrReader::on_fence(const ir::Operation& operation) {
  Values values;
  if (operation.name == "nvvm.fence.proxy")
    values["proxy"] = stated(ir::bracketed(ir::attribute(operation.header, "kind")));
  const bool own = class_that(".create", places_.of(operation.location)).empty();
  add(operation,
      {Family::D5, kind::fence, "", std::move(values), std::string(operation.name.substr(5)), !own});
}

/// An instruction that the library or the program writes as text of PTX, for which the dialect has none.
void IrReader::on_inline_text(const ir::Operation& operation) {
  const std::string_view text = ir::quoted(operation.header);
  std::size_t begin = text.find_first_not_of(" \t{");
  if (begin == npos) return;
  const std::string_view code = text.substr(begin, text.find_first_of(" ;", begin) - begin);
  if (code.starts_with("mbarrier.arrive") || code.starts_with("mbarrier.try_wait"))
    add(operation, {Family::D5,
                    "mbarrier",
                    "",
                    {{"action", stated(code.find("wait") == npos ? "arrive" : "wait")}},
                    std::string(code)});
  if (!code.starts_with("fence.")) return;
  Values values;
  constexpr std::string_view proxy = "fence.proxy.";
  if (code.starts_with(proxy)) {
    const std::string_view kind_of_proxy = code.substr(proxy.size());
    values["proxy"] = stated(kind_of_proxy.substr(0, kind_of_proxy.find_first_of(":.")));
  }
  add(operation, {Family::D5, kind::fence, "", std::move(values), std::string(code)});
}

void IrReader::on_registers(const ir::Operation& operation) {
  const std::string_view header = trim(operation.header);
  const auto space = header.rfind(' ');
  const auto registers = space == npos ? std::nullopt : parse_integer(header.substr(space + 1));
  if (!registers) {
    ++out_.lost_values;
    return;
  }
  add(operation, {Family::D1,
                  kind::register_budget,
                  "",
                  {{"action", stated(trim(header.substr(0, space)))},
                   {"registers", stated(static_cast<std::int64_t>(*registers))}},
                  fmt::format("registers per thread set to {}", *registers)});
}

}  // namespace cutelab::compiled
