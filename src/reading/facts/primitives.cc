#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/models/models.h"

// Primitives and task scheduling: copies whose name says from where to where, descriptors that travel as
// kernel arguments, arrays and allocations in shared memory, descriptors of the tensor cores.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// cp_async_bulk_tensor_shared_cta_global: the destination stands first; …_global_to_shared_cluster: the
/// source.
std::string direction_by_name(const std::string& leaf) {
  if (!leaf.starts_with("cp_async_bulk") || leaf.find("prefetch") != std::string::npos ||
      leaf.find("group") != std::string::npos)
    return {};
  const auto shared = leaf.find("shared"), global = leaf.find("global");
  if (shared == std::string::npos) return {};
  if (global == std::string::npos) return "remote";  // shared memory of another CTA
  const bool source_first = leaf.find("_to_") != std::string::npos;
  const bool to_shared = (shared < global) != source_first;
  return to_shared ? "load" : "store";
}

Node given_as(const FactContext& context, Node call, const char* name, int position) {
  const Node given = context.keyword(call, name);
  return given ? given : context.positional(call, position);
}

/// The calls that made the descriptor a copy is handed: back through parameters, attributes and get_ptr().
/// Several where one piece of code is given one descriptor or another.
void descriptors_behind(FactContext& context, const Abstract& object, int depth, std::vector<Node>& out) {
  if (depth > 8 || out.size() > 8) return;
  if (object.is(Abstract::Kind::unknown))
    for (const Abstract& item : object.items) descriptors_behind(context, item, depth + 1, out);
  if (!object.is(Abstract::Kind::object) || !object.made_at.is(NodeKind::call)) return;
  const Node function = object.made_at.child(Field::function_field);
  if (leaf_name(function.text()).starts_with("create_tensor_map")) {
    if (std::find(out.begin(), out.end(), object.made_at) == out.end()) out.push_back(object.made_at);
  } else if (function.is(NodeKind::attribute)) {
    descriptors_behind(context, context.evaluator.argument_of(object, function.child(Field::object_field)),
                       depth + 1, out);
  }
}

/// What the copies that use it say of a descriptor.
void tell_descriptor(FactContext& context, Node creation, const std::string& direction, bool multicast) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::tma_descriptor || !(draft.node == creation)) continue;
    auto& values = draft.fact.values;
    const auto said = values.find("direction");
    if (said == values.end())
      values["direction"] = evidence::literal(direction);
    else if (said->second.text() != direction)
      said->second = evidence::literal("load and store");
    const auto before = values.find("multicast");
    if (before == values.end() || multicast) values["multicast"] = evidence::literal(multicast);
  }
}

void complete_copy_by_name(FactContext& context, std::size_t index) {
  const Node call = context.drafts[index].node;
  const CallSite* site = context.site_of(call);
  const std::string direction = site ? direction_by_name(site->leaf) : "";
  if (direction.empty()) return;
  const bool load = direction == "load", tensor = site->leaf.find("tensor") != std::string::npos;
  const Node first = context.positional(call, 0), second = context.positional(call, 1);
  const Node mask = given_as(context, call, "multicast_mask", 99);
  const bool multicast = mask && !mask.is(NodeKind::none);
  const bool source_first = site->leaf.find("_to_") != std::string::npos;
  const Node to = source_first ? second : first, from = source_first ? first : second;
  std::vector<Node> creations;
  if (const Node descriptor = load ? from : to; tensor && descriptor)
    descriptors_behind(context, context.evaluator.value_of(0, descriptor), 0, creations);
  std::string tensor_name;
  for (const Node creation : creations) {
    tell_descriptor(context, creation, direction, multicast);
    for (const Draft& d : context.drafts)
      if (d.fact.kind == evidence::kind::tma_descriptor && d.node == creation &&
          tensor_name.find(d.fact.subject) == std::string::npos)
        tensor_name += (tensor_name.empty() ? "" : " or ") + d.fact.subject;
  }
  auto& values = context.drafts[index].fact.values;
  values["operation"] = evidence::literal(direction == "remote" ? "remote-copy"
                                          : !tensor             ? (load ? "bulk-load" : "bulk-store")
                                                                : (load ? "tma-load" : "tma-store"));
  if (direction != "remote") values["direction"] = evidence::literal(direction);
  values["multicast"] = evidence::literal(multicast);
  const auto text = [](Node n) { return evidence::literal(std::string(n.text().substr(0, 80))); };
  if (from) values["source"] = text(from);
  if (to) values["destination"] = text(to);
  if (mask) values["multicast_mask"] = text(mask);
  if (!tensor_name.empty()) values["descriptor"] = evidence::literal(tensor_name);
  if (const Node origin = load && to ? tensor_origin(context, to) : Node()) values["buffer"] = text(origin);
  context.drafts[index].fact.says =
      direction == "remote"
          ? "copy to the shared memory of another CTA"
          : std::string(tensor ? "TMA " : "bulk ") + direction + (multicast ? ", multicast" : "") +
                (tensor_name.empty() ? "" : " by " + tensor_name) + " (" + site->leaf + ")";
  if (direction != "store") return;
  Draft& store = context.add(Family::E1, "store", to ? std::string(to.text().substr(0, 60)) : site->leaf,
                             "store to global memory", call);
  store.construct = "tma-store";
  store.fact.values["type"] = evidence::literal("smem_tma_store");
}

