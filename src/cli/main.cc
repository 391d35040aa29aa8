#include <fcntl.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <ostream>

#include "base/printable_output.h"
#include "base/text.h"
#include "cli/verb.h"

namespace {

constexpr int narrowest = 40;

/// Columns to write for: what COLUMNS asks for, else the terminal's own; none where neither says anything.
std::optional<int> width_of_output(const cutelab::Environment& environment, bool terminal) {
  if (const auto asked = environment.get("COLUMNS"))
    if (const auto columns = cutelab::parse_integer(*asked);
        columns && *columns >= narrowest && *columns <= 1000)
      return static_cast<int>(*columns);
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= narrowest)
    return size.ws_col;
  return std::nullopt;
}

/// A caller may have closed standard streams. Files opened later must not get their numbers, or output would
/// end up inside them. Opened for reading alone, so that writing to a closed output is still an error.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) _exit(4);
}

/// The heap begins with room that the kernel may back with huge pages, where it is set to do so when asked:
/// walks over syntax trees and tables of names miss the TLB on every other step otherwise, which costs a
/// sixth of a reading. Only addresses are taken ahead, no memory.
void prefer_huge_pages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr int room = 256 << 20, most_in_heap = 32 << 20;
  constexpr std::uintptr_t page = 4096;
  mallopt(M_MMAP_THRESHOLD, most_in_heap);
  mallopt(M_TRIM_THRESHOLD, 2 * room);
  mallopt(M_TOP_PAD, room);
  void* first = std::malloc(1 << 20);  // more than there is: the heap grows by it and the room
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / page * page;
  if (first && end > begin && end - begin <= 2 * static_cast<std::uintptr_t>(room))
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish: it may be refused
  std::free(first);
#endif
}

/// The program's exit code, unless its output could not be written. A reader that has gone (EPIPE) knows
/// that.
int exit_code(int code, cutelab::PrintableOutput& output, std::ostream& err) {
  using namespace cutelab;
  output.finish();
  if (output.failed_with() == 0) return code;
  const Error error{ErrorKind::input, "write standard output", std::strerror(output.failed_with()), "",
                    "check where the output goes: is it open, and is there free space?"};
  if (output.failed_with() != EPIPE) err << error.message() << "\n";
  return code ? code : static_cast<int>(exit_code_of(error.kind));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cutelab;
  occupy_standard_streams();
  prefer_huge_pages();
  const DiskFileSource files;
  const SystemClock clock;
  const Environment environment = Environment::of_process();
  const bool out_is_terminal = isatty(STDOUT_FILENO) != 0;
  const bool err_is_terminal = isatty(STDERR_FILENO) != 0;
  PrintableOutput out_buffer(STDOUT_FILENO, out_is_terminal), err_buffer(STDERR_FILENO, err_is_terminal);
  std::ostream out(&out_buffer), err(&err_buffer);
  err.tie(&out);
  err << std::unitbuf;
  const auto width = width_of_output(environment, out_is_terminal);
  cli::Context context{out,
                       err,
                       files,
                       clock,
                       environment,
                       environment.get("CUTELAB_PROGRAM").value_or("cutelab"),
                       environment.get("CUTELAB_ROOT").value_or("."),
                       out_is_terminal,
                       err_is_terminal,
                       width.value_or(cli::usual_width),
                       width.has_value()};
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return exit_code(cli::dispatch(cli::all_verbs(), words, context), out_buffer, err);
  } catch (const std::exception& e) {
    err << Error{ErrorKind::internal, "cutelab", e.what(), "", "please report this with the command line"}
               .message()
        << "\n";
    return static_cast<int>(ExitCode::internal);
  }
}
