#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

struct LaunchPart {
  const char* name;
  Family family;
  const char* kind;
};
constexpr std::array<LaunchPart, 4> chevron_parts = {{{"grid", Family::H2, "grid"},
                                                      {"block", Family::H2, "block"},
                                                      {"smem", Family::H4, "launch-keyword"},
                                                      {"stream", Family::H4, "launch-keyword"}}};

/// The kernel that `auto* kernel = &gemm<…>;` names; the name itself where it is no such pointer.
std::string kernel_named(const CppContext& context, const std::string& name) {
  if (context.bodies.count(name)) return name;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::init_declarator)) continue;
    std::string_view declared = n.child(Field::declarator_field).text();
    while (!declared.empty() && (declared.front() == '*' || declared.front() == ' '))
      declared.remove_prefix(1);
    if (declared != name) continue;
    const Node value = n.child(Field::value_field);
    for (std::uint32_t j = value.index(); value && j < value.end_index(); ++j)
      if (context.bodies.count(std::string(value.tree()->at(j).text().substr(0, 120))))
        return std::string(value.tree()->at(j).text());
  }
  return name;
}

/// "kernel_ptr" of (void const*) kernel_ptr and of &kernel_ptr, "gemm" of ns::gemm<Tile>.
std::string pointer_given(Node argument) {
  Node name = argument;
  for (std::uint32_t i = argument.index(); i < argument.end_index(); ++i) {
    const Node n = argument.tree()->at(i);
    if (n.is(NodeKind::template_argument_list)) break;
    if (n.is(NodeKind::identifier)) name = n;
  }
  return std::string(name.text().substr(0, 120));
}

/// The position of a parameter that a function definition takes by that name; none = it has no such.
std::optional<std::size_t> parameter_named(Node function, std::string_view name) {
  std::size_t position = 0;
  for (const Node p : cpp_items(cpp_function_name(function).parent().child(Field::parameters_field))) {
    for (std::uint32_t i = p.index(); i < p.end_index(); ++i)
      if (const Node n = p.tree()->at(i);
          n.is(NodeKind::identifier) && n.text() == name && !n.enclosing(NodeKind::template_argument_list))
        return position;
    ++position;
  }
  return std::nullopt;
}

/// The kernel behind a name in a launch: through pointers, and through the parameter of a launch helper, as
/// long as all of its callers pass the same one.
std::string kernel_passed(const CppContext& context, Node use, const std::string& given, int depth = 0) {
  const std::string name = kernel_named(context, given);
  if (context.bodies.count(name) || depth > 4) return name;
  const Node helper = use.enclosing(NodeKind::function_definition);
  const auto position = helper ? parameter_named(helper, name) : std::nullopt;
  if (!position) return name;
  const std::string callee = leaf_name(cpp_function_name(helper));
  std::string one;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression) || leaf_name(n.child(Field::function_field)) != callee) continue;
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if (arguments.size() <= *position || helper.contains(n)) continue;
    const std::string passed = kernel_passed(context, n, pointer_given(arguments[*position]), depth + 1);
    if (!one.empty() && passed != one) return name;
    one = passed;
  }
  return one.empty() ? name : one;
}

void add_chevron(CppContext& context, Node syntax) {
  const Node call = syntax.parent();
  const std::string kernel = kernel_passed(context, call, leaf_name(call.child(Field::function_field)));
  CppDraft& launch = context.add(Family::H2, evidence::kind::launch, kernel, "launches " + kernel, call);
  launch.construct = "launch";
  launch.fact.kernel = kernel;
  std::map<std::string, evidence::Value> values;
  std::size_t part = 0;
  for (const Node argument : syntax.children()) {
    if (part >= chevron_parts.size()) break;
    const LaunchPart& p = chevron_parts[part++];
    CppDraft& draft =
        context.add(p.family, p.kind, p.name,
                    std::string(p.name) + " = " + std::string(argument.text().substr(0, 120)), argument);
    draft.construct = std::string("launch:") + p.name;
    draft.fact.kernel = kernel;
    values[p.name] = cpp_launch_value(context, argument);
    if (std::string_view(p.name) != "stream") draft.fact.values[p.name] = values[p.name];
  }
  for (CppDraft& draft : context.drafts)
    if (draft.construct == "launch" && draft.node == call) {
      draft.fact.values["grid"] = values["grid"];
      draft.fact.values["block"] = values["block"];
      add_cpp_threads(draft, values["block"]);
      if (values.count("smem")) draft.fact.values["smem_bytes"] = values["smem"];
    }
}

