#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// create_tma_umma_pipeline_cfg configures a PipelineTmaUmma, create_async_async_pipeline_cfg a
/// PipelineAsync.
std::string configured_class(const std::string& construct) {
  std::string out = "Pipeline", last;
  for (const auto part : split(construct, '_')) {
    if (part.empty() || part == "create" || part == "pipeline" || part == "cfg" || part == last) continue;
    last = part;
    out += std::string(1, static_cast<char>(part[0] - 'a' + 'A')) + std::string(part.substr(1));
  }
  return out;
}

/// "PipelineTmaUmma" from "cutlass.pipeline.PipelineTmaUmma.create" or "create_tma_umma_pipeline_cfg".
std::string class_of(const std::string& path, const std::string& construct) {
  if (construct.ends_with("_pipeline_cfg")) return configured_class(construct);
  std::string found;
  for (const auto part : split(path, '.'))
    if (part.find("Pipeline") != std::string_view::npos) found = part;
  return found;
}

/// The classes that an object may be of: several where one call or another makes it.
void add_classes(const Abstract& object, std::set<std::string>& classes) {
  if (!object.known() && !object.items.empty()) {
    for (const Abstract& one : object.items) add_classes(one, classes);
    return;
  }
  if (std::string name = class_of(object.path, ""); !name.empty()) classes.insert(std::move(name));
}

/// The class of the pipeline whose method a call is, as far as it is one.
evidence::Value class_of_receiver(FactContext& context, const Draft& draft) {
  const Node function = draft.node.child(Field::function_field);
  std::set<std::string> classes;
  if (function.is(NodeKind::attribute))
    add_classes(context.evaluator.value_of(0, function.child(Field::object_field)), classes);
  if (classes.size() > 1) {
    std::string names;
    for (const std::string& name : classes) names += (names.empty() ? "" : " or ") + name;
    return evidence::undetermined("made as " + names, {draft.fact.subject}, context.at(draft.node),
                                  draft.fact.subject);
  }
  return evidence::literal(classes.empty() ? class_of(draft.path, "") : *classes.begin());
}

/// `ring_producer, ring_consumer = PipelineX.create(…).make_participants()`: names of the two sides.
std::vector<std::string> participants_of(Node creation) {
  std::vector<std::string> out;
  const Node method = creation.parent();
  if (!method.is(NodeKind::attribute) || method.child(Field::attribute_field).text() != "make_participants")
    return out;
  Node left = method.parent().parent().child(Field::left_field);
  for (const Node name : left.children())
    if (name.is(NodeKind::identifier) || name.is(NodeKind::attribute)) out.emplace_back(name.text());
  return out;
}

void complete(FactContext& context, Draft& draft) {
  const std::string name =
      class_of(draft.path.empty() ? std::string(draft.node.child(Field::function_field).text()) : draft.path,
               draft.construct);
  if (!name.empty()) draft.fact.values["class"] = evidence::literal(name);
  if (draft.construct.ends_with("_pipeline_cfg"))
    draft.fact.values["drained_by"] = evidence::literal("the task scheduler");
  if (const auto sides = participants_of(draft.node); sides.size() == 2) {
    draft.fact.subject = sides[0].ends_with("_producer") ? sides[0].substr(0, sides[0].size() - 9) : sides[0];
    draft.fact.values["participants"] = evidence::literal(sides[0] + ", " + sides[1]);
  }
  draft.fact.says = draft.fact.subject + ": " + name;
  for (const char* key : {"num_stages", "stages", "num_stage", "depth"})
    if (const Node stages = context.keyword(draft.node, key))
      draft.fact.values["stages"] = context.value(stages);
  for (const char* key :
       {"tx_count", "barrier_storage", "defer_sync", "producer_group", "consumer_group", "length"}) {
    const Node given = context.keyword(draft.node, key);
    if (!given) continue;
    const bool number = std::string_view(key) == "tx_count" || std::string_view(key) == "defer_sync" ||
                        std::string_view(key) == "length";
    draft.fact.values[std::string_view(key) == "tx_count" ? "bytes" : key] =
        number ? context.value(given) : evidence::literal(std::string(given.text().substr(0, 100)));
  }
}

/// The create() call behind an object: through make_participants() and other methods on it.
Abstract creation_of(FactContext& context, Abstract object) {
  for (int depth = 0; depth < 4; ++depth) {
    if (!object.is(Abstract::Kind::object) || !object.made_at.is(NodeKind::call)) break;
    const Node function = object.made_at.child(Field::function_field);
    if (!function.is(NodeKind::attribute) || function.child(Field::attribute_field).text() == "create") break;
    object = context.evaluator.argument_of(object, function.child(Field::object_field));
  }
  return object;
}

/// How many calls of each helper of this file keep what it makes under a name.
std::map<int, int> kept_calls(FactContext& context) {
  std::map<int, int> out;
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.leaf != "create" && !site.target.empty() &&
        context.evaluator.callee_function(0, site.call, &m, &f) && m == 0)
      ++out[f];
  }
  return out;
}

