#include "cli/captures.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/parts.h"
#include "reading/read.h"

namespace cutelab::cli {

Result<std::string> target_arch(const std::string& asked, Context& context, const std::string& program) {
  std::string arch = asked.empty() ? context.environment.get("CUTE_DSL_ARCH").value_or("") : asked;
  if (arch.empty()) {
    reading::Request read;
    read.path = program;
    auto reading = reading::read(read, context.files);
    if (!reading) return reading.error();
    arch = reading->arch.minimum.empty() ? "sm_90a" : reading->arch.minimum;
  }
  const bool digits = arch.size() > 4 && arch.rfind("sm_", 0) == 0 &&
                      arch.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz_") == std::string::npos &&
                      arch[3] >= '1' && arch[3] <= '9' && arch[4] >= '0' && arch[4] <= '9';
  if (!digits)
    return Error{ErrorKind::usage, "capture", fmt::format("'{}' is no architecture", printable(arch)), "",
                 "name one as sm_80, sm_90a, sm_100a, sm_120a"};
  return arch;
}

Result<std::string> dsl_python(const std::string& asked, Context& context) {
  const std::string named =
      asked.empty() ? context.environment.get("CUTELAB_DSL_PYTHON").value_or("") : asked;
  if (!named.empty()) return named;
  if (auto status = require_part("dsl", context); !status) return status.error();
  return part_folder("dsl", context) + "/bin/python";
}

}  // namespace cutelab::cli
