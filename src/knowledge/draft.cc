#include "knowledge/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/document.h"
#include "knowledge/draft_text.h"
#include "knowledge/relate.h"
#include "knowledge/risks.h"

namespace cutelab::knowledge {
namespace {
using evidence::Location;
using evidence::PatternFinding;
using evidence::Reading;
using evidence::Tristate;

Error draft_error(ErrorKind kind, const Reading& reading, const std::string& wrong,
                  const std::string& remedy) {
  const std::string path = reading.files.empty() ? "a reading" : reading.files[0].path;
  return Error{kind, "extract from " + path, wrong, "", remedy};
}

std::string file_stem(const Reading& reading) {
  const std::string path = reading.files.empty() ? "" : reading.files[0].path;
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string stem = to_kebab(name.substr(0, name.rfind('.')));
  return stem.empty() ? "kernel" : stem;
}

/// All of: the language, the pattern in the form the reading shows, and its telling facts.
Signature signature_of(const PatternFinding& finding, const Reading& reading) {
  Signature all;
  if (!reading.language.empty()) {
    Signature language;
    language.op = Signature::Op::language;
    language.name = {Condition::Op::equal, reading.language, 0};
    all.parts.push_back(std::move(language));
  }
  Signature pattern;
  pattern.op = Signature::Op::pattern;
  pattern.pattern.id = finding.id;
  if (!finding.kind.empty() && finding.kind.find('*') == std::string::npos)
    pattern.pattern.values["kind"] = {Condition::Op::equal, finding.kind, 0};
  all.parts.push_back(std::move(pattern));
  for (FactTerm& term : terms_of_pattern(finding.id, reading)) {
    Signature fact;
    fact.op = Signature::Op::fact;
    fact.fact = std::move(term);
    // What the build decides is no part of what the reading shows.
    if (match(fact, reading).verdict == Tristate::yes) all.parts.push_back(std::move(fact));
  }
  return all;
}

Result<Draft> finished(const DraftParts& parts, const Reading& reading, const DraftRequest& request,
                       const FileSource& files) {
  Draft draft;
  draft.id = parts.id;
  draft.pattern = parts.finding ? parts.finding->id : "";
  draft.text = draft_text(parts, reading, request, files);
  auto entry = parse_entry(draft.text, draft.id + ".md");
  if (!entry)
    return draft_error(ErrorKind::internal, reading, entry.error().message(),
                       "please report this with the file");
  auto filled = with_region(draft.text, "evidence", source_region(entry->evidence), draft.id + ".md");
  if (!filled) return filled.error();
  draft.text = stamped(*filled);
  draft.entry = std::move(*entry);
  const Match result = match(draft.entry.signature, reading);
  if (result.verdict != Tristate::yes)
    return draft_error(ErrorKind::internal, reading,
                       fmt::format("the signature of {} does not match the reading: {}", draft.id,
                                   join(result.because, "; ")),
                       "please report this with the file");
  return draft;
}

Status check_request(const Reading& reading, const DraftRequest& request) {
  for (const std::string& id : request.patterns) {
    const auto it = std::find_if(reading.patterns.begin(), reading.patterns.end(),
                                 [&](const auto& finding) { return finding.id == id; });
    if (it == reading.patterns.end())
      return draft_error(ErrorKind::usage, reading,
                         fmt::format("'{}' is no pattern of the checklist", printable(id)),
                         "patterns: P1 to P10");
    if (!it->present)
      return draft_error(
          ErrorKind::input, reading,
          fmt::format("{} ({}) is absent: {}", id, it->title, it->says.empty() ? "not found" : it->says),
          "`cutelab read` shows what is present");
  }
  return {};
}

}  // namespace

Result<std::vector<Draft>> draft_entries(const Reading& reading, const DraftRequest& request,
                                         const FileSource& files) {
  if (auto status = check_request(reading, request); !status) return status.error();
  std::vector<Draft> drafts;
  const auto wanted = [&](const std::string& id) {
    return request.patterns.empty() ||
           std::find(request.patterns.begin(), request.patterns.end(), id) != request.patterns.end();
  };
  for (const PatternFinding& finding : reading.patterns) {
    if (!finding.present || !wanted(finding.id)) continue;
    DraftParts parts;
    parts.id = fmt::format("{}-in-{}", to_kebab(finding.title.empty() ? finding.id : finding.title),
                           file_stem(reading));
    parts.title = finding.title.empty() ? finding.id : finding.title;
    parts.finding = &finding;
    parts.signature = signature_of(finding, reading);
    parts.at = match(parts.signature, reading).at;
    auto draft = finished(parts, reading, request, files);
    if (!draft) return draft.error();
    drafts.push_back(std::move(*draft));
  }
  if (!request.patterns.empty()) return drafts;
  auto risks = known_risks();
  if (!risks) return risks.error();
  for (const Risk& risk : *risks) {
    const Match result = match(risk.signature, reading);
    if (result.verdict != Tristate::yes) continue;
    DraftParts parts;
    parts.id = fmt::format("{}-in-{}", risk.id, file_stem(reading));
    parts.title = risk.title;
    parts.mechanism = risk.mechanism;
    parts.signature = risk.signature;
    parts.at = result.at;
    auto draft = finished(parts, reading, request, files);
    if (!draft) return draft.error();
    drafts.push_back(std::move(*draft));
  }
  return drafts;
}

}  // namespace cutelab::knowledge
