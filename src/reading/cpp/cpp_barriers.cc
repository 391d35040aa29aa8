#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Waits, arrivals and set-up of barriers: by the barrier's type, or by the object's.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
using BarrierNames = std::set<std::string, std::less<>>;

/// The last name of a type, template arguments left out.
std::string_view type_leaf(Node type) {
  std::string_view text = type.text();
  text = text.substr(0, text.find('<'));
  const auto colons = text.rfind("::");
  return trim(colons == std::string_view::npos ? text : text.substr(colons + 2));
}

/// `using FullBarrier = cutlass::arch::ClusterTransactionBarrier;`, in any of the sources.
BarrierNames barrier_types_of(const CppContext& context) {
  BarrierNames out = {"ClusterBarrier", "ClusterTransactionBarrier", "NamedBarrier", "TmaBarrier",
                      "OrderedSequenceBarrier"};
  for (const source::Tree* tree : context.trees)
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      if (n.is(NodeKind::alias_declaration) && out.count(type_leaf(n.child(Field::type_field))))
        out.emplace(n.child(Field::name_field).text());
    }
  return out;
}

/// Variables, parameters and members of such a type.
BarrierNames barrier_objects_of(const CppContext& context, const BarrierNames& types) {
  BarrierNames out;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::declaration) && !n.is(NodeKind::parameter_declaration) &&
        !n.is(NodeKind::field_declaration))
      continue;
    const Node type = n.child(Field::type_field);
    if (!type || !types.count(type_leaf(type))) continue;
    if (const Node name = cpp_declared_name(n.child(Field::declarator_field))) out.emplace(name.text());
  }
  return out;
}

bool synchronises(std::string_view leaf) {
  static constexpr std::string_view names[] = {"init",
                                               "wait",
                                               "arrive",
                                               "arrive_and_wait",
                                               "sync",
                                               "arrive_cluster",
                                               "arrive_and_expect_tx_cluster",
                                               "test_wait",
                                               "try_wait"};
  for (const std::string_view name : names)
    if (leaf == name) return true;
  return false;
}

/// `barrier` of `s.barrier[stage].wait(…)`.
std::string_view object_name(Node receiver) {
  Node n = receiver;
  for (int depth = 0; depth < 8; ++depth) {
    if (n.is(NodeKind::subscript_expression))
      n = n.child(Field::argument_field);
    else if (n.is(NodeKind::field_expression))
      n = n.child(Field::field_field);
    else
      break;
  }
  return n.text();
}

class BarrierFinder {
 public:
  explicit BarrierFinder(CppContext& context)
      : context_(context), types_(barrier_types_of(context)), objects_(barrier_objects_of(context, types_)) {}

  void look_at(Node call) {
    const Node callee = call.child(Field::function_field);
    const std::string leaf = leaf_name(callee);
    if (!synchronises(leaf) || !cpp_on_device(call)) return;
    if (callee.is(NodeKind::qualified_identifier)) {
      const std::string_view text = callee.text();
      const std::string_view scope = text.substr(0, text.rfind("::"));
      const auto before = scope.rfind("::");
      const std::string_view type = before == std::string_view::npos ? scope : scope.substr(before + 2);
      if (types_.count(type)) add(call, leaf, std::string(type));
    } else if (callee.is(NodeKind::field_expression)) {
      const std::string_view name = object_name(callee.child(Field::argument_field));
      const std::string low = to_lower(name.substr(0, 80));
      const bool named = low.find("barrier") != std::string::npos || low.find("mbar") != std::string::npos;
      if (named || objects_.count(name)) add(call, leaf, std::string(name.substr(0, 60)));
    }
  }

 private:
  void add(Node call, const std::string& leaf, const std::string& what) {
    const bool waits = leaf == "wait" || leaf == "try_wait" || leaf == "test_wait";
    const bool arrives = leaf == "arrive" || leaf == "arrive_cluster";
    CppDraft& draft = context_.add(Family::D5,
                                   waits     ? "barrier-wait"
                                   : arrives ? "barrier-arrive"
                                             : evidence::kind::barrier,
                                   what, what + " " + leaf, call);
    draft.construct = "barrier-" + leaf;
    draft.fact.optional = leaf == "try_wait" || leaf == "test_wait";
    const auto arguments = cpp_items(call.child(Field::arguments_field));
    if (!call.child(Field::function_field).is(NodeKind::qualified_identifier) || arguments.empty()) return;
    if (what == "NamedBarrier") {  // (threads, number)
      draft.fact.values["threads"] = context_.value(arguments[0]);
      if (arguments.size() > 1) draft.fact.values["id"] = context_.value(arguments[1]);
      return;
    }
    draft.fact.values["barrier"] = evidence::literal(std::string(arguments[0].text().substr(0, 80)));
    if (leaf == "init" && arguments.size() > 1) draft.fact.values["arrivals"] = context_.value(arguments[1]);
    if (leaf != "arrive" || arguments.size() < 2) return;
    draft.construct = "remote-arrive";  // (barrier, CTA of the cluster[, whether])
    draft.fact.says += " of CTA " + std::string(arguments[1].text().substr(0, 60));
    draft.fact.values["cta"] = context_.value(arguments[1]);
  }

  CppContext& context_;
  BarrierNames types_, objects_;
};
}  // namespace

namespace {
/// Work that a fence may stand before: copies, products, barriers of a ring.
bool is_cpp_work(const CppDraft& d) {
  return d.fact.kind == evidence::kind::copy || d.fact.kind == evidence::kind::gemm ||
         d.construct == "ring-side" || d.construct == "tma_store_arrive";
}
bool stores_by_tma(const CppDraft& d) {
  const auto direction = d.fact.values.find("direction");
  return d.construct == "tma_store_arrive" || d.construct == "tma-store-copy" ||
         (direction != d.fact.values.end() && direction->second.text() == "store");
}
}  // namespace

void extract_cpp_store_fences(CppContext& context) {
  for (CppDraft& fence : context.drafts) {
    if (fence.construct != "tma_store_fence" && fence.construct != "fence_view_async_shared") continue;
    const Node function = fence.node.enclosing(NodeKind::function_definition);
    const CppDraft* next = nullptr;
    for (const CppDraft& d : context.drafts)
      if (is_cpp_work(d) && d.node.tree() == fence.node.tree() && d.node.index() > fence.node.index() &&
          d.node.enclosing(NodeKind::function_definition) == function &&
          (!next || d.node.index() < next->node.index()))
        next = &d;
    if (next && stores_by_tma(*next)) fence.fact.values["orders"] = evidence::literal("tma-store");
  }
}

void extract_cpp_barriers(CppContext& context) {
  BarrierFinder finder(context);
  for (const Node n : context.nodes())
    if (n.is(NodeKind::call_expression)) finder.look_at(n);
}

}  // namespace cutelab::reading
