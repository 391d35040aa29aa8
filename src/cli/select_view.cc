#include "cli/select_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "corpus/commands.h"
#include "corpus/words.h"
#include "render/columns.h"

namespace cutelab::cli {
using namespace corpus;
namespace {

/// Columns of a list's paths: what needs, layer, lines and verdict leave of the line.
std::size_t path_width(int width) { return static_cast<std::size_t>(std::clamp(width - 42, 24, 54)); }

std::string pad(const std::string& text, std::size_t columns) {
  const std::size_t have = display_width(text);
  return have >= columns ? text : text + std::string(columns - have, ' ');
}

/// Words wrapped to `width` columns, every line after `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, int width) {
  std::string out;
  for (const std::string& line : render::wrap(text, std::max(20, width - static_cast<int>(indent))))
    out += std::string(indent, ' ') + line + "\n";
  return text.empty() ? "" : out;
}

std::string needs_text(const Example& e) { return e.arch.minimum.empty() ? "?" : e.arch.minimum; }

std::string runs_word(const RunsVerdict& verdict) {
  return verdict.runs == Runs::yes ? "runs" : verdict.runs == Runs::no ? "no" : "?";
}

std::string reasons_text(const Hit& hit, const Workspace& w, int width) {
  std::string text = printable(join(hit.reasons, "; "));
  if (hit.runs.runs == Runs::no) text += (text.empty() ? "" : "; ") + printable(hit.runs.why);
  if (hit.alternative >= 0)
    text += "; runs instead: " + shown_path(w.catalog->examples()[static_cast<std::size_t>(hit.alternative)],
                                            *w.catalog, path_width(width));
  return text;
}

/// An id and what it stands for, which goes on below.
std::string listed(const std::string& id, const std::string& text, int width) {
  return "  " + pad(id, 22) + wrapped(text, 25, width).substr(24);
}

std::string see_text(const SeeAlso& s) {
  return printable(fmt::format("{} › {} (line {})", s.page, s.section, s.line));
}

}  // namespace

std::string shown_path(const Example& e, const Catalog& catalog, std::size_t limit) {
  const CorpusView& corpus = catalog.corpora()[static_cast<std::size_t>(e.corpus)];
  std::string_view path = e.path();
  if (!corpus.example_root.empty() && path.starts_with(corpus.example_root + "/"))
    path.remove_prefix(corpus.example_root.size() + 1);
  const std::string prefix = corpus.example_root.empty() ? corpus.name + ":" : "";
  std::string shown = printable(prefix + std::string(path));
  if (limit == 0 || display_width(shown) <= limit) return shown;
  const auto parts = split(path, '/');
  const auto shortened = [&](std::size_t head,
                             std::size_t tail) {  // the first folders tell the generation, the last the file
    std::vector<std::string> kept(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(head));
    kept.push_back("…");
    kept.insert(kept.end(), parts.end() - static_cast<std::ptrdiff_t>(tail), parts.end());
    return printable(prefix + join(kept, "/"));
  };
  for (std::size_t tail = parts.size() - 1; tail >= 1; --tail)
    for (std::size_t head = std::min<std::size_t>(2, parts.size() - 1 - tail); head >= 1; --head)
      if (shown = shortened(head, tail); display_width(shown) <= limit) return shown;
  return render::clip_middle("…/" + printable(basename_of(path)), static_cast<int>(limit));
}

std::string hits_text(const std::vector<Hit>& hits, const std::optional<Device>& device, const Workspace& w,
                      int width) {
  const std::size_t paths = path_width(width);
  std::string out = fmt::format("{:>3}  {} {} {} {:>6}  {}\n", "#", pad("example", paths), pad("needs", 8),
                                pad("layer", 10), "lines", device ? device->name : "");
  while (out.ends_with(" \n")) out.erase(out.size() - 2, 1);
  int number = 0;
  std::set<std::string> said;  // a section that explains several hits is named once
  for (const Hit& hit : hits) {
    const Example& e = w.catalog->examples()[static_cast<std::size_t>(hit.example)];
    std::string line =
        fmt::format("{:>3}  {} {} {} {:>6}  {}", ++number, pad(shown_path(e, *w.catalog, paths), paths),
                    pad(needs_text(e), 8), pad(name_of(e.layer), 10), with_thousands(e.facts->lines),
                    device ? runs_word(hit.runs) : "");
    out += std::string(trim(line)).insert(0, line.find_first_not_of(' '), ' ') + "\n";
    out += wrapped(reasons_text(hit, w, width), 5, width);
    if (hit.see_also && said.insert(see_text(*hit.see_also)).second)
      out += wrapped("see: " + see_text(*hit.see_also), 5, width);
  }
  return out;
}

std::string hits_csv(const std::vector<Hit>& hits, const std::optional<Device>& device, const Workspace& w) {
  render::Table table;
  for (const char* title :
       {"rank", "corpus", "path", "needs", "layer", "lines", "category", "runs", "why", "runs instead"})
    table.columns.push_back({title});
  int rank = 0;
  for (const Hit& hit : hits) {
    const Example& e = w.catalog->examples()[static_cast<std::size_t>(hit.example)];
    table.rows.push_back(
        {std::to_string(++rank), w.catalog->corpora()[static_cast<std::size_t>(e.corpus)].name, e.path(),
         needs_text(e), name_of(e.layer), std::to_string(e.facts->lines),
         e.categories.empty() ? "" : e.categories.front(), device ? runs_word(hit.runs) : "",
         join(hit.reasons, "; "),
         hit.alternative < 0 ? "" : w.catalog->examples()[static_cast<std::size_t>(hit.alternative)].path()});
  }
  return render::csv(table);
}

