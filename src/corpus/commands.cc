#include "corpus/commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

std::string note_of(const DocCommand& command, const Example& e, const Catalog& catalog) {
  const std::string asked = normalized(command.path);
  const std::string_view base = basename_of(asked);
  if (base == basename_of(e.path())) {
    const bool right = catalog.full_path(e).ends_with("/" + asked);
    return right ? "" : fmt::format("the docstring says {}, where nothing lies", command.path);
  }
  const auto& all = catalog.examples();
  const bool other = std::any_of(all.begin(), all.end(), [&](const Example& x) {
    return x.corpus == e.corpus && basename_of(x.path()) == base;
  });
  return fmt::format("the docstring names {}, {}", base,
                     other ? "which is another example; its flags may differ" : "which does not exist here");
}

}  // namespace

std::vector<RunCommand> run_commands(const Example& e, const Catalog& catalog) {
  std::vector<RunCommand> out;
  for (const DocCommand& c : e.facts->commands) {
    std::string text = c.text;
    const auto at = text.find(c.path);
    if (at == std::string::npos) continue;
    text.replace(at, c.path.size(), catalog.full_path(e));
    const auto start = text.find_first_not_of("$ ");  // a shell prompt before the command
    out.push_back(
        {start == std::string::npos ? text : text.substr(start), c.path, c.line, note_of(c, e, catalog)});
  }
  return out;
}

}  // namespace cutelab::corpus
