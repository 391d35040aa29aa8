#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cutelab::kernel {

/// One problem parameter of a kernel, declared once: flags, help, legality and JSON come from this alone.
struct ParameterSpec {
  std::string name;        ///< "h"; the flag is --h=…
  std::string meaning;     ///< "hidden size: elements of a row"
  std::string otherwise;   ///< default, as one writes it on the command line
  std::int64_t least = 1;  ///< legal range of a number, inclusive
  std::int64_t most = INT64_MAX;
  std::vector<std::string> choices;  ///< a word instead of a number, one of these
  bool tuples = false;               ///< tuples of whole numbers instead of one: "(64,8),(32,8)"
  bool is_word() const { return !choices.empty(); }
  std::string range_text() const;  ///< "1 … 65536", "bf16 | fp16"
};

/// Whether a text is a list of tuples of whole numbers, all of one length, perhaps in brackets.
bool are_tuples(const std::string& text);

/// Legal values of one problem: a number or a word per parameter. Printable, ordered by name.
class Params {
 public:
  std::int64_t number(const std::string& name) const { return numbers_.at(name); }
  const std::string& word(const std::string& name) const { return words_.at(name); }
  void set(const std::string& name, std::int64_t value) { numbers_[name] = value; }
  void set(const std::string& name, std::string value) { words_[name] = std::move(value); }
  std::map<std::string, std::string> texts() const;
  std::string text() const;  ///< "b=8192 dtype=bf16 h=8192"

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::map<std::string, std::string> words_;
};

/// Defaults overridden by `given` (name, text). Errors (kind usage) name the parameter, its range and the
/// nearest spelling.
Result<Params> parse_parameters(const std::string& kernel, const std::vector<ParameterSpec>& specs,
                                const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace cutelab::kernel
