// room: source
// Any bytes as Python: no crash, no hang, and a tree of the own parser is the tree that tree-sitter makes
// where tree-sitter reports no error. Texts with both `&` and `^` are parsed and not compared: there Python's
// order of the two is followed, and tree-sitter's grammar has another.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "source/python_module.h"
#include "source/tree_difference.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cutelab::source;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto module = PythonModule::parse("fuzz.py", text);
  const Tree& own = module->tree();
  if (own.root().end_index() != own.size()) std::abort();
  if (own.parsed_by() != ParseBy::fastest) return 0;
  if (text.find('&') != std::string::npos && text.find('^') != std::string::npos) return 0;
  const auto reference = Tree::parse(Grammar::python, text, ParseBy::tree_sitter);
  if (!reference->problems().empty()) return 0;
  const std::string difference = tree_difference(own, *reference);
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
