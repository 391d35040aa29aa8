#pragma once
#include <memory>
#include <string>
#include <vector>

#include "corpus/api_changes.h"
#include "corpus/history.h"
#include "corpus/locate.h"
#include "corpus/resolve.h"

namespace cutelab::corpus {

/// All corpora at hand, indexed, with the facts needed to speak about them. One call for any verb that takes
/// an example's name.
struct Workspace {
  ArchFacts archs;
  SignalTable signals{{}};
  Taxonomy taxonomy;
  ExampleHistory history;
  ApiChanges api;
  std::unique_ptr<Catalog> catalog;
  std::vector<CorpusPlace> places;  ///< same order as catalog->corpora()
  std::vector<std::string> notes;   ///< index rebuilt, folders not readable: for stderr

  /// Places of `request`, each with its index brought up to date. Errors: a named corpus is missing or
  /// unreadable, data/ missing.
  static Result<std::unique_ptr<Workspace>> open(const LocateRequest& request, const Environment& environment,
                                                 const FileSource& files);

  /// A file named by the user or found by name: the path to read. Several examples of that name and nothing
  /// to decide: an error (kind input) that lists them. `notes` gets what was corrected.
  Result<std::string> file_of(const std::string& asked, const std::string& arch, const FileSource& files,
                              std::vector<std::string>& notes) const;
};

}  // namespace cutelab::corpus
