#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corpus/architecture.h"
#include "corpus/index.h"
#include "corpus/release.h"
#include "corpus/signals.h"
#include "corpus/taxonomy.h"

namespace cutelab::corpus {

/// `cuda_cpp`: CUDA C++ without CuTe, CUTLASS 2.x kernels among them.
enum class Layer {
  cute,
  cute_ext,
  primitives,
  task_scheduling,
  tutorial,
  helper,
  notebook,
  cute_cpp,
  cuda_cpp
};
const char* name_of(Layer layer);  ///< "CuTe", "cute_ext", "primitives", "task sched", "tutorial", "helper",
                                   ///< "notebook", "CuTe C++", "CUDA C++"

/// What an example needs from a GPU and the line that decides.
struct ArchNeed {
  std::vector<std::string> features;  ///< all needed at once: ids of data/architectures.json
  std::vector<std::string> instead;   ///< another set of MMA features that the file can use in their place
  std::string minimum;                ///< "sm_90a"; empty = undetermined
  std::string reason;                 ///< "warpgroup MMA (wgmma): warpgroup.fence, line 412"
  std::string deciding_feature;       ///< the one that gave `minimum`; empty = none
  int line = 0;
  std::string file;      ///< the imported file that decides; empty = the example itself
  bool assumed = false;  ///< only its folder says so
};

/// A file of a corpus with what follows from its index entry.
struct Example {
  int corpus = 0;  ///< index into Catalog::corpora()
  const FileFacts* facts = nullptr;
  std::string generation;  ///< "hopper", "blackwell_geforce": from its folder or name; empty = none said
  Layer layer = Layer::cute;
  std::vector<std::string> categories;  ///< main one first
  std::vector<std::string> patterns;    ///< "P1" …: hinted by its constructs; the reading decides
  std::vector<std::string> constructs;
  std::vector<std::string> dtypes;
  ArchNeed arch;
  std::vector<int> imports;      ///< local modules, direct; indices into Catalog::examples()
  std::vector<int> imported_by;  ///< examples and helpers that import it
  bool relevant = false;         ///< a CuTe source, or a module that one imports
  const std::string& path() const { return facts->path; }
};

/// One corpus as the catalog sees it.
struct CorpusView {
  std::string name;  ///< "cutlass", "quack-kernels"
  std::string root;
  std::optional<Release> release;  ///< of a CUTLASS checkout (include/cutlass/version.h)
  std::string example_root;        ///< "examples/python/CuTeDSL"; empty when the corpus has no such tree
  Index index;
};

enum class Runs { yes, no, unknown };
struct RunsVerdict {
  Runs runs = Runs::unknown;
  std::string
      why;  ///< "needs tcgen05 MMA with tensor memory (TMEM) (line 212); sm_12x and sm_90 have neither"
};

class Catalog {
 public:
  Catalog(std::vector<CorpusView> corpora, const Taxonomy& taxonomy, const SignalTable& signals,
          const ArchFacts& archs);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const std::vector<CorpusView>& corpora() const { return corpora_; }
  const std::vector<Example>& examples() const { return examples_; }
  const Example* find(int corpus, std::string_view path) const;
  std::string full_path(const Example& e) const;
  const ArchFacts& archs() const { return archs_; }
  const SignalTable& signals() const { return signals_; }
  const Taxonomy& taxonomy() const { return taxonomy_; }

  RunsVerdict runs_on(const Example& e, Arch device) const;
  /// Local modules it needs, through any number of imports; indices into examples().
  std::vector<int> transitive_imports(const Example& e) const;
  /// Examples that run a helper: importers, through any number of imports, that have a main or kernels.
  std::vector<int> run_by(const Example& e) const;

 private:
  void link_imports();
  void mark_relevant();
  /// C++ sources that neither themselves nor through local includes use CuTe become Layer::cuda_cpp.
  void tell_cute_from_cuda();
  int resolve_import(const Example& from, const std::string& module) const;
  int index_of(const Example& e) const { return static_cast<int>(&e - examples_.data()); }

  std::vector<CorpusView> corpora_;
  const Taxonomy& taxonomy_;
  const SignalTable& signals_;
  const ArchFacts& archs_;
  std::vector<Example> examples_;
  std::vector<std::unordered_map<std::string_view, int>> by_path_;  ///< per corpus
};

/// The generation folder that a path names ("cute/hopper/…", "gemm_sm90.py"); empty = none.
std::string generation_of_path(std::string_view path, const ArchFacts& archs);

}  // namespace cutelab::corpus
