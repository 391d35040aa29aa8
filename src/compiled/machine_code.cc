#include "compiled/machine_code.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/sha256.h"

namespace cutelab::compiled {
namespace {

/// Numbers of a little-endian 64-bit ELF file (System V ABI, ELF-64 Object File Format).
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {}

  bool valid() const {
    constexpr char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};  // 64 bits, little-endian
    return bytes_.size() >= 64 && std::memcmp(bytes_.data(), magic, sizeof magic) == 0;
  }

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::optional<std::string_view> bytes(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return std::nullopt;
    return bytes_.substr(offset, size);
  }

  struct Section {
    std::uint32_t name = 0;
    std::uint64_t offset = 0, size = 0;
  };
  std::optional<Section> section(unsigned index) const {
    const auto table = at<std::uint64_t>(0x28);
    const auto entry = at<std::uint16_t>(0x3a);
    if (!table || !entry) return std::nullopt;
    const std::uint64_t header = *table + std::uint64_t{index} * *entry;
    const auto name = at<std::uint32_t>(header);
    const auto offset = at<std::uint64_t>(header + 0x18);
    const auto size = at<std::uint64_t>(header + 0x20);
    if (!name || !offset || !size) return std::nullopt;
    return Section{*name, *offset, *size};
  }
  std::string_view name_of(const Section& section, const Section& names) const {
    const auto all = bytes(names.offset, names.size);
    if (!all || section.name >= all->size()) return {};
    const auto rest = all->substr(section.name);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string machine_code_hash(std::string_view cubin, std::string_view function) {
  constexpr std::string_view prefix = ".text.";
  const ElfFile elf(cubin);
  if (!elf.valid()) return "";
  const unsigned count = elf.at<std::uint16_t>(0x3c).value_or(0);
  const auto names = elf.section(elf.at<std::uint16_t>(0x3e).value_or(0));
  std::string code;
  for (unsigned i = 0; names && i < count; ++i) {
    const auto section = elf.section(i);
    if (!section) return "";
    const auto name = elf.name_of(*section, *names);
    if (name.substr(0, prefix.size()) != prefix) continue;
    if (name.find(function, prefix.size()) == std::string_view::npos) continue;
    const auto text = elf.bytes(section->offset, section->size);
    if (!text) return "";
    code += *text;
  }
  return code.empty() ? "" : sha256(code).substr(0, 16);
}

}  // namespace cutelab::compiled