/// What a helper of this file creates itself: a pipeline without a name of its own is called what its one
/// caller calls it. A helper that several calls keep makes one pipeline for each: its own statement is but
/// the pattern.
enum class Made { elsewhere, here, each_call };
Made made_by(FactContext& context, std::pair<int, int> helper, const std::string& target, int calls) {
  if (helper.first != 0) return Made::elsewhere;
  Made out = Made::elsewhere;
  for (Draft& draft : context.drafts) {
    const bool creation =
        draft.fact.kind == evidence::kind::pipeline || draft.construct == "pipeline-pattern";
    if (!creation || !draft.node.is(NodeKind::call) ||
        context.module().function_at(draft.node) != helper.second || draft.construct == "pipeline-helper")
      continue;
    const bool returned = draft.node.parent().is(NodeKind::return_statement);
    if (calls > 1 && returned) {
      draft.fact.kind = "pipeline-helper";
      draft.construct = "pipeline-pattern";
      draft.fact.values.erase("stages");
      return Made::each_call;
    }
    out = Made::here;
    if (returned) draft.fact.subject = target;
  }
  return out;
}

/// A pipeline that a helper makes, at the call that keeps it. Where the helper lies in another file, or makes
/// one for each of several calls, this is the pipeline's own fact.
void add_made_elsewhere(FactContext& context, const CallSite& site, const Abstract& made,
                        const std::string& path, std::pair<int, int> helper, int calls) {
  const Abstract creation = creation_of(context, made);
  const Made where = made_by(context, helper, site.target, calls);
  const bool own = where == Made::each_call ||
                   (where == Made::elsewhere && creation.is(Abstract::Kind::object) && creation.module > 0);
  const std::string name = class_of(path, "");
  Draft& draft = context.add(Family::D2, own ? evidence::kind::pipeline : "pipeline-helper", site.target,
                             site.target + ": " + name + " made by " + site.leaf, site.call);
  draft.construct = "pipeline-helper";
  draft.path = path;
  draft.fact.values["class"] = evidence::literal(name);
  if (!creation.is(Abstract::Kind::object) || !creation.made_at) return;
  for (const auto& [key, value_name] :
       {std::pair{"num_stages", "stages"}, {"tx_count", "bytes"}, {"tidx", "tidx"}})
    if (const Node given = context.keyword(creation.made_at, key))
      draft.fact.values[value_name] = context.value(context.evaluator.argument_of(creation, given), given);
}

/// A pipeline made by a local helper or method: the call that keeps it.
void add_helper_pipelines(FactContext& context) {
  const std::map<int, int> kept = kept_calls(context);
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.leaf == "create" || site.target.empty() ||
        !context.evaluator.callee_function(0, site.call, &m, &f) ||
        !context.function_contains(m, f, {"create"}))
      continue;
    const Abstract made = context.evaluator.value_of(0, site.call);
    std::string path = made.path;
    for (const Abstract& item : made.items) {
      if (path.find("Pipeline") == std::string::npos) path = item.path;
      if (made.is(Abstract::Kind::tuple)) break;
    }
    if (path.find("Pipeline") == std::string::npos || path.find("PipelineState") != std::string::npos ||
        path.find("make_pipeline_state") != std::string::npos)
      continue;
    add_made_elsewhere(context, site, made.is(Abstract::Kind::tuple) ? made.items.front() : made, path,
                       {m, f}, m == 0 && kept.count(f) ? kept.at(f) : 1);
  }
}

/// Where the bytes per transaction are added up: the assignments of what tx_count is given.
void add_transaction_bytes(FactContext& context) {
  std::set<std::string> done;
  for (const CallSite& site : context.calls()) {
    Node given = context.keyword(site.call, "tx_count");
    if (!given || (!given.is(NodeKind::identifier) && !given.is(NodeKind::attribute))) continue;
    const std::string name = source::dotted_text(given);
    const source::PythonModule& module = context.module();
    const auto& bound = name.starts_with("self.") ? module.attributes(module.class_at(given), name.substr(5))
                                                  : module.bindings(site.function, name);
    if (!done.insert(name + std::to_string(site.function)).second) continue;
    for (const int index : bound) {
      const source::Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
      if (!a.value || a.value.is(NodeKind::none)) continue;
      Draft& draft =
          context.add(Family::D2, "transaction-bytes", name, "bytes one stage expects", a.statement);
      draft.construct = "transaction-bytes";
      draft.fact.values["bytes"] = context.value(a.value);
    }
  }
}

std::string pipeline_subject(const Draft& draft) {
  const Node function = draft.node.child(Field::function_field);
  return function.is(NodeKind::attribute)
             ? std::string(function.child(Field::object_field).text().substr(0, 60))
             : draft.fact.subject;
}
}  // namespace

void extract_pipelines(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.family != Family::D2 || draft.fact.values.count("use")) continue;  // not a raw barrier
    if (draft.fact.kind == evidence::kind::pipeline) {
      complete(context, draft);
    } else if (draft.fact.kind != evidence::kind::pipeline_state && draft.node.is(NodeKind::call)) {
      draft.fact.subject = pipeline_subject(draft);
      const evidence::Value made = class_of_receiver(context, draft);
      if (!made.determined() || !made.text().empty()) draft.fact.values["class"] = made;
    }
  }
  add_helper_pipelines(context);
  add_transaction_bytes(context);
}

}  // namespace cutelab::reading
