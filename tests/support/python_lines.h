#pragma once
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace cutelab::testing {

/// The lines that Python prints as it runs the file; none where there is no Python.
inline std::vector<std::string> python_lines(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  FILE* pipe = ::popen(("python3 " + file.string() + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return lines;
  std::string all;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) all.append(buffer, n);
  ::pclose(pipe);
  std::istringstream text(all);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace cutelab::testing
