#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::corpus {

/// A place with kernels to learn from.
struct CorpusPlace {
  std::string name;
  std::string root;  ///< absolute or as given, without a trailing slash
  std::string
      origin;  ///< "--cutlass", "CUTLASS_DIR", "third_party/cutlass", "registry", "examples", "pypi part"
};

struct LocateRequest {
  std::string cutlass;               ///< value of --cutlass; empty = not given
  std::vector<std::string> corpora;  ///< values of --corpus: registered names or folders; empty = all
  std::string source_root;
};

/// The corpora to look in, in this order: CUTLASS (from --cutlass, else CUTLASS_DIR, else third_party/cutlass
/// below the source root), registered ones, our own examples/, and the PyPI corpora below build/deps/corpora.
/// A corpus named by the user that is missing is an error; the defaults are passed over when they are not
/// there. Errors (kind input).
Result<std::vector<CorpusPlace>> locate(const LocateRequest& request, const Environment& environment,
                                        const FileSource& files);

/// What a folder is called: its CUTLASS-ness or its last component.
std::string corpus_name_of(const FileSource& files, const std::string& root);

}  // namespace cutelab::corpus
