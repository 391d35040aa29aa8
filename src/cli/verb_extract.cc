#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/counted.h"
#include "base/text.h"
#include "cli/example_names.h"
#include "cli/knowledge_world.h"
#include "cli/verbs.h"
#include "evidence/json.h"
#include "knowledge/draft.h"
#include "knowledge/relate.h"
#include "reading/read.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {
using evidence::Reading;
using knowledge::CrossReference;
using knowledge::Draft;
using knowledge::PlacedDraft;
using knowledge::Placement;
using knowledge::Relation;

constexpr std::uint64_t max_reading_bytes = 256u << 20;

/// What came of one source.
struct Extracted {
  Reading reading;
  std::vector<std::pair<Draft, PlacedDraft>> drafts;
  CrossReference known;
};

const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::created:
      return "created";
    case Placement::unchanged:
      return "unchanged";
    case Placement::replaced:
      return "replaced";
    case Placement::beside:
      return "beside";
  }
  return "";
}

/// What happened, or with --dry-run what would.
std::string said_of(Placement placement, bool dry) {
  if (!dry || placement == Placement::unchanged) return name_of(placement);
  return std::string("would be ") + (placement == Placement::beside ? "put beside" : name_of(placement));
}

Result<Reading> load_reading(const std::string& path, const Context& context) {
  auto text = context.files.read(path, max_reading_bytes);
  if (!text) return text.error();
  auto reading = evidence::reading_from_json(*text);
  if (reading) return reading;
  Error error = reading.error();
  error.asked = "extract from " + printable(path);
  error.where = path;
  return error;
}

Result<Reading> read_source_file(const std::string& word, ExampleNames& names, const Context& context) {
  std::vector<std::string> notes;
  auto path = names(word, notes);
  for (const std::string& note : notes) context.err << "note: " << printable(note) << "\n";
  if (!path) return path.error();
  reading::Request request;
  request.path = *path;
  request.library = reading::library_for(
      reading::library_roots_for(
          request.path, context.files,
          {context.source_root + "/build/deps/dsl-sources/nvidia_cutlass_dsl/dsl_packages"}),
      context.files);
  return reading::read(request, context.files);
}

Result<std::vector<Reading>> readings_of(const Arguments& arguments, const Context& context) {
  std::vector<Reading> out;
  for (const std::string& path : arguments.all("--reading")) {
    auto reading = load_reading(path, context);
    if (!reading) return reading.error();
    out.push_back(std::move(*reading));
  }
  ExampleNames names(context, arguments.get("--cutlass"), "");
  for (const std::string& word : arguments.positionals()) {
    auto reading = read_source_file(word, names, context);
    if (!reading) return reading.error();
    out.push_back(std::move(*reading));
  }
  if (out.empty())
    return Error{ErrorKind::usage, "extract", "no source and no reading named", "",
                 "cutelab extract FILE, or: --reading FILE.json"};
  return out;
}

std::string lines_text(const std::vector<evidence::Location>& at) {
  std::vector<std::string> lines;
  for (const evidence::Location& place : at) lines.push_back(std::to_string(place.line()));
  const bool cut = lines.size() > 8;
  if (cut) lines.resize(8);
  return lines.empty() ? ""
                       : fmt::format("line{} {}{}", lines.size() == 1 && !cut ? "" : "s", join(lines, ", "),
                                     cut ? ", …" : "");
}

void print_drafts(const Extracted& one, bool dry, std::ostream& out) {
  std::size_t widest = 0;
  for (const auto& [draft, placed] : one.drafts)
    widest = std::max(widest, said_of(placed.placement, dry).size());
  for (const auto& [draft, placed] : one.drafts) {
    out << fmt::format("  {:<{}}  {} {}, {}\n", said_of(placed.placement, dry), widest,
                       draft.pattern.empty() ? "anti-pattern" : draft.pattern, printable(draft.entry.title),
                       counted(static_cast<long long>(draft.entry.evidence.size()), "evidence line"))
        << fmt::format("  {:<{}}  {}\n", "", widest, placed.path);
    if (!placed.kept.empty())
      out << fmt::format("  {:<{}}  {} was edited and stays as it is\n", "kept", widest, placed.kept);
  }
  if (one.drafts.empty()) out << "  no pattern to draft\n";
}

/// What stands right of a relation's word goes on below.
std::string beside(const char* word, const std::string& text, int width) {
  std::string out;
  for (const std::string& line : render::wrap(text, std::max(20, width - 15)))
    out += fmt::format("  {:<12} {}\n", out.empty() ? word : "", line);
  return out;
}

void print(const Extracted& one, const std::string& base, std::size_t known, bool dry,
           const Context& context) {
  std::ostream& out = context.out;
  const std::string path = one.reading.files.empty() ? "a reading" : one.reading.files[0].path;
  out << fmt::format("{} ({})\n", printable(path), printable(one.reading.language));
  print_drafts(one, dry, out);
  out << fmt::format("  against {} ({}):\n", base,
                     counted(static_cast<long long>(known), "entry", "entries"));
  for (const Relation& relation : one.known.relations) {
    const std::string lines = lines_text(relation.at);
    out << beside(knowledge::name_of(relation.kind), relation.id + (lines.empty() ? "" : " (" + lines + ")"),
                  context.width);
    for (const std::string& detail : relation.details) out << beside("", printable(detail), context.width);
  }
  for (const std::string& id : one.known.fresh) out << beside("new", id, context.width);
}