/// Elements of Array(type, n) or Array(type, (m, n)).
std::optional<std::int64_t> count_of(const Abstract& shape) {
  if (shape.is_number()) return shape.number;
  if (!shape.is(Abstract::Kind::tuple)) return std::nullopt;
  std::int64_t product = 1;
  for (const Abstract& item : shape.items) {
    const auto inner = count_of(item);
    if (!inner) return std::nullopt;
    product *= *inner;
  }
  return product;
}

evidence::Value bytes_of(FactContext& context, Node type, Node count, Node at) {
  const std::int64_t bits =
      type ? models::bits_of_type(context.evaluator.value_of(0, type).path).value_or(0) : 0;
  const auto number = count ? count_of(context.evaluator.value_of(0, count)) : std::optional<std::int64_t>(1);
  if (bits == 0 || !number)
    return evidence::undetermined("the size needs element type and count",
                                  {std::string((count ? count : at).text().substr(0, 60))}, context.at(at),
                                  "");
  evidence::Value out = evidence::literal((*number * bits + 7) / 8);
  out.known_by = evidence::KnownBy::computed;
  out.formula = fmt::format("{} * {} / 8", *number, bits);
  return out;
}

/// Array(type, n, space=AddressSpace.smem): a buffer of shared memory. One over a pointer is only a view.
void add_arrays(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "Array" || site.path.find("cutlass") == std::string::npos) continue;
    const Node space = context.keyword(site.call, "space");
    if (!space || space.text().find("smem") == std::string_view::npos) continue;
    const Node type = given_as(context, site.call, "dtype", 0),
               count = given_as(context, site.call, "shape", 1);
    if (!type) continue;
    const std::string_view name = type.text();
    const evidence::Value bytes = bytes_of(context, type, count, site.call);
    Draft& draft = context.add(Family::H3, evidence::kind::allocation, site.target,
                               "shared buffer " + site.target, site.call);
    draft.construct = "shared-array";
    draft.path = site.path;
    draft.fact.optional = name.ends_with("Int64") || (name.ends_with("Int32") && bytes.integer() <= 64);
    draft.fact.values["bytes"] = bytes;
    draft.fact.values["type"] = context.value(type);
    if (count) draft.fact.values["count"] = context.value(count);
    if (const Node alignment = context.keyword(site.call, "alignment"))
      draft.fact.values["alignment"] = context.value(alignment);
  }
}

