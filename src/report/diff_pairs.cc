#include "report/diff_pairs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"

namespace cutelab::report {
namespace {

/// What a name says without the words that every such name carries: "self.num_ab_stage" and "ab_stage" ->
/// "ab".
std::string meaning(const std::string& name) {
  static const std::set<std::string> carriers = {
      "self",  "num",   "ptr",    "array",  "pipeline", "mbar", "barrier", "bar",   "smem", "storage",
      "shape", "stage", "stages", "tensor", "tma",      "atom", "mn",      "mnk",   "mkl",  "nkl",
      "mnl",   "s",     "g",      "m",      "mnkl",     "the",  "layout",  "staged"};
  std::set<std::string> words;
  std::string word;
  const auto put = [&] {
    if (!word.empty() && !carriers.count(word)) words.insert(word == "tiler" ? "tile" : word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (!std::isalnum(c)) {
      put();
    } else {
      // sA, mB: the letter of the operand stands alone
      if (std::isupper(c) && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1]))) put();
      word += static_cast<char>(std::tolower(c));
    }
  }
  put();
  return join(std::vector<std::string>(words.begin(), words.end()), " ");
}

/// What a thing is for, by what it says of itself; "" = not told.
std::string purpose(const Difference& d) {
  const std::string& text = d.left.empty() ? d.right : d.left;
  if (d.section == "pipelines") {
    if (text.find("TmaStore") != std::string::npos) return "ring of stores";
    if (text.find("PipelineTma") != std::string::npos || text.find("CpAsync") != std::string::npos)
      return "ring of loads";
    if (text.find("UmmaAsync") != std::string::npos) return "ring of accumulators";
    return "";
  }
  static const std::set<std::string> single = {"MMA", "scheduler", "epilogue", "tensor memory"};
  return single.count(d.section) ? d.section : "";
}

using Key = std::string (*)(const Difference&);

/// Joins entries of one side with the one of the other side that has the same key, where both are alone with
/// it.
void pair_by(std::vector<Difference>& all, Key key) {
  std::map<std::pair<std::string, std::string>, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>>
      groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].left.empty() && !all[i].right.empty()) continue;
    const std::string k = key(all[i]);
    if (k.empty()) continue;
    auto& [lefts, rights] = groups[{all[i].section, k}];
    (all[i].right.empty() ? lefts : rights).push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [where, sides] : groups) {
    const auto& [lefts, rights] = sides;
    if (lefts.size() != 1 || rights.size() != 1) continue;
    Difference &a = all[lefts[0]], &b = all[rights[0]];
    const bool certain = a.left.find('?') == std::string::npos && b.right.find('?') == std::string::npos;
    gone.insert(rights[0]);
    if (!certain || a.left == b.right) {
      gone.insert(lefts[0]);
      continue;
    }
    const auto said = [](const std::string& name, const std::string& text) {
      return text == "yes" ? name : name + ": " + text;
    };
    a.left = said(a.subject, a.left);
    a.right = said(b.subject, b.right);
    a.right_at = b.right_at;
    a.subject = where.second;
  }
  std::vector<Difference> kept;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!gone.count(i)) kept.push_back(std::move(all[i]));
  all = std::move(kept);
}

bool names_things(const std::string& section) {
  static const std::set<std::string> named = {"pipelines", "stages", "shared memory", "TMA", "MMA", "roles"};
  return named.count(section) > 0;
}
}  // namespace

std::vector<Difference> paired(std::vector<Difference> all) {
  pair_by(all,
          [](const Difference& d) { return names_things(d.section) ? meaning(d.subject) : std::string(); });
  pair_by(all, purpose);
  return all;
}

}  // namespace cutelab::report
