#include "corpus/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

const Example& at(const Catalog& catalog, int i) { return catalog.examples()[static_cast<std::size_t>(i)]; }

bool same_name(std::string_view path, std::string_view asked_base) {
  const std::string_view base = basename_of(path);
  if (base == asked_base) return true;
  const std::string_view extension = extension_of(asked_base);
  return extension != ".py" && extension != ".ipynb" && kind_of_file(asked_base) == FileKind::none &&
         to_lower(stem_of(base)) == to_lower(asked_base);
}

bool ends_in(std::string_view path, std::string_view asked) {
  if (!path.ends_with(asked)) return false;
  return path.size() == asked.size() || path[path.size() - asked.size() - 1] == '/';
}

bool is_path_of_a_release(const std::string& asked, const ExampleHistory& history) {
  const auto* spans = history.spans(basename_of(asked));
  if (!spans) return false;
  return std::any_of(spans->begin(), spans->end(), [&](const auto& span) {
    return std::find(span.paths.begin(), span.paths.end(), asked) != span.paths.end();
  });
}

/// The path itself, from the corpus root, from its example tree or whole; or an end of it that no release had
/// as a whole path
/// ("blackwell/dense_gemm.py" is an old path, though today another file's path ends so).
bool is_meant_exactly(const Example& e, const std::string& asked, const Catalog& catalog,
                      const ExampleHistory& history) {
  if (asked.find('/') == std::string::npos) return false;
  const std::string& root = catalog.corpora()[static_cast<std::size_t>(e.corpus)].example_root;
  if (e.path() == asked || e.path() == root + "/" + asked || catalog.full_path(e) == asked) return true;
  return !is_path_of_a_release(asked, history) &&
         (ends_in(e.path(), asked) || ends_in(catalog.full_path(e), asked));
}

std::vector<int> named(const Catalog& catalog, std::string_view base) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(catalog.examples().size()); ++i)
    if (same_name(at(catalog, i).path(), base)) found.push_back(i);
  return found;
}

int shared_words(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<int>(both.size());
}

/// Higher is better: generation asked for, device, shared folder words, ordinary CuTe before the extensions,
/// kernels before helpers.
struct Rank {
  int generation = 0, device = 0, folders = 0, corpus = 0, layer = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

Rank rank_of(const Example& e, const std::string& asked, const std::optional<Device>& device,
             const Catalog& catalog, const ExampleHistory& history) {
  Rank rank;
  const std::string wanted = generation_of_path(folder_of_path(asked), catalog.archs());
  rank.generation = !wanted.empty() && e.generation == wanted;
  if (device) {
    const Runs runs = catalog.runs_on(e, device->arch).runs;
    const bool native = e.generation == catalog.archs().folder_of(device->arch);
    rank.device = runs == Runs::yes ? (native ? 3 : 2) : runs == Runs::unknown ? 1 : 0;
  }
  rank.folders = shared_words(history.folder_names(asked), history.folder_names(e.path()));
  rank.corpus = -e.corpus;
  rank.layer = e.layer == Layer::helper ? 0 : e.layer == Layer::cute || e.layer == Layer::tutorial ? 2 : 1;
  return rank;
}

/// Sorts best first and chooses when something tells the best from the next: the path asked for, or the
/// device.
void choose(Resolution& r, const std::optional<Device>& device, const Catalog& catalog,
            const ExampleHistory& history) {
  std::vector<std::pair<Rank, int>> ranked;
  for (const int i : r.candidates)
    ranked.emplace_back(rank_of(at(catalog, i), r.asked, device, catalog, history), i);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  r.candidates.clear();
  for (const auto& [rank, i] : ranked) r.candidates.push_back(i);
  const bool told = device || r.asked.find('/') != std::string::npos;
  const bool runs = !device || ranked.front().first.device >= 1;
  const bool one_corpus =
      ranked.size() > 1 && ranked[0].first.corpus > ranked[1].first.corpus;  // others come after it
  if (ranked.size() == 1 || (!device && !told && one_corpus) ||
      (told && runs && ranked[0].first > ranked[1].first))
    r.chosen = ranked.front().second;
  if (ranked.size() > 1)
    r.notes.push_back(fmt::format("{} examples are called {}", ranked.size(), basename_of(r.asked)));
}

void say_where(Resolution& r, const Catalog& catalog, const ExampleHistory& history) {
  if (r.chosen < 0 || r.asked.find('/') == std::string::npos) return;
  const Example& e = at(catalog, r.chosen);
  const CorpusView& corpus = catalog.corpora()[static_cast<std::size_t>(e.corpus)];
  std::string_view path = e.path();
  if (!corpus.example_root.empty() && path.starts_with(corpus.example_root))
    path.remove_prefix(corpus.example_root.size() + 1);
  r.notes.insert(r.notes.begin(), fmt::format("you asked for {}; in this checkout ({}) it is {}", r.asked,
                                              checkout_text(corpus, history), path));
}

std::string base_with_extension(std::string_view base) {
  return extension_of(base).empty() || kind_of_file(base) == FileKind::none ? std::string(base) + ".py"
                                                                            : std::string(base);
}

/// Names that took over from `base` or that `base` took over from, present in the corpora.
std::vector<std::pair<std::string, std::string>> other_names(const std::string& base,
                                                             const ExampleHistory& history) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Rename& r : history.renames()) {
    if (r.old_name == base)
      for (const std::string& n : r.new_names)
        names.emplace_back(n, fmt::format("{} is called {} since {} ({})", base, join(r.new_names, " and "),
                                          r.since, r.note));
    if (std::find(r.new_names.begin(), r.new_names.end(), base) != r.new_names.end())
      names.emplace_back(r.old_name,
                         fmt::format("{} exists since {}; before that it was {}", base, r.since, r.old_name));
  }
  return names;
}

