#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/select_view.h"
#include "cli/verbs.h"

namespace cutelab::cli {
using namespace corpus;
using Json = nlohmann::ordered_json;
namespace {

struct Request {
  const Arguments& arguments;
  Context& context;
  const Workspace& workspace;
  std::optional<Device> arch, device;
  std::optional<Release> wheel;
};

bool is_name(const std::vector<std::string>& words) {
  if (words.size() != 1) return false;
  const std::string& word = words.front();
  return word.find('/') != std::string::npos || word.find('_') != std::string::npos ||
         word.ends_with(".py") || word.ends_with(".cu") || word.ends_with(".ipynb");
}

void print_notes(const std::vector<std::string>& notes, std::ostream& out) {
  for (const std::string& note : notes) out << "note: " << printable(note) << "\n";
}

Json corpora_json(const Workspace& w) {
  Json out = Json::array();
  for (std::size_t i = 0; i < w.places.size(); ++i) {
    const CorpusView& c = w.catalog->corpora()[i];
    const LayoutEpoch* epoch = w.history.epoch_of(c);
    out.push_back({{"name", c.name},
                   {"root", c.root},
                   {"origin", w.places[i].origin},
                   {"release", c.release ? c.release->text() : ""},
                   {"layout", epoch ? epoch->id : ""},
                   {"files", c.index.files.size()},
                   {"pages", c.index.pages.size()}});
  }
  return out;
}

Json envelope(const Request& r, const char* kind) {
  Json out{{"schema", "cutelab-select/1"}, {"kind", kind}, {"corpora", corpora_json(r.workspace)}};
  out["device"] =
      r.device ? Json{{"name", r.device->name}, {"arch", r.device->arch.text()}, {"note", r.device->note}}
               : Json();
  return out;
}

ExampleDetails details_of(const Request& r, int chosen) {
  const Example& e = r.workspace.catalog->examples()[static_cast<std::size_t>(chosen)];
  ExampleDetails details{api_uses(e, r.workspace, r.context.files), r.wheel, std::nullopt};
  if (e.facts->language == Language::cute_dsl)
    details.modules = third_party(e, *r.workspace.catalog, SystemProcesses());
  return details;
}

Result<ExitCode> show_name(const Request& r) {
  auto found = resolve(r.arguments.positionals().front(), r.device ? r.device : r.arch, *r.workspace.catalog,
                       r.workspace.history);
  if (!found) return found.error();
  const auto& examples = r.workspace.catalog->examples();
  if (r.arguments.has("--json")) {
    Json out = envelope(r, "name");
    out["asked"] = found->asked;
    out["notes"] = found->notes;
    out["chosen"] = found->chosen < 0
                        ? Json()
                        : example_json(examples[static_cast<std::size_t>(found->chosen)], r.workspace);
    out["candidates"] = Json::array();
    if (found->chosen >= 0) out["details"] = details_json(details_of(r, found->chosen));
    for (const int i : found->candidates)
      out["candidates"].push_back(example_json(examples[static_cast<std::size_t>(i)], r.workspace));
    r.context.out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return ExitCode::ok;
  }
  print_notes(found->notes, r.context.out);
  if (found->candidates.size() > 1) {
    std::vector<Hit> hits;
    for (const int i : found->candidates) {
      Hit hit;
      hit.example = i;
      const Example& e = examples[static_cast<std::size_t>(i)];
      hit.reasons.push_back(e.facts->summary.empty() ? "no summary" : e.facts->summary);
      if (r.device) hit.runs = r.workspace.catalog->runs_on(e, r.device->arch);
      hits.push_back(std::move(hit));
    }
    r.context.out << hits_text(hits, r.device, r.workspace, r.context.width) << "\n";
  }
  if (found->chosen >= 0)
    r.context.out << as_called(card_text(examples[static_cast<std::size_t>(found->chosen)], r.device,
                                         details_of(r, found->chosen), r.workspace, r.context.width),
                               r.context);
  else
    r.context.out << "name the path, or your GPU: --gpu H100\n";
  return ExitCode::ok;
}

Result<ExitCode> show_path(const Request& r) {
  const std::string id = r.arguments.get("--path");
  auto steps = learning_path(id, r.device ? r.device : r.arch, r.workspace);
  if (!steps) return steps.error();
  const LearningPath& path = **r.workspace.taxonomy.path(id);
  if (!r.arguments.has("--json")) {
    r.context.out << as_called(path_text(path, *steps, r.device, r.workspace, r.context.width), r.context);
    return ExitCode::ok;
  }
  Json out = envelope(r, "path");
  out["path"] = {{"id", path.id}, {"title", path.title}};
  out["steps"] = Json::array();
  for (const ResolvedStep& s : *steps)
    out["steps"].push_back(
        {{"teaches", s.teaches},
         {"missing", s.missing},
         {"package", s.package},
         {"other_generation", s.other_generation},
         {"example", s.example < 0
                         ? Json()
                         : example_json(r.workspace.catalog->examples()[static_cast<std::size_t>(s.example)],
                                        r.workspace)}});
  r.context.out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  return ExitCode::ok;
}

Result<ExitCode> show_docs(const Request& r, std::size_t limit) {
  std::vector<std::string> words = r.arguments.all("--docs");
  words.insert(words.end(), r.arguments.positionals().begin(), r.arguments.positionals().end());
  const auto found = find_docs(words, *r.workspace.catalog, limit);
  if (r.arguments.has("--json")) {
    Json out = envelope(r, "docs");
    out["sections"] = Json::array();
    for (const SeeAlso& s : found)
      out["sections"].push_back(
          {{"corpus", r.workspace.catalog->corpora()[static_cast<std::size_t>(s.corpus)].name},
           {"page", s.page},
           {"section", s.section},
           {"line", s.line},
           {"score", s.score}});
    r.context.out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return ExitCode::ok;
  }
  if (found.empty())
    r.context.out << as_called(
        fmt::format(
            "no page says anything of {}; documentation comes with a CUTLASS checkout: set CUTLASS_DIR, give "
            "--cutlass DIR, or fetch one with cutelab corpus add cutlass\n",
            printable(join(words, " "))),
        r.context);
  r.context.out << docs_text(found, *r.workspace.catalog);
  return ExitCode::ok;
}

Query query_of(const Request& r) {
  Query q;
  q.goal = r.arguments.get("--goal");
  q.category = r.arguments.get("--category");
  q.pattern = r.arguments.get("--pattern");
  q.dtypes = r.arguments.all("--dtype");
  q.words = r.arguments.positionals();
  q.helpers = r.arguments.has("--helpers");
  q.arch = r.arch;
  q.device = r.device;
  return q;
}

Result<ExitCode> show_hits(const Request& r, std::size_t limit) {
  auto hits = select(query_of(r), r.workspace);
  if (!hits) return hits.error();
  const std::size_t all = hits->size();
  if (all > limit) hits->resize(limit);
  const Catalog& catalog = *r.workspace.catalog;
  std::vector<std::string> preferred;
  if (const auto goal = r.arguments.has("--goal") ? r.workspace.taxonomy.goal(r.arguments.get("--goal"))
                                                  : Result<const Goal*>(nullptr);
      goal && *goal)
    preferred = (*goal)->constructs;
  for (Hit& hit : *hits) {
    const Example& e = catalog.examples()[static_cast<std::size_t>(hit.example)];
    if (hit.runs.runs == Runs::no && r.device) hit.alternative = nearest_runnable(e, r.device->arch, catalog);
    hit.see_also = see_also(e, preferred, catalog);
    hit.api = api_uses(e, r.workspace, r.context.files);
    add_wheel_reasons(hit, r.wheel);
  }
  if (r.arguments.has("--csv")) {
    r.context.out << hits_csv(*hits, r.device, r.workspace);
  } else if (r.arguments.has("--json")) {
    Json out = envelope(r, "hits");
    out["found"] = all;
    out["hits"] = Json::array();
    for (const Hit& hit : *hits) out["hits"].push_back(hit_json(hit, r.workspace, r.wheel));
    r.context.out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else if (hits->empty()) {
    r.context.out << as_called("nothing fits; cutelab select --list shows what can be asked for\n",
                               r.context);
  } else {
    r.context.out << hits_text(*hits, r.device, r.workspace, r.context.width);
    if (all > limit) r.context.out << fmt::format("\n{} of {} shown; --limit 0 shows all\n", limit, all);
  }
  return ExitCode::ok;
}

Flag flag(std::string name, std::string value, std::string help, std::string otherwise = "") {
  Flag f;
  f.name = std::move(name);
  f.value = std::move(value);
  f.help = std::move(help);
  f.default_text = std::move(otherwise);
  return f;
}

Flag many(Flag f) {
  f.repeated = true;
  return f;
}

class Select final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec s;
    s.name = "select";
    s.summary = "find the example that teaches what you want and runs on your GPU";
    s.step = "1 SELECT";
    s.positionals = {{"WORDS", "free words, or one example's name or path of any CUTLASS release", 0, -1}};
    s.flags = {
        flag("--goal", "GOAL", "what you want to learn"),
        flag("--category", "NAME", "kind of kernel"),
        flag("--pattern", "P1..P10", "only examples that hint at this pattern of the checklist"),
        many(flag("--dtype", "TYPE", "only examples that use it: fp16, bf16, tf32, fp8, fp4, int8, int4")),
        flag("--path", "A|B|C", "a learning path, its steps found in the checkout at hand"),
        flag("--arch", "SM", "only examples that run on this architecture (sm_90a) or product"),
        flag("--gpu,--device", "NAME",
             "the GPU to run on (H100, \"RTX 5090\", sm_100a): what runs, what runs instead",
             "the GPU of this machine, if it has one"),
        flag("--wheel", "VERSION", "say what breaks with this release of nvidia-cutlass-dsl"),
        many(flag("--docs", "WORDS", "search the documentation instead: page and section")),
        flag("--cutlass", "DIR", "CUTLASS checkout to look in", "CUTLASS_DIR"),
        many(flag("--corpus", "NAME", "only this corpus: a registered name or a folder")),
        flag("--helpers", "", "list helper modules too"),
        flag("-n,--limit", "N", "how many to show; 0 = all", "12"),
        flag("-l,--list", "", "goals, categories, patterns and learning paths"),
        flag("--json", "", "everything, for machines"),
        flag("--csv", "", "the ranked list as CSV")};
    s.examples = {"cutelab select --goal tma-pipeline --gpu H100",
                  "cutelab select persistent gemm --arch sm_90",
                  "cutelab select gemm_persistent_warp_specialized",
                  "cutelab select --path A --gpu H200",
                  "cutelab select blackwell/dense_gemm.py --cutlass ../cutlass    # names of any release",
                  "cutelab select --docs PipelineTmaAsync --cutlass ../cutlass"};
    return s;
  }

