#include <gtest/gtest.h>

#include "source/python_snippets.h"
#include "source/tree_difference.h"

namespace cutelab::source {
namespace {

bool accepted(std::string_view text) {
  return Tree::parse(Grammar::python, std::string(text))->parsed_by() == ParseBy::fastest;
}

TEST(PythonParser, MakesTheReferenceTreeOfEverySnippet) {
  for (const std::string_view text : python_snippets) {
    const auto own = Tree::parse(Grammar::python, std::string(text));
    const auto reference = Tree::parse(Grammar::python, std::string(text), ParseBy::tree_sitter);
    EXPECT_EQ(own->parsed_by(), ParseBy::fastest) << text;
    EXPECT_TRUE(reference->problems().empty()) << text;
    EXPECT_EQ(tree_difference(*own, *reference), "") << text;
  }
}

TEST(PythonParser, AndBindsCloserThanExclusiveOr) {
  // As in Python; tree-sitter's grammar has it the other way round.
  for (const std::string_view text : {"x = a ^ b & c\n", "x = b & c ^ a\n"}) {
    const auto own = Tree::parse(Grammar::python, std::string(text));
    Node top;
    for (std::uint32_t i = 0; i < own->size() && !top; ++i)
      if (own->at(i).is(Kind::binary_operator)) top = own->at(i);
    EXPECT_EQ(top.child(Field::operator_token).text(), "^") << text;
  }
}

TEST(PythonParser, TheComparisonSeesADifference) {
  const auto a = Tree::parse(Grammar::python, "x = a.b\n");
  const auto b = Tree::parse(Grammar::python, "x = a,b\n");
  EXPECT_NE(tree_difference(*a, *b), "");
  EXPECT_NE(tree_difference(*a, *Tree::parse(Grammar::python, "x = a.b\ny\n")), "");
}

TEST(PythonParser, LeavesWhatItDoesNotKnowToTreeSitter) {
  for (const std::string_view text : {"def f(:\n  pass\n",
                                      "print 'x'\n",
                                      "type A = B\n",
                                      "exec 'x' in y\n",
                                      "x = `y`\n",
                                      "x = 1 <> 2\n",
                                      "if x:\n",
                                      "if x:\n  y\n z\n",
                                      "  x\n",
                                      "x = (\n",
                                      "x = )\n",
                                      "x = 'a\nb'\n",
                                      "x = f'{a'\n",
                                      "x = f'}'\n",
                                      "x = 10L\n",
                                      "é = 1\n",
                                      "x\ry\n",
                                      "x = a if b\n",
                                      "try:\n  pass\n",
                                      "x[]\n",
                                      "lambda: (yield) = 1\n",
                                      "f(a for a in b, c)\n",
                                      "f() = 1\n",
                                      "x = '\xff'\n",
                                      "except X: pass\n",
                                      "a b\n",
                                      "@a\nx = 1\n"})
    EXPECT_FALSE(accepted(text)) << text;
  EXPECT_FALSE(accepted(std::string_view("x = '\0'\n", 9)));
}

TEST(PythonParser, SyntaxErrorsKeepTheirPlaces) {
  const auto tree = Tree::parse(Grammar::python, "x = 1\ny = = 2\n");
  ASSERT_EQ(tree->problems().size(), 1u);
  EXPECT_EQ(tree->problems()[0].span.line, 2u);
}

// Recursion ends at a limit; the parser behind it keeps its stack on the heap.
TEST(PythonParser, DeepNestingOfEveryKindEnds) {
  const int deep = 2000;
  const auto repeated = [&](std::string_view open, std::string_view middle, std::string_view close) {
    std::string text = "x = ";
    for (int i = 0; i < deep; ++i) text += open;
    text += middle;
    for (int i = 0; i < deep; ++i) text += close;
    return text + "\n";
  };
  for (const auto& text :
       {repeated("(", "1", ")"), repeated("[", "", "]"), repeated("{1:", "2", "}"), repeated("-", "1", ""),
        repeated("f(", "1", ")"), repeated("a[", "1", "]"), repeated("lambda: ", "1", ""),
        repeated("not ", "1", ""), repeated("1 if 2 else ", "3", ""), repeated("2 ** ", "3", ""),
        repeated("y = ", "3", ""), repeated("await ", "y", ""), repeated("f'{", "1", "}'")}) {
    const auto tree = Tree::parse(Grammar::python, text);
    EXPECT_EQ(tree->parsed_by(), ParseBy::tree_sitter) << text.substr(0, 20);
    EXPECT_EQ(tree->root().end_index(), tree->size());
  }
  std::string suites;
  for (int i = 0; i < 300; ++i) suites += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  EXPECT_FALSE(accepted(suites + std::string(300, ' ') + "y\n"));
}

TEST(PythonParser, LongSourcesNeedNoDepth) {
  std::string text = "x = 0";
  for (int i = 0; i < 20000; ++i) text += " + a.b[1]";
  text += "\nif x: y\n";
  for (int i = 0; i < 5000; ++i) text += "elif z: w\n";
  text += "s = '" + std::string(200000, 'y') + "'\nn = " + std::string(100000, '7') + "\n";
  EXPECT_TRUE(accepted(text));
}

}  // namespace
}  // namespace cutelab::source
