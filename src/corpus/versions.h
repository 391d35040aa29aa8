#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/process.h"
#include "corpus/release.h"

namespace cutelab::corpus {

/// The three versions that meet when an example runs. They differ in practice (some CUTLASS releases pin the
/// wheel of the release before), so none is ever inferred from another.
struct VersionReport {
  std::optional<Release> checkout;  ///< include/cutlass/version.h
  std::string tag;                  ///< `git describe --tags`; empty = no git checkout or no git
  std::optional<Release> pinned;    ///< python/CuTeDSL/requirements.txt
  struct Wheel {
    std::string name;  ///< "nvidia-cutlass-dsl", "nvidia-cutlass-dsl-libs-base", "nvidia-cutlass"
    std::string version;
    std::string location;
  };
  std::vector<Wheel> installed;      ///< every distribution of the DSL and of the older interface package
  std::string cutlass_module_owner;  ///< distribution that owns `import cutlass`; empty = nothing does
  std::vector<std::string> notes;    ///< what does not fit together, for people
};

/// Looks at a checkout (may be empty: only what is installed) and at the Python that `python3` starts.
/// Nothing is imported.
VersionReport versions(const FileSource& files, const ProcessRunner& processes,
                       const std::string& checkout_root);

}  // namespace cutelab::corpus
