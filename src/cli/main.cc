#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "cli/verb.h"

namespace {

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 100;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cutelab;
  const DiskFileSource files;
  const SystemClock clock;
  const Environment environment = Environment::of_process();
  const bool out_is_terminal = isatty(STDOUT_FILENO) != 0;
  cli::Context context{std::cout,
                       std::cerr,
                       files,
                       clock,
                       environment,
                       environment.get("CUTELAB_PROGRAM").value_or("cutelab"),
                       environment.get("CUTELAB_ROOT").value_or("."),
                       out_is_terminal,
                       isatty(STDERR_FILENO) != 0,
                       out_is_terminal ? terminal_width() : 100};
  try {
    return cli::dispatch(cli::all_verbs(), std::vector<std::string>(argv + 1, argv + argc), context);
  } catch (const std::exception& e) {
    std::cerr << Error{ErrorKind::internal, "cutelab", e.what(), "",
                       "please report this with the command line"}
                     .message()
              << "\n";
    return static_cast<int>(ExitCode::internal);
  }
}
