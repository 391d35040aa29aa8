#include "corpus/modules.h"

#include <algorithm>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

// Importing a parent package would run its code, so only the first part goes through find_spec; the rest is
// searched for as files. Says for each word "standard", "found" or "missing".
constexpr const char* look_up = R"(
import importlib.machinery as machinery, importlib.util as util, os, sys
endings = machinery.all_suffixes()
def inside(folders, parts):
    if not parts:
        return True
    for folder in folders:
        base = os.path.join(folder, parts[0])
        if os.path.isdir(base) and inside([base], parts[1:]):
            return True
        if len(parts) == 1 and any(os.path.isfile(base + ending) for ending in endings):
            return True
    return False
for name in sys.argv[1:]:
    parts = name.split(".")
    if parts[0] in sys.stdlib_module_names:
        print("standard")
        continue
    try:
        spec = util.find_spec(parts[0])
    except Exception:
        spec = None
    folders = list(spec.submodule_search_locations or []) if spec else []
    print("found" if spec and inside(folders, parts[1:]) else "missing")
)";

/// Modules alone: `from a import b` is indexed as "a" and "a.b", and b may be any name.
std::vector<Mention> modules_of(const FileFacts& facts) {
  std::vector<Mention> out;
  for (const Mention& m : facts.imports) {
    const auto dot = m.name.rfind('.');
    const std::string_view parent = std::string_view(m.name).substr(0, dot == std::string::npos ? 0 : dot);
    const bool name_in_module =
        std::any_of(facts.imports.begin(), facts.imports.end(),
                    [&](const Mention& other) { return other.line == m.line && other.name == parent; });
    if (!m.name.empty() && m.name.front() != '.' && !name_in_module) out.push_back(m);
  }
  return out;
}

/// Whether a module that the corpus itself holds is meant.
bool is_local(const Example& e, const Mention& module, const Catalog& catalog) {
  const std::string as_path = replace_all(module.name, ".", "/");
  for (const int i : catalog.transitive_imports(e)) {
    const std::string& path = catalog.examples()[static_cast<std::size_t>(i)].path();
    if (path.ends_with("/" + as_path + ".py") || path == as_path + ".py" ||
        path.find("/" + as_path + "/") != std::string::npos || path.starts_with(as_path + "/"))
      return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<ThirdParty>> third_party(const Example& e, const Catalog& catalog,
                                                   const ProcessRunner& processes) {
  std::vector<ThirdParty> out;
  std::vector<Mention> asked;
  std::vector<std::string> words = {"python3", "-c", look_up};
  for (const Mention& m : modules_of(*e.facts)) {
    if (is_local(e, m, catalog)) continue;
    asked.push_back(m);
    words.push_back(m.name);
  }
  if (asked.empty()) return out;
  const auto done = processes.run(words);
  if (!done || !done->succeeded()) return std::nullopt;
  const auto answers = split(trim(done->out), '\n');
  if (answers.size() != asked.size()) return std::nullopt;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (answers[i] != "standard") out.push_back({asked[i].name, asked[i].line, answers[i] == "found"});
  return out;
}

}  // namespace cutelab::corpus
