#include "corpus/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

/// Scores one example against a query and says why.
class Scorer {
 public:
  Scorer(const Query& query, const Workspace& w, const Goal* goal, const Category* category)
      : query_(query), w_(w), goal_(goal), category_(category) {
    for (const std::string& word : query.words)
      for (const std::string& part : split_words(word, WordSplit::keep_digits)) words_.push_back(part);
  }

  /// Nothing when a condition is not met.
  std::optional<Hit> score(int i) const {
    const Example& e = w_.catalog->examples()[static_cast<std::size_t>(i)];
    if (!e.relevant) return std::nullopt;
    if (e.layer == Layer::helper && !query_.helpers && words_.empty()) return std::nullopt;
    Hit hit;
    hit.example = i;
    if (!by_category(e, hit) || !by_pattern(e, hit) || !by_arch(e, hit) || !by_dtype(e, hit) ||
        !by_words(e, hit) || !by_goal(e, hit))
      return std::nullopt;
    by_form(e, hit);
    return hit;
  }

 private:
  static void add(Hit& hit, double points, std::string reason) {
    hit.score += points;
    hit.reasons.push_back(std::move(reason));
  }

  bool by_category(const Example& e, Hit& hit) const {
    if (!category_) return true;
    const auto it = std::find(e.categories.begin(), e.categories.end(), category_->id);
    if (it == e.categories.end()) return false;
    const auto place = static_cast<double>(it - e.categories.begin());
    add(hit, 10 - 2 * place, place < 1 ? category_->title : "also " + category_->title);
    return true;
  }

  bool by_pattern(const Example& e, Hit& hit) const {
    if (query_.pattern.empty()) return true;
    if (!has(e.patterns, query_.pattern)) return false;
    for (const SignalHit& s : e.facts->signals) {
      const int i = w_.signals.find(s.seen);
      if (i < 0 || !has(w_.signals[i].patterns, query_.pattern)) continue;
      add(hit, 6, fmt::format("{}: {} at line {}", query_.pattern, s.seen, s.line));
      return true;
    }
    return true;
  }

  bool by_arch(const Example& e, Hit& hit) const {
    if (!query_.arch) return true;
    const std::string folder = w_.archs.folder_of(query_.arch->arch);
    const bool native = !folder.empty() && e.generation == folder;
    const Runs runs = w_.catalog->runs_on(e, query_.arch->arch).runs;
    if (runs == Runs::no) return false;
    if (native)
      add(hit, 6, "made for " + query_.arch->name);
    else if (runs == Runs::yes)
      add(hit, 1, fmt::format("runs on {} ({})", query_.arch->name, e.arch.minimum));
    return native || runs == Runs::yes;
  }

  bool by_dtype(const Example& e, Hit& hit) const {
    for (const std::string& dtype : query_.dtypes) {
      if (!has(e.dtypes, dtype)) return false;
      add(hit, 2, "uses " + dtype);
    }
    return true;
  }

  bool by_words(const Example& e, Hit& hit) const {
    if (words_.empty()) return true;
    const auto name = split_words(stem_of(e.path()), WordSplit::keep_digits);
    const auto folder = split_words(folder_of_path(e.path()), WordSplit::keep_digits);
    const auto summary = split_words(e.facts->summary, WordSplit::keep_digits);
    int found = 0;
    for (const std::string& word : words_) {
      const double before = hit.score;
      const auto prefix = [&](const std::string& w) { return w.starts_with(word); };
      if (has(name, word))
        add(hit, 5, fmt::format("'{}' in its name", word));
      else if (std::any_of(name.begin(), name.end(), prefix))
        add(hit, 4, fmt::format("'{}…' in its name", word));
      else if (has(folder, word))
        add(hit, 3, fmt::format("'{}' in its folder", word));
      else
        word_in_content(e, word, summary, hit);
      found += hit.score > before;
    }
    return found * 2 >
           static_cast<int>(
               words_.size());  // more than half of the words, so that one odd word does not hide all
  }

  void word_in_content(const Example& e, const std::string& word, const std::vector<std::string>& summary,
                       Hit& hit) const {
    if (has(summary, word)) return add(hit, 3, fmt::format("'{}' in its summary", word));
    for (const SignalHit& s : e.facts->signals)
      if (to_lower(s.seen).find(word) != std::string::npos)
        return add(hit, 2, fmt::format("{} at line {}", s.seen, s.line));
    for (const std::string& construct : e.constructs)
      if (has(split_words(construct, WordSplit::keep_digits), word)) return add(hit, 2, construct);
    for (const std::string& id : e.categories)
      if (has(split_words(w_.taxonomy.category(id)->title, WordSplit::keep_digits), word))
        return add(hit, 2, w_.taxonomy.category(id)->title);
    if (has(e.dtypes, word)) return add(hit, 2, "uses " + word);
    for (const auto* list : {&e.facts->kernels, &e.facts->classes})
      for (const Mention& m : *list)
        if (to_lower(m.name).find(word) != std::string::npos)
          return add(hit, 2, fmt::format("{} at line {}", m.name, m.line));
  }

