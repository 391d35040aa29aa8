#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// "PipelineTmaUmma" from "cutlass.pipeline.PipelineTmaUmma.create"; the create_…_cfg name for task
/// scheduling.
std::string class_of(const std::string& path, const std::string& construct) {
  if (construct.starts_with("create_")) return construct;
  std::string found;
  for (const auto part : split(path, '.'))
    if (part.find("Pipeline") != std::string_view::npos) found = part;
  return found;
}

void complete(FactContext& context, Draft& draft) {
  const std::string name =
      class_of(draft.path.empty() ? std::string(draft.node.child(Field::function_field).text()) : draft.path,
               draft.construct);
  if (!name.empty()) draft.fact.values["class"] = evidence::literal(name);
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

/// A pipeline made by a local helper or method: the call that keeps it.
void add_helper_pipelines(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.target.find("pipe") == std::string::npos && site.target.find("producer") == std::string::npos &&
        site.target.find("barrier") == std::string::npos && site.leaf.find("pipeline") == std::string::npos)
      continue;
    int m = 0, f = -1;
    if (site.leaf == "create" || !context.evaluator.callee_function(0, site.call, &m, &f)) continue;
    const Abstract made = context.evaluator.value_of(0, site.call);
    std::string path = made.path;
    for (const Abstract& item : made.items)
      if (path.find("Pipeline") == std::string::npos) path = item.path;
    if (path.find("Pipeline") == std::string::npos) continue;
    Draft& draft = context.add(Family::D2, "pipeline-helper", site.target,
                               site.target + ": " + class_of(path, "") + " made by " + site.leaf, site.call);
    draft.construct = "pipeline-helper";
    draft.path = path;
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
    if (draft.fact.family != Family::D2) continue;
    if (draft.fact.kind == evidence::kind::pipeline) {
      complete(context, draft);
    } else if (draft.fact.kind != evidence::kind::pipeline_state && draft.node.is(NodeKind::call)) {
      draft.fact.subject = pipeline_subject(draft);
      const std::string name = class_of(draft.path, "");
      if (!name.empty()) draft.fact.values["class"] = evidence::literal(name);
    }
  }
  add_helper_pipelines(context);
}

}  // namespace cutelab::reading
