#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Who a thread is: its number, its warp's, its CTA's in the cluster.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_thread_slices = 3;

bool speaks(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool asks_for_rank(std::string_view text) {
  return speaks(text, "block_rank_in_cluster") || speaks(text, "block_id_in_cluster") ||
         speaks(text, "cluster_ctarank");
}

class IdentityFinder {
 public:
  explicit IdentityFinder(CppContext& context) : context_(context) {}

  /// `elect_one_warp = threadIdx.x / 32 == 0`, `leader = get<0>(cta_in_cluster) == 0`.
  void look_at_declaration(Node init) {
    const Node value = init.child(Field::value_field);
    const std::string_view text = value.text();
    if (text.size() > 200 || !cpp_on_device(init)) return;
    const std::string name(cpp_declared_name(init.child(Field::declarator_field)).text());
    if (speaks(text, "threadIdx.") && !calls_with_more(value)) {
      add(init, name, "from the thread's number: ");
    } else if (speaks(text, "blockIdx.")) {
      CppDraft& draft = add(init, name, "from the CTA's place in the grid: ");
      draft.fact.optional = ++places_[function_of(init)] > 1;
    } else if (asks_for_rank(text)) {
      ranks_.insert(name);
    } else if (speaks(text, "==") && mentions_rank(value)) {
      add(init, name, "from the CTA's place in the cluster: ");
    }
  }

  /// `copy_a.get_slice(threadIdx.x)`: a thread's part of a tiled operation.
  void look_at_call(Node call) {
    if (call.child(Field::function_field).is(NodeKind::primitive_type)) return;  // int(threadIdx.x)
    bool takes_thread = false;
    for (const Node argument : cpp_items(call.child(Field::arguments_field)))
      takes_thread = takes_thread || argument.text() == "threadIdx.x";
    if (!takes_thread || !cpp_on_device(call)) return;
    CppDraft& draft = add(call, cpp_target(call), "this thread's part: ");
    draft.fact.optional = ++slices_[function_of(call)] > most_thread_slices;
  }

 private:
  CppDraft& add(Node at, const std::string& subject, const char* says) {
    CppDraft& draft = context_.add(Family::D1, evidence::kind::identity, subject,
                                   says + std::string(at.text().substr(0, 100)), at);
    draft.construct = "identity";
    return draft;
  }

  /// A call that takes more than a conversion does: its own fact, or none.
  static bool calls_with_more(Node value) {
    for (std::uint32_t i = value.index(); value && i < value.end_index(); ++i) {
      const Node n = value.tree()->at(i);
      if (n.is(NodeKind::call_expression) && (!n.child(Field::function_field).is(NodeKind::primitive_type) &&
                                              cpp_items(n.child(Field::arguments_field)).size() != 1))
        return true;
      if (n.is(NodeKind::call_expression) && n.child(Field::function_field).is(NodeKind::field_expression))
        return true;
    }
    return false;
  }

  bool mentions_rank(Node value) const {
    for (std::uint32_t i = value.index(); value && i < value.end_index(); ++i)
      if (const Node n = value.tree()->at(i);
          n.is(NodeKind::identifier) && ranks_.count(std::string(n.text())))
        return true;
    return false;
  }

  CppContext& context_;
  std::set<std::string> ranks_;
  using Place = std::pair<const source::Tree*, std::uint32_t>;
  static Place function_of(Node n) {
    const Node function = n.enclosing(NodeKind::function_definition);
    return {function.tree(), function.index()};
  }

  std::map<Place, int> slices_, places_;  ///< by function
};

/// `static constexpr int NumMmaWarpGroups = 2;`: a constant that says which warps, or how many, do what.
void add_warp_constant(CppContext& context, Node declaration, Node declarator, Node value) {
  if (!value || declaration.text().find("const") == std::string_view::npos || cpp_on_device(declaration))
    return;
  const std::string name(cpp_declared_name(declarator).text().substr(0, 60));
  const std::string low = to_lower(name);
  const bool names_warps = low.find("warp_group") != std::string::npos ||
                           low.find("warpgroup") != std::string::npos || low.ends_with("warps") ||
                           low.ends_with("warp_idx") || low.ends_with("warp_id");
  if (!names_warps) return;
  CppDraft& draft = context.add(Family::D1, evidence::kind::identity, name,
                                name + " = " + std::string(value.text().substr(0, 100)), declaration);
  draft.construct = "warp-constant";
  draft.fact.optional = low.find("thread") != std::string::npos || low.find("warpsper") != std::string::npos;
  draft.fact.values["value"] = context.value(value);
}

/// The pipeline type behind the name of an object: of the nearest declaration before a use.
class PipelineTypes {
 public:
  explicit PipelineTypes(const CppContext& context) {
    for (const Node n : context.nodes()) {
      if (!n.is(NodeKind::parameter_declaration) && !n.is(NodeKind::declaration) &&
          !n.is(NodeKind::field_declaration))
        continue;
      const Node type = n.child(Field::type_field);
      const std::string leaf =
          leaf_name(type.is(NodeKind::template_type) ? type.child(Field::name_field) : type);
      if (!speaks(leaf, "Pipeline") || speaks(leaf, "PipelineState") || speaks(leaf, "Params")) continue;
      Node declarator = n.child(Field::declarator_field);
      if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
      if (const Node name = cpp_declared_name(declarator))
        objects_[std::string(name.text())].emplace_back(n, leaf);
    }
  }

  struct Object {
    Node declaration;
    std::string type;
  };
  Object of(std::string_view name, Node use) const {
    const auto found = objects_.find(std::string(name));
    if (found == objects_.end()) return {};
    const Node function = use.enclosing(NodeKind::function_definition);
    Object best{found->second.front().first, found->second.front().second};
    for (const auto& one : found->second)
      if (function && function.contains(one.first)) best = {one.first, one.second};
    return best;
  }

 private:
  std::map<std::string, std::vector<std::pair<Node, std::string>>> objects_;
};

bool is_side(const std::string& kind) {
  return kind == evidence::kind::acquire || kind == evidence::kind::commit || kind == evidence::kind::wait ||
         kind == evidence::kind::release || kind == evidence::kind::tail;
}

std::string_view last_name(std::string_view subject) {
  for (const char* separator : {"->", "."})
    if (const auto at = subject.rfind(separator); at != std::string_view::npos)
      subject = subject.substr(at + std::string_view(separator).size());
  return subject.substr(0, subject.find('['));
}
}  // namespace

