#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/scan.h"
#include "corpus/scan_support.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

class CudaScan {
 public:
  CudaScan(std::string_view text, const SignalTable& signals) : cursor_(text), hits_(signals) {}

  FileFacts run() {
    while (!cursor_.done()) step();
    facts_.language = Language::cuda_cpp;
    facts_.signals = hits_.take();
    facts_.lines = count_lines(cursor_.text());
    return std::move(facts_);
  }

 private:
  void step() {
    const char c = cursor_.peek();
    if (cursor_.looking_at("//")) {
      line_comment();
    } else if (cursor_.looking_at("/*")) {
      block_comment();
    } else if (c == '"') {
      const int line = cursor_.line();
      const std::string_view content = cursor_.quoted(false);
      if (expect_flag_) add_once(facts_.flags, "--" + std::string(content), line);
      expect_flag_ = false;
      if (content.size() < 200) find_arch_literals(content, line, facts_.arch_literals);
    } else if (c == '#') {
      directive();
    } else if (is_identifier_start(c)) {
      word();
    } else {
      cursor_.advance();
    }
  }

  void consider_summary(std::string_view text) {
    if (!facts_.summary.empty() || text.find("Copyright") != std::string_view::npos ||
        text.find("SPDX-") != std::string_view::npos || code_seen_ > 40)
      return;
    std::string plain = replace_all(replace_all(std::string(text), "\\file", ""), "\\brief", "");
    std::string clean;
    for (const std::string_view raw : split(plain, '\n')) {
      std::string_view line = trim(raw);
      while (!line.empty() && (line.front() == '*' || line.front() == '!' || line.front() == '/'))
        line = trim(line.substr(1));
      clean += std::string(line) + "\n";
    }
    const std::string sentence = first_sentence(clean);
    if (split_words(sentence, WordSplit::letters).size() >= 3) facts_.summary = sentence;
  }

  void line_comment() {
    const std::size_t begin = cursor_.position();
    while (!cursor_.done() && cursor_.peek() != '\n') cursor_.advance();
    const std::string_view text = cursor_.text().substr(begin, cursor_.position() - begin);
    if (code_seen_ > 3) consider_summary(text);
  }

  void block_comment() {
    const std::size_t end = cursor_.text().find("*/", cursor_.position() + 2);
    const std::size_t begin = cursor_.position() + 2;
    const std::string_view body =
        cursor_.text().substr(begin, end == std::string_view::npos ? std::string_view::npos : end - begin);
    consider_summary(body);
    cursor_.advance(body.size() + 4);
  }

  void directive() {
    const int line = cursor_.line();
    cursor_.advance();
    while (cursor_.peek() == ' ') cursor_.advance();
    if (cursor_.identifier() != "include") return;
    while (cursor_.peek() == ' ') cursor_.advance();
    const char closing = cursor_.peek() == '<' ? '>' : '"';
    cursor_.advance();
    const std::size_t begin = cursor_.position();
    while (!cursor_.done() && cursor_.peek() != closing && cursor_.peek() != '\n') cursor_.advance();
    add_once(facts_.imports, cursor_.text().substr(begin, cursor_.position() - begin), line);
    cursor_.advance();
  }

  void word() {
    const int line = cursor_.line();
    const std::string_view name = cursor_.identifier();
    ++code_seen_;
    if (name == "__global__") {
      in_kernel_header_ = true;
    } else if (in_kernel_header_ && (name == "__launch_bounds__" || name == "__cluster_dims__")) {
      skip_parentheses();
    } else if (in_kernel_header_ && cursor_.peek() == '(') {
      add_once(facts_.kernels, name, line);
      in_kernel_header_ = false;
    }
    if (previous_ == "class" || previous_ == "struct") {
      if (cursor_.peek() != ';') add_once(facts_.classes, name, line);
    }
    if (name == "main" && previous_ == "int") facts_.has_main = true;
    if (name == "get_cmd_line_argument" || name == "check_cmd_line_flag") expect_flag_ = true;
    previous_ = name;
    hits_.see(name, line);
  }

  void skip_parentheses() {
    int depth = 0;
    while (!cursor_.done()) {
      const char c = cursor_.peek();
      cursor_.advance();
      if (c == '(') ++depth;
      if (c == ')' && --depth <= 0) return;
    }
  }

  Cursor cursor_;
  HitCounter hits_;
  FileFacts facts_;
  std::string_view previous_;
  int code_seen_ = 0;
  bool in_kernel_header_ = false, expect_flag_ = false;
};

std::string cell_source(const nlohmann::json& cell) {
  const auto it = cell.find("source");
  if (it == cell.end()) return "";
  if (it->is_string()) return it->get<std::string>();
  std::string out;
  if (it->is_array())
    for (const auto& line : *it)
      if (line.is_string()) out += line.get<std::string>();
  return out;
}

}  // namespace

FileFacts scan_cuda(std::string_view text, const SignalTable& signals) {
  return CudaScan(text, signals).run();
}

FileFacts scan_notebook(std::string_view json, const SignalTable& signals) {
  const auto notebook = nlohmann::json::parse(json, nullptr, false);
  FileFacts facts;
  if (!notebook.is_object() || !notebook.contains("cells") || !notebook["cells"].is_array()) return facts;
  std::string code, heading;
  for (const auto& cell : notebook["cells"]) {
    if (!cell.is_object()) continue;
    const std::string type = string_of(cell, "cell_type");
    const std::string source = cell_source(cell);
    if (type == "code") code += source + "\n\n";
    if (type == "markdown" && heading.empty() && source.starts_with("#"))
      heading = std::string(trim(replace_all(source.substr(0, source.find('\n')), "#", "")));
  }
  facts = scan_python(code, signals);
  facts.language = Language::notebook;
  facts.has_main = true;
  facts.lines = count_lines(json);
  facts.summary = heading;
  return facts;
}

FileFacts scan(std::string_view path, std::string_view text, const SignalTable& signals) {
  const std::string_view extension = extension_of(path);
  if (extension == ".py") return scan_python(text, signals);
  if (extension == ".ipynb") return scan_notebook(text, signals);
  return scan_cuda(text, signals);
}

}  // namespace cutelab::corpus
