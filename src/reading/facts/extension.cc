#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "evidence/names.h"
#include "layout/parse.h"
#include "reading/facts/context.h"
#include "reading/models/models.h"

// cute_ext: buffers are allocated with a layout in an address space, and a copy by TMA names its tensors, so
// that its descriptor is made where the copy stands.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr std::int64_t column_bits = 32;     ///< of one column of tensor memory, per lane
constexpr std::int64_t fewest_columns = 32;  ///< that can be allocated

bool of_extension(const CallSite& site) { return site.path.find("cute.experimental.") != std::string::npos; }

Node argument(const FactContext& context, Node call, const char* name, int position) {
  const Node given = context.keyword(call, name);
  return given ? given : context.positional(call, position);
}

/// Elements that a layout spans, by the print of its value; nullopt where it is not known.
std::optional<std::int64_t> elements_of(FactContext& context, Node layout_node) {
  const Abstract value = context.evaluator.value_of(0, layout_node);
  if (!value.is(Abstract::Kind::text)) return std::nullopt;
  const auto parsed = layout::parse_layout(value.text);
  if (!parsed) return std::nullopt;
  const layout::Int end = layout::cosize(*parsed);
  return end.known() && end.plain() ? std::optional(end.value()) : std::nullopt;
}

std::int64_t bits_of(FactContext& context, Node type) {
  return type ? models::bits_of_type(context.evaluator.value_of(0, type).path).value_or(0) : 0;
}

void add_shared_buffer(FactContext& context, const CallSite& site) {
  const Node type = argument(context, site.call, "dtype", 0);
  const Node layout_node = argument(context, site.call, "layout", 2);
  Draft& draft = context.add(Family::H3, evidence::kind::allocation, site.target,
                             "shared buffer " + site.target, site.call);
  draft.construct = "extension-allocate";
  draft.path = site.path;
  auto& values = draft.fact.values;
  if (type) values["type"] = context.value(type);
  if (const Node alignment = context.keyword(site.call, "alignment"))
    values["alignment"] = context.value(alignment);
  if (!layout_node) return;
  values["layout"] = context.value(layout_node);
  const auto elements = elements_of(context, layout_node);
  const std::int64_t bits = bits_of(context, type);
  if (!elements || bits == 0) {
    values["bytes"] =
        evidence::undetermined("the size of the buffer needs its layout and element type",
                               {std::string(layout_node.text().substr(0, 60))}, context.at(layout_node), "");
    return;
  }
  values["bytes"] = evidence::literal((*elements * bits + 7) / 8);
  values["bytes"].known_by = evidence::KnownBy::computed;
  values["bytes"].formula = fmt::format("{} * {} / 8", *elements, bits);
}

/// Columns of an accumulator made by make_tmem_layout_acc(tiled_mma, tiler, stages): N columns of 32 bit a
/// stage, allocated in powers of two.
evidence::Value accumulator_columns(FactContext& context, Node type, Node layout_node) {
  const Node made = layout_node.is(NodeKind::identifier) ? bound_before(context, layout_node) : layout_node;
  const CallSite* site = made.is(NodeKind::call) ? context.site_of(made) : nullptr;
  const std::int64_t bits = bits_of(context, type);
  if (site && site->leaf == "make_tmem_layout_acc" && bits > 0) {
    const Node stages_node = argument(context, made, "acc_stages", 2);
    const Abstract tiler = context.evaluator.value_of(0, argument(context, made, "mnk_tiler", 1));
    const Abstract stages = stages_node ? context.evaluator.value_of(0, stages_node) : Abstract::integer(1);
    if (tiler.is(Abstract::Kind::tuple) && tiler.items.size() > 1 && tiler.items[1].is_number() &&
        stages.is_number()) {
      const std::int64_t wanted = tiler.items[1].number * stages.number * bits / column_bits;
      const auto columns = static_cast<std::int64_t>(std::bit_ceil(
          static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, fewest_columns, 1 << 20))));
      evidence::Value out = evidence::literal(columns);
      out.known_by = evidence::KnownBy::computed;
      out.formula = fmt::format("{} columns * {} stages * {} bit / {}, as a power of two",
                                tiler.items[1].number, stages.number, bits, column_bits);
      return out;
    }
  }
  return evidence::undetermined("the columns need the layout of the accumulator",
                                {std::string(layout_node.text().substr(0, 60))}, context.at(layout_node), "");
}

void add_tensor_memory(FactContext& context, const CallSite& site) {
  Draft& draft = context.add(Family::D4, evidence::kind::tensor_memory_allocation, site.target,
                             "tensor memory allocated for " + site.target, site.call);
  draft.construct = "extension-allocate";
  draft.path = site.path;
  if (const Node layout_node = argument(context, site.call, "layout", 2))
    draft.fact.values["columns"] =
        accumulator_columns(context, argument(context, site.call, "dtype", 0), layout_node);
}

struct Transfer {
  const char* direction;
  Node global, shared;
  std::string operation;
  bool multicast = false;
};

