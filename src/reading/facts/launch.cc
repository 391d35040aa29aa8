#include <algorithm>
#include <array>

#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

const char* kind_of_keyword(std::string_view name) {
  if (name == "grid") return evidence::kind::grid;
  if (name == "block") return evidence::kind::block;
  if (name == "cluster") return evidence::kind::cluster;
  return evidence::kind::launch_keyword;
}

/// Threads of a block value: product of its items.
evidence::Value threads_of(const evidence::Value& block) {
  if (const auto n = block.integer()) return block;
  const auto* items = block.list();
  if (!items) return block;
  std::int64_t product = 1;
  for (const evidence::Value& item : *items) {
    const auto n = item.integer();
    if (!n) return item;
    product *= *n;
  }
  evidence::Value out = evidence::literal(product);
  out.formula = block.formula;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

/// The kernel a `.launch()` launches: the function called before it.
std::string kernel_of(FactContext& context, Node launch_function) {
  const Node object = launch_function.child(Field::object_field);
  int m = 0, f = -1;
  if (object.is(NodeKind::call) && context.evaluator.callee_function(0, object, &m, &f))
    return context.program.module(m).functions()[static_cast<std::size_t>(f)].qualified;
  return object.is(NodeKind::call) ? std::string(object.child(Field::function_field).text())
                                   : std::string(object.text().substr(0, 60));
}

void add_keyword(FactContext& context, Node keyword, const std::string& kernel) {
  const std::string name(keyword.child(Field::name_field).text());
  const Node value = keyword.child(Field::value_field);
  const bool shape = name == "grid" || name == "block" || name == "cluster" || name == "fallback_cluster";
  const bool plumbing = name == "stream";
  Draft& draft = context.add(shape ? Family::H2 : Family::H4, kind_of_keyword(name), name,
                             name + " = " + std::string(value.text().substr(0, 120)), keyword);
  draft.fact.values[name] = context.value(value);
  if (plumbing) draft.fact.values.clear();
  draft.fact.kernel = kernel;
  draft.construct = "launch:" + name;
}

/// Where the expression of a launch keyword comes from: the assignment of its name, the grid helper's own
/// lines.
void add_sources(FactContext& context, std::string_view keyword, Node value, const std::string& kernel) {
  if (!value.is(NodeKind::identifier) && !value.is(NodeKind::attribute)) return;
  const source::PythonModule& module = context.module();
  const std::string name = source::dotted_text(value);
  std::vector<int> bound;
  if (name.starts_with("self."))
    bound = module.attributes(module.class_at(value), name.substr(5));
  else
    for (int scope = module.function_at(value); bound.empty();) {
      bound = module.bindings(scope, name);
      if (scope < 0) break;
      scope = module.functions()[static_cast<std::size_t>(scope)].enclosing;
    }
  for (const int index : bound) {
    const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
    if (!a.value || a.value.is(NodeKind::none)) continue;
    Draft& draft = context.add(Family::H2, kind_of_keyword(keyword), a.name,
                               std::string(keyword) + " computed here", a.statement);
    draft.fact.values[std::string(keyword)] = context.value(a.value);
    draft.fact.kernel = kernel;
    draft.construct = "launch-source:" + std::string(keyword);
  }
}

void add_launch(FactContext& context, const CallSite& site) {
  const std::string kernel = kernel_of(context, site.call.child(Field::function_field));
  const std::size_t index = context.drafts.size();
  context.add(Family::H2, evidence::kind::launch, kernel, "launches " + kernel, site.call);
  context.drafts[index].construct = "launch";
  context.drafts[index].fact.kernel = kernel;
  for (const Node a : site.call.child(Field::arguments_field).children()) {
    if (!a.is(NodeKind::keyword_argument)) continue;
    const std::string name(a.child(Field::name_field).text());
    const Node value = a.child(Field::value_field);
    add_keyword(context, a, kernel);
    auto& values = context.drafts[index].fact.values;
    if (name == "grid" || name == "block" || name == "cluster") values[name] = context.value(value);
    if (name == "block") values["threads"] = threads_of(context.value(value));
    if (name == "smem") values["smem_bytes"] = context.value(value);
    if (name == "grid" || name == "block" || name == "cluster") add_sources(context, name, value, kernel);
  }
  if (!context.keyword(site.call, "smem"))
    context.drafts[index].fact.values["smem_bytes"] =
        evidence::undetermined("no smem= keyword: the DSL adds up the allocations when it compiles",
                               {"shared storage"}, context.at(site.call), "");
}

/// Shapes that decide the launch by default: problem, tile and cluster flags, and the constants behind them.
void add_shape_flags(FactContext& context) {
  static constexpr std::array<std::string_view, 7> words = {"mnk",  "shape", "tile", "cluster",
                                                            "size", "seq",   "batch"};
  for (const Flag& flag : context.flags) {
    const bool single = flag.dest.size() == 1 && flag.dest.find_first_of("MNKLBHmnklbh") != std::string::npos;
    const bool shaped = std::any_of(words.begin(), words.end(),
                                    [&](auto w) { return flag.dest.find(w) != std::string::npos; });
    if ((!single && !shaped) || !flag.default_value || flag.dest.find("swizzle") != std::string::npos)
      continue;
    Draft& draft = context.add(Family::H2, "shape-default", flag.name, "default of " + flag.name, flag.call);
    draft.fact.values["default"] = context.value(flag.default_value);
    draft.construct = "flag";
  }
}

/// Functions that compute a grid: their scheduler parameters and their results.
void add_grid_helpers(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (const source::PythonFunction& f : module.functions()) {
    if (f.name.find("compute_grid") == std::string::npos && f.name.find("get_grid") == std::string::npos)
      continue;
    for (std::uint32_t i = f.body.index(); f.body && i < f.body.end_index(); ++i) {
      const Node n = module.tree().at(i);
      const bool made = n.is(NodeKind::assignment) && n.child(Field::right_field).is(NodeKind::call);
      if (!made && !(n.is(NodeKind::return_statement) && n.first().is(NodeKind::call))) continue;
      Draft& draft = context.add(Family::H2, evidence::kind::grid, f.qualified, "grid computed here",
                                 made ? n.child(Field::right_field) : n);
      draft.construct = "grid-helper";
      draft.fact.optional = made && n.child(Field::left_field).text().find("grid") == std::string_view::npos;
    }
  }
}
}  // namespace

void extract_launches(FactContext& context) {
  bool any = false;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "launch" || site.receiver.empty()) continue;
    if (!context.keyword(site.call, "grid") && !context.keyword(site.call, "block")) continue;
    add_launch(context, site);
    any = true;
  }
  if (any) add_shape_flags(context);
  add_grid_helpers(context);
}

}  // namespace cutelab::reading
