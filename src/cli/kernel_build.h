#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "evidence/run.h"
#include "kernel/build.h"
#include "kernel/registry.h"

namespace cutelab::cli {

/// One package compiled for one configuration, or why it could not be.
struct PackageBuild {
  std::optional<kernel::BuiltKernel> built;
  std::string not_built_because;  ///< one line
  std::string remedy;
  std::string where;  ///< the compiler's first errors
};

/// What the machine code of one build runs on: of the package's architectures those that are one code, else
/// the one it was compiled for.
std::vector<std::string> compiled_for(const kernel::Package& package, const kernel::CuteKernel& kernel);

/// Compiles, or takes from the cache. Where it compiles, stderr says what and how long that takes, unless
/// `tells` is off: for threads that would write at once.
PackageBuild build_package(const kernel::Package& package, const kernel::CuteKernel& kernel,
                           const Context& context, bool tells = true);

/// Why it was not built, with what helps: "… (try: `cutelab setup cutlass`)".
std::string not_built_text(const PackageBuild& build);

/// The reference operators of kernels/reference, compiled for `arch`.
PackageBuild build_operators(const std::string& arch, const Context& context);

/// Writes compiler, source hash, their note and the hash of the machine code into the run.
void record_build(evidence::Run& run, const kernel::BuiltKernel& built, const kernel::CuteKernel& kernel,
                  const Context& context);

/// Fills the rows that the cubin tells (registers, shared memory, instruction mix …), or each with the reason
/// why not; the reason is returned, empty when all went well.
std::string inspect_package(evidence::Run& run, const kernel::Package& package,
                            const kernel::CuteKernel& kernel, const PackageBuild& build,
                            const Context& context);

/// "asked: wrong", on one line.
std::string one_line(const Error& error);

}  // namespace cutelab::cli