Transfer transfer_of(FactContext& context, const CallSite& site) {
  Transfer out;
  const bool load = site.leaf.starts_with("tma_load");
  out.direction = load ? "load" : site.leaf.find("reduce") != std::string::npos ? "reduce" : "store";
  out.global = context.positional(site.call, load ? 0 : 1);
  out.shared = context.positional(site.call, load ? 1 : 0);
  if (const Node type = context.keyword(site.call, "tma_operation_type")) {
    const Abstract value = context.evaluator.value_of(0, type);
    if (!value.path.empty()) out.operation = leaf_name(value.path);
  }
  out.multicast = site.leaf.find("multicast") != std::string::npos ||
                  out.operation.find("MULTICAST") != std::string::npos;
  return out;
}

void complete_copy(FactContext& context, Draft& draft, const Transfer& transfer, const std::string& tensor) {
  auto& values = draft.fact.values;
  const bool load = std::string_view(transfer.direction) == "load";
  draft.fact.subject = tensor.empty() ? draft.fact.subject : tensor;
  draft.fact.says = std::string("TMA ") + transfer.direction +
                    (transfer.multicast ? ", multicast, of " : " of ") + draft.fact.subject;
  values["operation"] = evidence::literal(load ? "tma-load" : "tma-store");
  values["direction"] = evidence::literal(transfer.direction);
  values["multicast"] = evidence::literal(transfer.multicast);
  const auto text = [](Node n) { return evidence::literal(std::string(n.text().substr(0, 80))); };
  if (const Node from = load ? transfer.global : transfer.shared) values["source"] = text(from);
  if (const Node to = load ? transfer.shared : transfer.global) values["destination"] = text(to);
  if (!tensor.empty()) values["tensor"] = evidence::literal(tensor);
  if (const Node origin = transfer.shared ? tensor_origin(context, transfer.shared) : Node())
    values["buffer"] = evidence::literal(std::string(origin.text().substr(0, 60)));
}

void add_transfers(FactContext& context) {
  for (std::size_t i = 0, known = context.drafts.size(); i < known; ++i) {
    if (context.drafts[i].fact.kind != evidence::kind::copy) continue;
    const CallSite* site = context.site_of(context.drafts[i].node);
    if (!site || !of_extension(*site) || !site->leaf.starts_with("tma_")) continue;
    const Transfer transfer = transfer_of(context, *site);
    const Node origin = transfer.global ? tensor_origin(context, transfer.global) : Node();
    const std::string tensor(origin ? origin.text().substr(0, 60) : "");
    complete_copy(context, context.drafts[i], transfer, tensor);
    Draft& draft =
        context.add(Family::H1, evidence::kind::tma_descriptor, tensor.empty() ? site->leaf : tensor,
                    "TMA descriptor of " + tensor + ", made for this copy", site->call);
    draft.construct = "extension-descriptor";
    draft.path = site->path;
    draft.fact.optional = true;
    auto& values = draft.fact.values;
    if (!tensor.empty()) values["tensor"] = evidence::literal(tensor);
    values["direction"] = evidence::literal(transfer.direction);
    values["multicast"] = evidence::literal(transfer.multicast);
    if (!transfer.operation.empty()) values["operation"] = evidence::literal(transfer.operation);
  }
}

/// partition_and_copy(copy, from, to): between tensor memory, registers and shared memory, by where both lie.
void add_partitioned_copies(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "partition_and_copy" || !of_extension(site)) continue;
    const Node from_node = context.positional(site.call, 1), to_node = context.positional(site.call, 2);
    if (!from_node || !to_node) continue;
    const std::string from = memory_space(context, from_node), to = memory_space(context, to_node);
    const bool tensor_memory = from == "tensor-memory" || to == "tensor-memory";
    if (!tensor_memory && to != "shared" && to != "global") continue;
    Draft& draft =
        context.add(tensor_memory ? Family::D4 : Family::E1,
                    tensor_memory    ? "tmem-copy"
                    : to == "shared" ? "staging"
                                     : "store",
                    std::string(to_node.text().substr(0, 60)), "copy from " + from + " to " + to, site.call);
    draft.fact.optional = tensor_memory;
    draft.construct = !tensor_memory ? "direct-store" : to == "tensor-memory" ? "copy_st" : "copy_ld";
    if (to == "shared") draft.construct = "staging";
    if (!from.empty()) draft.fact.values["source_space"] = evidence::literal(from);
    draft.fact.values["destination_space"] = evidence::literal(to);
    if (to == "global") draft.fact.values["type"] = evidence::literal("direct_store");
  }
}
}  // namespace

void extract_extension(FactContext& context) {
  const bool any = std::any_of(context.calls().begin(), context.calls().end(), of_extension);
  if (!any) return;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "allocate" || !of_extension(site)) continue;
    const std::string space = memory_space(context, site.call);
    if (space == "shared") add_shared_buffer(context, site);
    if (space == "tensor-memory") add_tensor_memory(context, site);
  }
  add_transfers(context);
  add_partitioned_copies(context);
}

}  // namespace cutelab::reading
