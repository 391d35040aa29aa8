#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {

/// How the attempt to import one file ended.
struct SweptImport {
  std::string file;  ///< below the root
  std::string arch;
  /// "imported": exported, and what it computes has a reference. "compiled only": exported, something has to
  /// be filled in. "helper": holds no main of its own. "not importable": nothing could be exported.
  std::string end;
  std::string because;
  std::string dsl_version;  ///< of an export
};

struct ImportSweep {
  std::string folder;  ///< a CUTLASS checkout or any other folder
  std::string only;    ///< files whose path holds this
  std::string arch;    ///< empty: what a reading of each is made for
  int jobs = 2;
  /// As check_importable says; without it every program can be.
  std::function<Status(const std::string& path, const std::string& arch)> importable = nullptr;
};

/// Attempts every Python file of the folder and every CUDA C++ file that includes headers of CuTe, with the
/// options it has by default; packages are not written.
/// `told` gets each as it ends. Errors: the folder holds none.
Result<std::vector<SweptImport>> sweep_imports(const ImportSweep& asked, const kernel::Exporter& exporter,
                                               Context& context,
                                               const std::function<void(const SweptImport&)>& told);

/// The table of a sweep with its totals, in `width` columns (0 = any).
std::string sweep_report(const std::vector<SweptImport>& swept, int width = 0);
/// The same as a page: totals first, one table for each way to end.
std::string sweep_page(const std::vector<SweptImport>& swept);

}  // namespace cutelab::cli
