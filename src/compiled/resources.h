#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::compiled {

/// What a kernel's machine code asks of the hardware. Absent: the tool did not say.
struct Resources {
  std::string function;  ///< mangled
  std::string arch;
  std::optional<int> registers;            ///< 32-bit, per thread
  std::optional<int> stack_bytes;          ///< per thread: arrays indexed at run time, spills
  std::optional<int> static_smem_bytes;    ///< per block, without what the system reserves
  std::optional<int> reserved_smem_bytes;  ///< 1,024 from sm_90 on when the kernel uses shared memory
  std::optional<int> local_bytes;
  std::optional<int> barriers;     ///< hardware barriers used
  std::optional<int> max_threads;  ///< launch bound
  bool line_table = false;         ///< a profiler can show source lines (add_elf_attributes)
};

/// Text of `cuobjdump --dump-resource-usage`.
std::vector<Resources> parse_resource_usage(std::string_view text);

/// For text that does not name the architecture (a plain cubin): sets it and splits reserved from static
/// shared memory.
void set_arch(Resources& resources, const std::string& arch);

/// Adds barriers, launch bounds and line tables from the text of `cuobjdump -elf` to entries of the same
/// function and architecture.
void add_elf_attributes(std::string_view text, std::vector<Resources>& resources);

/// Why a thread's data lies in memory: spilled registers, or an array of registers whose index is not known
/// when the kernel is compiled. `accesses`: local loads and stores among the instructions; `dsl`: the CuTe
/// DSL compiled it. Empty: there is none.
std::string local_memory_text(const Resources& resources, int accesses, bool dsl);

/// Blocks of `threads` threads that fit on one SM by registers, threads and shared memory (CUDA C++
/// programming guide, compute capability tables; registers are given to a warp in units of 256).
int resident_blocks(const Resources& resources, int threads, int dynamic_smem_bytes, int major, int minor);

/// Resident warps over the most an SM holds, in percent.
double occupancy_percent(const Resources& resources, int threads, int dynamic_smem_bytes, int major,
                         int minor);

}  // namespace cutelab::compiled
