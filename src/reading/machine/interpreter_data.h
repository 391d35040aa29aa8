#pragma once
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// How a statement ended.
enum class Flow { normal, returned, raised, broke, continued };

/// What an interpreter writes down as it goes.
struct InterpreterData {
  struct Write {
    Slots* slots = nullptr;
    Symbol name = 0;
    Value value;
  };
  template <class T>
  struct Saved {
    T* container = nullptr;
    decltype(T::items) items;
  };
  struct Journal {
    std::uint32_t serial = 0;
    std::vector<Write> writes;  ///< with the old values
    std::vector<Saved<List>> lists;
    std::vector<Saved<Dict>> dicts;
    std::vector<Saved<Set>> sets;
  };
  struct Outcome {
    Flow flow = Flow::normal;
    Value result;
    std::vector<Write> writes;  ///< with the new values
    std::vector<Saved<List>> lists;
    std::vector<Saved<Dict>> dicts;
    std::vector<Saved<Set>> sets;
  };
  struct Walk {
    Value source;
    std::int64_t at = 0;
    std::size_t size = 0;  ///< of a dict, set or range when the walk began
    Value last;            ///< key of a dict that was given last
    List::View view = List::View::none;
  };

  std::vector<Journal*> journals_;
  std::deque<Scope> scopes_;
  std::unordered_map<int, Scope*> scope_of_module_;
  std::unordered_map<int, std::string> library_names_;  ///< module index -> dotted name
  std::unordered_map<std::string, Value> library_values_;
  int library_searches_ = 0;  ///< under way: what they find is not settled yet
  std::unordered_map<Symbol, Value> builtins_;
  NodeSymbols symbols_of_nodes_;                ///< of the program's own modules
  const source::Tree* symbols_tree_ = nullptr;  ///< the tree asked for last, with its table
  Symbol* symbols_ = nullptr;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, std::vector<Symbol>>> assigned_;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, int>> running_;
  std::int64_t steps_ = 0;
  std::vector<Value> handled_;  ///< exceptions whose handlers are running
  std::map<std::pair<const source::Tree*, std::uint32_t>, int>
      bodies_followed_;  ///< of kernels, by their node
  int depth_ = 0;
  bool stopped_ = false;
  source::Node at_;    ///< the statement under way
  int at_module_ = 0;  ///< its module
  bool loop_may_break_ = false;
  bool touched_ = false;  ///< something that changed unseen went into the expression
  int from_activation_ = 0;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, std::vector<Symbol>>> locals_;
  int unfollowed_calls = 0;               ///< of the host, that may have called functions of the program
  std::vector<std::string> stars_;        ///< modules of which `import *` took all, that are not at hand
  External* patched_builtins_ = nullptr;  ///< the module, where the program set something in it
};

}  // namespace cutelab::reading::machine
