#include "base/text.h"
#include "corpus/scan.h"
#include "corpus/scan_support.h"

namespace cutelab::corpus {
namespace {

/// Walks over Python text: skips comments, sees identifiers, strings, decorators, definitions and imports.
class PythonScan {
 public:
  PythonScan(std::string_view text, const SignalTable& signals) : cursor_(text), hits_(signals) {}

  FileFacts run() {
    while (!cursor_.done()) step();
    facts_.language = Language::cute_dsl;
    facts_.signals = hits_.take();
    const std::string_view text = cursor_.text();  // read to its end: its newlines are counted
    facts_.lines = text.empty() ? 0 : cursor_.line() - (text.back() == '\n' ? 1 : 0);
    return std::move(facts_);
  }

 private:
  void step() {
    const char c = cursor_.peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      column_zero_ = false;
      cursor_.skip_blanks();
    } else if (is_identifier_start(c)) {
      word();
    } else if (c == '\n') {
      cursor_.advance();
      if (depth_ == 0) statement_start_ = true;
      column_zero_ = true;
    } else if (c == '#') {
      cursor_.to_line_end();
    } else if (c == '\\' && cursor_.peek(1) == '\n') {
      cursor_.advance(2);
    } else if (c == '"' || c == '\'') {
      string();
    } else {
      symbol(c);
    }
  }

  void symbol(char c) {
    if (c == '@' && statement_start_) {
      decorator();
      return;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    if (depth_ == 0) expect_flag_ = false;
    after_dot_ =
        c == '.' && cursor_.position() > 0 && is_identifier_part(cursor_.text()[cursor_.position() - 1]);
    statement_start_ = c == ';' && depth_ == 0;
    column_zero_ = false;
    cursor_.advance();
  }

  void string() {
    const char quote = cursor_.peek();
    const bool triple = cursor_.peek(1) == quote && cursor_.peek(2) == quote;
    const int line = cursor_.line();
    const bool docstring = statement_start_ && triple;
    const bool module_level = docstring && column_zero_;
    const std::string_view content = cursor_.quoted(triple);
    statement_start_ = column_zero_ = false;
    if (docstring) {
      if (module_level && facts_.summary.empty() && content.find("Copyright") == std::string_view::npos)
        facts_.summary = first_sentence(content);
      find_commands(content, line, facts_.commands);
      return;
    }
    if (expect_flag_ && content.size() > 2 && content[0] == '-') add_once(facts_.flags, content, line);
    if (content.size() < 200) find_arch_literals(content, line, facts_.arch_literals);
    if (seen_name_ && content == "__main__") facts_.has_main = true;
  }

  void decorator() {
    cursor_.advance();
    std::string dotted;
    while (is_identifier_start(cursor_.peek()) || cursor_.peek() == '.') {
      if (cursor_.peek() == '.') {
        dotted += '.';
        cursor_.advance();
      } else {
        dotted += cursor_.identifier();
      }
    }
    const std::string_view last = std::string_view(dotted).substr(dotted.rfind('.') + 1);
    if (last == "kernel") pending_ = &facts_.kernels;
    if (last == "jit") pending_ = &facts_.jits;
    statement_start_ = column_zero_ = false;
  }

  void word() {
    const bool starts = statement_start_;
    const int line = cursor_.line();
    const std::string_view name = cursor_.identifier();
    statement_start_ = column_zero_ = false;
    if (cursor_.peek() == '"' || cursor_.peek() == '\'') {
      if (name.size() <= 2) return;  // a string prefix: f"", rb""
    }
    if (starts && (name == "import" || name == "from")) return import_statement(name == "from", line);
    if (starts && (name == "def" || name == "class" || name == "async")) return definition(name);
    if (name == "add_argument") expect_flag_ = true;
    if (name == "__name__") seen_name_ = true;
    if (after_dot_)
      hits_.see(previous_, name, line);
    else
      hits_.see(name, line);
    after_dot_ = false;
    previous_ = name;
  }

  void definition(std::string_view keyword) {
    while (cursor_.peek() == ' ') cursor_.advance();
    const int line = cursor_.line();
    std::string_view name = cursor_.identifier();
    if (keyword == "async") {
      while (cursor_.peek() == ' ') cursor_.advance();
      name = cursor_.identifier();
    }
    if (keyword == "class") facts_.classes.push_back({std::string(name), line});
    if (pending_) pending_->push_back({std::string(name), line});
    pending_ = nullptr;
    hits_.see(name, line);
  }

  std::string dotted_name() {
    std::string name;
    while (cursor_.peek() == ' ' || cursor_.peek() == '\t') cursor_.advance();
    while (is_identifier_start(cursor_.peek()) || cursor_.peek() == '.') {
      if (cursor_.peek() == '.') {
        name += '.';
        cursor_.advance();
      } else {
        name += cursor_.identifier();
      }
    }
    return name;
  }

  void skip_to(std::string_view stops) {
    while (!cursor_.done() && stops.find(cursor_.peek()) == std::string_view::npos) cursor_.advance();
  }

  /// Everything up to the statement's end, so that an import alone never counts as use.
  void import_statement(bool from, int line) {
    if (!from) {
      do {
        if (cursor_.peek() == ',') cursor_.advance();
        add_once(facts_.imports, dotted_name(), line);
        skip_to(",\n#;");
      } while (cursor_.peek() == ',');
      return;
    }
    const std::string module = dotted_name();
    while (cursor_.peek() == ' ') cursor_.advance();
    if (cursor_.identifier() != "import") return;  // prose in a broken file
    add_once(facts_.imports, module, line);
    while (cursor_.peek() == ' ') cursor_.advance();
    const bool parenthesised = cursor_.peek() == '(';
    if (parenthesised) cursor_.advance();
    imported_names(module, line, parenthesised);
  }

  void imported_names(const std::string& module, int line, bool parenthesised) {
    while (!cursor_.done()) {
      const char c = cursor_.peek();
      if (c == ')' || (c == '\n' && !parenthesised)) return;
      if (c == '#')
        skip_to("\n");
      else if (c == '\\')
        cursor_.advance(2);
      else if (is_identifier_start(c))
        imported_name(module, line);
      else
        cursor_.advance();
    }
  }

  void imported_name(const std::string& module, int line) {
    const std::string_view name = cursor_.identifier();
    if (name == "as") {  // the local name that follows is no module
      while (cursor_.peek() == ' ') cursor_.advance();
      cursor_.identifier();
      return;
    }
    const std::string separator = !module.empty() && module.back() != '.' ? "." : "";
    add_once(facts_.imports, module + separator + std::string(name), line);
  }

  Cursor cursor_;
  HitCounter hits_;
  FileFacts facts_;
  std::string_view previous_;  ///< the identifier read last
  bool after_dot_ = false;
  std::vector<Mention>* pending_ = nullptr;
  int depth_ = 0;
  bool statement_start_ = true, column_zero_ = true, expect_flag_ = false, seen_name_ = false;
};

}  // namespace

FileFacts scan_python(std::string_view text, const SignalTable& signals) {
  return PythonScan(text, signals).run();
}

}  // namespace cutelab::corpus