/// SmemAllocation("name", bytes) or SmemAllocation("name", dtype=…, count=…).
void complete_smem_allocations(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.construct != "SmemAllocation" || !draft.node.is(NodeKind::call)) continue;
    const Node name = context.positional(draft.node, 0);
    if (name.is(NodeKind::string)) draft.fact.subject = source::string_value(name);
    auto& values = draft.fact.values;
    const Node size = given_as(context, draft.node, "size", 1);
    const Node bytes = size ? size : context.keyword(draft.node, "size_bytes");
    const Node type = context.keyword(draft.node, "dtype");
    if (bytes)
      values["bytes"] = context.value(bytes);
    else if (type)
      values["bytes"] = bytes_of(context, type, context.keyword(draft.node, "count"), draft.node);
    if (type) values["type"] = context.value(type);
    if (const Node alignment = context.keyword(draft.node, "alignment"))
      values["alignment"] = context.value(alignment);
    draft.fact.says = "shared buffer " + draft.fact.subject;
  }
}

/// Code of a swizzle in a tcgen05 shared-memory descriptor, as PTX numbers it.
const char* swizzle_of_code(std::int64_t code) {
  switch (code) {
    case 0:
      return "none";
    case 1:
      return "128 bytes, base of 32 bytes";
    case 2:
      return "128 bytes";
    case 4:
      return "64 bytes";
    case 6:
      return "32 bytes";
    default:
      return nullptr;
  }
}

/// Tcgen05SmemDesc.build(…, layout=2): the swizzle that the tensor cores undo; none without that argument.
void complete_shared_descriptor(FactContext& context, Draft& draft) {
  evidence::Value swizzle = evidence::literal("none");
  for (const char* name : {"layout", "swizzle", "layout_type"}) {
    const Node given = context.keyword(draft.node, name);
    if (!given) continue;
    swizzle = context.value(given);
    const char* named = swizzle.integer() ? swizzle_of_code(*swizzle.integer()) : nullptr;
    if (named) swizzle = evidence::literal(named);
  }
  const std::string text = swizzle.text();
  if (text == "none" || text.ends_with("NONE")) draft.construct = "plain-layout";
  draft.fact.says += ", swizzle " + text;
  draft.fact.values["swizzle"] = std::move(swizzle);
}

void complete_tensor_core_descriptors(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.construct == "build" && draft.fact.kind == evidence::kind::shared_layout)
      complete_shared_descriptor(context, draft);
    if (draft.construct == "TmemAllocation") {
      draft.fact.values["accumulator"] = evidence::literal("tensor-memory");
      if (const Node columns = context.positional(draft.node, 1))
        draft.fact.values["columns"] = context.value(columns);
    }
    if (draft.construct.starts_with("tcgen05_mma") && draft.node.is(NodeKind::call)) {
      if (const Node kind = given_as(context, draft.node, "kind", 0))
        draft.fact.values["operand_kind"] = context.value(kind);
      if (const Node group = given_as(context, draft.node, "group", 1))
        draft.fact.values["cta_group"] = context.value(group);
    }
  }
}

/// Assignments of one name or attribute, as it is used at `use`.
std::vector<Node> assignments_of(const FactContext& context, Node use) {
  const source::PythonModule& module = context.module();
  std::vector<Node> out;
  const std::string name = source::dotted_text(use);
  if (name.empty()) return out;
  const auto take = [&](const std::vector<int>& bound) {
    for (const int index : bound) {
      const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
      if (a.form == source::Assignment::Form::plain && a.value && !a.value.is(NodeKind::none) &&
          a.slots.empty() && !a.annotation)
        out.push_back(a.statement);
    }
    return !bound.empty();
  };
  if (name.starts_with("self.")) {
    take(module.attributes(module.class_at(use), name.substr(5)));
    return out;
  }
  for (int scope = module.function_at(use);;
       scope = module.functions()[static_cast<std::size_t>(scope)].enclosing)
    if (take(module.bindings(scope, name)) || scope < 0) return out;
}

void cite_assignments(FactContext& context, Node use, const char* kind, const char* construct,
                      const char* says, const char* value_name) {
  for (const Node statement : assignments_of(context, use)) {
    const bool there = std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
      return d.construct == construct && d.node == statement;
    });
    if (there) continue;
    const Node assignment = statement.is(NodeKind::assignment) ? statement : statement.first();
    Draft& draft = context.add(Family::D4, kind, std::string(use.text().substr(0, 60)), says, statement);
    draft.construct = construct;
    if (const Node value = assignment.child(Field::right_field))
      draft.fact.values[value_name] = context.value(value);
  }
}