/// `LAUNCH(kernel, grid, block)` of a macro with <<<…>>> behind it.
void add_macro_launch(CppContext& context, Node call) {
  const CppFolder::Launched launched = context.folder.macro_launch(call);
  if (!launched.kernel || launched.parts.size() < 2) return;
  const std::string kernel = kernel_passed(context, call, leaf_name(launched.kernel));
  CppDraft& launch = context.add(Family::H2, evidence::kind::launch, kernel, "launches " + kernel, call);
  launch.construct = "launch";
  launch.fact.kernel = kernel;
  for (std::size_t i = 0; i < 3 && i < launched.parts.size(); ++i)
    launch.fact.values[i == 2 ? "smem_bytes" : chevron_parts[i].name] =
        cpp_launch_value(context, launched.parts[i], call);
  add_cpp_threads(launch, launch.fact.values["block"]);
}

/// Which part of a <<<…>>> a variable is, whatever it is called; null = none, or several.
const char* part_launched(Node declaration) {
  Node declarator = declaration.child(Field::declarator_field);
  if (declarator.is(NodeKind::init_declarator)) declarator = declarator.child(Field::declarator_field);
  const std::string_view name = cpp_declared_name(declarator).text();
  const Node function = declaration.enclosing(NodeKind::function_definition);
  const char* out = nullptr;
  for (std::uint32_t i = declaration.end_index(); function && i < function.end_index(); ++i) {
    const Node n = declaration.tree()->at(i);
    if (!n.is(NodeKind::kernel_call_syntax)) continue;
    std::size_t part = 0;
    for (const Node argument : n.children()) {
      if (part >= 2) break;
      const char* kind = chevron_parts[part++].kind;
      if (argument.text() != name) continue;
      if (out && out != kind) return nullptr;
      out = kind;
    }
  }
  return out;
}

/// dim3 dimGrid(…), dim3 dimBlock = …, ClusterLaunchParams params = {grid, block, cluster, smem}: what a
/// launch is made of.
void add_shape_declarations(CppContext& context, Node declaration) {
  const std::string_view type = declaration.child(Field::type_field).text();
  const bool shape = type == "dim3" || type.ends_with("ClusterLaunchParams") ||
                     type.ends_with("cudaLaunchConfig_t") || type.ends_with("cudaLaunchAttribute");
  if (!shape) return;
  const std::string text(declaration.text().substr(0, 160));
  const std::string low = to_lower(text);
  const char* launched = part_launched(declaration);
  const char* kind = launched                                   ? launched
                     : low.find("grid") != std::string::npos    ? evidence::kind::grid
                     : low.find("cluster") != std::string::npos ? evidence::kind::cluster
                     : low.find("block") != std::string::npos   ? evidence::kind::block
                                                                : evidence::kind::launch;
  CppDraft& draft = context.add(Family::H2, kind, text.substr(0, 60), text, declaration);
  draft.construct = std::string(kind) == evidence::kind::cluster ? "launch:cluster" : "launch-source";
  if (type == "dim3" && std::string_view(kind) != evidence::kind::launch)
    draft.fact.values[kind] = context.value(
        context.folder.value_of_declaration(declaration.child(Field::declarator_field)), declaration);
}
/// `using ClusterShape = Shape<_2, _1, _1>;`, `auto cluster_shape = make_shape(…)`: what a launch's cluster
/// comes from.
void add_cluster_shape(CppContext& context, Node n) {
  const bool alias = n.is(NodeKind::alias_declaration);
  const std::string name(alias ? n.child(Field::name_field).text().substr(0, 60)
                               : cpp_declared_name(n.child(Field::declarator_field)).text().substr(0, 60));
  const std::string low = to_lower(name);
  if (low.find("clustershape") == std::string::npos && low.find("cluster_shape") == std::string::npos) return;
  const Node value = n.child(alias ? Field::type_field : Field::value_field);
  const CppValue shape = context.folder.value(value);
  if (!shape.is(CppValue::Kind::tuple)) return;
  CppDraft& draft =
      context.add(Family::H2, evidence::kind::cluster, name, name + " = " + shape.tuple.text(), n);
  draft.construct = "cluster-shape";
  draft.fact.optional = true;
  draft.fact.values["cluster"] = context.value(shape, value);
}
}  // namespace

