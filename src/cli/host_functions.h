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
};

/// What a CUDA C++ file defines, by plain name.
struct HostFile {
  std::multimap<std::string, HostFunction> functions;
  std::map<std::string, std::string> aliases;  ///< outside of functions
  source::Node main;                           ///< its body; no node: there is none
};

HostFile host_file(const source::Tree& tree);

/// The name that a declarator declares, below pointers, references and initializers.
source::Node declared_name(source::Node declarator);

}  // namespace cutelab::cli
