#include "report/footnotes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/columns.h"

namespace cutelab::report {

Footnotes::Footnotes(const std::vector<std::string>& said) {
  constexpr std::size_t worth_a_note = 24;  // a shorter reason is read faster than its number is looked up
  for (const std::string& reason : said)
    if (reason.size() > worth_a_note && std::count(said.begin(), said.end(), reason) > 1 &&
        std::find(notes_.begin(), notes_.end(), reason) == notes_.end())
      notes_.push_back(reason);
}

std::string Footnotes::mark(const std::string& reason) const {
  const auto it = std::find(notes_.begin(), notes_.end(), reason);
  return it == notes_.end() ? reason : fmt::format("[{}]", it - notes_.begin() + 1);
}

std::string Footnotes::within(std::string text) const {
  for (const std::string& note : notes_) {
    const auto colon = note.find(": ");
    for (const std::string& part : {note, colon == std::string::npos ? note : note.substr(colon + 2)})
      text = replace_all(text, part, mark(note));
  }
  return text;
}

std::string Footnotes::legend(int width) const {
  std::string out;
  for (const std::string& note : notes_) out += render::paragraph(mark(note) + " " + printable(note), width);
  return out;
}

}  // namespace cutelab::report
