#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

// Which threads of a role arrive when a side of a pipeline is committed or released.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// "warp": an elect_one (or a test of one lane) lets one thread of each warp through; "thread": every thread
/// of the role runs it; "": a test of the thread index that is none of these.
std::string arrivers(Node call) {
  for (Node n = call; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    if (above.is(NodeKind::with_statement) && n.field() == Field::body_field &&
        above.text().substr(0, 160).find("elect_one") != std::string_view::npos)
      return "warp";
    const bool branch = above.is(NodeKind::if_statement) || above.is(NodeKind::elif_clause);
    if (!branch || n.field() == Field::condition_field) continue;
    const std::string low = to_lower(above.child(Field::condition_field).text());
    if (low.find("elect") != std::string::npos || low.find("lane") != std::string::npos) return "warp";
    if (low.find("tidx") != std::string::npos || low.find("thread_idx") != std::string::npos ||
        low.find("is_signal") != std::string::npos)
      return "";
  }
  return "thread";
}

/// By the name of the pipeline. One that a helper makes in two classes has the one that is made under the
/// defaults; where neither is ruled out, its name says nothing of its class.
std::map<std::string, evidence::Value> classes_of_pipelines(FactContext& context) {
  std::map<std::string, evidence::Value> classes;
  std::set<std::string> several;
  for (const Draft& d : context.drafts) {
    const auto made = d.fact.values.find("class");
    if (d.fact.kind != evidence::kind::pipeline || made == d.fact.values.end() ||
        context.evaluator.active(0, d.node).state == evidence::Tristate::no)
      continue;
    const auto [known, fresh] = classes.emplace(d.fact.subject, made->second);
    if (!fresh && known->second.text() != made->second.text()) several.insert(d.fact.subject);
  }
  for (const std::string& name : several) classes.erase(name);
  return classes;
}

bool one_cta(const FactContext& context) {
  bool any = false;
  for (const Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::launch) continue;
    any = true;
    const auto cluster = d.fact.values.find("cluster");
    if (cluster == d.fact.values.end()) continue;
    const auto* shape = cluster->second.list();
    if (!shape) return false;
    for (const evidence::Value& extent : *shape)
      if (extent.integer() != std::int64_t{1}) return false;
  }
  return any;
}

/// PipelineTmaAsync.consumer_release: of those who call it only the lanes that stand for a CTA which shares
/// the tile arrive. With a tidx= that all threads have alike they are all signalling threads, or none is.
bool by_signalling_threads(const FactContext& context, const std::string& pipeline) {
  for (const Draft& d : context.drafts) {
    const auto tidx = d.fact.values.find("tidx");
    if (d.fact.subject == pipeline && tidx != d.fact.values.end() && tidx->second.integer()) return false;
  }
  return true;
}

/// consumer_release(state, PipelineOp.AsyncThread): whom a release of a pipeline with several kinds of
/// consumers stands for; the tensor cores where it names none.
bool for_threads(Node release) {
  return release.child(Field::arguments_field).text().find("AsyncThread") != std::string_view::npos;
}

/// Pipelines of cute_ext elect the thread themselves on the side of TMA and of the tensor cores.
bool elects(const std::string& type, bool commit) {
  const bool tma_or_umma = type.starts_with("TMATo") || type.starts_with("UMMAto");
  return commit ? tma_or_umma : type.find("ToUMMA") != std::string::npos;
}

/// Who arrives when a side of a pipeline is committed or released; no value where no thread does.
std::optional<evidence::Value> arrives(FactContext& context, const Draft& d, const std::string& pipeline) {
  const auto class_name = d.fact.values.find("class");
  const bool told = class_name != d.fact.values.end() && class_name->second.determined();
  const std::string type = told ? class_name->second.text() : "";
  if (type.empty())
    return evidence::undetermined("the class of the pipeline is not told", {d.fact.subject},
                                  context.at(d.node), "");
  const bool commit = d.fact.kind == evidence::kind::commit;
  if (commit && type.starts_with("PipelineTma")) return std::nullopt;  // the bytes of the copies arrive
  const bool several = type == "PipelineTmaMultiConsumersAsync";
  if ((commit && type.find("PipelineUmma") == 0) || (!commit && type.ends_with("Umma")) ||
      (several && !for_threads(d.node)))
    return evidence::literal("the tensor cores, when their MMAs are done");
  if (several)
    return evidence::undetermined("the version of the DSL decides: each thread or signalling threads", {},
                                  context.at(d.node), "");
  if (type == "TMAStorePipeline") return std::nullopt;  // its warps meet at a named barrier
  const std::string who = elects(type, commit) ? "warp" : arrivers(d.node);
  if (who.empty())
    return evidence::undetermined("a test of the thread index decides who arrives", {}, context.at(d.node),
                                  "");
  if (who == "thread" && !commit && type.starts_with("PipelineTmaAsync") &&
      by_signalling_threads(context, pipeline))
    return evidence::literal(one_cta(context) ? "one thread of each warp"
                                              : "the signalling threads of each warp, one for each CTA that "
                                                "shares the tile");
  return evidence::literal(who == "warp" ? "one thread of each warp" : "every thread");
}

}  // namespace

void tell_arrivals(FactContext& context) {
  const auto side = [](const std::string& kind) {
    return kind == evidence::kind::acquire || kind == evidence::kind::commit ||
           kind == evidence::kind::wait || kind == evidence::kind::release || kind == evidence::kind::tail;
  };
  const std::map<std::string, evidence::Value> classes = classes_of_pipelines(context);
  for (Draft& d : context.drafts) {
    if (d.fact.family != evidence::Family::D2 || !side(d.fact.kind) || !d.node.is(NodeKind::call)) continue;
    const Node function = d.node.child(Field::function_field);
    if (!function.is(NodeKind::attribute)) continue;
    const std::string name = pipeline_of(context, function.child(Field::object_field));
    if (!name.empty()) {
      d.fact.values["pipeline"] = evidence::literal(name);
      // The object's class, whatever an annotation on the way to here says.
      const auto known = classes.find(name);
      if (known != classes.end()) d.fact.values["class"] = known->second;
    }
    if (d.fact.kind != evidence::kind::release && d.fact.kind != evidence::kind::commit) continue;
    if (auto who = arrives(context, d, name)) d.fact.values["arrives"] = std::move(*who);
  }
}

}  // namespace cutelab::reading
