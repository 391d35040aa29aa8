#include "knowledge/draft_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/sha256.h"
#include "base/text.h"
#include "evidence/names.h"

namespace cutelab::knowledge {
namespace {
using evidence::Fact;
using evidence::Location;
using evidence::Reading;
using evidence::Value;

constexpr std::size_t most_evidence = 24;

/// Text of a source as one line of Markdown that can neither start a block nor a generated region.
std::string quoted(const std::string& text) {
  std::string out = printable(replace_all(text, "\n", " "));
  out = replace_all(replace_all(replace_all(out, "|", "\\|"), "<!--", "&lt;!--"), "```", "'''");
  return !out.empty() && std::string_view("#->+*=").find(out[0]) != std::string_view::npos ? "\\" + out : out;
}

/// Runs of white space as one blank; printable.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    if (c != ' ' && c != '\n' && c != '\t')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

/// The path without the root it lies below; a path outside all roots is cut to its name.
std::string evidence_path(const std::string& path, const std::vector<std::string>& roots) {
  std::string best;
  for (const std::string& root : roots) {
    std::string base = root;
    while (!base.empty() && base.back() == '/') base.pop_back();
    if (!base.empty() && path.rfind(base + "/", 0) == 0 && base.size() > best.size()) best = base;
  }
  if (!best.empty()) return path.substr(best.size() + 1);
  const std::string place = path.rfind("./", 0) == 0 ? path.substr(2) : path;
  return parse_place(place + ":1") ? place : path.substr(path.rfind('/') + 1);
}

class Text {
 public:
  Text(const DraftParts& parts, const Reading& reading, const DraftRequest& request, const FileSource& files)
      : parts_(parts), reading_(reading), request_(request) {
    for (const evidence::SourceFile& file : reading.files) {
      auto content = files.read(file.path, max_source_bytes);
      // Lines of another version would be lines of another kernel: leave them out.
      const bool same = content && sha256(*content).substr(0, 16) == file.revision;
      sources_.push_back(same ? std::optional<std::string>(*content) : std::nullopt);
    }
  }

  std::string write() const {
    std::string out = front_matter();
    section(out, "When to Apply", std::string(to_be_written) + "\n\n" + stated());
    section(out, "Mechanism", mechanism());
    section(out, "Affected Metrics", std::string(to_be_written) + "\n");
    section(out, "Implementation", implementation());
    section(out, "Source",
            "<!-- evidence: begin, written by `cutelab document` -->\n<!-- evidence: end -->\n");
    section(out, "Performance Evidence", "No run yet.\n");
    section(out, "Generalization", std::string(to_be_written) + "\n");
    section(out, "Pitfalls", pitfalls());
    section(out, "Interactions", interactions());
    return out;
  }

 private:
  static void section(std::string& out, const std::string& title, const std::string& body) {
    out += fmt::format("## {}\n\n{}\n", title, body);
  }

  std::string path_of(const Location& at) const {
    const auto index = static_cast<std::size_t>(at.file);
    return index < reading_.files.size() ? evidence_path(reading_.files[index].path, request_.roots) : "";
  }

  std::string place(const Location& at) const {
    if (!at.known()) return "no line";
    return fmt::format("`{}:{}`", path_of(at), at.line());
  }

  /// The cited line's text; empty when the source at hand is not the one that was read.
  std::string line_text(const Location& at) const {
    const auto index = static_cast<std::size_t>(at.file);
    if (index >= sources_.size() || !sources_[index]) return "";
    const auto lines = split(*sources_[index], '\n');
    const auto number = static_cast<std::size_t>(at.line());
    if (number == 0 || number > lines.size()) return "";
    const std::string text(trim(lines[number - 1]));
    return printable(text) == text ? text : "";
  }

  std::string evidence_line(const Location& at) const {
    const auto index = static_cast<std::size_t>(at.file);
    EvidenceLine line;
    line.path = path_of(at);
    line.line = at.line();
    line.end_line = std::max<int>(at.line(), static_cast<int>(at.span.end_line));
    line.revision = index < reading_.files.size() ? reading_.files[index].revision : "";
    std::string out = fmt::format("  - at: {}\n", yaml_scalar(line.full()));
    if (const std::string text = line_text(at); !text.empty())
      out += fmt::format("    line: {}\n", yaml_scalar(text));
    if (const Fact* fact = fact_at(at); fact && !fact->says.empty())
      out += fmt::format("    says: {}\n", yaml_scalar(one_line(fact->says)));
    return out;
  }

  const Fact* fact_at(const Location& at) const {
    for (const Fact& fact : reading_.facts)
      if (fact.at == at) return &fact;
    return nullptr;
  }

