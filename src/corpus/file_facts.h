#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::corpus {

/// A name with the 1-based line where it stands.
struct Mention {
  std::string name;
  int line = 0;
  friend bool operator==(const Mention&, const Mention&) = default;
};

/// An identifier of the signal table: where it first stands in code (imports, comments and strings do not
/// count) and how often.
struct SignalHit {
  std::string word;  ///< the signal's own spelling, e.g. "tcgen05_*"
  std::string seen;  ///< the identifier as the source spells it
  int line = 0;
  int count = 0;
  friend bool operator==(const SignalHit&, const SignalHit&) = default;
};

/// A run command that the file's own docstring gives.
struct DocCommand {
  std::string text;  ///< continued lines joined, whitespace squeezed
  std::string path;  ///< the script it names
  int line = 0;
  friend bool operator==(const DocCommand&, const DocCommand&) = default;
};

enum class Language { cute_dsl, cuda_cpp, notebook, other };
const char* name_of(Language language);  ///< "cute-dsl", "cute-cpp", "notebook", "other"

/// What one pass over a file tells: facts of the text alone, nothing that depends on other files or on data
/// that may change.
struct FileFacts {
  std::string path;  ///< relative to the corpus root
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  Language language = Language::other;
  int lines = 0;
  bool has_main = false;
  std::string summary;           ///< first sentence of the docstring or leading comment
  std::vector<Mention> kernels;  ///< @cute.kernel, __global__
  std::vector<Mention> jits;     ///< @cute.jit
  std::vector<Mention> classes;
  std::vector<Mention> imports;        ///< modules ("helpers.fmha_helpers", "cutlass.cute") or included files
  std::vector<Mention> flags;          ///< "--mma_tiler_mn"
  std::vector<Mention> arch_literals;  ///< "sm_100" in strings of the code
  std::vector<SignalHit> signals;
  std::vector<DocCommand> commands;
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

/// Indexed as an example, or as a page, or not at all.
enum class FileKind { none, source, page, notebook };
FileKind kind_of_file(std::string_view path);

}  // namespace cutelab::corpus