std::string docs_text(const std::vector<SeeAlso>& found, const Catalog& catalog) {
  std::string out;
  int number = 0;
  for (const SeeAlso& s : found) {
    const std::string& corpus = catalog.corpora()[static_cast<std::size_t>(s.corpus)].name;
    const bool cell = extension_of(s.page) == ".ipynb";
    out += printable(fmt::format("{:>3}  {}\n     {}:{} ({}{})\n", ++number, s.section, s.page, s.line,
                                 corpus, cell ? ", the number is the cell's" : ""));
  }
  return out;
}

std::string lists_text(const Taxonomy& taxonomy, int width) {
  std::string out = "goals\n";
  for (const Goal& g : taxonomy.goals) out += listed(g.id, g.question, width);
  out += "\ncategories\n";
  for (const Category& c : taxonomy.categories) out += listed(c.id, c.title, width);
  out += "\nlearning paths\n";
  for (const LearningPath& p : taxonomy.paths)
    out += listed(p.id, fmt::format("{} ({} steps)", p.title, p.steps.size()), width);
  out +=
      "\npatterns\n" +
      wrapped(
          "P1 TMA multi-stage pipeline, P2 warp specialization, P3 persistent loop and scheduler, P4 online "
          "softmax or streaming accumulation, P5 register-level accumulators, P6 swizzle, P7 cluster "
          "communication, P8 epilogue, P9 boundary handling, P10 drain",
          2, width);
  return out;
}

std::string path_text(const LearningPath& path, const std::vector<ResolvedStep>& steps,
                      const std::optional<Device>& device, const Workspace& w, int width) {
  const std::size_t paths = path_width(width);
  std::string out = fmt::format("path {}: {}\n\n", path.id, path.title);
  int number = 0;
  for (const ResolvedStep& s : steps) {
    out += fmt::format("{:>3}  {}\n", ++number, s.teaches);
    if (!s.missing.empty()) out += wrapped("missing: " + s.missing, 5, width);
    if (!s.package.empty()) out += fmt::format("     native: cutelab kernel {}\n", s.package);
    if (s.example < 0) continue;
    const Example& e = w.catalog->examples()[static_cast<std::size_t>(s.example)];
    std::string line = fmt::format("     {}{} {} {:>6} lines", s.other_generation ? "instead: " : "",
                                   pad(shown_path(e, *w.catalog, paths), paths), pad(needs_text(e), 8),
                                   with_thousands(e.facts->lines));
    if (device) line += "  " + runs_word(w.catalog->runs_on(e, device->arch));
    out += line + "\n";
  }
  if (std::any_of(steps.begin(), steps.end(), [](const ResolvedStep& s) { return !s.missing.empty(); }))
    out += "\n" +
           wrapped(
               "Steps that are missing come with a CUTLASS checkout: set CUTLASS_DIR, give --cutlass DIR, or "
               "fetch one with `cutelab corpus add cutlass`.",
               0, width);
  return out;
}

std::string card_text(const Example& e, const std::optional<Device>& device, const ExampleDetails& details,
                      const Workspace& w, int width) {
  const Catalog& catalog = *w.catalog;
  std::vector<std::pair<std::string, std::string>> rows;
  if (!e.facts->summary.empty()) rows.emplace_back("what", e.facts->summary);
  rows.emplace_back("file", catalog.full_path(e));
  rows.emplace_back("needs", e.arch.minimum.empty()
                                 ? "undetermined: nothing in the source tells the architecture"
                                 : e.arch.minimum + " (" + e.arch.reason + ")");
  if (device) {
    const RunsVerdict verdict = catalog.runs_on(e, device->arch);
    rows.emplace_back(device->name, verdict.runs == Runs::yes  ? "runs"
                                    : verdict.runs == Runs::no ? "does not run: " + verdict.why
                                                               : "unknown: " + verdict.why);
    const int other = verdict.runs == Runs::no ? nearest_runnable(e, device->arch, catalog) : -1;
    if (other >= 0)
      rows.emplace_back("instead",
                        shown_path(catalog.examples()[static_cast<std::size_t>(other)], catalog, 0));
  }
  rows.emplace_back("layer", fmt::format("{}, {} lines{}", name_of(e.layer), with_thousands(e.facts->lines),
                                         e.dtypes.empty() ? "" : ", " + join(e.dtypes, " ")));
  if (!e.patterns.empty())
    rows.emplace_back("patterns", join(e.patterns, " ") + " (hints; cutelab read decides)");
  const auto names = [&](const std::vector<int>& list) {
    std::vector<std::string> out;
    for (const int i : list)
      out.push_back(shown_path(catalog.examples()[static_cast<std::size_t>(i)], catalog, 0));
    return join(out, ", ");
  };
  if (const auto imports = catalog.transitive_imports(e); !imports.empty())
    rows.emplace_back("imports", names(imports));
  for (auto& row : detail_rows(details)) rows.push_back(std::move(row));
  if (e.layer == Layer::helper || !e.facts->has_main) {
    const auto runners = catalog.run_by(e);
    rows.emplace_back("run by", runners.empty() ? "nothing here runs it" : names(runners));
  }
  const auto commands = run_commands(e, catalog);
  if (!commands.empty()) {
    rows.emplace_back("run", commands.front().text);
    if (!commands.front().note.empty()) rows.emplace_back("", commands.front().note);
  }
  if (const auto see = see_also(e, {}, catalog)) rows.emplace_back("see", see_text(*see));
  std::string out;
  for (const auto& [name, text] : rows) {
    std::string block = wrapped(printable(text), 10, width);
    out += pad(name, 9) + " " + block.substr(10);
  }
  return out;
}

}  // namespace cutelab::cli