  bool by_goal(const Example& e, Hit& hit) const {
    if (!goal_) return true;
    const double before = hit.score;
    for (std::size_t i = 0; i < goal_->categories.size(); ++i) {
      const auto it = std::find(e.categories.begin(), e.categories.end(), goal_->categories[i]);
      if (it == e.categories.end()) continue;
      const double place = static_cast<double>(it - e.categories.begin());
      add(hit, 7 - 1.5 * static_cast<double>(i) - 0.7 * place,
          w_.taxonomy.category(goal_->categories[i])->title);
      break;
    }
    const auto name = split_words(e.path(), WordSplit::keep_digits);
    for (const std::string& word : goal_->name_words)
      if (has(name, word)) add(hit, 4, fmt::format("'{}' in its name", word));
    for (const std::string& construct : goal_->constructs)
      if (has(e.constructs, construct)) add(hit, 1.5, construct_reason(e, construct));
    if (hit.score <= before) return false;
    for (const std::string& pattern : goal_->patterns)
      if (has(e.patterns, pattern))
        hit.score += 1;
      else
        hit.score -= 0.5;
    return true;
  }

  std::string construct_reason(const Example& e, const std::string& construct) const {
    for (const SignalHit& s : e.facts->signals) {
      const int i = w_.signals.find(s.seen);
      if (i >= 0 && w_.signals[i].construct == construct)
        return fmt::format("{} ({}:{})", construct, s.seen, s.line);
    }
    return construct;
  }

  /// Ties: things that run by themselves, that say what they are, and that are short come first.
  void by_form(const Example& e, Hit& hit) const {
    if (!e.facts->has_main) hit.score -= 1;
    if (e.layer == Layer::helper) hit.score -= 3;
    if (e.layer == Layer::cuda_cpp) hit.score -= 4;  // no CuTe in it to learn from
    if (e.facts->summary.empty()) hit.score -= 0.3;
    if (e.facts->kernels.empty() && e.layer != Layer::notebook) hit.score -= 0.5;
    const double thousands = std::min(6.0, e.facts->lines / 1000.0);
    hit.score -= thousands * (goal_ && goal_->small_first ? 0.8 : 0.15);
  }

  const Query& query_;
  const Workspace& w_;
  const Goal* goal_;
  const Category* category_;
  std::vector<std::string> words_;
};

std::string known_pattern(const std::string& text) {
  const std::string p = text.empty() ? "" : (text[0] == 'p' ? "P" : text.substr(0, 1)) + text.substr(1);
  const auto number = p.size() > 1 && p[0] == 'P' ? parse_integer(p.substr(1)) : std::nullopt;
  return number && *number >= 1 && *number <= 10 ? p : "";
}

}  // namespace

Result<std::vector<Hit>> select(const Query& asked, const Workspace& w) {
  Query query = asked;
  const Goal* goal = nullptr;
  const Category* category = nullptr;
  if (!query.goal.empty()) {
    auto found = w.taxonomy.goal(query.goal);
    if (!found) return found.error();
    goal = *found;
  }
  if (!query.category.empty()) {
    auto found = w.taxonomy.category_named(query.category);
    if (!found) return found.error();
    category = *found;
  }
  if (!query.pattern.empty() && (query.pattern = known_pattern(query.pattern)).empty())
    return Error{ErrorKind::usage, "select --pattern " + asked.pattern, "no such pattern", "",
                 "patterns are P1 to P10"};
  const Scorer scorer(query, w, goal, category);
  std::vector<Hit> hits;
  for (int i = 0; i < static_cast<int>(w.catalog->examples().size()); ++i)
    if (auto hit = scorer.score(i)) {
      const Example& e = w.catalog->examples()[static_cast<std::size_t>(i)];
      if (query.device) {
        hit->runs = w.catalog->runs_on(e, query.device->arch);
        const bool native = e.generation == w.archs.folder_of(query.device->arch);
        hit->score += hit->runs.runs == Runs::yes ? (native ? 3 : 2) : hit->runs.runs == Runs::no ? -2 : 0;
      }
      hits.push_back(std::move(*hit));
    }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  return hits;
}

namespace {

bool uses_tensor_cores(const Example& e) {
  return std::any_of(e.constructs.begin(), e.constructs.end(),
                     [](const std::string& c) { return c == "wgmma" || c.ends_with("MMA"); });
}

}  // namespace

int nearest_runnable(const Example& e, Arch device, const Catalog& catalog) {
  const auto name = split_words(stem_of(e.path()), WordSplit::letters);
  int best = -1;
  double best_score = 0;
  for (int i = 0; i < static_cast<int>(catalog.examples().size()); ++i) {
    const Example& other = catalog.examples()[static_cast<std::size_t>(i)];
    if (&other == &e || !other.relevant || other.layer == Layer::helper || other.categories.empty()) continue;
    double score = 0;
    for (std::size_t k = 0; k < e.categories.size(); ++k)
      if (const auto it = std::find(other.categories.begin(), other.categories.end(), e.categories[k]);
          it != other.categories.end())
        score += 4.0 / static_cast<double>(k + 1) + (k == 0 && it == other.categories.begin() ? 2 : 0);
    if (score == 0) continue;
    for (const std::string& word : split_words(stem_of(other.path()), WordSplit::letters))
      score += has(name, word) ? 1 : -0.2;
    for (const std::string& construct : e.constructs) score += has(other.constructs, construct) ? 0.3 : 0;
    if (other.generation == catalog.archs().folder_of(device)) score += 2;
    if (uses_tensor_cores(e)) score += uses_tensor_cores(other) ? 1 : -2;
    if (other.facts->language == e.facts->language) score += 2;
    if (other.corpus == e.corpus) score += 1;
    if (!other.facts->has_main) score -= 1;
    if (score > best_score && catalog.runs_on(other, device).runs == Runs::yes) {
      best_score = score;
      best = i;
    }
  }
  return best;
}

}  // namespace cutelab::corpus
