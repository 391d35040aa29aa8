#pragma once
#include <optional>
#include <string>

#include "cli/host_functions.h"

namespace cutelab::cli {

/// The function of a CUDA C++ file that a package would call: the last one on the host that launches, itself
/// or through others; else the last kernel. None: it has neither.
struct HostCallee {
  HostFunction function;
  bool is_kernel = false;
};
std::optional<HostCallee> host_callee(std::string text);

/// A file of a few lines that includes the program and calls the function from a main of its own: types and
/// values that are not known stand in it as FILL_IN. `included`: how it names the program, `again`: the
/// command that imports it when it is filled in.
std::string host_call_program(const std::string& program, const std::string& included,
                              const HostCallee& callee, const std::string& again);

}  // namespace cutelab::cli
