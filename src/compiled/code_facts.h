#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "compiled/read_ir.h"
#include "compiled/resources.h"
#include "compiled/sass.h"

namespace cutelab::compiled {

/// One function of a cubin: what it asks of the hardware, and the lines that its instructions came from.
struct CodeOfKernel {
  LinedCode code;
  Resources resources;
};

/// Asks nvdisasm and cuobjdump about a cubin that has a line table. Errors: kind unavailable if a tool cannot
/// be run, kind input if it finds no device code. `arch`: what it was compiled for, "sm_90a".
Result<std::vector<CodeOfKernel>> inspect_lines(const std::string& nvdisasm, const std::string& cuobjdump,
                                                const std::string& cubin, const std::string& arch);

/// Adds the machine code of the module's kernels to its facts: one of kind machine-code per kernel, one of
/// kind instructions for each line of `files` (as in read_ir) that became instructions. Functions that are no
/// kernel of the module are passed over. Post-condition: the instructions of a kernel's lines and its
/// `unplaced` ones add up to its `instructions`.
void add_code_facts(const std::vector<CodeOfKernel>& code, const std::vector<std::string>& files,
                    IrReading& module);

}  // namespace cutelab::compiled
