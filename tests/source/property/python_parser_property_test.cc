// The own Python parser makes, of every text that it accepts, the tree that tree-sitter makes: over real
// files, and over mutations of real text. Where tree-sitter reports a syntax error there is no tree to
// compare with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "source/python_snippets.h"
#include "source/tree_difference.h"

namespace cutelab::source {
namespace {
namespace fs = std::filesystem;

struct Tally {
  int files = 0, accepted = 0, compared = 0;
  std::uintmax_t bytes = 0;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void compare(const std::string& text, const std::string& where, Tally& tally) {
  const auto own = Tree::parse(Grammar::python, text);
  ++tally.files;
  tally.bytes += text.size();
  if (own->parsed_by() != ParseBy::fastest) return;
  ++tally.accepted;
  const auto reference = Tree::parse(Grammar::python, text, ParseBy::tree_sitter);
  if (!reference->problems().empty()) return;
  ++tally.compared;
  EXPECT_EQ(tree_difference(*own, *reference), "") << where;
}

std::vector<std::string> python_files(const std::vector<std::string>& folders) {
  std::vector<std::string> out;
  for (const auto& folder : folders)
    if (fs::exists(folder))
      for (const auto& entry :
           fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied))
        if (entry.is_regular_file() && entry.path().extension().string() == ".py" && entry.file_size() > 0)
          out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> corpora() {
  return {std::string(CUTELAB_DEPS_DIR) + "/corpora", std::string(CUTELAB_DEPS_DIR) + "/dsl-sources"};
}

// A spread of about two megabytes of what `cutelab setup` has brought.
TEST(PythonParserProperty, RealFilesHaveTheReferenceTree) {
  const auto files = python_files(corpora());
  if (files.empty()) GTEST_SKIP() << "the parts 'corpora' and 'dsl-sources' are not set up";
  Tally tally;
  const std::size_t stride = std::max<std::size_t>(1, files.size() / 60);
  for (std::size_t i = 0; i < files.size() && tally.bytes < 2'000'000; i += stride)
    compare(text_of(files[i]), files[i], tally);
  EXPECT_GE(tally.accepted * 100, tally.files * 95);
  EXPECT_EQ(tally.compared, tally.accepted);
}

// All of it, with the checkout of CUTLASS_DIR and the folders of CUTELAB_PYTHON_FOLDERS (separated by
// colons).
TEST(PythonParserProperty, DISABLED_EveryFileHasTheReferenceTree) {
  auto folders = corpora();
  if (const char* checkout = std::getenv("CUTLASS_DIR")) folders.push_back(checkout);
  if (const char* more = std::getenv("CUTELAB_PYTHON_FOLDERS")) {
    std::stringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
  }
  Tally tally;
  for (const auto& path : python_files(folders)) compare(text_of(path), path, tally);
  std::printf("%d files, %.1f MB; %d accepted, %d of them compared\n", tally.files,
              static_cast<double>(tally.bytes) / 1e6, tally.accepted, tally.compared);
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (int edits = 1 + pick(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = static_cast<std::size_t>(pick(static_cast<int>(text.size())));
      const std::size_t length = static_cast<std::size_t>(1 + pick(4));
      switch (pick(4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, pieces[static_cast<std::size_t>(pick(static_cast<int>(std::size(pieces))))]);
          break;
        case 2:
          text.replace(at, length,
                       pieces[static_cast<std::size_t>(pick(static_cast<int>(std::size(pieces))))]);
          break;
        default:
          text.insert(at,
                      text.substr(static_cast<std::size_t>(pick(static_cast<int>(text.size()))), length * 4));
      }
    }
    return text;
  }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  static constexpr const char* pieces[] = {
      "(",       ")",      "[",      "]",      "{",       "}",     ",",       ":",     ";",       ".",
      "=",       "==",     ":=",     "->",     "*",       "**",    "@",       "#",     "\\\n",    "\n",
      "\n ",     "\n  ",   "\n    ", "\t",     "\r\n",    "\f",    "'",       "\"",    "f'",      "'''",
      "{{",      "}}",     "!r",     " if ",   "else",    " for ", " in ",    " not ", " is ",    " as ",
      "lambda ", "yield ", "await ", "async ", "None",    "1",     "1.5",     "print", "match",   "type",
      "case",    "_",      "x",      "*x.y",   "**x",     "...",   "import ", "from ", "\\",      "rb\"",
      "#c\n",    "~",      "-",      "<",      "|",       "0x1",   "\"\"\"",  "pass",  "return ", "del ",
      "global ", "with (", "é",      "def f(", "class A:"};
  std::mt19937 random_;
};

TEST(PythonParserProperty, MutationsHaveTheReferenceTreeOrNone) {
  Mutator mutator(20);
  Tally tally;
  for (int round = 0; round < 12; ++round)
    for (const std::string_view snippet : python_snippets) {
      const std::string text = mutator.mutate(std::string(snippet));
      compare(text, text, tally);
    }
  EXPECT_GT(tally.compared, 100);
  EXPECT_LT(tally.accepted, tally.files);
}

TEST(PythonParserProperty, DISABLED_ManyMutationsOfRealFiles) {
  const auto files = python_files(corpora());
  const char* rounds = std::getenv("CUTELAB_ROUNDS");
  Mutator mutator(21);
  Tally tally;
  for (int round = rounds ? std::atoi(rounds) : 2000; round > 0 && !files.empty(); --round) {
    const std::string whole =
        text_of(files[static_cast<std::size_t>(mutator.pick(static_cast<int>(files.size())))]);
    // From one statement at the margin to another.
    const auto margin = [&](std::size_t from) {
      std::size_t line = whole.find('\n', from);
      while (line != std::string::npos && whole.find_first_of(" \n)]}#\"'", line + 1) == line + 1)
        line = whole.find('\n', line + 1);
      return line == std::string::npos ? whole.size() : line + 1;
    };
    const std::size_t begin = margin(static_cast<std::size_t>(mutator.pick(static_cast<int>(whole.size()))));
    const std::size_t end = margin(std::min(begin + 400, whole.size()));
    if (end - begin > 5000 || begin == end) continue;
    const std::string text = mutator.mutate(whole.substr(begin, end - begin));
    compare(text, text, tally);
  }
  std::printf("%d texts; %d accepted, %d of them compared\n", tally.files, tally.accepted, tally.compared);
}

}  // namespace
}  // namespace cutelab::source
