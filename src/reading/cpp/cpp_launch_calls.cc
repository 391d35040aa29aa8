#include <array>
#include <map>
#include <string>
#include <vector>

#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// What launches by a call of the CUDA runtime, the driver or CUTLASS are made of.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;

evidence::Value cpp_launch_value(const CppContext& context, const CppValue& folded, Node expression) {
  using Kind = CppValue::Kind;
  if (!folded.known() || folded.is(Kind::integer) || folded.is(Kind::tuple) || folded.is(Kind::threads))
    return context.value(folded, expression);
  return context.value(
      CppValue::unknown("no number", std::string(expression.text().substr(0, 60)), expression), expression);
}

evidence::Value cpp_launch_value(const CppContext& context, Node expression) {
  return cpp_launch_value(context, context.folder.value(expression), expression);
}

void add_cpp_threads(CppDraft& launch, const evidence::Value& block) {
  std::int64_t threads = block.integer().value_or(1);
  if (const auto* extents = block.list())
    for (const evidence::Value& extent : *extents) threads *= extent.integer().value_or(0);
  if (!block.determined() || threads <= 0) return;
  launch.fact.values["threads"] = evidence::literal(threads);
  launch.fact.values["threads"].known_by = evidence::KnownBy::computed;
  launch.fact.values["threads"].formula = "product of the block's extents";
}

namespace {
/// The assignment of a cluster's extents before a launch, in its function: `attribute.val.clusterDim = {2, 1,
/// 1};`, or one of `attribute.val.clusterDim.x = 2;`.
std::vector<Node> clusters_of_attributes(Node call) {
  std::vector<Node> out;
  const Node function = call.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); function && i < call.index(); ++i) {
    const Node n = call.tree()->at(i);
    const std::string_view left = n.child(Field::left_field).text();
    if (n.is(NodeKind::assignment_expression) && left.find(".clusterDim") != std::string_view::npos)
      out.push_back(n);
  }
  return out;
}

/// All extents, or what keeps one of them from being known.
evidence::Value extents_value(const CppContext& context, Node list) {
  evidence::Value::List extents;
  for (const Node item : cpp_items(list)) {
    evidence::Value one = context.value(item);
    if (!one.integer()) return one;
    extents.push_back(std::move(one));
  }
  evidence::Value out;
  out.data = std::move(extents);
  out.formula = std::string(list.text().substr(0, 200));
  out.known_by = evidence::KnownBy::computed;
  return out;
}

/// Whether a statement always comes before the launch: no branch, loop or lambda around it that does not hold
/// the launch as well.
bool always_before(Node statement, Node call) {
  for (Node up = statement.parent(); up && !up.contains(call); up = up.parent())
    if (!up.is(NodeKind::expression_statement) && !up.is(NodeKind::compound_statement)) return false;
  return true;
}

evidence::Value cluster_value(const CppContext& context, const std::vector<Node>& assigned, Node call) {
  evidence::Value::List extents(3, evidence::literal(std::int64_t{1}));
  std::string formula;
  for (const Node n : assigned) {
    const Node right = n.child(Field::right_field);
    if (!always_before(n, call))
      return evidence::undetermined("is changed later", {std::string(n.text().substr(0, 60))}, context.at(n),
                                    "");
    if (right.is(NodeKind::initializer_list)) {
      const evidence::Value whole = extents_value(context, right);
      const auto* list = whole.list();
      if (!list) return whole;
      for (std::size_t i = 0; i < 3; ++i)
        extents[i] = i < list->size() ? (*list)[i] : evidence::literal(std::int64_t{1});
    } else {
      const char last = n.child(Field::left_field).text().back();
      if (last < 'x' || last > 'z') return context.value(right);
      extents[static_cast<std::size_t>(last - 'x')] = context.value(right);
    }
    formula += (formula.empty() ? "" : "; ") + std::string(n.text().substr(0, 80));
  }
  for (const evidence::Value& one : extents)
    if (!one.integer()) return one;
  evidence::Value out;
  out.data = std::move(extents);
  out.formula = formula;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

/// Where a launch's own function says how much shared memory it takes: the last such place before it.
Node bytes_given(Node call, std::string_view name) {
  Node out;
  const Node function = call.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); function && i < call.index(); ++i) {
    const Node n = call.tree()->at(i);
    if (n.is(NodeKind::init_declarator) &&
        cpp_declared_name(n.child(Field::declarator_field)).text() == name) {
      const auto items = cpp_items(n.child(Field::value_field));
      if (items.size() > 3 && n.parent().child(Field::type_field).text().ends_with("ClusterLaunchParams"))
        out = items[3];
    }
    if (!n.is(NodeKind::assignment_expression)) continue;
    const std::string_view left = n.child(Field::left_field).text();
    if (left.starts_with(name) &&
        (left.ends_with(".dynamicSmemBytes") || left.ends_with(".smem_size_in_bytes")))
      out = n.child(Field::right_field);
  }
  return out;
}

