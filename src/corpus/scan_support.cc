#include "corpus/scan_support.h"

#include <algorithm>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {

const char* name_of(Language language) {
  switch (language) {
    case Language::cute_dsl:
      return "cute-dsl";
    case Language::cuda_cpp:
      return "cute-cpp";
    case Language::notebook:
      return "notebook";
    case Language::other:
      return "other";
  }
  return "other";
}

FileKind kind_of_file(std::string_view path) {
  const std::string_view extension = extension_of(path);
  if (extension == ".py" || extension == ".cu" || extension == ".cuh" || extension == ".hpp" ||
      extension == ".h")
    return FileKind::source;
  if (extension == ".ipynb") return FileKind::notebook;
  if (extension == ".md" || extension == ".rst") return FileKind::page;
  return FileKind::none;
}

std::string_view Cursor::identifier() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_identifier_part(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Cursor::quoted(bool triple) {
  const char quote = peek();
  const char closing[] = {quote, quote, quote};
  const std::string_view whole(closing, triple ? 3 : 1);
  advance(whole.size());
  const std::size_t begin = at_;
  const auto tells_nothing = [quote](char c) { return c != quote && c != '\\' && c != '\n'; };
  while (!done()) {
    const char c = text_[at_];
    if (tells_nothing(c)) {
      ++at_;
      continue;
    }
    if (c == quote && (!triple || looking_at(whole))) break;
    if (!triple && c == '\n') return text_.substr(begin, at_ - begin);
    advance(c == '\\' ? 2 : 1);
  }
  const std::string_view content = text_.substr(begin, std::min(at_, text_.size()) - begin);
  advance(whole.size());
  return content;
}

void HitCounter::see(std::string_view qualifier, std::string_view identifier, int line) {
  if (table_.is_qualifier(qualifier)) {
    both_.assign(qualifier).append(1, '.').append(identifier);
    if (table_.find(both_) >= 0) return see(both_, line);
  }
  see(identifier, line);
}

void HitCounter::see(std::string_view identifier, int line) {
  const int index = table_.find(identifier);
  if (index < 0) return;
  SignalHit& hit = hits_[static_cast<std::size_t>(index)];
  if (hit.count++ > 0) return;
  hit.word = table_[index].word;
  hit.seen = std::string(identifier);
  hit.line = line;
}

std::vector<SignalHit> HitCounter::take() const {
  std::vector<SignalHit> out;
  for (const SignalHit& hit : hits_)
    if (hit.count > 0) out.push_back(hit);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return out;
}

void find_arch_literals(std::string_view text, int line, std::vector<Mention>& out) {
  for (std::size_t at = 0; (at = text.find("sm_", at)) != std::string_view::npos; at += 3) {
    if (at > 0 && is_identifier_part(text[at - 1])) continue;
    std::size_t end = at + 3;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end < at + 5) continue;
    if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) ++end;
    if (end < text.size() && is_identifier_part(text[end])) continue;
    add_once(out, text.substr(at, end - at), line);
  }
}

std::string first_sentence(std::string_view text) {
  std::string squeezed;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    const bool ruler = !line.empty() && line.find_first_not_of("=-~*#/ ") == std::string_view::npos;
    if (line.empty() || ruler) {
      if (!squeezed.empty()) break;
      continue;
    }
    if (!squeezed.empty()) squeezed += ' ';
    squeezed += line;
    if (squeezed.size() > 400) break;
  }
  for (std::size_t at = 0; at < squeezed.size(); ++at)
    if (squeezed[at] == '.' && (at + 1 == squeezed.size() || squeezed[at + 1] == ' ') && at > 12) {
      squeezed.resize(at);
      break;
    }
  if (squeezed.size() > 160) {
    const auto space = squeezed.rfind(' ', 157);
    squeezed = squeezed.substr(0, space == std::string::npos ? 157 : space) + "…";
  }
  return squeezed;
}

namespace {

/// The script that a command line runs: the first word that ends in ".py" after a word that starts Python.
/// Empty = no command.
std::string script_of(std::string_view command) {
  bool python = false;
  for (const std::string_view raw : split(command, ' ')) {
    const std::string_view word = trim(raw);
    if (word.empty()) continue;
    const std::string_view program = basename_of(word);
    if (program == "python" || program == "python3" || program == "torchrun") python = true;
    if (python && extension_of(word) == ".py") return std::string(word);
  }
  return "";
}

std::string squeeze(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

void find_commands(std::string_view docstring, int line, std::vector<DocCommand>& out) {
  if (docstring.find(".py") == std::string_view::npos) return;  // a command runs a script
  std::string joined;
  int begin = line;
  for (const std::string_view raw : split(docstring, '\n')) {
    std::string_view part = trim(raw);
    if (joined.empty()) begin = line;
    bool continues = false;
    while (!part.empty() && part.back() == '\\') {
      part = trim(part.substr(0, part.size() - 1));
      continues = true;
    }
    joined += std::string(joined.empty() ? "" : " ") + std::string(part);
    ++line;
    if (continues) continue;
    const std::string script = joined.find(".py") == std::string::npos ? "" : script_of(squeeze(joined));
    if (!script.empty()) out.push_back({squeeze(joined), script, begin});
    joined.clear();
  }
}

void add_once(std::vector<Mention>& list, std::string_view name, int line) {
  for (const Mention& m : list)
    if (m.name == name) return;
  list.push_back({std::string(name), line});
}

int count_lines(std::string_view text) {
  if (text.empty()) return 0;
  return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.back() != '\n');
}

}  // namespace cutelab::corpus
