#include "knowledge/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/text.h"
#include "knowledge/draft.h"

namespace cutelab::knowledge {
namespace {

std::string relative_path(const std::string& path, const std::string& folder) {
  return path.rfind(folder + "/", 0) == 0 ? path.substr(folder.size() + 1) : path;
}

std::string seen_text(const Entry& entry) {
  std::vector<std::string> parts;
  for (const auto& [language, versions] : entry.seen) parts.push_back(language + " " + versions);
  return join(parts, ", ");
}

std::string measured(const Entry& entry) {
  if (entry.runs.empty()) return "not yet";
  return fmt::format("{} run{}", entry.runs.size(), entry.runs.size() == 1 ? "" : "s");
}

std::string catalog_row(const Entry& entry, const std::string& up, const std::string& folder) {
  return fmt::format("| [{}]({}{}) | {}{} | {} | {} | {} | {} | {} | {} |\n", cell(entry.title), up,
                     relative_path(entry.path, folder), name_of(entry.kind), entry.draft ? ", draft" : "",
                     entry.scope, join(patterns_of(entry.signature), ", "), cell(join(entry.metrics, ", ")),
                     cell(seen_text(entry)), entry.evidence.size(), measured(entry));
}

std::string catalog(std::vector<const Entry*> entries, const std::string& up, const std::string& folder) {
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->kind, a->id) < std::tie(b->kind, b->id);
  });
  std::string out =
      "| entry | kind | scope | patterns | metrics | seen in | evidence lines | measured |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const Entry* entry : entries) out += catalog_row(*entry, up, folder);
  return out;
}

/// "17 entries", "17 entries, 1 draft".
std::string counted_entries(const std::vector<const Entry*>& entries) {
  const auto drafts = std::count_if(entries.begin(), entries.end(), [](auto* entry) { return entry->draft; });
  const auto whole = static_cast<long long>(entries.size()) - drafts;
  return counted(whole, "entry", "entries") + (drafts ? ", " + counted(drafts, "draft") : "");
}

/// The text with a generated region inside one section: replaced if it is there, put below the heading if
/// not.
Result<std::string> with_section_region(const Entry& entry, const std::string& title, const std::string& name,
                                        const std::string& content, const std::string& text) {
  if (text.find("<!-- " + name + ": ") != std::string::npos)
    return with_region(text, name, content, entry.path);
  const std::string heading = "## " + title + "\n";
  const auto at = text.find("\n" + heading);
  if (at == std::string::npos) return text;  // the check says that the section is missing
  const auto region = with_region("", name, content, entry.path);
  return text.substr(0, at + 1 + heading.size()) + "\n" + *region + text.substr(at + 1 + heading.size());
}

/// Replaces the place on the line that spells it; nothing else of the file is touched.
void respell(std::string& text, const EvidenceLine& old, const std::string& now) {
  std::size_t begin = 0;
  for (int line = 1; line < old.at_line; ++line) begin = text.find('\n', begin) + 1;
  const auto end = std::min(text.find('\n', begin), text.size());
  const auto at = text.find(old.spelled, begin);
  if (at != std::string::npos && at < end) text.replace(at, old.spelled.size(), now);
}

std::string run_region(const Entry& entry, const CheckWorld& world) {
  std::string out = "| run | kernel | device | metric | value |\n|---|---|---|---|---|\n";
  for (const std::string& id : entry.runs) {
    const auto run = world.find_run(id);
    if (!run) continue;
    evidence::Run shown = *run;  // of a run's metrics only those that the entry is about
    if (!entry.metrics.empty())
      std::erase_if(shown.metrics, [&](const evidence::Metric& m) {
        return std::find(entry.metrics.begin(), entry.metrics.end(), m.tag) == entry.metrics.end();
      });
    const std::string rows = metric_rows(shown);
    for (const std::string_view row : split(rows, '\n'))
      if (!row.empty())
        out += fmt::format("| {} | {} {} | {} {}\n", id, cell(run->kernel), cell(run->version),
                           cell(run->provenance.device), row);
  }
  return out;
}

class Planner {
 public:
  Planner(const Library& library, const CheckWorld& world, const FileSource& files)
      : library_(library), world_(world), files_(files) {}

