#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/catalog.h"

namespace cutelab::corpus {

/// A shape of the CuTe DSL example tree (data/example_layouts.json).
struct LayoutEpoch {
  std::string id;                ///< "D"
  std::string releases;          ///< "4.5-4.6"
  std::vector<std::string> has;  ///< files or folders below the example root
  std::vector<std::string> lacks;
};

struct Rename {
  std::string old_name;
  std::vector<std::string> new_names;
  std::string since;  ///< release
  std::string note;
};

/// Where every CuTe DSL example of CUTLASS lay, release by release (data/example_history.json).
class ExampleHistory {
 public:
  struct Span {
    std::string first, last;         ///< releases, inclusive
    std::vector<std::string> paths;  ///< below examples/python/CuTeDSL
  };
  static Result<ExampleHistory> load(const FileSource& files, const std::string& data_folder);

  const std::vector<std::string>& releases() const { return releases_; }
  const std::map<std::string, std::vector<Span>, std::less<>>& files() const { return files_; }
  const std::vector<Span>* spans(std::string_view basename) const;
  const std::vector<LayoutEpoch>& epochs() const { return epochs_; }
  const std::vector<Rename>& renames() const { return renames_; }

  /// The folders of a path, with the names that other releases gave them: "experimental" adds "cute_ext" and
  /// the reverse. Sorted.
  std::vector<std::string> folder_names(std::string_view path) const;

  /// "in releases 4.3.0 to 4.4.3 as blackwell/mla.py"; empty if the name is not known.
  std::string when(std::string_view basename) const;

  /// The layout of a corpus's example tree, if it has one.
  const LayoutEpoch* epoch_of(const CorpusView& corpus) const;

 private:
  std::vector<std::string> releases_;
  std::map<std::string, std::vector<Span>, std::less<>> files_;
  std::vector<LayoutEpoch> epochs_;
  std::vector<Rename> renames_;
  std::vector<std::pair<std::string, std::string>> families_;
};

}  // namespace cutelab::corpus