/// The flag that says whether an MMA adds to its accumulator, and the number of columns tensor memory is
/// asked for: where they are set.
void add_settings(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf == "tcgen05_mma") {
      if (const Node sum = given_as(context, site.call, "d_tmem", 2); sum.is(NodeKind::identifier))
        cite_assignments(context, sum, "accumulator", "tmem-tensor", "accumulators in tensor memory",
                         "pointer");
      if (const Node flag = given_as(context, site.call, "scale_d", 6))
        cite_assignments(context, flag, "accumulate", "accumulate-flag",
                         "whether the MMA adds to its accumulator", "accumulate");
    }
    const bool primitive = site.leaf == "tcgen05_alloc";
    const bool allocator =
        site.leaf == "alloc_tmem" || (site.leaf == "allocate" && site.path.find("Tmem") != std::string::npos);
    if (!primitive && !allocator) continue;
    Node columns = context.positional(site.call, primitive ? 1 : 0);
    for (const char* name : {"num_columns", "num_cols", "ncols"})
      if (!columns) columns = context.keyword(site.call, name);
    if (columns && !columns.is(NodeKind::integer))
      cite_assignments(context, columns, "tmem-columns", "columns-set", "tensor-memory columns asked for",
                       "columns");
  }
}

/// The parity of a round, `(k // stages) & 1`, or a bit: flipped, it tells phases apart and swizzles nothing.
bool single_bit(Node n) {
  for (;;) {  // Int32(1) is 1
    const auto arguments =
        n.is(NodeKind::call) ? n.child(Field::arguments_field).children().all() : std::vector<Node>();
    if (n.is(NodeKind::parenthesized_expression))
      n = n.first();
    else if (arguments.size() == 1)
      n = arguments.front();
    else
      break;
  }
  if (n.is(NodeKind::integer)) return n.text() == "0" || n.text() == "1";
  if (!n.is(NodeKind::binary_operator)) return false;
  const std::string_view op = n.child(Field::operator_token).text();
  const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
  if (op == "&") return single_bit(left) || single_bit(right);
  if (op == "%") return right.text() == "2";
  return (op == "^" || op == "|") && single_bit(left) && single_bit(right);
}

/// `group ^ (row & 7)` in device code: the reader undoes the swizzle by hand.
void add_swizzles_by_hand(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (const source::Assignment& a : module.assignments()) {
    if (!a.value || a.function < 0 || a.form != source::Assignment::Form::plain) continue;
    if (a.value.text().find('^') == std::string_view::npos || !a.value.is(NodeKind::binary_operator))
      continue;
    if (!runs_on_device(context, a.statement)) continue;
    bool by_hand = false;
    for (std::uint32_t i = a.value.index(); i < a.value.end_index() && !by_hand; ++i) {
      const Node n = a.value.tree()->at(i);
      if (!n.is(NodeKind::binary_operator) || n.child(Field::operator_token).text() != "^" ||
          single_bit(n.child(Field::left_field)) || single_bit(n.child(Field::right_field)))
        continue;
      for (const Node side : {n.child(Field::left_field), n.child(Field::right_field)})
        by_hand = by_hand || side.text().find('&') != std::string_view::npos ||
                  side.text().find('%') != std::string_view::npos ||
                  side.text().find("//") != std::string_view::npos;
    }
    if (!by_hand) continue;
    Draft& draft = context.add(Family::D6, "swizzle-by-hand", a.name, "index swizzled by hand", a.statement);
    draft.construct = "swizzle-by-hand";
    draft.fact.values["swizzle"] = evidence::literal(std::string(a.value.text().substr(0, 120)));
  }
}
}  // namespace

void extract_primitives(FactContext& context) {
  for (std::size_t i = 0, known = context.drafts.size(); i < known; ++i)
    if (context.drafts[i].fact.kind == evidence::kind::copy) complete_copy_by_name(context, i);
  add_arrays(context);
  complete_smem_allocations(context);
  complete_tensor_core_descriptors(context);
  add_settings(context);
  add_swizzles_by_hand(context);
}

}  // namespace cutelab::reading
