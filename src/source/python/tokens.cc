#include "source/python/tokens.h"

#include <array>
#include <cstring>

namespace cutelab::source::python {
namespace {
struct Word {
  std::string_view text;
  Tok token;
};
constexpr std::array<Word, 40> words = {{{"print", Tok::word_print},
                                         {"exec", Tok::word_exec},
                                         {"type", Tok::word_type},
                                         {"match", Tok::word_match},
                                         {"case", Tok::word_case},
                                         {"async", Tok::word_async},
                                         {"await", Tok::word_await},
                                         {"and", Tok::k_and},
                                         {"as", Tok::k_as},
                                         {"assert", Tok::k_assert},
                                         {"break", Tok::k_break},
                                         {"class", Tok::k_class},
                                         {"continue", Tok::k_continue},
                                         {"def", Tok::k_def},
                                         {"del", Tok::k_del},
                                         {"elif", Tok::k_elif},
                                         {"else", Tok::k_else},
                                         {"except", Tok::k_except},
                                         {"finally", Tok::k_finally},
                                         {"for", Tok::k_for},
                                         {"from", Tok::k_from},
                                         {"global", Tok::k_global},
                                         {"if", Tok::k_if},
                                         {"import", Tok::k_import},
                                         {"in", Tok::k_in},
                                         {"is", Tok::k_is},
                                         {"lambda", Tok::k_lambda},
                                         {"nonlocal", Tok::k_nonlocal},
                                         {"not", Tok::k_not},
                                         {"or", Tok::k_or},
                                         {"pass", Tok::k_pass},
                                         {"raise", Tok::k_raise},
                                         {"return", Tok::k_return},
                                         {"try", Tok::k_try},
                                         {"while", Tok::k_while},
                                         {"with", Tok::k_with},
                                         {"yield", Tok::k_yield},
                                         {"True", Tok::k_true},
                                         {"False", Tok::k_false},
                                         {"None", Tok::k_none}}};

/// Open addressing over length and two letters, built by the compiler.
constexpr std::size_t slots = 256;
constexpr std::size_t slot_of(std::string_view word) {
  return (static_cast<std::size_t>(word[0]) * 7 + static_cast<std::size_t>(word[1]) * 31 + word.size() * 97) %
         slots;
}
constexpr std::array<std::uint8_t, slots> word_table() {
  std::array<std::uint8_t, slots> table = {};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t at = slot_of(words[i].text);
    while (table[at] != 0) at = (at + 1) % slots;
    table[at] = static_cast<std::uint8_t>(i + 1);
  }
  return table;
}
constexpr auto table = word_table();
constexpr std::size_t longest = 8;
}  // namespace

Tok word_token(std::string_view word) {
  if (word.size() < 2 || word.size() > longest) return Tok::name;
  for (std::size_t at = slot_of(word); table[at] != 0; at = (at + 1) % slots) {
    const Word& known = words[table[at] - 1u];
    if (known.text == word) return known.token;
  }
  return Tok::name;
}

}  // namespace cutelab::source::python
