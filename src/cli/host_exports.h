#pragma once
#include <memory>
#include <string>

#include "cli/verb.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {
struct ExportSettings;

/// Whether a program is one in CUDA C++, by its name.
bool is_cpp_program(const std::string& program);

/// Files beside the program that it includes by a quoted name, and what these include. Names that lead out of
/// a folder ("../examples/gemm.cu") are looked up beside `headers`, too, as the compiler does.
std::vector<std::string> local_includes(const std::string& program, const FileSource& files,
                                        const std::string& headers = "");

/// Exports of CUDA C++ programs: main is followed up to the call of its host function (host_main.h), a unit
/// that includes the program is compiled, and the launches of the call are recorded without a GPU. Kept below
/// build/exports by program, flags and architecture; the compiled code in build/kernels. Of the settings:
/// `tells` (stderr says when nvcc is started) and `only_kept`.
std::shared_ptr<const kernel::Exporter> make_cpp_exporter(Context& context, const ExportSettings& settings);

/// The architecture that the names of a CUDA C++ source speak of, from sm_100 on; else sm_90a, for which code
/// of earlier ones compiles too.
std::string cpp_target(const std::string& source);

/// Bits behind the leading one of the sums that a kernel's matrix instructions keep, by its mangled name; 0 =
/// those of fp32, or the name does not say.
int accumulator_bits(const std::string& symbol);

}  // namespace cutelab::cli