  std::string front_matter() const {
    std::string out = "---\n";
    out += fmt::format("id: {}\ntitle: {}\n", parts_.id, yaml_scalar(parts_.title));
    out += fmt::format("kind: {}\n", parts_.finding ? "pattern" : "anti-pattern");
    const bool known_language = reading_.language == "cute-dsl" || reading_.language == "cute-cpp" ||
                                reading_.language == "cutile-dsl";
    out += fmt::format("scope: {}\nstatus: draft\ndrafted: 0000000000000000\n",
                       known_language ? reading_.language : "shared");
    out += "triggers: []\nmetrics: []\n";
    out += fmt::format("signature: {}\n", parts_.signature.spelled());
    out += parts_.at.empty() ? "evidence: []\n" : "evidence:\n";
    for (std::size_t i = 0; i < std::min(parts_.at.size(), most_evidence); ++i)
      out += evidence_line(parts_.at[i]);
    out += "runs: []\n";
    if (!request_.versions.empty() && !reading_.language.empty())
      out += fmt::format("seen: {{{}: {}}}\n", reading_.language, yaml_scalar(request_.versions));
    return out + "---\n\n";
  }

  std::string stated() const {
    std::string out;
    if (!reading_.arch.minimum.empty())
      out +=
          fmt::format("- The source needs {} ({}{}).\n", reading_.arch.minimum, quoted(reading_.arch.reason),
                      reading_.arch.at.empty() ? "" : ", " + place(reading_.arch.at[0]));
    for (const evidence::Constraint& constraint : reading_.constraints)
      out += fmt::format("- The source states: {} ({})\n", quoted(constraint.text), place(constraint.at));
    return out;
  }

  std::string mechanism() const {
    std::string out = parts_.mechanism.empty() ? "" : parts_.mechanism + "\n\n";
    if (parts_.finding && !parts_.finding->says.empty()) out += quoted(parts_.finding->says) + "\n\n";
    for (const Location& at : parts_.at) {
      const Fact* fact = fact_at(at);
      if (fact) out += fmt::format("- {}: {} ({})\n", quoted(fact->subject), quoted(fact->says), place(at));
    }
    return out.empty() ? std::string(to_be_written) + "\n" : out;
  }

  void rows(std::string& out, const std::string& subject, const std::map<std::string, Value>& values,
            const Location& at) const {
    for (const auto& [name, value] : values) {
      const auto* open = value.undetermined();
      const std::string text = open ? fmt::format("undetermined: {}", open->reason) : value.text();
      out += fmt::format("| {} | {} | {} | {} | {} |\n", quoted(subject), quoted(name), quoted(text),
                         quoted(value.formula), place(at));
    }
  }

  std::string implementation() const {
    std::string out;
    if (parts_.finding)
      rows(out, parts_.finding->id, parts_.finding->values,
           parts_.finding->at.empty() ? Location{} : parts_.finding->at[0]);
    for (const Location& at : parts_.at)
      if (const Fact* fact = fact_at(at)) rows(out, fact->subject, fact->values, at);
    if (out.empty()) return std::string(to_be_written) + "\n";
    return "| what | value of | is | as the source spells it | where |\n|---|---|---|---|---|\n" + out;
  }

  std::string pitfalls() const {
    std::string out;
    if (parts_.finding && !parts_.finding->condition.empty())
      out += fmt::format("- Depends on {}.\n", quoted(parts_.finding->condition));
    for (const Location& at : parts_.at) {
      const Fact* fact = fact_at(at);
      if (!fact) continue;
      for (const auto& [name, value] : fact->values)
        if (const auto* open = value.undetermined())
          out +=
              fmt::format("- {} of {} is undetermined ({}): {} ({})\n", quoted(name), quoted(fact->subject),
                          quoted(join(open->depends_on, ", ")), quoted(open->reason), place(at));
    }
    return out + std::string(to_be_written) + "\n";
  }

  std::string interactions() const {
    std::string out;
    for (const evidence::PatternFinding& other : reading_.patterns)
      if (other.present && &other != parts_.finding)
        out += fmt::format("- In the same source: {} {}{}\n", other.id, quoted(other.title),
                           other.at.empty() ? "" : " (" + place(other.at[0]) + ")");
    return out.empty() ? std::string(to_be_written) + "\n" : out;
  }

  const DraftParts& parts_;
  const Reading& reading_;
  const DraftRequest& request_;
  std::vector<std::optional<std::string>> sources_;
};

}  // namespace

std::string draft_text(const DraftParts& parts, const Reading& reading, const DraftRequest& request,
                       const FileSource& files) {
  return Text(parts, reading, request, files).write();
}

}  // namespace cutelab::knowledge
