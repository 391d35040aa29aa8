#pragma once
#include <memory>
#include <string>
#include <vector>

#include "capture/program.h"
#include "cli/verb.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {

/// The file that a description's program means: "$CUTLASS_DIR/…" below that folder, a relative path below the
/// repository. Error (kind unavailable): CUTLASS_DIR is not set.
Result<std::string> program_path(const std::string& program, const Context& context);
/// The inverse: how a file is best named in a description that others will read.
std::string program_name(const std::string& path, const Context& context);

/// How an exporter runs programs.
struct ExportSettings {
  std::string python;       ///< interpreter that was named; empty = none
  std::string dsl_version;  ///< "4.7.0"; empty = none was asked for
  capture::Torch torch = capture::Torch::automatic;
  double most_seconds = 180;   ///< a program that runs longer is ended
  bool keep_failures = false;  ///< keep how a program failed, too, and do not try it again
  /// An import concludes from what today's harness sees: kept exports of an earlier one do not serve, kept
  /// captures do, as they are known by their harness.
  bool made_by_this_harness = false;
  /// Have the DSL write a line table into the device code, for profilers. Such an export is another one than
  /// that without: it is kept beside it.
  bool line_table = false;
  bool only_kept = false;  ///< run no program: what is not kept is not known
  bool tells = false;      ///< stderr says when a program is run, and how long earlier ones took
};

/// Runs programs on the stand-in device (src/capture) and keeps what they export below build/exports, by
/// program, flags, architecture and version of the DSL, from where other machines can take it.
std::shared_ptr<const kernel::Exporter> make_exporter(Context& context, ExportSettings settings = {});

/// Why a program that was run by this version of the DSL gave no export. A version that serves in place of
/// the one that the program's checkout pins says nothing about the program: then the kind is unavailable.
Error by_version(Error error, const std::string& path, const std::string& version,
                 const ExportSettings& settings, const Context& context);

/// Whether a program can be imported as a module, as a call of its functions from elsewhere does; it is tried
/// without a GPU. Errors: (kind usage) how that ends, and where: an error of syntax, an exit, an architecture
/// that the DSL has not; (kind unavailable) there is no CuTe DSL.
Status check_importable(const std::string& path, const std::string& arch, const ExportSettings& settings,
                        Context& context);

/// What is said where no program is run and no export is kept.
Error not_kept(const std::string& program);

/// Seconds that the kept exports took, fastest first.
std::vector<double> export_seconds(const Context& context);

/// A kept export. Errors (kind input), with the file: not there, damaged.
Result<kernel::Exported> read_export(const std::string& folder, const FileSource& files);

/// Every package: those that are compiled in and those that were imported. Imported ones that cannot be read
/// are named on stderr. `settings`: how imported ones are exported.
std::vector<kernel::Package> every_package(Context& context, ExportSettings settings = {});

}  // namespace cutelab::cli
