#include "evidence/names.h"
#include "reading/facts/context.h"

// Quantities of a launch that are none: no threads, a negative grid, True for a stage count.
namespace cutelab::reading {
namespace {

/// Each known extent is a whole number from 1 on; true where that is not so.
bool is_no_extent(const evidence::Value& value) {
  if (const auto n = value.integer()) return *n < 1;
  if (const auto* items = value.list()) {
    bool wrong = false;
    for (const evidence::Value& item : *items) wrong = wrong || item.list() || is_no_extent(item);
    return wrong;
  }
  return value.boolean() || std::holds_alternative<double>(value.data);
}

bool is_no_count(const evidence::Value& value) {
  return value.boolean() || std::holds_alternative<double>(value.data);
}

void refuse(FactContext& context, Draft& draft, const std::string& name, const char* rule) {
  evidence::Value& value = draft.fact.values[name];
  const std::string told = name + " " + value.text();
  const evidence::Value* known = nullptr;
  if (const auto at = draft.fact.values.find("refused"); at != draft.fact.values.end()) known = &at->second;
  const std::string all = known && known->string() ? *known->string() + ", " + told : told;
  value = evidence::undetermined("refused, " + told + ": " + rule, {}, context.at(draft.node), "");
  draft.fact.values["refused"] = evidence::literal(all);
}
}  // namespace

void refuse_no_extents(FactContext& context) {
  namespace kind = evidence::kind;
  for (Draft& draft : context.drafts) {
    const std::string& of = draft.fact.kind;
    const bool launches = of == kind::launch || of == kind::grid || of == kind::block || of == kind::cluster;
    if (launches)
      for (const char* name : {"grid", "block", "cluster"})
        if (const auto at = draft.fact.values.find(name);
            at != draft.fact.values.end() && is_no_extent(at->second)) {
          if (at->first == "block" && draft.fact.values.count("threads"))
            draft.fact.values["threads"] =
                evidence::undetermined("the block is refused", {}, context.at(draft.node), "");
          refuse(context, draft, name, "an extent is a whole number from 1 on");
        }
    if (of != kind::pipeline) continue;
    if (const auto at = draft.fact.values.find("stages");
        at != draft.fact.values.end() && is_no_count(at->second))
      refuse(context, draft, "stages", "a number of stages is a whole number from 1 on");
  }
}

}  // namespace cutelab::reading
