#pragma once
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"
#include "corpus/process.h"
#include "corpus/registry.h"

namespace cutelab::corpus {

/// The world that bringing in a corpus works in.
struct AcquireContext {
  const Environment& environment;
  const FileSource& files;
  const Clock& clock;
  const ProcessRunner& processes;
};

struct AcquireRequest {
  std::string source;  ///< folder, git URL, "quack-kernels==0.6.5", or an importable package
  std::string kind;    ///< "checkout", "folder", "git", "pypi", "python"; empty = told from the source's form
  std::string name;    ///< empty = taken from the source
  std::string revision;  ///< git branch, tag or commit; empty = the default branch
};

/// What a source looks like: an existing folder, a git URL ("https://…", "git@…", "file://…", "*.git"), else
/// a PyPI package when it names a version ("name==1.2"), else an installed Python package.
CorpusKind kind_of_source(const std::string& source, const FileSource& files);

/// Makes the corpus's files present (cloning or unpacking below the data folder where needed) and describes
/// it. Nothing is registered. On failure nothing of it stays behind. Errors: input (no such folder,
/// repository, package, version), unavailable (git or pip missing, no network).
Result<RegisteredCorpus> acquire(const AcquireRequest& request, const AcquireContext& context);

/// Brings a registered corpus up to date: git pulls, PyPI packages without a fixed version are fetched anew,
/// folders are left as they are.
Result<RegisteredCorpus> update(const RegisteredCorpus& corpus, const AcquireContext& context);

/// Deletes the files of a corpus below corpora_home(); anything elsewhere is left alone.
void discard(const std::string& root, const Environment& environment);

/// Where clones and unpacked packages lie.
std::string corpora_home(const Environment& environment);

}  // namespace cutelab::corpus