/// Puts the parts of a launch where they belong: on the launch, and a fact of their own for shared memory.
void put_parts(CppContext& context, Node call, const std::map<std::string, evidence::Value>& values,
               Node bytes) {
  if (bytes) {
    CppDraft& draft =
        context.add(Family::H4, evidence::kind::launch_keyword, "smem",
                    "dynamic shared memory = " + std::string(bytes.text().substr(0, 100)), bytes);
    draft.construct = "launch:smem";
    draft.fact.values["smem"] = values.at("smem_bytes");
  }
  for (CppDraft& launch : context.drafts) {
    if (launch.fact.kind != evidence::kind::launch || !(launch.node == call)) continue;
    for (const auto& [part, value] : values) launch.fact.values[part] = value;
    if (const auto block = values.find("block"); block != values.end())
      add_cpp_threads(launch, block->second);
  }
}

/// `params = {grid, block, cluster, smem}`, or `how.gridDim = …` set by set, of a launch through a struct.
void add_parameters(CppContext& context, Node call) {
  std::map<std::string, evidence::Value> values;
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  Node name = arguments[0];
  if (name.is(NodeKind::pointer_expression)) name = name.child(Field::argument_field);
  const CppValue how = context.folder.value(name);
  const bool record = how.is(CppValue::Kind::structure) && !how.node;
  for (const auto& [part, members] :
       {std::pair{"grid", std::array{"gridDim", "grid_dims"}},
        std::pair{"block", std::array{"blockDim", "block_dims"}},
        std::pair{"cluster", std::array{"", "cluster_dims"}},
        std::pair{"smem_bytes", std::array{"dynamicSmemBytes", "smem_size_in_bytes"}}}) {
    if (!record && name.is(NodeKind::identifier) && !how.depends_on.empty() &&
        part != std::string_view("cluster"))
      values[part] = context.value(how, name);
    for (const auto& [field, value] : how.fields)
      if (record && (field == members[0] || field == members[1]))
        values[part] = cpp_launch_value(context, value, name);
  }
  if (const auto assigned = clusters_of_attributes(call);
      !assigned.empty() && how.text != "ClusterLaunchParams") {
    CppDraft& draft =
        context.add(Family::H2, evidence::kind::cluster, "cluster",
                    "cluster: " + std::string(assigned.front().text().substr(0, 100)), assigned.front());
    draft.construct = "launch:cluster";
    values["cluster"] = draft.fact.values["cluster"] = cluster_value(context, assigned, call);
  }
  const Node bytes = bytes_given(call, name.text());
  if (bytes && !values.count("smem_bytes")) values["smem_bytes"] = cpp_launch_value(context, bytes);
  put_parts(context, call, values, bytes);
}

/// cudaLaunchKernel(kernel, grid, block, arguments, smem, stream), cuLaunchKernel(kernel, x, y, z, x, y, z,
/// smem, …)
void add_direct_launch(CppContext& context, Node call, const std::string& leaf) {
  std::map<std::string, evidence::Value> values;
  const auto a = cpp_items(call.child(Field::arguments_field));
  const bool driver = leaf == "cuLaunchKernel";
  if (a.size() < (driver ? 8u : 5u)) return;
  const auto extents = [&](std::size_t from) {
    std::vector<layout::IntTuple> out;
    for (std::size_t i = from; i < from + 3; ++i) {
      CppValue one = context.folder.value(a[i]);
      if (!one.integer()) return one;
      out.emplace_back(*one.integer());
    }
    return CppValue::of(layout::IntTuple::tuple(out));
  };
  values["grid"] = driver ? cpp_launch_value(context, extents(1), a[1]) : cpp_launch_value(context, a[1]);
  values["block"] = driver ? cpp_launch_value(context, extents(4), a[4]) : cpp_launch_value(context, a[2]);
  values["smem_bytes"] = cpp_launch_value(context, a[driver ? 7 : 4]);
  put_parts(context, call, values, a[driver ? 7 : 4]);
}
}  // namespace

void add_cpp_launch_parts(CppContext& context, Node call, const std::string& leaf) {
  if (leaf == "cudaLaunchKernel" || leaf == "cudaLaunchCooperativeKernel" || leaf == "cuLaunchKernel")
    add_direct_launch(context, call, leaf);
  else
    add_parameters(context, call);
}

}  // namespace cutelab::reading
