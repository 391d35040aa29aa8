#include "corpus/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "corpus/derive.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

bool is_cute_source(const FileFacts& f) {
  if (!f.kernels.empty() || !f.jits.empty()) return true;
  return std::any_of(f.imports.begin(), f.imports.end(), [](const Mention& m) {
    const std::string_view name = m.name;
    return name.starts_with("cutlass") || name.starts_with("cute/") || name.starts_with("cutlass/");
  });
}

/// CUTLASS names the headers that build on CuTe .hpp; those of the 2.x kernels end in .h.
bool includes_cute(const FileFacts& f) {
  return std::any_of(f.imports.begin(), f.imports.end(), [](const Mention& m) {
    const std::string_view name = m.name;
    return name.starts_with("cute/") || (name.starts_with("cutlass/") && name.ends_with(".hpp"));
  });
}

}  // namespace

std::string generation_of_path(std::string_view path, const ArchFacts& archs) {
  auto components = split(path, '/');
  std::reverse(components.begin(), components.end());
  for (const std::string_view component : components) {
    const auto words = split_words(component, WordSplit::keep_digits);
    std::string best;
    for (const Target& t : archs.targets())
      for (const std::string& folder : t.folders) {
        if (folder.size() > best.size() &&
            contains_sequence(words, split_words(folder, WordSplit::keep_digits)))
          best = folder;
        if (best.empty() &&
            std::find(words.begin(), words.end(), fmt::format("sm{}", t.native.sm)) != words.end())
          best = folder;
      }
    if (!best.empty()) return best;
  }
  return "";
}

Catalog::Catalog(std::vector<CorpusView> corpora, const Taxonomy& taxonomy, const SignalTable& signals,
                 const ArchFacts& archs)
    : corpora_(std::move(corpora)), taxonomy_(taxonomy), signals_(signals), archs_(archs) {
  for (std::size_t c = 0; c < corpora_.size(); ++c) {
    by_path_.emplace_back();
    for (const FileFacts& facts : corpora_[c].index.files) {
      Example e;
      e.corpus = static_cast<int>(c);
      e.facts = &facts;
      e.generation = generation_of_path(facts.path, archs_);
      e.layer = layer_of(facts);
      e.categories = taxonomy_.categories_of(facts.path);
      derive_from_signals(e, signals_);
      e.arch = need_of(e, signals_, archs_);
      by_path_.back().emplace(facts.path, static_cast<int>(examples_.size()));
      examples_.push_back(std::move(e));
    }
  }
  link_imports();
  mark_relevant();
  tell_cute_from_cuda();
  for (Example& e : examples_) {
    // What an example runs may lie in its helpers. A helper by itself runs nothing: a module of utilities for
    // every generation that it imports says nothing about it.
    if (e.facts->kernels.empty() && e.layer != Layer::helper)
      for (const int i : transitive_imports(e)) {
        const Example& helper = examples_[static_cast<std::size_t>(i)];
        const auto level = [](const std::string& minimum) {
          const auto a = parse_arch(minimum);
          return a ? a->sm : 0;
        };
        if (helper.arch.deciding_feature.empty() || level(helper.arch.minimum) <= level(e.arch.minimum))
          continue;
        e.arch = helper.arch;
        if (e.arch.file.empty()) e.arch.file = helper.path();
      }
    settle_need(e, archs_);
  }
}

int Catalog::resolve_import(const Example& from, const std::string& module) const {
  const auto& paths = by_path_[static_cast<std::size_t>(from.corpus)];
  const bool cpp = from.facts->language == Language::cuda_cpp;
  std::string relative = cpp ? module : replace_all(module, ".", "/");
  while (!cpp && relative.starts_with("/")) relative.erase(0, 1);
  if (relative.empty()) return -1;
  std::string_view folder = folder_of_path(from.path());
  for (;;) {
    const std::string base = normalized(folder.empty() ? relative : std::string(folder) + "/" + relative);
    for (const char* ending : {"", ".py", "/__init__.py"}) {
      const auto it = paths.find(base + ending);
      if (it != paths.end() && it->second != index_of(from)) return it->second;
      if (cpp) break;
    }
    if (folder.empty()) return -1;
    folder = folder_of_path(folder);
  }
}