  DocumentPlan run() {
    plan_.problems = check(library_, world_, files_);
    for (const Problem& problem : plan_.problems)
      if (problem.severity == Problem::Severity::error) broken_.insert(problem.path);
    plan_.drafts = library_.drafts();
    plan_.entries = static_cast<int>(library_.entries.size()) - plan_.drafts;
    for (const Entry& entry : library_.entries) {
      plan_.evidence_lines += static_cast<int>(entry.evidence.size());
      if (!broken_.count(entry.path)) refresh(entry);
    }
    catalogs();
    return std::move(plan_);
  }

 private:
  void refresh(const Entry& entry) {
    std::string text = library_.texts.at(entry.path);
    const std::string before = text;
    std::vector<EvidenceLine> now;
    int moved = 0;
    for (const EvidenceLine& line : entry.evidence) {
      const Followed followed = follow(line, world_.roots, files_);
      now.push_back(followed.now);
      if (followed.now.full() == line.spelled) continue;
      respell(text, line, followed.now.full());
      ++moved;
    }
    auto done = with_section_region(entry, "Source", "evidence", source_region(now), text);
    if (done && world_.find_run && !entry.runs.empty())
      done = with_section_region(entry, "Performance Evidence", "runs", run_region(entry, world_), *done);
    if (!done) return fail(entry.path, done.error());
    if (is_untouched_draft(before)) done = stamped(*done);  // still a draft as `extract` wrote it
    if (*done == before) return;
    plan_.changes.push_back({entry.path, *done,
                             moved ? fmt::format("{} evidence line{} followed", moved, moved == 1 ? "" : "s")
                                   : "generated parts"});
  }

  void fail(const std::string& path, const Error& error) {
    const auto colon = error.where.rfind(':');
    const auto line = parse_integer(error.where.substr(colon == std::string::npos ? 0 : colon + 1));
    plan_.problems.push_back(
        {Problem::Severity::error, path, static_cast<int>(line.value_or(1)), error.wrong, error.remedy});
  }

  void catalogs() {
    std::vector<const Entry*> all;
    std::map<std::string, std::vector<const Entry*>> by_language;
    for (const Entry& entry : library_.entries) {
      all.push_back(&entry);
      if (entry.scope != "shared") by_language[entry.scope].push_back(&entry);
      for (const auto& [language, versions] : entry.seen)
        if (language != entry.scope) by_language[language].push_back(&entry);
    }
    if (all.empty()) return;
    one_catalog(library_.folder + "/README.md", "# Knowledge\n", all, "");
    for (const auto& [language, entries] : by_language)
      if (is_kebab(language))
        one_catalog(fmt::format("{}/{}/README.md", library_.folder, replace_all(language, "-", "_")),
                    fmt::format("# Knowledge: {}\n", language), entries, "../");
  }

  void one_catalog(const std::string& path, const std::string& title,
                   const std::vector<const Entry*>& entries, const std::string& up) {
    std::string before;
    if (files_.status(path)) {
      auto text = files_.read(path, max_entry_bytes);
      if (!text) return fail(path, text.error());
      before = *text;
    }
    auto after =
        with_region(before.empty() ? title : before, "catalog", catalog(entries, up, library_.folder), path);
    if (!after) return fail(path, after.error());
    if (*after != before) plan_.changes.push_back({path, *after, "catalog of " + counted_entries(entries)});
  }

  const Library& library_;
  const CheckWorld& world_;
  const FileSource& files_;
  DocumentPlan plan_;
  std::set<std::string> broken_;
};

}  // namespace

std::string cell(const std::string& text) { return replace_all(printable(text), "|", "\\|"); }

std::string source_region(const std::vector<EvidenceLine>& lines) {
  std::string out;
  for (const EvidenceLine& line : lines) {
    out += fmt::format("- `{}`", line.place());
    if (!line.text.empty() && line.text.find('`') == std::string::npos)
      out += fmt::format(": `{}`", line.text);
    out += line.says.empty() ? "\n" : fmt::format("\n  {}\n", line.says);
  }
  return lines.empty() ? "No line yet.\n" : out;
}

DocumentPlan plan_document(const Library& library, const CheckWorld& world, const FileSource& files) {
  return Planner(library, world, files).run();
}

}  // namespace cutelab::knowledge
