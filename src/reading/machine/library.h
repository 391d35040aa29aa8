#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reading/machine/names.h"
#include "source/program.h"

namespace cutelab::reading::machine {

/// Whether functions of that module of the DSL are run: those written in plain Python. Those that build
/// compiled operations are not worth it: models answer for them, or nobody does.
bool is_plain_python(std::string_view dotted);

/// The DSL's own Python sources (a checkout's `python/CuTeDSL`, an installed wheel, the source wheel). Parsed
/// once, used by any number of readings one after the other.
class Library {
 public:
  static constexpr int first = 1 << 20;  ///< module indices of a library begin here

  /// `roots`: folders that hold a `cutlass` package, the first that has a module answers.
  Library(const FileSource& files, std::vector<std::string> roots)
      : program_(files, {roots.empty() ? std::string() : roots.front(), roots, nullptr, &extent_of}) {
    program_.open((roots.empty() ? std::string(".") : roots.front()) + "/", "");
  }
  /// Index of the module with that dotted name; -1 = there is none.
  int import(const std::string& dotted) {
    const int index = program_.import(0, dotted);
    return index <= 0 ? -1 : index + first;
  }
  const source::PythonModule& module(int index) const { return program_.module(index - first); }

  /// Names of all readings that use this library, and those that its own nodes spell.
  Names& names() { return names_; }
  Symbol* symbols_of(int index) { return symbols_.of(module(index).tree()); }

 private:
  /// Of a module whose functions are not run only what it defines is looked at.
  static source::Extent extent_of(const std::string& path);
  source::Program program_;
  Names names_;
  NodeSymbols symbols_;
};

}  // namespace cutelab::reading::machine
