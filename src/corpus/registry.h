#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::corpus {

enum class CorpusKind { checkout, folder, git, pypi, python };
const char* name_of(CorpusKind kind);  ///< "checkout", "folder", "git", "pypi", "python"

/// A corpus the user registered.
struct RegisteredCorpus {
  std::string name;
  CorpusKind kind = CorpusKind::folder;
  std::string source;   ///< as the user gave it: folder, git URL, "quack-kernels==0.6.5", "flash_attn.cute"
  std::string root;     ///< where its files lie
  std::string version;  ///< commit or package version; empty = not known
  std::string added;    ///< UTC time
  friend bool operator==(const RegisteredCorpus&, const RegisteredCorpus&) = default;
};

/// The file that lists them (corpora.json in the configuration folder).
class Registry {
 public:
  /// A missing file is an empty registry. Errors (kind input): not readable, not JSON of this format; the
  /// file is left alone.
  static Result<Registry> load(const FileSource& files, const std::string& config_home);
  Status save(const std::string& config_home) const;

  const std::vector<RegisteredCorpus>& all() const { return corpora_; }
  const RegisteredCorpus* find(std::string_view name) const;
  /// Replaces the one of the same name.
  void put(RegisteredCorpus corpus);
  bool remove(std::string_view name);

  static std::string path(const std::string& config_home) { return config_home + "/corpora.json"; }

 private:
  std::vector<RegisteredCorpus> corpora_;
};

}  // namespace cutelab::corpus