void extract_cpp_identities(CppContext& context) {
  IdentityFinder finder(context);
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::init_declarator)) {
      finder.look_at_declaration(n);
      add_warp_constant(context, n.parent(), n.child(Field::declarator_field), n.child(Field::value_field));
    }
    if (n.is(NodeKind::field_declaration))
      add_warp_constant(context, n, n.child(Field::declarator_field), n.child(Field::default_value_field));
    if (n.is(NodeKind::call_expression)) finder.look_at_call(n);
  }
}

void extract_cpp_pipeline_sides(CppContext& context) {
  const PipelineTypes types(context);
  std::set<std::string> pipelines;
  for (const CppDraft& d : context.drafts)
    if (d.fact.kind == evidence::kind::pipeline) pipelines.insert(d.fact.subject);
  const std::size_t before = context.drafts.size();
  for (std::size_t i = 0; i < before; ++i) {
    if (!is_side(context.drafts[i].fact.kind) || context.drafts[i].fact.values.count("pipeline")) continue;
    const auto object = types.of(last_name(context.drafts[i].fact.subject), context.drafts[i].node);
    if (object.type.empty()) continue;
    context.drafts[i].fact.values["pipeline"] = evidence::literal(object.type);
    if (!pipelines.insert(object.type).second) continue;
    // Its class and stages are the library's, or the caller's: a name that nothing here spells out.
    CppDraft& draft = context.add(Family::D2, evidence::kind::pipeline, object.type,
                                  "pipeline " + object.type, object.declaration);
    draft.construct = object.type;
    draft.fact.optional = true;
    draft.fact.values["class"] = evidence::literal(object.type);
    draft.fact.values["stages"] = evidence::undetermined("its type is not defined in this file",
                                                         {object.type}, draft.fact.at, object.type);
  }
}

}  // namespace cutelab::reading
