#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cutelab::knowledge {

/// A YAML value as plain data with the line it stands on. Anchors and aliases are resolved away by refusing
/// them: front matter has no use for them, and they are how small files become huge trees.
struct Yaml {
  Yaml();  // in yaml.cc: clang needs the whole type for it

  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string scalar;
  std::vector<Yaml> items;                            ///< of a list
  std::vector<std::pair<std::string, Yaml>> members;  ///< of a map, in the order of the file
  int line = 0;                                       ///< 1-based line of the file it came from

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  /// The member of that name, or nullptr.
  const Yaml* find(const std::string& key) const;
};

/// `text` starts on line `first_line` of `path`. Errors (kind input) with file:line: not YAML, a key given
/// twice, a key that is not a word, anchors or aliases, nesting deeper than 32, more than 10,000 values.
Result<Yaml> parse_yaml(const std::string& text, const std::string& path, int first_line);

/// `text` as a YAML scalar on one line, quoted when it has to be. parse_yaml() of it gives `text` back.
std::string yaml_scalar(const std::string& text);

}  // namespace cutelab::knowledge
