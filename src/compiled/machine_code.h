#pragma once
#include <string>
#include <string_view>

namespace cutelab::compiled {

/// SHA-256 (first 16 digits) over the instructions of every function of `cubin` whose name holds `function`,
/// in the order of the file: the sections .text.<name> of the ELF file. Names, line tables and constants do
/// not count, so two kernels of different source that compile to the same instructions have the same. Empty:
/// it is no cubin, or has no such function.
std::string machine_code_hash(std::string_view cubin, std::string_view function);

}  // namespace cutelab::compiled
