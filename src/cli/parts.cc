#include "cli/parts.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

extern char** environ;

namespace cutelab::cli {
namespace {

std::string setup_command(const std::string& name, const Context& context) {
  return fmt::format("{} setup {}", context.program, name);
}

}  // namespace

std::string part_folder(const std::string& name, const Context& context) {
  return context.source_root + "/build/deps/" + name;
}

std::vector<std::string> part_names(const Context& context) {
  const auto text = context.files.read(context.source_root + "/deps/parts.json", 1u << 24);
  const auto parts = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  std::vector<std::string> names;
  for (const char* kind : {"debian", "pypi"})
    if (parts.is_object() && parts.contains(kind))
      for (const auto& [name, part] : parts[kind].items()) names.push_back(name);
  return names;
}

bool has_part(const std::string& name, const Context& context) {
  const auto stamp = context.files.status(part_folder(name, context) + "/.stamp");
  const auto pins = context.files.status(context.source_root + "/deps/parts.json");
  return stamp && pins && stamp->modified_ns > pins->modified_ns;
}

bool is_offline(const Context& context) { return context.environment.get("CUTELAB_OFFLINE").has_value(); }

Status require_part(const std::string& name, const Context& context, bool offline) {
  if (has_part(name, context)) return {};
  // The pins may be newer than an installed part without touching it; fetch.py compares them in full.
  std::vector<std::string> argv = {"python3", context.source_root + "/tools/setup/fetch.py", name};
  if (offline || is_offline(context)) argv.emplace_back("--offline");
  context.out.flush();
  const auto code = run_attached(argv);
  if (!code) return code.error();
  if (*code == 0) return {};
  return Error{ErrorKind::unavailable, "use part " + name, "it is not installed and could not be fetched",
               part_folder(name, context), setup_command(name, context)};
}

Result<int> run_attached(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (failure != 0)
    return Error{ErrorKind::unavailable, "run " + argv[0], std::strerror(failure), "",
                 "check that the program is installed (`cutelab doctor`)"};
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

}  // namespace cutelab::cli
