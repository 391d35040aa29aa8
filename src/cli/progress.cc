#include "cli/progress.h"

#include <fmt/format.h>

#include <ostream>

namespace cutelab::cli {

void Progress::begin(const std::string& what, const std::string& usual) {
  what_ = what;
  since_ns_ = context_.clock.now_ns();
  const char* begin = context_.err_is_terminal ? "\r\x1b[K" : "";
  const char* end = context_.err_is_terminal ? "" : "\n";
  context_.err << fmt::format("{}{} … ({}){}", begin, what, usual, end) << std::flush;
}

Progress::~Progress() {
  if (what_.empty()) return;
  if (context_.err_is_terminal)
    context_.err << "\r\x1b[K" << std::flush;
  else
    context_.err << fmt::format("{}: over after {:.1f} s\n", what_,
                                static_cast<double>(context_.clock.now_ns() - since_ns_) * 1e-9);
}

std::string usual_time(const std::vector<double>& seconds) {
  if (seconds.empty()) return "the first one here: how long it takes is not known yet";
  const std::size_t cut = seconds.size() / 10;
  const double least = seconds[cut], most = seconds[seconds.size() - 1 - cut];
  if (most - least < 1) return fmt::format("earlier ones took {:.0f} s", most);
  return fmt::format("earlier ones took {:.0f} to {:.0f} s", least, most);
}

}  // namespace cutelab::cli
