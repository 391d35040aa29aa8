#include "compiled/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace cutelab::compiled {
namespace {

std::optional<int> number_after(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) return std::nullopt;
  const auto rest = line.substr(at + name.size());
  const auto value = parse_integer(rest.substr(0, rest.find_first_of(" \t\r")));
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

bool reserves_shared_memory(const std::string& arch) {
  const auto digits = arch.find_first_of("0123456789");
  const auto number = digits == std::string::npos
                          ? std::nullopt
                          : parse_integer(std::string_view(arch).substr(
                                digits, arch.find_first_not_of("0123456789", digits) - digits));
  return number && *number >= 90;
}

/// The tool counts what the system reserves as the kernel's own.
void split_off_reserved(Resources& r) {
  if (r.arch.empty() || r.reserved_smem_bytes || !r.static_smem_bytes) return;
  r.reserved_smem_bytes = reserves_shared_memory(r.arch) && *r.static_smem_bytes >= 1024 ? 1024 : 0;
  *r.static_smem_bytes -= *r.reserved_smem_bytes;
}

void read_usage(std::string_view line, Resources& r) {
  r.registers = number_after(line, "REG:");
  r.stack_bytes = number_after(line, "STACK:");
  r.local_bytes = number_after(line, "LOCAL:");
  r.static_smem_bytes = number_after(line, "SHARED:");
  split_off_reserved(r);
}

/// "arch = sm_90a" (fatbin headers) or "code for sm_90a".
void read_arch(std::string_view bare, std::string& arch) {
  if (bare.substr(0, 7) == "arch = ") arch = std::string(trim(bare.substr(7)));
}

}  // namespace

std::vector<Resources> parse_resource_usage(std::string_view text) {
  std::vector<Resources> all;
  std::string arch;
  for (const auto line : split(text, '\n')) {
    const auto bare = trim(line);
    read_arch(bare, arch);
    if (bare.substr(0, 9) == "Function " && bare.size() > 10 && bare.back() == ':') {
      all.emplace_back();
      all.back().function = std::string(bare.substr(9, bare.size() - 10));
      all.back().arch = arch;
    } else if (!all.empty() && bare.substr(0, 4) == "REG:") {
      read_usage(bare, all.back());
    }
  }
  return all;
}

namespace {

/// Of the extents of a block; none where one is no number.
std::optional<int> product_of(const std::vector<std::string_view>& words) {
  std::optional<int> product = 1;
  for (const auto word : words)
    if (const auto number = parse_integer(word); !word.empty())
      product = product && number ? std::optional<int>(*product * static_cast<int>(*number)) : std::nullopt;
  return product;
}

}  // namespace

void set_arch(Resources& resources, const std::string& arch) {
  resources.arch = arch;
  split_off_reserved(resources);
}

void add_elf_attributes(std::string_view text, std::vector<Resources>& resources) {
  std::string arch;
  std::string attribute;
  Resources* current = nullptr;
  for (const auto line : split(text, '\n')) {
    const auto bare = trim(line);
    read_arch(bare, arch);
    if (bare.ends_with(".nv_debug_line_sass") || bare.ends_with(".debug_line"))
      for (Resources& r : resources) r.line_table = r.line_table || r.arch == arch || r.arch.empty();
    if (bare.substr(0, 1) == "." && bare.find(' ') == std::string_view::npos) {
      current = nullptr;
      if (bare.substr(0, 9) != ".nv.info.") continue;
      for (Resources& r : resources)
        if (r.function == bare.substr(9) && (r.arch == arch || r.arch.empty())) current = &r;
    } else if (bare.substr(0, 10) == "Attribute:") {
      attribute = std::string(trim(bare.substr(10)));
    } else if (current && bare.substr(0, 6) == "Value:") {
      const auto words = split(trim(bare.substr(6)), ' ');
      const auto first = parse_integer(words[0]);
      if (first && attribute == "EIATTR_NUM_BARRIERS") current->barriers = static_cast<int>(*first);
      if (attribute == "EIATTR_MAX_THREADS" || attribute == "EIATTR_REQNTID")
        current->max_threads = product_of(words);
    }
  }
  for (Resources& r : resources)
    if (!r.barriers && text.find(".nv.info." + r.function) != std::string_view::npos) r.barriers = 0;
}

namespace {

struct SmLimits {
  int warps = 64;
  int blocks = 32;
  int registers = 65536;
  int smem_bytes = 228 * 1024;
};

// CUDA C++ programming guide, "Technical Specifications per Compute Capability".
SmLimits limits_of(int major, int minor) {
  if (major == 8 && minor == 0) return {64, 32, 65536, 164 * 1024};
  if (major == 8 && minor == 9) return {48, 24, 65536, 100 * 1024};
  if (major == 8) return {48, 16, 65536, 100 * 1024};
  if (major == 12) return {48, 24, 65536, 100 * 1024};
  return {64, 32, 65536, 228 * 1024};
}

}  // namespace

std::string local_memory_text(const Resources& resources, int accesses, bool dsl) {
  const int stack = resources.stack_bytes.value_or(0), local = resources.local_bytes.value_or(0);
  if (stack == 0 && local == 0 && accesses == 0) return "";
  return fmt::format(
      "local memory: {} bytes of a thread, {} loads and stores: registers did not suffice, or an array of "
      "them "
      "is indexed by what is not known at compile time{}",
      std::max(stack, local), accesses,
      dsl ? " (4.5.0 did so to the result of load(): index the register tensor first, or take 4.5.1)" : "");
}

int resident_blocks(const Resources& r, int threads, int dynamic_smem_bytes, int major, int minor) {
  const SmLimits limits = limits_of(major, minor);
  const int warps = (threads + 31) / 32;
  if (warps == 0) return 0;
  int blocks = std::min(limits.blocks, limits.warps / warps);
  const int per_warp = (r.registers.value_or(0) * 32 + 255) / 256 * 256;
  if (per_warp > 0) blocks = std::min(blocks, limits.registers / per_warp / warps);
  const int reserved = major >= 8 ? 1024 : 0;
  const int smem = r.static_smem_bytes.value_or(0) + dynamic_smem_bytes + reserved;
  return smem > 0 ? std::min(blocks, limits.smem_bytes / smem) : blocks;
}

double occupancy_percent(const Resources& r, int threads, int dynamic_smem_bytes, int major, int minor) {
  const int warps = (threads + 31) / 32;
  const int resident = resident_blocks(r, threads, dynamic_smem_bytes, major, minor) * warps;
  return 100.0 * resident / limits_of(major, minor).warps;
}

}  // namespace cutelab::compiled
