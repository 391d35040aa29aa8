#include <nlohmann/json.hpp>

#include "cli/select_view.h"
#include "corpus/commands.h"

namespace cutelab::cli {
using namespace corpus;
using Json = nlohmann::ordered_json;
namespace {

Json mentions(const std::vector<Mention>& list) {
  Json out = Json::array();
  for (const Mention& m : list) out.push_back({{"name", m.name}, {"line", m.line}});
  return out;
}

Json paths(const std::vector<int>& list, const Catalog& catalog) {
  Json out = Json::array();
  for (const int i : list) out.push_back(catalog.examples()[static_cast<std::size_t>(i)].path());
  return out;
}

Json see_json(const SeeAlso& s) { return {{"page", s.page}, {"section", s.section}, {"line", s.line}}; }

}  // namespace

Json example_json(const Example& e, const Workspace& w) {
  const Catalog& catalog = *w.catalog;
  Json commands = Json::array();
  for (const RunCommand& c : run_commands(e, catalog))
    commands.push_back({{"text", c.text}, {"docstring_path", c.asked}, {"line", c.line}, {"note", c.note}});
  return {{"corpus", catalog.corpora()[static_cast<std::size_t>(e.corpus)].name},
          {"path", e.path()},
          {"full_path", catalog.full_path(e)},
          {"language", name_of(e.facts->language)},
          {"layer", name_of(e.layer)},
          {"generation", e.generation},
          {"lines", e.facts->lines},
          {"summary", e.facts->summary},
          {"categories", e.categories},
          {"patterns", e.patterns},
          {"constructs", e.constructs},
          {"dtypes", e.dtypes},
          {"needs",
           {{"minimum", e.arch.minimum},
            {"features", e.arch.features},
            {"instead", e.arch.instead},
            {"reason", e.arch.reason},
            {"line", e.arch.line},
            {"file", e.arch.file},
            {"assumed", e.arch.assumed}}},
          {"kernels", mentions(e.facts->kernels)},
          {"jit_functions", mentions(e.facts->jits)},
          {"flags", mentions(e.facts->flags)},
          {"imports", paths(catalog.transitive_imports(e), catalog)},
          {"run_by", paths(catalog.run_by(e), catalog)},
          {"commands", commands}};
}

namespace {
Json api_json(const std::vector<ApiUse>& uses, const std::optional<Release>& wheel) {
  Json out = Json::array();
  for (const ApiUse& use : uses) {
    const auto text = [](const std::optional<Release>& r) { return r ? Json(r->text()) : Json(); };
    out.push_back({{"name", use.name},
                   {"line", use.line},
                   {"since", text(use.change->since)},
                   {"removed", text(use.change->removed)},
                   {"deprecated", text(use.change->deprecated)},
                   {"instead", use.change->instead},
                   {"breaks", wheel ? Json(breaks(use, *wheel)) : Json()},
                   {"says", text_of(use, wheel)}});
  }
  return out;
}
}  // namespace

Json details_json(const ExampleDetails& details) {
  Json out{{"wheel", details.wheel ? Json(details.wheel->text()) : Json()},
           {"api", api_json(details.api, details.wheel)},
           {"modules", Json()}};
  if (!details.modules) return out;
  out["modules"] = Json::array();
  for (const ThirdParty& m : *details.modules)
    out["modules"].push_back({{"module", m.module}, {"line", m.line}, {"found", m.found}});
  return out;
}

Json hit_json(const Hit& hit, const Workspace& w, const std::optional<Release>& wheel) {
  const auto& examples = w.catalog->examples();
  Json out{{"score", hit.score}, {"reasons", hit.reasons}};
  out["example"] = example_json(examples[static_cast<std::size_t>(hit.example)], w);
  const char* runs = hit.runs.runs == Runs::yes ? "yes" : hit.runs.runs == Runs::no ? "no" : "unknown";
  out["runs"] = {{"verdict", runs}, {"why", hit.runs.why}};
  out["runs_instead"] =
      hit.alternative < 0 ? Json() : Json(examples[static_cast<std::size_t>(hit.alternative)].path());
  out["api"] = api_json(hit.api, wheel);
  out["see_also"] = hit.see_also ? see_json(*hit.see_also) : Json();
  return out;
}

}  // namespace cutelab::cli