Error not_found(const std::string& asked, const Catalog& catalog, const ExampleHistory& history) {
  const std::string base = base_with_extension(basename_of(asked));
  std::vector<std::string> here;
  for (const CorpusView& c : catalog.corpora())
    here.push_back(c.release ? fmt::format("{} ({})", c.name, checkout_text(c, history)) : c.name);
  std::string remedy;
  for (const Rename& r : history.renames())
    if (r.old_name == base)
      remedy = fmt::format("its work is in {} since {}", join(r.new_names, ", "), r.since);
  const std::string when = history.when(base);
  if (!when.empty()) {
    if (remedy.empty()) remedy = "add a checkout of a release that has it: cutelab corpus add DIR";
    return Error{ErrorKind::input, "find the example " + asked,
                 fmt::format("{} is not in {}", base, join(here, ", ")),
                 fmt::format("CUTLASS has it {}", when), remedy};
  }
  std::set<std::string> stems;
  for (const Example& e : catalog.examples())
    if (e.relevant) stems.insert(std::string(stem_of(e.path())));
  for (const auto& [name, spans] : history.files()) stems.insert(std::string(stem_of(name)));
  const auto near = nearest(stem_of(asked), {stems.begin(), stems.end()});
  return Error{
      ErrorKind::input, "find the example " + asked,
      here.empty() ? "there is no corpus to look in" : "no example is called so in " + join(here, ", "), "",
      near ? fmt::format("did you mean {}?", *near)
           : "cutelab select WORDS finds examples by what they teach"};
}

}  // namespace

std::string checkout_text(const CorpusView& corpus, const ExampleHistory& history) {
  const LayoutEpoch* epoch = history.epoch_of(corpus);
  const std::string layout = epoch ? fmt::format("layout {}, {}", epoch->id, epoch->releases) : "";
  const std::string release = corpus.release ? "CUTLASS " + corpus.release->text() : corpus.name;
  return layout.empty() ? release : release + ", " + layout;
}

Result<Resolution> resolve(const std::string& asked, const std::optional<Device>& device,
                           const Catalog& catalog, const ExampleHistory& history) {
  Resolution r;
  r.asked = normalized(asked);
  while (r.asked.starts_with("../")) r.asked.erase(0, 3);
  const std::string base(basename_of(r.asked));
  r.candidates = named(catalog, base);
  std::vector<int> exact;
  for (const int i : r.candidates)
    if (is_meant_exactly(at(catalog, i), r.asked, catalog, history)) exact.push_back(i);
  if (exact.size() == 1) {
    r.chosen = exact.front();
    std::erase(r.candidates, r.chosen);
    r.candidates.insert(r.candidates.begin(), r.chosen);
    return r;
  }
  if (r.candidates.empty())
    for (const auto& [name, note] : other_names(base_with_extension(base), history)) {
      const auto found = named(catalog, name);
      if (!found.empty() && r.notes.empty()) r.notes.push_back(note);
      r.candidates.insert(r.candidates.end(), found.begin(), found.end());
    }
  if (r.candidates.empty()) return not_found(r.asked, catalog, history);
  choose(r, device, catalog, history);
  say_where(r, catalog, history);
  return r;
}

}  // namespace cutelab::corpus
