#pragma once
#include <string>

namespace cutelab {

/// What kind of failure it is; decides the program's exit code (see ExitCode).
enum class ErrorKind {
  usage,        ///< the command line is wrong
  input,        ///< a file or value the user named is wrong (missing, binary, unreadable, malformed)
  unavailable,  ///< this machine lacks something: a GPU, nvcc, ncu, an optional part
  check,        ///< a check the user asked for failed
  fault,        ///< the kernel under test faulted on the device or ran past its time limit
  internal      ///< our own fault
};

/// The program's documented exit codes.
enum class ExitCode : int {
  ok = 0,            ///< done
  failed_check = 1,  ///< a check failed (--check, --fail-on, lints, verify)
  usage = 2,         ///< wrong command line or bad input
  unavailable = 3,   ///< could not be done on this machine; what could be done was done
  internal = 4,      ///< a fault of the program
  kernel_fault = 5   ///< the kernel under test faulted on the device or ran past its time limit
};

ExitCode exit_code_of(ErrorKind kind);

/// An error as a person reads it: what was asked, what is wrong, where, what to do. `where` and `remedy` may
/// be empty.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string asked;   ///< "read examples/gemm.py"
  std::string wrong;   ///< "the file is empty"
  std::string where;   ///< "examples/gemm.py:12:4", or a quoted line with a caret below it
  std::string remedy;  ///< "name a CuTe DSL or CUDA C++ source"
  int code = 0;        ///< the CUDA driver's or runtime's own number; 0 = none

  /// `error: <asked>: <wrong>` and, on lines of their own, `  at: <where>` and `  try: <remedy>`.
  std::string message() const;
};

}  // namespace cutelab
