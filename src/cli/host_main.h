#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/host_expression.h"
#include "kernel/exported_call.h"

namespace cutelab::cli {

/// Memory that a main sets up.
struct HostMemory {
  std::string name;
  std::string type;            ///< of an element, aliases replaced: "cute::half_t"
  std::int64_t elements = -1;  ///< -1: not known
  bool on_device = false;
};

/// One argument of the call, with the parameter that it is given for.
struct HostArgument {
  std::string name;      ///< the parameter's
  std::string declared;  ///< the parameter's type, as it is written
  bool pointer = false, constant = false;
  std::string text;  ///< what main gives
  std::string type;  ///< of what main gives, aliases replaced; of memory that of an element
  HostValue value;
};

/// The call of a function of the file, with memory on the device, that a main makes first.
struct HostCall {
  std::string function;       ///< "gemm", "detail::gemm", with template arguments where main gives them
  int line = 0;               ///< of the call
  bool takes_stream = false;  ///< its last parameter is a stream
  std::vector<HostArgument> arguments;  ///< without the stream
  std::vector<HostMemory> memories;
  std::vector<kernel::ExportedCall::Flag> flags;  ///< what main takes from its command line: option "argv[1]"
  std::vector<std::string> using_directives;      ///< of main: "using namespace cute;"
  std::vector<std::string> skipped;               ///< branches that were taken not to be entered
};

/// Follows main of a CUDA C++ program up to that call. `flags`: its command line, each "argv[2]=512".
/// Errors: (kind input) there is no main, no such call, or what it gives could not be followed; (kind usage)
/// main refuses these flags, or does not know one.
Result<HostCall> read_host_call(const std::string& path, std::string text,
                                const std::vector<std::string>& flags);

}  // namespace cutelab::cli
