#include "kernel/record_launches.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <sstream>

#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cutelab::kernel {
namespace {
namespace fs = std::filesystem;

constexpr double most_seconds = 60;

Error cannot_record(ErrorKind kind, std::string wrong, const std::string& library, std::string remedy) {
  return Error{kind, "record the launches of a program", std::move(wrong), library, std::move(remedy)};
}

/// The recorder, compiled once for each text of it.
Result<std::string> recorder(const FileSource& files, const Environment& environment,
                             const std::string& source_root) {
  const std::string source = source_root + "/kernels/record_launches.c";
  auto text = files.read(source, max_source_bytes);
  if (!text) return text.error();
  const std::string folder = fs::absolute(source_root + "/build/kernels").string();
  const std::string made = fmt::format("{}/record_launches-{}", folder, sha256(*text).substr(0, 8));
  if (files.status(made)) return made;
  const std::string compiler = find_c_compiler(environment);
  if (compiler.empty())
    return cannot_record(ErrorKind::unavailable, "there is no C compiler (cc, gcc or clang, or CC)", source,
                         "install one");
  std::error_code failed;
  fs::create_directories(folder, failed);
  const std::string aside = fmt::format("{}.{}", made, ::getpid());
  auto done = run_process({{compiler, "-O1", "-o", aside, source, "-ldl"}, "", {}, most_seconds, {aside}});
  if (!done) return done.error();
  if (!done->succeeded())
    return cannot_record(ErrorKind::unavailable, "its recorder does not compile: " + done->err.substr(0, 500),
                         source, "");
  fs::rename(aside, made, failed);
  if (failed)
    return cannot_record(ErrorKind::input, "cannot write there: " + failed.message(), made,
                         "make room there");
  return made;
}

}  // namespace

std::string find_c_compiler(const Environment& environment) {
  if (auto named = environment.get("CC")) return find_program(environment, *named);
  for (const char* name : {"cc", "gcc", "clang"})
    if (std::string found = find_program(environment, name); !found.empty()) return found;
  return "";
}

std::vector<ExportedCall::Launch> launches_from(const std::string& printed) {
  std::vector<ExportedCall::Launch> launches;
  const std::string heading = "launches:\n";
  const auto at = printed.rfind(heading);
  if (at == std::string::npos) return launches;
  std::istringstream lines(printed.substr(at + heading.size()));
  ExportedCall::Launch launch;
  while (lines >> launch.symbol) {
    for (auto* part : {&launch.grid, &launch.block, &launch.cluster})
      for (unsigned& extent : *part) lines >> extent;
    if (lines >> launch.dynamic_smem_bytes) launches.push_back(launch);
  }
  return launches;
}

Result<std::vector<ExportedCall::Launch>> record_launches(const std::string& library,
                                                          const ExportedCall& call, const FileSource& files,
                                                          const Environment& environment,
                                                          const std::string& source_root) {
  auto program = recorder(files, environment, source_root);
  if (!program) return program.error();
  // Addresses as an allocator gives them: apart, aligned, none of them null.
  std::vector<unsigned long long> addresses;
  for (std::size_t i = 0; i < call.buffers.size(); ++i) addresses.push_back(0x700000000000ull + (i << 40));
  const auto block = argument_block(call, addresses);
  static std::atomic<int> turn{0};
  const std::string file = fmt::format("{}.block-{}-{}", library, ::getpid(), turn++);
  auto written =
      write_file_atomically(file, std::string(reinterpret_cast<const char*>(block.data()), block.size()));
  if (!written) return written.error();
  auto done = run_process({{*program, fs::absolute(library).string(), file}, "", {}, most_seconds, {file}});
  std::error_code ignored;
  fs::remove(file, ignored);
  if (!done) return done.error();
  const std::string said = replace_all(printable(std::string(trim(done->err))), "\n", " ").substr(0, 500);
  if (done->timed_out)
    return cannot_record(ErrorKind::input,
                         fmt::format("its host function did not return within {} s", most_seconds), library,
                         "");
  if (done->signal)
    return cannot_record(ErrorKind::input,
                         fmt::format("its host function was ended by signal {} {}", done->signal, said),
                         library, "it may ask the device for what is not told without one");
  if (!done->succeeded())
    return cannot_record(ErrorKind::input,
                         fmt::format("its host function failed (exit status {}): {}", done->exit_code, said),
                         library, "");
  auto launches = launches_from(done->out);
  if (launches.empty())
    return cannot_record(ErrorKind::usage, "the program's function launches nothing for this problem", "",
                         "give it other values");
  return launches;
}

}  // namespace cutelab::kernel