void Catalog::link_imports() {
  for (Example& e : examples_)
    for (const Mention& m : e.facts->imports) {
      const int target = resolve_import(e, m.name);
      if (target < 0 || std::find(e.imports.begin(), e.imports.end(), target) != e.imports.end()) continue;
      e.imports.push_back(target);
      examples_[static_cast<std::size_t>(target)].imported_by.push_back(index_of(e));
    }
}

void Catalog::mark_relevant() {
  for (Example& e : examples_) e.relevant = is_cute_source(*e.facts);
  for (Example& e : examples_) {
    if (!e.relevant) continue;
    for (const int i : transitive_imports(e)) examples_[static_cast<std::size_t>(i)].relevant = true;
  }
}

void Catalog::tell_cute_from_cuda() {
  for (Example& e : examples_) {
    if (e.layer != Layer::cute_cpp || includes_cute(*e.facts)) continue;
    const auto reached = transitive_imports(e);
    if (std::none_of(reached.begin(), reached.end(),
                     [&](int i) { return includes_cute(*examples_[static_cast<std::size_t>(i)].facts); }))
      e.layer = Layer::cuda_cpp;
  }
}

const Example* Catalog::find(int corpus, std::string_view path) const {
  const auto& paths = by_path_[static_cast<std::size_t>(corpus)];
  const auto it = paths.find(path);
  return it == paths.end() ? nullptr : &examples_[static_cast<std::size_t>(it->second)];
}

std::string Catalog::full_path(const Example& e) const {
  return corpora_[static_cast<std::size_t>(e.corpus)].root + "/" + e.path();
}

namespace {

std::vector<int> reach(const std::vector<Example>& examples, int from, std::vector<int> Example::*edges) {
  std::vector<int> order, todo = {from};
  std::vector<bool> seen(examples.size(), false);
  seen[static_cast<std::size_t>(from)] = true;
  while (!todo.empty()) {
    const int at = todo.back();
    todo.pop_back();
    for (const int next : examples[static_cast<std::size_t>(at)].*edges) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      order.push_back(next);
      todo.push_back(next);
    }
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<int> Catalog::transitive_imports(const Example& e) const {
  if (e.imports.empty()) return {};
  return reach(examples_, index_of(e), &Example::imports);
}

std::vector<int> Catalog::run_by(const Example& e) const {
  if (e.imported_by.empty()) return {};
  std::vector<int> runners;
  for (const int i : reach(examples_, index_of(e), &Example::imported_by))
    if (examples_[static_cast<std::size_t>(i)].facts->has_main) runners.push_back(i);
  return runners;
}

RunsVerdict Catalog::runs_on(const Example& e, Arch device) const {
  if (e.arch.minimum.empty()) return {Runs::unknown, "nothing in the source tells the architecture"};
  const auto& release = corpora_[static_cast<std::size_t>(e.corpus)].release;
  const auto missing = [&](const std::vector<std::string>& features) -> const Feature* {
    const Feature* worst = nullptr;
    for (const std::string& id : features) {
      const Feature* f = archs_.feature(id);
      if (f && !archs_.accepts(*f, device, release) && (!worst || id == e.arch.deciding_feature)) worst = f;
    }
    return worst;
  };
  if (e.arch.deciding_feature.empty()) {
    const auto minimum = parse_arch(e.arch.minimum);
    const bool enough =
        minimum && device.sm >= minimum->sm && (!e.arch.assumed || device.sm / 10 == minimum->sm / 10);
    if (e.arch.assumed && !enough) return {Runs::unknown, e.arch.reason};
    return {enough ? Runs::yes : Runs::no, e.arch.reason};
  }
  const Feature* lacking = missing(e.arch.features);
  if (!lacking) return {Runs::yes, e.arch.reason};
  if (!e.arch.instead.empty() && !missing(e.arch.instead))
    return {Runs::yes, "serves several generations; uses " + join(e.arch.instead, ", ") + " here"};
  std::string why = fmt::format("needs {}", lacking->title);
  if (lacking->id == e.arch.deciding_feature && e.arch.line)
    why += fmt::format(" ({}:{})", basename_of(e.arch.file.empty() ? e.path() : e.arch.file), e.arch.line);
  why += lacking->only.empty() ? fmt::format(", {} or later", lacking->minimum) : "; " + lacking->only;
  if (archs_.accepts(*lacking, device, std::nullopt))
    why = fmt::format("{} is let through for {} only by a later CuTe DSL than {}", lacking->title,
                      device.text(), release ? release->text() : "this one");
  return {Runs::no, why};
}

}  // namespace cutelab::corpus
