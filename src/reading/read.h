#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "evidence/reading.h"

namespace cutelab::source {
class SharedModules;
}

namespace cutelab::reading {
namespace machine {
class Library;
}

/// What to read and as what.
struct Request {
  std::string path;                 ///< a CuTe DSL (.py) or CUDA C++ (.cu, .cuh, .h, .hpp) source
  std::optional<std::string> text;  ///< of that file, where it was read already (read_source)
  std::string arch;                 ///< "sm_100a": read for that target; empty = the file's own
  std::vector<std::pair<std::string, std::string>>
      settings;  ///< flag or attribute = value, over the file's defaults
  std::vector<std::string>
      library_roots;  ///< folders that hold a `cutlass` package (DSL sources); may be empty
  /// The same, parsed, for several readings one after the other (library_for); null = library_roots are used.
  std::shared_ptr<machine::Library> library;
  /// Local modules that other readings of the same run have parsed, for this one and the next; null = none.
  std::shared_ptr<source::SharedModules> modules;
  std::string corpus_root;  ///< imports are looked up here too; empty = the file's surroundings
};

/// Reads `request.path` and the local modules it imports. Every file that can be read and is Python or C++
/// gives a Reading: facts of every family, ten pattern findings, what could not be determined as
/// Undetermined, syntax errors as problems. Errors (kind input): missing, folder, unreadable, empty, binary,
/// too large, not a source this tool reads, a setting that names no flag or attribute.
/// The folders of the DSL's sources that match a file: those of the checkout it lies in first, then
/// `otherwise`.
std::vector<std::string> library_roots_for(const std::string& path, const FileSource& files,
                                           std::vector<std::string> otherwise);
std::shared_ptr<machine::Library> library_for(const std::vector<std::string>& roots, const FileSource& files);

std::shared_ptr<source::SharedModules> shared_modules();

/// The target that a reading of this CuTe DSL source is made for where none is asked: what the names of its
/// code speak of; sm_100a where they say nothing. Errors (kind input): as read.
Result<std::string> default_target(const std::string& path, const FileSource& files);

Result<evidence::Reading> read(const Request& request, const FileSource& files);

}  // namespace cutelab::reading
