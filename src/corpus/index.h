#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/docs.h"
#include "corpus/file_facts.h"
#include "corpus/signals.h"

namespace cutelab::corpus {

/// Everything one pass over a corpus gave. Paths are relative to `root` and sorted.
struct Index {
  static constexpr int format = 1;
  std::string root;
  std::vector<FileFacts> files;
  std::vector<DocPage> pages;
};

/// What bringing an index up to date did.
struct IndexReport {
  int scanned = 0;  ///< files read
  int reused = 0;   ///< files unchanged since the stored index (same size and modification time)
  int removed = 0;  ///< files of the stored index that are gone
  std::vector<std::string> notes;  ///< "the stored index was damaged and has been rebuilt", "cannot read …"
};

/// The stored form: a text of tab-separated records, versioned, with a checksum at its end.
std::string serialize(const Index& index, std::uint64_t signals_fingerprint);

/// Errors (kind input): not an index, another format, made with another signal table or for another root,
/// damaged. `wrong` says which.
Result<Index> deserialize(std::string_view text, const std::string& root, std::uint64_t signals_fingerprint);

/// Where the index of the corpus at `root` is kept.
std::string index_path(const std::string& cache_home, const std::string& root);

/// The index of all sources and pages below `root`, read from the store and brought up to date: files whose
/// size or modification time changed are scanned again. An unusable stored index is rebuilt with a note. The
/// store is written whole and renamed into place; when it cannot be written, that is a note too. Errors (kind
/// input): `root` is missing, no folder, or not readable.
Result<Index> open_index(const FileSource& files, const SignalTable& signals, const std::string& root,
                         const std::string& cache_home, IndexReport& report);

}  // namespace cutelab::corpus
