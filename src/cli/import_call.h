#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// One parameter of a host function, as it is written.
struct CallParameter {
  std::string name;
  std::string type;          ///< its annotation; empty = none
  std::string preset;        ///< what it is where nothing is passed; empty = it has to be passed
  bool constructor = false;  ///< of the class that the function is a method of
};

/// A function of a CuTe DSL program that launches kernels, itself or through others, and is called by none
/// that does.
struct CallableFunction {
  std::string name;   ///< "gemm"; of a method "Gemm.__call__"
  std::string owner;  ///< its class; empty = none
  std::string member;
  int line = 0;
  std::vector<CallParameter> parameters;
};

/// The functions of a program that can be called from outside, in the order of the file. Errors: it cannot be
/// read.
Result<std::vector<CallableFunction>> callable_functions(const std::string& path, const FileSource& files);

/// A program of a few lines that calls the function: what is not known of its arguments stands in it as
/// FILL_IN, and it says so and ends until these are filled in. `program` and `file`, which it is written to,
/// are names as in PackageDescription; `again`: the command that imports the call when it is filled in.
std::string call_program(const std::string& program, const CallableFunction& function,
                         const std::string& file, const std::string& again);

/// The program that such a file calls; empty: the text is no call of one.
std::string called_program(const std::string& text);

}  // namespace cutelab::cli
