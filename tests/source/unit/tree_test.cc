#include "source/tree.h"

#include <gtest/gtest.h>

#include "source/blank_macros.h"
#include "source/program.h"
#include "support/text_files.h"

namespace cutelab::source {
namespace {

TEST(Tree, NodesKnowTheirLinesTextAndFields) {
  const auto tree = Tree::parse(Grammar::python, "x = 1\ny = f(a,\n      b=2)\n");
  const Node second = tree->root().first().next();
  EXPECT_EQ(second.line(), 2);
  EXPECT_EQ(second.end_line(), 3);
  const Node call = second.first().child(Field::right_field);
  ASSERT_TRUE(call.is(Kind::call));
  EXPECT_EQ(call.child(Field::function_field).text(), "f");
  EXPECT_EQ(call.span().column, 5u);
  EXPECT_EQ(statement_of(call), second);
  EXPECT_TRUE(tree->problems().empty());
}

TEST(Tree, NoNodeAnswersWithNoNode) {
  const Node none;
  EXPECT_FALSE(none.parent().first().next().child(Field::left_field));
  EXPECT_EQ(none.line(), 0);
  EXPECT_EQ(none.text(), "");
}

TEST(Tree, OperatorsAreKeptAndCommentsSkipped) {
  const auto tree = Tree::parse(Grammar::python, "f(a,  # why\n  b <= c)\n");
  const Node arguments = tree->root().first().first().child(Field::arguments_field);
  const auto items = arguments.children().all();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[1].child(Field::operators_field).text(), "<=");
}

TEST(Tree, NodesOfAKindComeInTheOrderOfTheSource) {
  const auto tree = Tree::parse(Grammar::python, "a = f(g(1))\nif a:\n    b = h()\nelif b:\n    pass\n");
  const auto texts = [](const auto& nodes) {
    std::vector<std::string> out;
    for (const Node n : nodes) out.emplace_back(n.text().substr(0, 4));
    return out;
  };
  EXPECT_EQ(texts(tree->all(Kind::call)), (std::vector<std::string>{"f(g(", "g(1)", "h()"}));
  EXPECT_EQ(tree->all(Kind::call).size(), 3u);
  EXPECT_EQ(texts(tree->all({Kind::elif_clause, Kind::if_statement})),
            (std::vector<std::string>{"if a", "elif"}));
  EXPECT_TRUE(texts(tree->all(Kind::while_statement)).empty());
  std::uint32_t nodes = 0;
  for (int k = 0; k <= static_cast<int>(Kind::cast_expression); ++k)
    nodes += static_cast<std::uint32_t>(tree->all(static_cast<Kind>(k)).size());
  EXPECT_EQ(nodes, tree->size()) << "each node has its kind";
}

TEST(Tree, SyntaxErrorsAreProblemsWithTheirLine) {
  const auto tree = Tree::parse(Grammar::python, "x = 1\ndef f(:\n  return )\n");
  ASSERT_FALSE(tree->problems().empty());
  EXPECT_GE(tree->problems().front().span.line, 2u);
}

// Parsing and walking use no call stack per level of nesting.
TEST(Tree, AHundredThousandNestedParenthesesParse) {
  const std::string text = "x = " + std::string(100000, '(') + "1" + std::string(100000, ')') + "\n";
  const auto tree = Tree::parse(Grammar::python, text);
  EXPECT_GT(tree->deepest(), 1000);
  EXPECT_EQ(tree->root().end_index(), tree->size());
}

TEST(Tree, PreorderRangesNest) {
  const auto tree = Tree::parse(Grammar::python, "class A:\n  def f(self):\n    return (1, [2, 3])\n");
  for (std::uint32_t i = 1; i < tree->size(); ++i) {
    const Node n = tree->at(i);
    EXPECT_TRUE(n.parent().contains(n));
    EXPECT_LE(n.end_index(), n.parent().end_index());
  }
}

TEST(BlankMacros, KeepsEveryOffset) {
  const std::string text =
      "CUTE_HOST_DEVICE constexpr int f(); // CUTE_DEVICE stays\nchar const* s = \"CUTE_DEVICE\";\n";
  const std::string blanked = blank_macros(text);
  ASSERT_EQ(blanked.size(), text.size());
  EXPECT_EQ(blanked.find("constexpr"), text.find("constexpr"));
  EXPECT_EQ(blanked.find("CUTE_HOST_DEVICE"), std::string::npos);
  EXPECT_NE(blanked.find("// CUTE_DEVICE stays"), std::string::npos);
  EXPECT_NE(blanked.find("\"CUTE_DEVICE\""), std::string::npos);
}

TEST(BlankMacros, LetsTheGrammarParseDeviceFunctions) {
  const auto tree = Tree::parse(
      Grammar::cuda, "template <class T>\nCUTE_HOST_DEVICE constexpr\nauto f(T const& t) { return t; }\n");
  EXPECT_TRUE(tree->problems().empty());
}

TEST(BlankMacros, LetsTheGrammarParseTypesMadeInsideExpressions) {
  for (const char* text :
       {"auto x = f(a, typename T::template U<int>{});", "auto f() { return typename T::Arguments{1, 2}; }",
        "auto x = make_tile(typename decltype(mma)::AtomThrID{});",
        "static_assert(rank(decltype(tensor){}) == 5);",
        "void f(Layout const& l, Stages s = {}, Token t = {State::wait}) {}",
        "auto f = [&]() CUTLASS_LAMBDA_FUNC_INLINE { return 1; };", "struct S { enum : int { one, two }; };",
        "struct S { CUTE_STATIC_ASSERT_V(divides(T{}, shape(M{})), \"text\"); int x; };",
        "struct S { CUTE_ALIGNAS(128) cute::array<float, 4> a; };",
        "template <class T> __global__ __maxnreg__(128) void f(T t) {}"})
    EXPECT_TRUE(Tree::parse(Grammar::cuda, text)->problems().empty()) << text;
}

TEST(BlankMacros, LeavesTheWordOfADeclaration) {
  const std::string text =
      "template <typename T, typename U = int> void f(typename T::V v, typename T::W w);";
  EXPECT_NE(blank_macros(text).find("typename T::W w"), std::string::npos);
  EXPECT_NE(blank_macros(text).find("typename U = int"), std::string::npos);
}

TEST(BlankMacros, DropsBranchesThatNoBuildTakes) {
  const std::string text =
      "#if 0\nint a[] = {\n#ifdef X\n1\n#else\n2\n#endif\n#else\nint b;\n#endif\n"
      "#if 1\nint c;\n#else\nint d = {\n#endif\n#if defined(X)\nint e;\n#else\nint f;\n#endif\n";
  const std::string blanked = blank_macros(text);
  ASSERT_EQ(blanked.size(), text.size());
  for (const char* gone : {"int a", "int d"}) EXPECT_EQ(blanked.find(gone), std::string::npos) << gone;
  for (const char* kept : {"int b", "int c", "int e", "int f"})
    EXPECT_NE(blanked.find(kept), std::string::npos) << kept;
  EXPECT_TRUE(Tree::parse(Grammar::cuda, text)->problems().empty());
}

TEST(Names, ResolveThroughEveryFormOfImport) {
  const auto module = PythonModule::parse("/p/a.py",
                                          "import cutlass.utils.hopper_helpers as sm90_utils\n"
                                          "import cutlass.cute as cute\n"
                                          "import cutlass.utils\n"
                                          "from cutlass.pipeline import PipelineTmaAsync as Ring, sm90\n"
                                          "from .near import helper\n");
  EXPECT_EQ(module->qualified("sm90_utils.make"), "cutlass.utils.hopper_helpers.make");
  EXPECT_EQ(module->qualified("cute.arch.warp_idx"), "cutlass.cute.arch.warp_idx");
  EXPECT_EQ(module->qualified("cutlass.utils.SmemAllocator"), "cutlass.utils.SmemAllocator");
  EXPECT_EQ(module->qualified("Ring.create"), "cutlass.pipeline.PipelineTmaAsync.create");
  EXPECT_EQ(module->qualified("helper"), ".near.helper");
  EXPECT_EQ(module->qualified("unbound.x"), "unbound.x");
}

TEST(Names, TablesHoldClassesMethodsAndBindings) {
  const auto module = PythonModule::parse("/p/a.py",
                                          "class A(B):\n"
                                          "    width = 4\n"
                                          "    def __init__(self, n: int = 2, *rest, **more):\n"
                                          "        self.n, (self.m, k) = n, (1, 2)\n");
  ASSERT_EQ(module->classes().size(), 1u);
  ASSERT_EQ(module->functions().size(), 1u);
  const auto& init = module->functions()[0];
  EXPECT_EQ(init.qualified, "A.__init__");
  ASSERT_EQ(init.parameters.size(), 4u);
  EXPECT_EQ(init.parameters[1].default_value.text(), "2");
  EXPECT_EQ(init.parameters[2].form, Parameter::Form::star);
  EXPECT_EQ(module->attributes(0, "width").size(), 1u);
  ASSERT_EQ(module->attributes(0, "m").size(), 1u);
  EXPECT_EQ(module->assignments()[static_cast<std::size_t>(module->attributes(0, "m")[0])].slots,
            (std::vector<int>{1, 0}));
}

TEST(Program, FindsHelpersBesideTheFileUpThePathAndThroughSysPath) {
  const TextFiles files(
      {"/r/pkg/a/main.py", "/r/pkg/a/near.py", "/r/pkg/b/up.py", "/r/lib/far.py", "/r/pkg/b/__init__.py"},
      {"import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', "
       "'..', 'lib'))\n",
       "", "", "", ""});
  Program program(files, {});
  ASSERT_TRUE(program.open("/r/pkg/a/main.py"));
  EXPECT_EQ(program.find(0, "near"), "/r/pkg/a/near.py");
  EXPECT_EQ(program.find(0, ".near"), "/r/pkg/a/near.py");
  EXPECT_EQ(program.find(0, "..b.up"), "/r/pkg/b/up.py");
  EXPECT_EQ(program.find(0, "pkg.b.up"), "/r/pkg/b/up.py");
  EXPECT_EQ(program.find(0, "pkg.b"), "/r/pkg/b/__init__.py");
  EXPECT_EQ(program.find(0, "far"), "/r/lib/far.py");
  EXPECT_EQ(program.find(0, "torch"), "");
}

/// A path from where one stands is as good as one from the root: folders above are searched all the same.
TEST(Program, FindsHelpersAboveTheFolderThatAPathBeginsIn) {
  const std::string main =
      "import sys\nfrom pathlib import Path\n"
      "sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'lib'))\n";
  const TextFiles files({"a/main.py", "../lib/far.py", "../b/up.py", "../../pkg/high.py", "main.py"},
                        {main, "", "", "", main});
  Program below(files, {});
  ASSERT_TRUE(below.open("a/main.py"));
  EXPECT_EQ(below.find(0, "far"), "../lib/far.py");
  EXPECT_EQ(below.find(0, "...b.up"), "../b/up.py");
  EXPECT_EQ(below.find(0, "pkg.high"), "../../pkg/high.py");
  Program here(files, {});
  ASSERT_TRUE(here.open("main.py"));
  EXPECT_EQ(here.find(0, "pkg.high"), "../../pkg/high.py");
  EXPECT_EQ(here.find(0, "..b.up"), "../b/up.py");
}

TEST(Tree, WhatEnclosesADeepNodeIsFoundAsStepByStep) {
  std::string text = "namespace a { void f() { struct L { void g() { if (x) {} } }; if (p) p = 1;";
  for (int i = 0; i < 300; ++i) text += "else if (p) { q = {{{r}}}; }";
  text += " } void h() {} } namespace b {}";
  const auto tree = source::Tree::parse(source::Grammar::cuda, text);
  int found = 0;
  for (std::uint32_t i = 0; i < tree->size(); ++i)
    for (const source::Kind kind :
         {source::Kind::function_definition, source::Kind::namespace_definition,
          source::Kind::struct_specifier, source::Kind::if_statement, source::Kind::switch_statement}) {
      source::Node up = tree->at(i);
      while (up && !up.is(kind)) up = up.parent();
      ASSERT_EQ(tree->at(i).enclosing(kind), up) << i;
      found += up ? 1 : 0;
    }
  EXPECT_GT(found, 3000);
}

}  // namespace
}  // namespace cutelab::source
