#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "knowledge/library.h"
#include "knowledge/links.h"

namespace cutelab::knowledge {
namespace {

class Checker {
 public:
  Checker(const Library& library, const CheckWorld& world, const FileSource& files)
      : library_(library), world_(world), files_(files), problems_(library.problems) {}

  std::vector<Problem> run() {
    ids();
    for (const Entry& entry : library_.entries) {
      sections(entry);
      evidence(entry);
      metrics(entry);
      runs(entry);
      refines(entry);
    }
    for (const auto& [path, text] : library_.texts)
      for (Problem& problem : check_links(path, text, world_.roots, library_, files_))
        problems_.push_back(std::move(problem));
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
      return std::tie(a.path, a.line) < std::tie(b.path, b.line);
    });
    return std::move(problems_);
  }

 private:
  void error(const Entry& entry, int line, std::string what, std::string remedy) {
    problems_.push_back({Problem::Severity::error, entry.path, line, std::move(what), std::move(remedy)});
  }
  void warn(const Entry& entry, int line, std::string what, std::string remedy) {
    problems_.push_back({Problem::Severity::warning, entry.path, line, std::move(what), std::move(remedy)});
  }

  void ids() {
    std::map<std::string, const Entry*> seen;
    for (const Entry& entry : library_.entries) {
      const auto [it, fresh] = seen.emplace(entry.id, &entry);
      if (!fresh)
        error(entry, entry.line_of("id"),
              fmt::format("the id '{}' is also that of {}", entry.id, it->second->path),
              "give each entry an id of its own");
    }
  }

  void sections(const Entry& entry) {
    std::size_t next = 0;
    std::set<std::string> seen;
    const auto known = [](const std::string& title) {
      return std::find(std::begin(section_titles), std::end(section_titles), title);
    };
    for (const Section& section : entry.sections) {
      if (!seen.insert(section.title).second)
        error(entry, section.line, fmt::format("the section '{}' stands twice", section.title),
              "join the two");
      const auto place = static_cast<std::size_t>(known(section.title) - std::begin(section_titles));
      if (place == std::size(section_titles)) continue;  // a section of the author's own
      if (place < next)
        error(entry, section.line, fmt::format("the section '{}' is out of order", section.title), order());
      next = std::max(next, place);
      unwritten(entry, section);
    }
    for (const char* title : section_titles)
      if (!seen.count(title))
        error(entry, 1, fmt::format("the section '{}' is missing", title), fmt::format("add `## {}`", title));
  }

  static std::string order() {
    std::vector<std::string> titles(std::begin(section_titles), std::end(section_titles));
    return "order: " + join(titles, ", ");
  }

  void unwritten(const Entry& entry, const Section& section) {
    if (section.title == "Source" && !entry.evidence.empty()) return;  // written by `document`
    const std::string_view body = trim(section.body);
    if (!body.empty() && body.find(to_be_written) == std::string_view::npos) return;
    const std::string what = fmt::format("the section '{}' is not written yet", section.title);
    if (entry.draft)
      warn(entry, section.line, what, "");
    else
      error(entry, section.line, what, "write it, or mark the entry `status: draft`");
  }

  void evidence(const Entry& entry) {
    if (entry.evidence.empty())
      error(entry, entry.line_of("evidence"), "no evidence",
            "cite at least one line: at: FILE:LINE@REVISION");
    for (const EvidenceLine& line : entry.evidence) {
      const Followed now = follow(line, world_.roots, files_);
      if (now.state == Followed::State::missing)
        error(entry, line.at_line, fmt::format("evidence cites {}, which is not there", line.path),
              "name a file below the project or add its corpus with --corpus");
      else if (now.state == Followed::State::stale)
        error(entry, line.at_line,
              fmt::format("stale: {} no longer holds the cited line", line.place()) +
                  (line.text.empty() ? "" : fmt::format(" `{}`", line.text)),
              "cite the line that shows it now, or say that it is gone");
      else if (now.state == Followed::State::ambiguous)
        error(entry, line.at_line,
              fmt::format("{} changed and the cited line `{}` stands there several times", line.path,
                          line.text),
              "give its line number");
    }
  }

  void metrics(const Entry& entry) {
    if (world_.known_metrics.empty()) return;
    for (const std::string& tag : entry.metrics) {
      if (std::find(world_.known_metrics.begin(), world_.known_metrics.end(), tag) !=
          world_.known_metrics.end())
        continue;
      const auto near = nearest(tag, world_.known_metrics);
      error(entry, entry.line_of("metrics"), fmt::format("unknown metric '{}'", printable(tag)),
            near ? fmt::format("did you mean '{}'?", *near) : "metrics: " + join(world_.known_metrics, ", "));
    }
  }

  void runs(const Entry& entry) {
    if (!world_.find_run) return;
    for (const std::string& id : entry.runs)
      if (!world_.find_run(id))
        error(entry, entry.line_of("runs"), fmt::format("the run '{}' is not stored", printable(id)),
              "measure it again, or take the number out");
  }

  void refines(const Entry& entry) {
    std::set<std::string> seen = {entry.id};
    for (const Entry* at = &entry; !at->refines.empty();) {
      const Entry* next = library_.find(at->refines);
      if (!next) {
        if (at == &entry)
          error(entry, entry.line_of("refines"),
                fmt::format("refines '{}', which is no entry", printable(at->refines)), "");
        return;
      }
      if (!seen.insert(next->id).second) {
        error(entry, entry.line_of("refines"), fmt::format("refines goes in a circle through '{}'", next->id),
              "let the more special entry refine the more general one");
        return;
      }
      at = next;
    }
  }

  const Library& library_;
  const CheckWorld& world_;
  const FileSource& files_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check(const Library& library, const CheckWorld& world, const FileSource& files) {
  return Checker(library, world, files).run();
}

}  // namespace cutelab::knowledge