namespace {
/// The body of a function and of those that it calls.
std::vector<Node> bodies_behind(const CppContext& context, Node body) {
  std::vector<Node> out = {body};
  for (std::size_t at = 0; at < out.size(); ++at)
    for (std::uint32_t i = out[at].index(); i < out[at].end_index(); ++i) {
      const Node n = out[at].tree()->at(i);
      if (!n.is(NodeKind::call_expression)) continue;
      const auto called = context.bodies.find(leaf_name(n.child(Field::function_field)));
      if (called != context.bodies.end() && called->second &&
          std::find(out.begin(), out.end(), called->second) == out.end())
        out.push_back(called->second);
    }
  return out;
}
}  // namespace

/// Launches whose kernel, or what it calls, has arrays of fixed size in shared memory take them besides what
/// the launch asks for.
void finish_cpp_launches(CppContext& context) {
  for (CppDraft& launch : context.drafts) {
    if (launch.fact.kind != evidence::kind::launch || !launch.node.is(NodeKind::call_expression)) continue;
    const auto body = context.bodies.find(launch.fact.kernel);
    if (body == context.bodies.end() || !body->second) continue;
    const std::vector<Node> bodies = bodies_behind(context, body->second);
    std::int64_t fixed = 0;
    bool known = true;
    for (const CppDraft& d : context.drafts) {
      if (d.fact.kind != evidence::kind::allocation ||
          std::none_of(bodies.begin(), bodies.end(), [&](Node one) { return one.contains(d.node); }))
        continue;
      const auto bytes = d.fact.values.find("bytes");
      if (bytes == d.fact.values.end() || !context.folder.reaches(d.node)) continue;  // sized at launch
      known = known && bytes->second.integer();
      fixed += bytes->second.integer().value_or(0);
    }
    if (fixed == 0 || !known) continue;
    evidence::Value bytes = evidence::literal(fixed);
    bytes.known_by = evidence::KnownBy::computed;
    bytes.formula = "sum of the kernel's __shared__ arrays";
    launch.fact.values["static_smem_bytes"] = std::move(bytes);
  }
}

void extract_cpp_launches(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (n.is(NodeKind::kernel_call_syntax)) add_chevron(context, n);
    if (n.is(NodeKind::declaration)) add_shape_declarations(context, n);
    if (n.is(NodeKind::alias_declaration) || n.is(NodeKind::init_declarator)) add_cluster_shape(context, n);
    if (!n.is(NodeKind::call_expression)) continue;
    add_macro_launch(context, n);
    const std::string leaf = leaf_name(n.child(Field::function_field));
    const bool launch = leaf == "cudaLaunchKernelEx" || leaf == "cudaLaunchKernelExC" ||
                        leaf == "cudaLaunchKernel" || leaf == "launch_kernel_on_cluster" ||
                        leaf == "cuLaunchKernel" || leaf == "cuLaunchKernelEx" ||
                        leaf == "cudaLaunchCooperativeKernel";
    if (!launch && leaf != "cudaFuncSetAttribute") continue;
    CppDraft& draft = launch ? context.add(Family::H2, evidence::kind::launch, leaf, "launch by " + leaf, n)
                             : context.add(Family::H4, evidence::kind::launch_keyword, leaf,
                                           std::string(n.text().substr(0, 160)), n);
    draft.construct = leaf;
    if (!launch) continue;
    const auto arguments = cpp_items(n.child(Field::arguments_field));
    if (arguments.size() < 2) continue;
    const bool direct =
        leaf == "cudaLaunchKernel" || leaf == "cudaLaunchCooperativeKernel" || leaf == "cuLaunchKernel";
    const std::string kernel = kernel_passed(context, n, pointer_given(arguments[direct ? 0 : 1]));
    if (context.bodies.count(kernel)) draft.fact.kernel = draft.fact.subject = kernel;
    add_cpp_launch_parts(context, n, leaf);
  }
}

}  // namespace cutelab::reading
