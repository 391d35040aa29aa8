#pragma once
#include <string>

#include "evidence/reading.h"
#include "reading/evaluator/abstract.h"
#include "source/program.h"

namespace cutelab::reading {

/// Whether something is so under the file's own defaults, and what decides.
struct Activity {
  evidence::Tristate state = evidence::Tristate::yes;
  std::string condition;  ///< text of the innermost condition that is not plainly true; empty = unconditional
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
};

}  // namespace cutelab::reading
