#pragma once
#include <string>
#include <vector>

#include "capture/program.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// The architecture a program is compiled for: `asked`, CUTE_DSL_ARCH, what a reading of it is made for
/// (reading::default_target): the first that is known. Error (kind usage): that is no architecture's name.
Result<std::string> target_arch(const std::string& asked, Context& context, const std::string& program);

/// The flags of every verb that runs programs with the CuTe DSL: --arch, --torch, --python, --dsl-version.
std::vector<Flag> program_flags();
/// --torch.
capture::Torch torch_of(const Arguments& arguments);
/// Error (kind usage): `word` is a folder, or a source that no Python runs; `sweeps`: what a folder is for.
Status check_is_program(const std::string& verb, const std::string& word, const std::string& sweeps,
                        const Context& context);

/// Which CuTe DSL a program is compiled with.
struct DslChoice {
  std::string program;  ///< path: its checkout may pin a version
  std::string python;   ///< interpreter that was named; empty = none
  std::string version;  ///< "4.7.0"; empty = none was asked for
};

/// The interpreter with the CuTe DSL: the one that was named, the environment of the version that was asked
/// for, CUTELAB_DSL_PYTHON, the environment of the version that the program's checkout pins, the part dsl:
/// the first that applies. Environments are installed if need be; where the pinned version cannot be had, a
/// note says so and the part dsl serves. Errors: (kind usage) that is no version; (kind unavailable) it
/// cannot be had.
Result<std::string> dsl_python(const DslChoice& choice, Context& context);

/// Lends an interpreter without torch the part torch, if that is installed; `wanted`: installs it if need be.
/// Errors (kind unavailable), if wanted: it cannot be had, it was made for another Python.
Status add_torch(capture::Toolchain& toolchain, bool wanted, Context& context);

/// What to do for programs that only torch itself would serve; empty where it is at hand.
std::string torch_hint(std::size_t programs, const capture::Toolchain& toolchain, const Context& context);

/// The DSL version that the checkout around `program` pins in python/CuTeDSL/requirements.txt; empty: it lies
/// in none, or that pins none.
std::string pinned_dsl_version(const std::string& program, const FileSource& files);
/// The same; of a call that an import wrote (import_call.h) what the checkout of the called program pins.
std::string wanted_dsl_version(const std::string& program, const Context& context);

}  // namespace cutelab::cli
