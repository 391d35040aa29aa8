#include "cli/read_lints.h"

#include <algorithm>

#include "base/text.h"
#include "reading/lints.h"

namespace cutelab::cli {
namespace {
using evidence::Lint;
using evidence::Severity;

/// The line that a use stands on, as a place in the file that was asked for. Uses come in the order of their
/// lines.
class Places {
 public:
  explicit Places(const std::string& text) : text_(text) {}

  evidence::Location of(const corpus::ApiUse& use) {
    if (use.line < line_) line_ = 1, begin_ = 0;
    for (; line_ < use.line && begin_ != std::string::npos; ++line_) {
      begin_ = text_.find('\n', begin_);
      if (begin_ != std::string::npos) ++begin_;
    }
    evidence::Location at;
    if (begin_ == std::string::npos) return at;
    const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
    const std::string_view line = std::string_view(text_).substr(begin_, end - begin_);
    const std::size_t name =
        begin_ + std::min(line.find(use.name.substr(use.name.rfind('.') + 1)), line.size());
    at.span = {static_cast<std::uint32_t>(name), static_cast<std::uint32_t>(end),
               static_cast<std::uint32_t>(use.line), static_cast<std::uint32_t>(use.line),
               static_cast<std::uint32_t>(name - begin_ + 1)};
    return at;
  }

 private:
  const std::string& text_;
  int line_ = 1;
  std::size_t begin_ = 0;  ///< of that line; npos: beyond the end
};
}  // namespace

Status ReadLints::prepare() {
  if (arguments_.has("--wheel")) {
    wheel_ = corpus::parse_release(arguments_.get("--wheel"));
    if (!wheel_)
      return Error{ErrorKind::usage, "read --wheel " + arguments_.get("--wheel"), "is no release", "",
                   "write --wheel 4.6.1"};
  }
  auto changes = corpus::ApiChanges::load(context_.files, context_.source_root + "/data");
  if (!changes) return changes.error();
  changes_ = std::move(*changes);
  return {};
}

Lint ReadLints::missing(const std::vector<corpus::ApiUse>& uses, const std::string& text) const {
  Lint lint{"api-missing",
            "the wheel has every name that the source uses",
            "install a wheel that has it, or write what the table names instead",
            Severity::error,
            0,
            {},
            {}};
  Places places(text);
  for (const corpus::ApiUse& use : uses) {
    if (!use.change->since && !use.change->removed) continue;
    if (!wheel_) {
      lint.undecided.push_back({text_of(use, std::nullopt), {"--wheel"}, places.of(use)});
      continue;
    }
    ++lint.decided;
    if (breaks(use, *wheel_)) lint.findings.push_back({text_of(use, wheel_), "", {places.of(use)}});
  }
  return lint;
}

Lint ReadLints::deprecated(const std::vector<corpus::ApiUse>& uses, const std::string& text) const {
  Lint lint{"api-deprecated",
            "the wheel does not warn about a name that the source uses",
            "write the new name",
            Severity::warning,
            0,
            {},
            {}};
  Places places(text);
  for (const corpus::ApiUse& use : uses) {
    if (!use.change->deprecated) continue;
    if (!wheel_) {
      lint.undecided.push_back({text_of(use, std::nullopt), {"--wheel"}, places.of(use)});
      continue;
    }
    ++lint.decided;
    if (*wheel_ >= *use.change->deprecated && !breaks(use, *wheel_))
      lint.findings.push_back({text_of(use, wheel_), "", {places.of(use)}});
  }
  return lint;
}

/// The wheels that have every name that the source uses, as a fact: from the latest release that brought one,
/// before the first that took one away.
void ReadLints::add_range(const std::vector<corpus::ApiUse>& uses, const std::string& text,
                          evidence::Reading& reading) const {
  const corpus::ApiUse *from = nullptr, *before = nullptr;
  for (const corpus::ApiUse& use : uses) {
    if (use.change->since && (!from || *use.change->since > *from->change->since)) from = &use;
    if (use.change->removed && (!before || *use.change->removed < *before->change->removed)) before = &use;
  }
  if (!from && !before) return;
  evidence::Fact fact;
  fact.family = evidence::Family::H4;
  fact.kind = "wheel-range";
  fact.subject = "nvidia-cutlass-dsl";
  fact.optional = true;
  fact.at = Places(text).of(from ? *from : *before);
  if (from) {
    fact.values["from"] = evidence::literal(from->change->since->text());
    fact.says = "wheels from " + from->change->since->text() + ", which has " + from->name;
  }
  if (before) {
    fact.values["before"] = evidence::literal(before->change->removed->text());
    fact.says += std::string(from ? "; " : "wheels ") + "before " + before->change->removed->text() +
                 ", which no longer has " + before->name;
  }
  reading.facts.push_back(std::move(fact));
}

void ReadLints::apply(evidence::Reading& reading, const std::string& source) const {
  if (!changes_ || reading.files.empty() || reading.language != "cute-dsl") return;
  const auto uses = changes_->uses_in(source);
  if (wheel_) {
    reading::LintTarget target{arguments_.get("--arch"), wheel_->text(), std::nullopt};
    for (const corpus::ApiUse& use : uses)
      if (!use.change->rule.empty()) {
        const auto& in = use.change->rule_releases;
        target.bulk_copy_elects = std::find(in.begin(), in.end(), *wheel_) != in.end();
      }
    reading::run_lints(reading, target);
  }
  add_range(uses, source, reading);
  reading.lints.push_back(missing(uses, source));
  reading.lints.push_back(deprecated(uses, source));
}

bool ReadLints::fails(const evidence::Reading& reading) const {
  const std::string asked = arguments_.get("--fail-on");
  if (asked.empty()) return false;
  const Severity least = asked == "error" ? Severity::error : Severity::warning;
  for (const Lint& lint : reading.lints)
    if (lint.severity >= least && !lint.findings.empty()) return true;
  return false;
}

}  // namespace cutelab::cli