nlohmann::ordered_json as_json(const Extracted& one) {
  using Json = nlohmann::ordered_json;
  Json json = {{"file", one.reading.files.empty() ? "" : one.reading.files[0].path},
               {"language", one.reading.language},
               {"drafts", Json::array()},
               {"relations", Json::array()},
               {"new", one.known.fresh}};
  for (const auto& [draft, placed] : one.drafts) {
    Json evidence = Json::array();
    for (const auto& line : draft.entry.evidence) evidence.push_back(line.full());
    json["drafts"].push_back({{"id", draft.id},
                              {"pattern", draft.pattern},
                              {"path", placed.path},
                              {"placement", name_of(placed.placement)},
                              {"kept", placed.kept},
                              {"signature", draft.entry.signature.spelled()},
                              {"evidence", evidence}});
  }
  for (const Relation& relation : one.known.relations) {
    Json lines = Json::array();
    for (const auto& at : relation.at) lines.push_back(at.line());
    json["relations"].push_back({{"kind", knowledge::name_of(relation.kind)},
                                 {"id", relation.id},
                                 {"path", relation.path},
                                 {"patterns", relation.patterns},
                                 {"lines", lines},
                                 {"details", relation.details}});
  }
  return json;
}

/// --pattern: relations and news of other patterns were not asked for.
void keep_only(const std::vector<std::string>& patterns, knowledge::CrossReference& known) {
  const auto asked = [&](const std::string& pattern) {
    return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
  };
  std::erase_if(known.relations,
                [&](const Relation& r) { return std::none_of(r.patterns.begin(), r.patterns.end(), asked); });
  std::erase_if(known.fresh, [&](const std::string& pattern) { return !asked(pattern); });
}

class ExtractVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec{
        "extract",   "draft patterns and anti-patterns from a reading, and hold it against known entries",
        "5 EXTRACT", {},
        {},          {},
        false};
    spec.positionals = {{"FILE", "a CuTe DSL or CuTe C++ source, or an example's name", 0, -1}};
    spec.flags = {
        {"--pattern", "P1..P10", "only this pattern", "every present one", true, {}},
        {"-o,--output", "DIR", "where drafts go", "docs/knowledge/drafts", false, {}},
        {"--reading",
         "FILE",
         "a reading as `cutelab read --json` writes it, instead of a source",
         "",
         true,
         {}},
        {"--knowledge", "DIR", "the entries to compare with", "docs/knowledge", false, {}},
        {"--corpus", "DIR", "evidence paths are written relative to it", "", true, {}},
        {"--versions", "TEXT", "library versions it was seen in, for the drafts", "", false, {}},
        {"--cutlass", "DIR", "CUTLASS checkout in which names are looked up", "CUTLASS_DIR", false, {}},
        {"--dry-run", "", "write nothing", "", false, {}},
        {"--json", "", "drafts and relations as JSON", "", false, {}}};
    spec.examples = {"cutelab extract examples/cute_dsl/gemm_persistent_warp_specialized.py",
                     "cutelab extract gemm_wgmma_pipelined --pattern P1 --dry-run",
                     "cutelab extract --reading gemm.json    # as `cutelab read --json gemm.json` wrote it"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    auto readings = readings_of(arguments, context);
    if (!readings) return readings.error();
    const std::string base =
        arguments.has("--knowledge") ? arguments.get("--knowledge") : default_knowledge_folder(context);
    auto library = knowledge::load_library(base, context.files);
    if (!library) return library.error();
    std::vector<Extracted> all;
    for (Reading& reading : *readings) {
      auto one = extract(std::move(reading), *library, arguments, context);
      if (!one) return one.error();
      all.push_back(std::move(*one));
    }
    // Everything is drafted and verified before anything is written.
    if (!arguments.has("--dry-run"))
      for (const Extracted& one : all)
        for (const auto& [draft, placed] : one.drafts)
          if (!placed.content.empty())
            if (auto status = write_file_atomically(placed.path, placed.content); !status)
              return status.error();
    show(all, base, library->entries.size() - static_cast<std::size_t>(library->drafts()), arguments,
         context);
    return ExitCode::ok;
  }

 private:
  static Result<Extracted> extract(Reading reading, const knowledge::Library& library,
                                   const Arguments& arguments, const Context& context) {
    Extracted out;
    knowledge::DraftRequest request;
    request.patterns = arguments.all("--pattern");
    request.roots = evidence_roots(context, arguments.all("--corpus"));
    request.versions = arguments.get("--versions");
    auto drafts = knowledge::draft_entries(reading, request, context.files);
    if (!drafts) return drafts.error();
    for (Draft& draft : *drafts) {
      PlacedDraft placed =
          place_draft(draft, arguments.get("--output", "docs/knowledge/drafts"), context.files);
      out.drafts.emplace_back(std::move(draft), std::move(placed));
    }
    out.known = knowledge::relate(reading, library);
    if (!request.patterns.empty()) keep_only(request.patterns, out.known);
    out.reading = std::move(reading);
    return out;
  }

  static void show(const std::vector<Extracted>& all, const std::string& base, std::size_t known,
                   const Arguments& arguments, const Context& context) {
    if (!arguments.has("--json")) {
      bool wrote = false;
      for (const Extracted& one : all) {
        print(one, base, known, arguments.has("--dry-run"), context);
        for (const auto& [draft, placed] : one.drafts) wrote = wrote || !placed.content.empty();
      }
      if (wrote && !arguments.has("--dry-run"))
        context.out << as_called(
            "next: write what the drafts leave open; `cutelab document` puts them into the catalogs\n",
            context);
      return;
    }
    nlohmann::ordered_json json = {
        {"schema", "cutelab.extract"}, {"schema_version", 1}, {"sources", nlohmann::ordered_json::array()}};
    for (const Extracted& one : all) json["sources"].push_back(as_json(one));
    context.out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  }
};

}  // namespace

std::unique_ptr<Verb> make_extract_verb() { return std::make_unique<ExtractVerb>(); }

}  // namespace cutelab::cli
