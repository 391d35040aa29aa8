#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "corpus/select.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

/// How often a section holds a word; longer words that start with it count too ("make_tiled_tma_atom" finds
/// its _A form).
int count_of(const DocSection& section, const std::string& word) {
  auto it = std::lower_bound(section.words.begin(), section.words.end(), word,
                             [](const auto& entry, const std::string& w) { return entry.first < w; });
  int count = 0;
  for (; it != section.words.end() && it->first.starts_with(word); ++it) {
    count += it->second;
    if (word.size() < 5) break;
  }
  return count;
}

/// Sections of all corpora in one list, with how many of them hold each wanted word.
double score_of(const DocPage& page, const DocSection& section, const std::vector<std::string>& words,
                const std::vector<int>& holders, int sections) {
  double score = 0;
  const auto title = split_words(section.title, WordSplit::keep_digits);
  const auto name = split_words(page.path, WordSplit::keep_digits);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int count = count_of(section, words[i]);
    const bool in_title = std::find(title.begin(), title.end(), words[i]) != title.end() ||
                          to_lower(section.title).find(words[i]) != std::string::npos;
    if (count == 0 && !in_title) continue;
    const double rarity = std::log(1.0 + static_cast<double>(sections) / (1.0 + holders[i]));
    const double length = std::sqrt(30.0 + static_cast<double>(section.words.size())) / 8.0;
    score += rarity * ((1.0 + std::log(1.0 + count)) / length + (in_title ? 3.0 : 0.0) +
                       (std::find(name.begin(), name.end(), words[i]) != name.end() ? 1.0 : 0.0));
  }
  return score;
}

template <class Visit>
void each_section(const Catalog& catalog, Visit visit) {
  for (std::size_t c = 0; c < catalog.corpora().size(); ++c)
    for (const DocPage& page : catalog.corpora()[c].index.pages)
      for (const DocSection& section : page.sections) visit(static_cast<int>(c), page, section);
}

}  // namespace

std::vector<SeeAlso> find_docs(const std::vector<std::string>& asked, const Catalog& catalog,
                               std::size_t limit) {
  std::vector<std::string> words;
  for (const std::string& text : asked)
    for (std::string& word : [&] {
           std::vector<std::string> parts;
           for (const std::string_view part : split(text, ' '))
             if (!trim(part).empty()) parts.push_back(to_lower(part.substr(part.rfind('.') + 1)));
           return parts;
         }())
      words.push_back(std::move(word));
  std::vector<int> holders(words.size(), 0);
  int sections = 0;
  each_section(catalog, [&](int, const DocPage&, const DocSection& s) {
    ++sections;
    for (std::size_t i = 0; i < words.size(); ++i) holders[i] += count_of(s, words[i]) > 0;
  });
  std::vector<SeeAlso> found;
  each_section(catalog, [&](int corpus, const DocPage& page, const DocSection& s) {
    const double score = score_of(page, s, words, holders, sections);
    if (score > 0) found.push_back({corpus, page.path, s.title, s.line, score});
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  if (found.size() > limit) found.resize(limit);
  return found;
}

namespace {

/// How well a page suits an example: its own folder's README, then the pages of its language.
double closeness(const SeeAlso& s, const Example& e) {
  if (s.corpus != e.corpus) return 0.3;
  if (!folder_of_path(e.path()).empty() && folder_of_path(s.page) == folder_of_path(e.path())) return 2.5;
  const bool cpp = e.facts->language == Language::cuda_cpp;
  const bool cpp_page = s.page.find("docs/cpp") != std::string::npos;
  const bool dsl_page =
      s.page.find("docs/pythonDSL") != std::string::npos || s.page.find("CuTeDSL") != std::string::npos;
  return cpp == cpp_page && cpp != dsl_page ? 1.0 : 0.35;
}

}  // namespace

std::optional<SeeAlso> see_also(const Example& e, const std::vector<std::string>& preferred,
                                const Catalog& catalog) {
  std::vector<std::string> words;
  for (const SignalHit& hit : e.facts->signals) {
    const int i = catalog.signals().find(hit.seen);
    if (i < 0 || catalog.signals()[i].construct.empty()) continue;
    const bool wanted = preferred.empty() || std::find(preferred.begin(), preferred.end(),
                                                       catalog.signals()[i].construct) != preferred.end();
    if (wanted) words.push_back(hit.seen);
  }
  auto found = find_docs(words, catalog, 40);
  if (found.empty()) return std::nullopt;
  for (SeeAlso& s : found) s.score *= closeness(s, e);
  return *std::max_element(found.begin(), found.end(),
                           [](const auto& a, const auto& b) { return a.score < b.score; });
}

}  // namespace cutelab::corpus
