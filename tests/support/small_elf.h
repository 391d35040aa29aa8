#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace cutelab::testing {

/// A 64-bit little-endian ELF file with these sections, name and content, as a cubin is one.
inline std::string small_elf(std::vector<std::pair<std::string, std::string>> sections) {
  sections.insert(sections.begin(), {"", ""});
  sections.emplace_back(".shstrtab", "");
  std::string names;
  std::vector<std::uint32_t> name_at;
  for (const auto& [name, content] : sections) {
    name_at.push_back(static_cast<std::uint32_t>(names.size()));
    names += name + '\0';
  }
  sections.back().second = names;
  std::string file(64, '\0');
  std::string headers;
  const auto put = [](std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string& content = sections[i].second;
    put(headers, name_at[i]);
    put(headers, std::uint32_t{1});
    put(headers, std::uint64_t{0});
    put(headers, std::uint64_t{0});
    put(headers, static_cast<std::uint64_t>(file.size()));
    put(headers, static_cast<std::uint64_t>(content.size()));
    headers += std::string(24, '\0');
    file += content;
  }
  const std::uint64_t table = file.size();
  const auto entry = std::uint16_t{64}, count = static_cast<std::uint16_t>(sections.size()),
             last = static_cast<std::uint16_t>(sections.size() - 1);
  std::memcpy(file.data(),
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  std::memcpy(file.data() + 0x28, &table, sizeof table);
  std::memcpy(file.data() + 0x3a, &entry, sizeof entry);
  std::memcpy(file.data() + 0x3c, &count, sizeof count);
  std::memcpy(file.data() + 0x3e, &last, sizeof last);
  return file + headers;
}

}  // namespace cutelab::testing
