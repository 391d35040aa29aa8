#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"

namespace cutelab::cli::doctor {

enum class State {
  found,
  attention,  ///< there, but read the detail: a mismatch, a limit
  missing
};

/// One line of the report.
struct Item {
  std::string group;  ///< "GPU"
  std::string name;   ///< "driver"
  State state = State::missing;
  std::string detail;      ///< version, path, what was seen
  std::string needed_for;  ///< what does not work without it
  std::string remedy;      ///< how to get it; empty if nothing is wrong
};

/// What the probes see of the machine; tests put in their own.
struct Host {
  /// Standard output of a program that ended with 0 within seconds; nothing otherwise.
  std::function<std::optional<std::string>(const std::vector<std::string>&)> ask;
  /// Path of a program in $PATH; nothing if it is not there.
  std::function<std::optional<std::string>(const std::string&)> find;
  /// Bytes that a user may still write on the file system of `path`.
  std::function<std::optional<long long>(const std::string&)> free_bytes;
  const FileSource& files;
  const Environment& environment;
  std::string source_root;
  std::string program;   ///< how the user calls us
  std::string checkout;  ///< --cutlass; empty = CUTLASS_DIR, then third_party/cutlass
};

std::vector<Item> build_items(const Host& host);   ///< compiler, cmake, Debian packages, parts, disk
std::vector<Item> gpu_items(const Host& host);     ///< GPU, driver, counters, nvcc, ncu, nsys, cuobjdump
std::vector<Item> python_items(const Host& host);  ///< Python, who owns `cutlass`, wheel versions, checkout

/// Whether `driver` ("580.65.06"; empty: none is loaded) is new enough for the installed cuda-python and for
/// the flavour (cu12, cu13) of the DSL's wheels.
Item driver_fit_item(const std::string& name, const std::string& driver,
                     const std::map<std::string, std::string>& versions);

/// The first version-like word ("13.0.88", "3.25") of a text.
std::optional<std::string> version_in(const std::string& text);

}  // namespace cutelab::cli::doctor