  Result<ExitCode> run(const Arguments& a, Context& c) const override {
    const auto limit = parse_integer(a.get("--limit", "12"));
    if (!limit || *limit < 0)
      return Error{ErrorKind::usage, "select --limit " + a.get("--limit"), "not a number of hits", "",
                   "a number, 0 = all"};
    auto workspace =
        Workspace::open({a.get("--cutlass"), a.all("--corpus"), c.source_root}, c.environment, c.files);
    if (!workspace) return workspace.error();
    const Workspace& w = **workspace;
    print_notes(w.notes, c.err);
    Request r{a, c, w, {}, {}, parse_release(a.get("--wheel"))};
    if (a.has("--wheel") && !r.wheel)
      return Error{ErrorKind::usage, "select --wheel " + printable(a.get("--wheel")), "not a release", "",
                   "a release of nvidia-cutlass-dsl, such as 4.6.2"};
    for (auto [flag, slot] : {std::pair("--arch", &r.arch), std::pair("--device", &r.device)}) {
      if (!a.has(flag)) continue;
      auto device = w.archs.device(a.get(flag));
      if (!device) return device.error();
      if (!device->note.empty()) print_notes({device->note}, c.err);
      *slot = *device;
    }
    if (!r.device && !r.arch && !a.has("--list") && !a.has("--docs"))
      r.device = machine_gpu(*device::machine_device(), w.archs);
    const std::size_t many = *limit == 0 ? w.catalog->examples().size() : static_cast<std::size_t>(*limit);
    if (a.has("--list")) return c.out << lists_text(w.taxonomy, c.width), ExitCode::ok;
    if (a.has("--path")) return show_path(r);
    if (a.has("--docs")) return show_docs(r, many);
    if (is_name(a.positionals())) return show_name(r);
    if (a.positionals().empty() && !a.has("--goal") && !a.has("--category") && !a.has("--pattern") &&
        !a.has("--arch") && !a.has("--dtype"))
      return c.out << lists_text(w.taxonomy, c.width) << "\nask with --goal, --category, --path or words\n",
             ExitCode::ok;
    return show_hits(r, many);
  }
};

}  // namespace

std::unique_ptr<Verb> make_select_verb() { return std::make_unique<Select>(); }

}  // namespace cutelab::cli
