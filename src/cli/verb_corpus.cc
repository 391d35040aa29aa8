#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/file_lock.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "corpus/acquire.h"
#include "corpus/checkout.h"
#include "corpus/index.h"
#include "corpus/locate.h"
#include "corpus/registry.h"
#include "corpus/workspace.h"
#include "render/columns.h"

namespace cutelab::cli {
using namespace corpus;
using Json = nlohmann::ordered_json;
namespace {

constexpr const char* cutlass_url = "https://github.com/NVIDIA/cutlass.git";

Error usage(std::string wrong) {
  return Error{ErrorKind::usage, "corpus", std::move(wrong), "", "cutelab corpus --help"};
}

Json json_of(const RegisteredCorpus& c) {
  return {{"name", c.name}, {"kind", name_of(c.kind)}, {"source", c.source},
          {"root", c.root}, {"version", c.version},    {"added", c.added}};
}

/// Changes the list of corpora as it is now: the lock keeps what other processes register meanwhile.
Status change_registry(const Context& context, const std::function<Status(Registry&)>& change) {
  const std::string home = context.environment.config_home();
  const auto lock = FileLock::take(Registry::path(home) + ".lock");
  if (!lock) return lock.error();
  auto registry = Registry::load(context.files, home);
  if (!registry) return registry.error();
  if (auto status = change(*registry); !status) return status;
  return registry->save(home);
}

Status keep(const RegisteredCorpus& corpus, const Context& context) {
  return change_registry(context, [&](Registry& registry) {
    registry.put(corpus);
    return Status{};
  });
}

/// Indexes what was added, so that the first select is fast and an empty corpus is noticed here.
Status index_it(const RegisteredCorpus& c, Context& context) {
  auto signals = SignalTable::load(context.files, context.source_root + "/data");
  if (!signals) return signals.error();
  IndexReport report;
  auto index = open_index(context.files, *signals, c.root, context.environment.cache_home(), report);
  if (!index) return index.error();
  for (const std::string& note : report.notes) context.err << "note: " << printable(note) << "\n";
  std::size_t kernels = 0;
  for (const FileFacts& f : index->files) kernels += !f.kernels.empty();
  context.out << fmt::format("{}: {} sources, {} with kernels, {} pages of documentation{}\n", c.name,
                             index->files.size(), kernels, index->pages.size(),
                             kernels ? "" : "; no CuTe kernel was found in it");
  return {};
}

/// A clone or a wheel may take minutes; who waits should know for what.
void tell_of_download(const std::string& source, const std::string& kind, Context& context) {
  const std::string from = kind.empty() ? name_of(kind_of_source(source, context.files)) : kind;
  if (from == name_of(CorpusKind::git) || from == name_of(CorpusKind::pypi))
    context.err << "fetching " << source << " (at most 30 minutes)\n";
}

Result<ExitCode> add(const Arguments& a, Context& context, const AcquireContext& world) {
  std::vector<std::string> sources(a.positionals().begin() + 1, a.positionals().end());
  if (sources.size() == 1 && sources[0] == "cutlass" && !context.files.status("cutlass"))
    sources[0] = cutlass_url;
  if (sources.empty())
    return usage("add what? Name a folder, a git URL, a PyPI package or an installed Python package");
  if (sources.size() > 1 && a.has("--name")) return usage("--name names one corpus, but several are given");
  for (const std::string& source : sources) {
    auto registry = Registry::load(context.files, context.environment.config_home());
    if (!registry) return registry.error();
    tell_of_download(source, a.get("--kind"), context);
    auto found = acquire({source, a.get("--kind"), a.get("--name"), a.get("--revision")}, world);
    if (!found) return found.error();
    if (auto status = index_it(*found, context); !status) return status.error();
    if (auto status = keep(*found, context); !status) return status.error();
  }
  return ExitCode::ok;
}

Result<ExitCode> list(const Arguments& a, Context& context) {
  auto places = locate({a.get("--cutlass"), {}, context.source_root}, context.environment, context.files);
  if (!places) return places.error();
  auto registry = Registry::load(context.files, context.environment.config_home());
  if (!registry) return registry.error();
  render::Table table;
  for (const char* title : {"name", "from", "version", "where"}) table.columns.push_back({title});
  Json json{{"schema", "cutelab-corpus/1"}, {"in_use", Json::array()}, {"registered", Json::array()}};
  for (const CorpusPlace& p : *places) {
    const RegisteredCorpus* c = p.origin == "registry" ? registry->find(p.name) : nullptr;
    const auto release = header_release(context.files, p.root);
    const std::string version = c && !c->version.empty() ? c->version : release ? release->text() : "";
    table.rows.push_back({p.name, c ? name_of(c->kind) : p.origin, version, p.root});
    json["in_use"].push_back(
        {{"name", p.name}, {"origin", p.origin}, {"root", p.root}, {"version", version}});
  }
  for (const RegisteredCorpus& c : registry->all()) {
    json["registered"].push_back(json_of(c));
    if (!context.files.status(c.root)) {
      table.rows.push_back({c.name, name_of(c.kind), c.version, c.root + " (missing)"});
    }
  }
  context.out << (a.has("--json") ? json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                                  : render::fitted(table, context.table_width()));
  return ExitCode::ok;
}

Error unknown_corpus(const std::string& name, const Registry& registry, const char* what) {
  std::vector<std::string> names;
  for (const RegisteredCorpus& c : registry.all()) names.push_back(c.name);
  const auto near = nearest(name, names);
  return Error{ErrorKind::input, fmt::format("corpus {} {}", what, name),
               "no corpus of that name is registered", "",
               near            ? fmt::format("did you mean {}?", *near)
               : names.empty() ? "nothing is registered yet"
                               : "registered: " + join(names, ", ")};
}

Result<ExitCode> remove(const Arguments& a, Context& context) {
  if (a.positionals().size() < 2) return usage("remove which one?");
  auto registry = Registry::load(context.files, context.environment.config_home());
  if (!registry) return registry.error();
  for (std::size_t i = 1; i < a.positionals().size(); ++i) {
    const std::string& name = a.positionals()[i];
    const RegisteredCorpus* c = registry->find(name);
    if (!c) return unknown_corpus(name, *registry, "remove");
    const std::string root = c->root;
    const bool ours = root.starts_with(corpora_home(context.environment) + "/");
    const auto forget = [&](Registry& r) {
      r.remove(name);
      return Status{};
    };
    if (auto status = change_registry(context, forget); !status) return status.error();
    registry->remove(name);
    if (ours) discard(root, context.environment);
    context.out << fmt::format("{} removed{}\n", name,
                               ours ? "" : "; its files at " + root + " are yours and stay");
  }
  return ExitCode::ok;
}

Result<ExitCode> update_all(const Arguments& a, Context& context, const AcquireContext& world) {
  auto registry = Registry::load(context.files, context.environment.config_home());
  if (!registry) return registry.error();
  std::vector<RegisteredCorpus> chosen;
  for (std::size_t i = 1; i < a.positionals().size(); ++i) {
    const RegisteredCorpus* c = registry->find(a.positionals()[i]);
    if (!c) return unknown_corpus(a.positionals()[i], *registry, "update");
    chosen.push_back(*c);
  }
  if (a.positionals().size() < 2) chosen = registry->all();
  if (chosen.empty()) context.out << "nothing is registered\n";
  for (const RegisteredCorpus& c : chosen) {
    tell_of_download(c.source, name_of(c.kind), context);
    auto fresh = update(c, world);
    if (!fresh) return fresh.error();
    if (auto status = keep(*fresh, context); !status) return status.error();
    if (auto status = index_it(*fresh, context); !status) return status.error();
  }
  return ExitCode::ok;
}

class Corpus final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec s;
    s.name = "corpus";
    s.summary = "where examples come from: add, list, remove, update";
    s.step = "1 SELECT";
    s.positionals = {
        {"ACTION SOURCE",
         "add, list, remove or update, then a folder, git URL, name==version of PyPI,\n"
         "                   installed Python package or registered name (`add cutlass` clones CUTLASS)",
         1, -1}};
    const auto flag = [](const char* name, const char* value, const char* help,
                         std::vector<std::string> choices = {}) {
      Flag f;
      f.name = name;
      f.value = value;
      f.help = help;
      f.choices = std::move(choices);
      return f;
    };
    s.flags = {flag("--name", "NAME", "how to call it"),
               flag("--kind", "KIND", "what the source is, where its form does not tell",
                    {"checkout", "folder", "git", "pypi", "python"}),
               flag("--revision", "REV", "git branch or tag to clone"),
               flag("--cutlass", "DIR", "CUTLASS checkout to list"), flag("--json", "", "for machines")};
    s.examples = {"cutelab corpus add ~/src/cutlass", "cutelab corpus add cutlass --revision v4.5.0",
                  "cutelab corpus add quack-kernels==0.6.5", "cutelab corpus add flash_attn.cute",
                  "cutelab corpus list"};
    return s;
  }

  Result<ExitCode> run(const Arguments& a, Context& context) const override {
    const SystemProcesses processes;
    const AcquireContext world{context.environment, context.files, context.clock, processes};
    const std::string& action = a.positionals().front();
    if (action == "add") return add(a, context, world);
    if (action == "list") return list(a, context);
    if (action == "remove") return remove(a, context);
    if (action == "update") return update_all(a, context, world);
    const auto near = nearest(action, {"add", "list", "remove", "update"});
    return usage(
        fmt::format("'{}' is no action{}", action, near ? fmt::format("; did you mean {}?", *near) : ""));
  }
};

}  // namespace

std::unique_ptr<Verb> make_corpus_verb() { return std::make_unique<Corpus>(); }

}  // namespace cutelab::cli
