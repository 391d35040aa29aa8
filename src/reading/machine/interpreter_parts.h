#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reading/machine/names.h"
#include "reading/machine/value.h"
#include "source/program.h"

namespace cutelab::reading::machine {

struct Scope;

/// How a statement ended.
enum class Flow { normal, returned, raised, broke, continued };

/// What the engine of a Machine keeps books with.
struct InterpreterParts {
  enum class Care { all, content, none };  ///< what a library does not do to what it is given
  struct Walk {
    Value source;
    std::int64_t at = 0;
    std::size_t size = 0;  ///< of a dict, set or range when the walk began
    Value last;            ///< key of a dict that was given last
    List::View view = List::View::none;
  };
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

  struct Formal {
    std::string_view name;  ///< of the source
    source::Node default_value;
    source::Parameter::Form form = source::Parameter::Form::plain;
    bool by_name = false, by_place = false;  ///< only
  };
  /// What Python's `__init__` of a class is: a function, or one that fills the fields of a dataclass.
  struct Initializer {
    Function* function = nullptr;
    Class* fields_of = nullptr;
  };
  struct Escaped {
    Value value;
    std::string library;  ///< that holds it; empty: any
  };
  /// A function that code which is not followed may call: what it changed when it was run so.
  struct FromOutside {
    int runs = 0;
    std::vector<Value> sees;  ///< what its names stood for then
    std::set<std::pair<Slots*, Symbol>> names;
    std::vector<Value> containers;
  };

  std::vector<Escaped> escaped_;  ///< what code that is not followed may hold
  std::size_t calls_from_outside_ = 0;
  std::map<std::pair<const Object*, const Object*>, FromOutside> from_outside_;
  const Function* entered_ = nullptr;
  int outside_ = 0;
  int watching_ = 0;
  int untraced_ = 0;      ///< calls from outside, of which nothing is written down
  std::size_t cuts_ = 0;  ///< calls that were not followed for their depth
  bool cutting_ = false;  ///< a call that is too deep is run once more, for all that it may change
  bool let_in_ = false;
  std::unordered_map<const Scope*, std::vector<Journal>> after_return_;
  std::unordered_map<const Scope*, std::vector<Outcome>> at_return_;  ///< of branches that returned
  int try_depth_ = 0;            ///< `try` statements and managers that may take an error
  std::vector<Outcome> failed_;  ///< sides of branches that ended with an error in them
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, bool>> leaves_;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, bool>> generators_;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, int>> running_;
  std::vector<Journal*> journals_;
  std::set<int> left_open_;  ///< activations of which a branch was not followed to its end
  std::int64_t steps_ = 0;
  std::vector<Value> handled_;            ///< exceptions whose handlers are running
  source::Node at_;                       ///< the statement under way
  int at_module_ = 0;                     ///< its module
  int unfollowed_calls = 0;               ///< of the host, that may have called functions of the program
  std::vector<std::string> stars_;        ///< modules of which `import *` took all, that are not at hand
  External* patched_builtins_ = nullptr;  ///< the module, where the program set something in it
  std::unordered_map<int, Scope*> scope_of_module_;
  std::unordered_map<int, std::string> library_names_;  ///< module index -> dotted name
  std::unordered_map<std::string, Value> library_values_;
  int library_searches_ = 0;  ///< under way: what they find is not settled yet
  std::unordered_map<Symbol, Value> builtins_;
  NodeSymbols symbols_of_nodes_;                ///< of the program's own modules
  const source::Tree* symbols_tree_ = nullptr;  ///< the tree asked for last, with its table
  Symbol* symbols_ = nullptr;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, std::vector<Symbol>>> assigned_;
  std::map<std::pair<const source::Tree*, std::uint32_t>, int>
      bodies_followed_;  ///< of kernels, by their node
  int depth_ = 0;
  bool stopped_ = false;
  bool loop_may_break_ = false;
  bool touched_ = false;  ///< something that changed unseen went into the expression
  int from_activation_ = 0;
  std::unordered_map<const source::Tree*, std::unordered_map<std::uint32_t, std::vector<Symbol>>> locals_;
};

}  // namespace cutelab::reading::machine
