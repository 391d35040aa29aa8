#pragma once
#include <map>
#include <string>
#include <vector>

#include "source/tree.h"

namespace cutelab::cli {

/// A parameter of a function as it is written.
struct HostParameter {
  std::string name, type;
  bool pointer = false, constant = false, optional = false;
};

/// A function of a file that runs on the host.
struct HostFunction {
  std::string qualified;  ///< "detail::gemm"
  std::vector<HostParameter> parameters;
  int line = 0;
  std::vector<std::string> calls;  ///< names of what it calls, as they are written
  bool launches = false;           ///< it launches a kernel itself: `<<<…>>>`, or a call that says "launch"
};

/// What a CUDA C++ file defines, by plain name.
struct HostFile {
  std::multimap<std::string, HostFunction> functions;
  std::vector<HostFunction> kernels;           ///< __global__ functions
  std::map<std::string, std::string> aliases;  ///< outside of functions
  source::Node main;                           ///< its body; no node: there is none
};

HostFile host_file(const source::Tree& tree);

/// The name that a declarator declares, below pointers, references and initializers.
source::Node declared_name(source::Node declarator);

}  // namespace cutelab::cli
