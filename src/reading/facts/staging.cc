#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Which writes to shared memory stage the output: by what the stores to global memory read, there or in
// registers that were filled from there.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_plain_copy(std::string_view leaf) {
  return leaf == "copy" || leaf == "autovec_copy" || leaf == "basic_copy" || leaf == "basic_copy_if";
}

struct Ends {
  Node from, to;
};

/// copy(atom, from, to); a helper of that name that makes the atom itself takes (from, to).
Ends ends_of(const FactContext& context, const CallSite& site) {
  if (!is_plain_copy(site.leaf)) return {};
  const bool atom = site.leaf == "copy" && context.positional(site.call, 2);
  return {context.positional(site.call, atom ? 1 : 0), context.positional(site.call, atom ? 2 : 1)};
}

bool makes_shared(std::string_view leaf) {
  return leaf == "get_tensor" || leaf == "allocate_tensor" || leaf == "allocate_array";
}
bool makes_registers(std::string_view leaf) {
  return leaf.starts_with("make_rmem_tensor") || leaf.starts_with("make_fragment");
}

/// Follows tensors back to the buffers that their values lie in.
class Buffers {
 public:
  explicit Buffers(FactContext& context) : context_(context) {
    for (const CallSite& site : context.calls()) {
      const Node filled = site.leaf == "store"
                              ? site.call.child(Field::function_field).child(Field::object_field)
                              : ends_of(context, site).to;
      if (filled) fills_[std::string(origin(filled).text().substr(0, 80))].push_back(&site);
    }
  }

  /// The buffer itself, as its name; "" = it is none, or not told.
  std::string shared(Node tensor) {
    const Node name = origin(tensor);
    const CallSite* made = maker(name);
    return made && makes_shared(made->leaf) ? std::string(name.text()) : "";
  }

  /// The buffers that a store from here reads, over registers too; false where that is not told.
  bool read_by_store(Node from, std::set<std::string>& out, int depth = 0) {
    const Node name = origin(from);
    const CallSite* made = maker(name);
    if (!made || depth > 4) return false;
    if (makes_shared(made->leaf)) {
      out.insert(std::string(name.text()));
      return true;
    }
    if (!makes_registers(made->leaf)) return false;
    const auto fills = fills_.find(std::string(name.text()));
    if (fills == fills_.end() || !seen_.insert(name.index()).second) return true;
    for (const CallSite* fill : fills->second) {
      const Ends ends = ends_of(context_, *fill);
      const Node source = ends.to ? ends.from : converted(context_.positional(fill->call, 0));
      // Values that are computed here are staged nowhere before.
      if (source && memory_space(context_, source) != "global") read_by_store(source, out, depth + 1);
    }
    return true;
  }

 private:
  /// The tensor that slices and views are cut from; through partitions for TMA to what they cut.
  Node origin(Node tensor) {
    Node out = tensor_origin(context_, tensor);
    for (int step = 0; step < 4 && out.is(NodeKind::identifier); ++step) {
      const CallSite* site = maker(out);
      if (!site || site->leaf != "tma_partition") return out;
      Node cut = context_.keyword(site->call, "smem_tensor");
      if (!cut) cut = context_.positional(site->call, 3);
      out = cut ? tensor_origin(context_, cut) : Node();
    }
    return out;
  }
  const CallSite* maker(Node name) const {
    const Node made = name.is(NodeKind::identifier) ? bound_before(context_, name) : Node();
    return made.is(NodeKind::call) ? context_.site_of(made) : nullptr;
  }
  /// x of x.load(), x.load().to(type): values that are only converted.
  static Node converted(Node n) {
    for (int step = 0; step < 4 && n.is(NodeKind::call); ++step) {
      const Node function = n.child(Field::function_field);
      const std::string_view method = function.child(Field::attribute_field).text();
      if (method != "load" && method != "to") return {};
      n = function.child(Field::object_field);
    }
    return n.is(NodeKind::identifier) || n.is(NodeKind::subscript) ? n : Node();
  }

  FactContext& context_;
  std::map<std::string, std::vector<const CallSite*>> fills_;  ///< by the tensor that they write
  std::set<std::uint32_t> seen_;
};

/// A store to global memory; what stores by a helper or by hand-written PTX tells no buffer.
bool is_output(const Draft& d) {
  const auto has = [&](const char* part) { return d.construct.find(part) != std::string::npos; };
  return d.construct == "tma-store" || d.construct == "tma_store" || has("global_shared") ||
         has("reduce_bulk") || has("epilogue") || (d.fact.family == Family::E1 && d.fact.kind == "store");
}

/// Whether a name is bound in several places: which of them counts here is not told.
bool has_several(const FactContext& context, Node tensor) {
  while (tensor.is(NodeKind::subscript)) tensor = tensor.child(Field::value_field);
  const source::PythonModule& module = context.module();
  return tensor.is(NodeKind::identifier) &&
         module.bindings(module.function_at(tensor), std::string(tensor.text())).size() > 1;
}

/// Nothing where one of the stores does not tell what it reads.
std::optional<std::set<std::string>> stored_buffers(FactContext& context, Buffers& buffers) {
  std::set<std::string> out;
  for (const Draft& d : context.drafts) {
    if (!is_output(d) || d.node.is(NodeKind::assignment)) continue;  // an element: no copy of a buffer
    const CallSite* site = d.node.is(NodeKind::call) ? context.site_of(d.node) : nullptr;
    const Node from = !site ? Node() : site->leaf == "store" ? Node() : ends_of(context, *site).from;
    if (!from || has_several(context, from) || !buffers.read_by_store(from, out)) return std::nullopt;
  }
  return out;
}
}  // namespace

/// What no store reads, the operand of a second matrix multiply or values that threads exchange, is no step
/// of the epilogue.
void drop_staging_for_others(FactContext& context) {
  const auto is_staging = [](const Draft& d) {
    return d.construct == "staging" && d.fact.family == Family::E1 && d.node.is(NodeKind::call);
  };
  if (std::none_of(context.drafts.begin(), context.drafts.end(), is_staging)) return;
  Buffers buffers(context);
  const auto stored = stored_buffers(context, buffers);
  if (!stored) return;
  std::erase_if(context.drafts, [&](const Draft& d) {
    if (!is_staging(d)) return false;
    const CallSite* site = context.site_of(d.node);
    const std::string buffer = site ? buffers.shared(ends_of(context, *site).to) : "";
    return !buffer.empty() && !stored->count(buffer);
  });
}

}  // namespace cutelab::reading
