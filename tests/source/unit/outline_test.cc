#include "source/python/outline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "source/python_module.h"
#include "source/python_snippets.h"

namespace cutelab::source {
namespace {
using python::outline;

TEST(Outline, BodiesOfFunctionsAreBlankedInPlace) {
  EXPECT_EQ(outline("def f(a,\n      b=2):  # why\n    x = {\n  1: 2}\n    return x\ny = 1\n"),
            "def f(a,\n      b=2):  # why\n    pass \n       \n            \ny = 1\n");
  EXPECT_EQ(outline("class A:\n    n: int = 3\n    def f(self):\n        return 1\n    m = 4\n"),
            "class A:\n    n: int = 3\n    def f(self):\n        pass    \n    m = 4\n");
  EXPECT_EQ(outline("async def f():\n    await g()\nif a:\n    b = 1\n"),
            "async def f():\n    pass     \nif a:\n    b = 1\n");
}

TEST(Outline, AStringOrACommentEndsNoBody) {
  EXPECT_EQ(outline("def f():\n    \"\"\"one\n\ndef g():\n\"\"\"\n# far left\n    return 1\nz = 2\n"),
            "def f():\n    pass  \n\n        \n   \n# far left\n            \nz = 2\n");
  EXPECT_EQ(outline("def f():\n    return 'a\\'b' + \\\n1\nz = 2\n"),
            "def f():\n    pass             \n \nz = 2\n");
}

TEST(Outline, WhatHasNoRoomForTheStandInStays) {
  for (const char* text : {"def f(): return 1\nx = 2\n", "def f():\n    ...\nx = 2\n", "x = 1\n", "",
                           "def f():", "define = 3\nif x:\n    y = 1\n"})
    EXPECT_EQ(outline(text), text);
}

TEST(Outline, WhatIsParsedWholeIsParsedInOutline) {
  for (const std::string_view snippet : python_snippets) {
    const std::string text = "def f():\n    x = [\n1]\n" + std::string(snippet);
    const auto part = Tree::parse(Grammar::python, text, ParseBy::fastest, Extent::outline);
    EXPECT_EQ(part->text().size(), text.size()) << text;
    EXPECT_EQ(part->problems().empty(), Tree::parse(Grammar::python, text)->problems().empty()) << text;
  }
}

TEST(Outline, TextsThatEndTooEarlyKeepTheirLength) {
  const std::string text =
      "def f(a='''x''', *, b={1: 2}):\n    return (a,\n  \\\n b)  # c\nclass A:\n    pass\n";
  for (std::size_t end = 0; end <= text.size(); ++end) EXPECT_EQ(outline(text.substr(0, end)).size(), end);
}

/// Everything but bodies is as in the whole text: names, lines and values at module and class level.
TEST(Outline, DefinesWhatTheWholeTextDefines) {
  const std::string text =
      "import a.b as c\nfrom d import e\n\n@dec(1)\ndef f(x, y=len('a:b')):\n    import inside\n"
      "    def g():\n        return 1\n    return g\n\nclass K(Base):\n    \"\"\"doc\"\"\"\n    z: int = 3\n"
      "    @property\n    def p(self):\n        self.q = [\n1]\n        return self.q\n\n    class Inner:\n"
      "        def h(self): pass\n\nT = K().p if f(\n    1) else None\n";
  const auto whole = PythonModule::parse("a.py", text),
             part = PythonModule::parse("a.py", text, Extent::outline);
  EXPECT_TRUE(part->tree().problems().empty());
  EXPECT_EQ(part->tree().text().size(), text.size());
  EXPECT_LT(part->tree().size(), whole->tree().size());
  for (const PythonFunction& f : whole->functions()) {
    if (f.enclosing >= 0) continue;
    const auto same =
        std::find_if(part->functions().begin(), part->functions().end(), [&](const PythonFunction& other) {
          return other.qualified == f.qualified && other.node.line() == f.node.line();
        });
    ASSERT_NE(same, part->functions().end()) << f.qualified;
    EXPECT_EQ(same->decorators, f.decorators);
    ASSERT_EQ(same->parameters.size(), f.parameters.size());
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      EXPECT_EQ(same->parameters[i].default_value.text(), f.parameters[i].default_value.text());
  }
  ASSERT_EQ(part->classes().size(), whole->classes().size());
  EXPECT_EQ(part->bindings(-1, "T").size(), 1u);
  EXPECT_EQ(part->import_of("c")->module, "a.b");
  EXPECT_EQ(part->import_of("e")->module, "d");
}

}  // namespace
}  // namespace cutelab::source
