#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "reading/evaluator/abstract.h"
#include "source/program.h"

namespace cutelab::reading {

/// Whether something is so under the file's own defaults, and what decides.
struct Activity {
  evidence::Tristate state = evidence::Tristate::yes;
  std::string condition;  ///< text of the innermost condition that is not plainly true; empty = unconditional
};

/// A launch as a run of the program asked for it; `none` = not passed.
struct SeenLaunch {
  Abstract grid, block, cluster, smem;
  int module = 0;
  source::Node call;                      ///< the `.launch(…)` call
  std::string kernel;                     ///< qualified name of the kernel's function
  std::optional<std::int64_t> allocated;  ///< bytes of shared memory that the kernel's allocators took
};

/// A shared-memory struct as a run laid it out, in bytes; nullopt = not known.
struct SeenStorage {
  struct Member {
    std::string name;
    std::optional<std::int64_t> bytes, offset, alignment;
  };
  std::string name;  ///< of the struct
  std::optional<std::int64_t> bytes, alignment;
  std::vector<Member> members;
};

/// A tensor as a run held it: elements of each mode, nullopt = not known; whether it holds coordinates, as a
/// tensor that TMA moves does.
struct SeenTensor {
  std::vector<std::optional<std::int64_t>> extents;
  bool coordinates = false;
};

/// A tensor over tensor memory as a run held it, in columns of 32 bits and lanes.
struct SeenColumns {
  std::optional<std::int64_t> first;           ///< column that it begins in; nullopt = not known
  std::optional<std::int64_t> columns, lanes;  ///< nullopt = the layout is not known
  bool of_allocation = false;                  ///< columns count from where the allocation begins
  std::int64_t first_lane = 0;
  std::string element, layout;     ///< "Float32", "((128,128),1,1,2):((65536,1),0,0,128)"
  std::string reason, depends_on;  ///< why `first`, or `columns`, is not known
  source::Node made_at;            ///< the call that laid it there
  int made_in = 0;                 ///< module of made_at
  /// The same columns and lanes of the same elements, however they are laid out there.
  friend bool operator==(const SeenColumns& a, const SeenColumns& b) {
    return a.first == b.first && a.columns == b.columns && a.lanes == b.lanes &&
           a.first_lane == b.first_lane && a.of_allocation == b.of_allocation && a.element == b.element;
  }
};

/// The questions that facts and checklist ask of a program. They know nothing of how an answer is found, so
/// an evaluator that runs more of the program only turns unknowns into values.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Value of an expression where it stands, under the file's own defaults and the request's settings.
  virtual Abstract value_of(int module, source::Node expression) = 0;
  /// Value of an argument of the call that made an object, in the activation that made it.
  virtual Abstract argument_of(const Abstract& object, source::Node argument) = 0;
  /// Whether a node is compiled and executed under those defaults (branches around it, calls that lead to
  /// it).
  virtual Activity active(int module, source::Node node) = 0;
  /// The qualified path of what a call calls: of a constructor, a method on a known object, a library
  /// function.
  virtual std::string callee_path(int module, source::Node call) = 0;
  /// The local function a call runs; false when it calls none.
  virtual bool callee_function(int module, source::Node call, int* function_module, int* function) = 0;
  /// The name of the function that a bound name stands for: of functools.partial(f, …), of a function bound
  /// on a condition or under another name. "" where the callee is called by its own name.
  virtual std::string called_name(int, source::Node) { return {}; }
  /// Why no run comes to a node: the program ends with an error before it. "" = one may.
  virtual std::string unreached(int, source::Node) { return {}; }
  /// Why the function around a node never ran, where the program ends with an error; "" = it ran, or may.
  virtual std::string never_entered(int, source::Node) { return {}; }
  /// Launches that the run made from other modules than the file itself.
  virtual std::vector<SeenLaunch> launches_elsewhere() { return {}; }
  /// What the run passed to a `.launch(…)` call, in the order of the run; none when it was not run.
  virtual std::vector<SeenLaunch> launches_at(int, source::Node) { return {}; }
  /// The layout of a @cute.struct class, or of what a call allocates; nullopt when it was not run.
  virtual std::optional<SeenStorage> storage_of(int, source::Node) { return std::nullopt; }
  /// A field of what the run's models made at a call (of a pair, of its first): the box of a TMA descriptor …
  virtual Abstract made_with(int, source::Node, std::string_view) { return Abstract::unknown("not run"); }
  /// What kind of object the run saw an expression give ("Tensor", the name of a class); "" = no object.
  virtual std::string object_at(int, source::Node) { return {}; }
  /// The tensor that the run saw an expression give, in what all runs of it agree; nullopt = it saw none.
  virtual std::optional<SeenTensor> tensor_at(int, source::Node) { return std::nullopt; }
  /// The tensors over tensor memory that the runs of an expression laid there, or an item of what it gave, by
  /// a path into the tuple; parts and views of tensors that were there before do not count. Each once.
  virtual std::vector<SeenColumns> tensor_memory_at(int, source::Node, const std::vector<int>&) { return {}; }
};

}  // namespace cutelab::reading
