#include "knowledge/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace cutelab::knowledge {
namespace {
using evidence::Fact;
using evidence::Reading;
using TermsJson = nlohmann::json;

/// Lower-case words, a plural s left out: "Who arrives on the EMPTY barriers?" -> who arrive on the empty
/// barrier.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    if (word.size() > 3 && word.back() == 's' && word[word.size() - 2] != 's') word.pop_back();
    if (!word.empty()) out.push_back(word);
    word.clear();
  };
  for (const char c : to_lower(text)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                        static_cast<unsigned char>(c) >= 0x80;
    if (letter)
      word += c;
    else
      end_word();
  }
  end_word();
  for (std::string& w : out)
    while (!w.empty() && w.back() == '.') w.pop_back();
  return out;
}

bool holds(const std::vector<std::string>& question, const std::vector<std::string>& phrase) {
  return !phrase.empty() &&
         std::search(question.begin(), question.end(), phrase.begin(), phrase.end()) != question.end();
}

std::vector<std::string> strings(const TermsJson& row, const char* name) {
  return row.value(name, std::vector<std::string>());
}

/// Whether the question names what a fact is about: its subject or a part of it, its role.
bool named_by(const std::vector<std::string>& question, const Fact& fact) {
  static const std::set<std::string> common = {"cute",  "self",   "arch", "the",  "pipeline", "cutlass",
                                               "a",     "b",      "copy", "load", "store",    "tile",
                                               "stage", "kernel", "grid", "block"};
  const auto named = [&](const std::string& name) {
    if (name.size() < 2 || common.count(name)) return false;
    return std::find(question.begin(), question.end(), name) != question.end();
  };
  std::string subject = to_lower(fact.subject);
  if (subject.starts_with("self.")) subject = subject.substr(5);
  return named(subject) || named(to_lower(fact.role));
}

std::string text_of(const Fact& fact) {
  std::vector<std::string> values;
  for (const auto& [name, value] : fact.values) {
    std::string one = name + " = " + value.text();
    if (!value.formula.empty() && value.formula != value.text() && value.formula.size() < 60)
      one += " (" + value.formula + ")";
    if (value.text() != "?" || !value.formula.empty()) values.push_back(std::move(one));
  }
  const std::string role = fact.role.empty() ? "" : "in " + fact.role + ": ";
  return role + fact.says + (values.empty() ? "" : "; " + join(values, ", "));
}

void add(Answers& out, std::string text, evidence::Location at) {
  const bool there = std::any_of(out.found.begin(), out.found.end(),
                                 [&](const Answer& a) { return a.text == text && a.at == at; });
  if (!there) out.found.push_back({std::move(text), at});
}
}  // namespace

Result<QuestionTerms> QuestionTerms::load(const FileSource& files, const std::string& data_folder) {
  const std::string path = data_folder + "/question_terms.json";
  const auto text = read_source(files, path);
  if (!text) return text.error();
  const TermsJson json = TermsJson::parse(*text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("topics"))
    return Error{ErrorKind::internal, "load " + path, "is not the table of question terms", path, ""};
  QuestionTerms terms;
  for (const TermsJson& row : json["topics"])
    terms.topics_.push_back({row.value("title", ""), strings(row, "words"), strings(row, "kinds"),
                             strings(row, "patterns"), strings(row, "lints"),
                             row.value("architecture", false), row.value("flags", false),
                             row.value("constraints", false)});
  return terms;
}

std::vector<QuestionTerms::Match> QuestionTerms::topics_of(const std::vector<std::string>& question) const {
  std::vector<Match> out;
  for (const Topic& topic : topics_) {
    Match match{&topic, 0};
    for (const std::string& phrase : topic.words) {
      const auto words = words_of(phrase);
      if (holds(question, words)) match.length = std::max(match.length, words.size() * 100 + phrase.size());
    }
    if (match.length > 0) out.push_back(match);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Match& a, const Match& b) { return a.length > b.length; });
  return out;
}

void QuestionTerms::add_topic(const Topic& topic, const std::vector<std::string>& question,
                              const Reading& reading, Answers& out) {
  if (topic.architecture && !reading.arch.minimum.empty())
    add(out, "from " + reading.arch.minimum + ": " + reading.arch.reason,
        reading.arch.at.empty() ? evidence::Location() : reading.arch.at.front());
  for (const evidence::Lint& lint : reading.lints)
    if (std::find(topic.lints.begin(), topic.lints.end(), lint.id) != topic.lints.end())
      for (const auto& finding : lint.findings)
        add(out, fmt::format("{} {}: {}", name_of(lint.severity), lint.id, finding.message),
            finding.at.empty() ? evidence::Location() : finding.at.front());
  for (const std::string& id : topic.patterns)
    for (const auto& p : reading.patterns)
      if (p.id == id)
        add(out, fmt::format("{} {}: {}", p.title, p.present ? "present" : "absent", p.says),
            p.at.empty() ? evidence::Location() : p.at.front());
  for (const bool named : {true, false})
    for (const std::string& kind : topic.kinds)
      for (const Fact& fact : reading.facts)
        if (fact.kind == kind && named_by(question, fact) == named && (named || !fact.optional))
          add(out, text_of(fact), fact.at);
  if (topic.flags)
    for (const auto& flag : reading.flags)
      add(out, fmt::format("{} = {}: {}", flag.name, flag.default_value.text(), flag.help), flag.at);
  if (topic.constraints)
    for (const auto& rule : reading.constraints) add(out, rule.text, rule.at);
}

Answers QuestionTerms::answer(const std::string& question, const Reading& reading) const {
  Answers out;
  const auto words = words_of(question);
  for (const Match& match : topics_of(words)) {
    const std::size_t before = out.found.size();
    add_topic(*match.topic, words, reading, out);
    if (out.found.size() > before) out.topics.push_back(match.topic->title);
  }
  for (const Fact& fact : reading.facts)
    if (named_by(words, fact) && !fact.optional) add(out, text_of(fact), fact.at);
  return out;
}

}  // namespace cutelab::knowledge
