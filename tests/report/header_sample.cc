#include "report/header_sample.h"

#include <fstream>
#include <sstream>

#include "base/text.h"

namespace cutelab::report::testing {

std::string sample_of_header(const std::string& header) {
  std::ifstream file(CUTELAB_SOURCE_DIR "/src/" + header);
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "/// ```") {
      inside = !inside;
      continue;
    }
    if (inside) out += (line.size() > 4 ? line.substr(4) : "") + "\n";
  }
  return out;
}

std::string as_comment(const std::string& output) {
  std::string out = "/// ```\n";
  const std::string trimmed = output.substr(0, output.find_last_not_of('\n') + 1);
  for (const auto line : split(trimmed, '\n'))
    out += (line.empty() ? "///" : "/// " + std::string(line)) + "\n";
  return out + "/// ```\n";
}

}  // namespace cutelab::report::testing
