#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/process.h"
#include "corpus/release.h"

namespace cutelab::corpus {

/// What one Python interpreter has installed of what CuTe DSL examples need.
struct PythonPackages {
  bool asked = false;  ///< the interpreter answered
  /// Distributions and their versions: nvidia-cutlass-dsl with its libraries, nvidia-cutlass (the older
  /// interface package), cuda-python and cuda-bindings, torch, cuda-tile, quack-kernels, flash-attn-4.
  std::map<std::string, std::string> versions;
  std::string module_file;   ///< of `import cutlass`; empty = there is none
  std::string module_owner;  ///< distribution that owns it; empty = none does

  std::string version(const std::string& distribution) const;  ///< empty = not installed
};

/// Asks for metadata only: nothing of the packages is imported, so a broken installation still answers.
PythonPackages python_packages(const ProcessRunner& processes, const std::string& python);

/// The three versions that meet when an example runs. They differ in practice (some CUTLASS releases pin the
/// wheel of the release before), so none is ever inferred from another.
struct VersionReport {
  std::optional<Release> checkout;  ///< include/cutlass/version.h
  std::string tag;                  ///< `git describe --tags`; empty = no git checkout or no git
  std::optional<Release> pinned;    ///< python/CuTeDSL/requirements.txt
  PythonPackages installed;         ///< of `python3`
  std::vector<std::string> notes;   ///< what does not fit together, for people
};

/// Looks at a checkout (may be empty: only what is installed) and at the Python that `python3` starts.
VersionReport versions(const FileSource& files, const ProcessRunner& processes,
                       const std::string& checkout_root);

}  // namespace cutelab::corpus
