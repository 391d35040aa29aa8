#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "kernel/device_operators.h"
#include "kernel/exported_call.h"
#include "kernel/operators.h"
#include "kernel/registry.h"

namespace cutelab::kernel {

/// One option of an imported program, or one component of an option that takes several integers.
struct ImportedParameter {
  std::string name;              ///< "m"
  std::string option;            ///< "--mnk"
  int component = -1;            ///< which of the option's integers; -1: it takes one value
  std::string kind;              ///< "integer", "real", "word", "switch", "tuples" of integers
  std::string value;             ///< what it is by default; of a switch "0" or "1"
  bool on_unless_given = false;  ///< of a switch
  std::vector<std::string> choices;
  std::string meaning;
  /// Other values are refused: the program itself does not look, and may read beyond its tensors.
  std::int64_t multiple_of = 1;
};

/// One setting of the parameters that change the kernel and not the problem.
struct ImportedConfiguration {
  std::map<std::string, std::int64_t> values;
  std::string rejected_because;
};

/// What `cutelab import` found out about a program: the content of a package's package.json (schema
/// cutelab.package, docs/imports.md).
struct PackageDescription {
  std::string layer, design, version, summary;
  std::string arch;  ///< "sm_90a"
  /// "examples/cute_dsl/add.py" below the repository, "$CUTLASS_DIR/…", or an absolute path.
  std::string program;
  std::string program_sha256;
  std::string dsl_version;                            ///< it was imported with
  std::vector<std::string> fixed_flags;               ///< given to the program always, as the import was told
  std::vector<ImportedParameter> parameters;          ///< they change the problem
  std::vector<ImportedParameter> configuration;       ///< they change the kernel alone
  std::vector<ImportedConfiguration> configurations;  ///< tried at import, the default one first
  std::vector<std::map<std::string, std::string>> ragged;  ///< problems that it took at import, for the check
  Operator op;
  std::vector<std::string> undetermined;  ///< it does not run until these are filled in
  std::vector<std::string> assumed;
  std::vector<std::string> passed_over;  ///< options that are no parameters, and why
  std::string folder;  ///< where its package.json lies, below the repository; no member of it
};

std::string to_json(const PackageDescription& description);
/// Errors (kind input): not the schema.
Result<PackageDescription> package_from_json(const std::string& text);

/// The program's command line for a problem and a configuration.
std::vector<std::string> flags_of(const PackageDescription& description,
                                  const std::map<std::string, std::string>& values);

/// What of a program is to be exported.
struct ExportWanted {
  std::string program;         ///< as in PackageDescription
  std::string program_sha256;  ///< taken where the program itself is not at hand; empty = it has to be
  std::vector<std::string> flags;
  std::string arch;
  bool arch_is_guess = false;  ///< another is taken where the program refuses this one (Exported::arch)
};

/// An export in its folder: kernel.o, kernel.h, device code, kernel.mlir, export.json.
struct Exported {
  std::string folder;
  ExportedCall call;
  std::string source_hash;  ///< over program, helpers, flags and architecture
  std::string dsl_version;
  std::string arch;         ///< it was compiled for
  double seconds = 0;       ///< of the program's run
  bool line_table = false;  ///< it was asked for: CUTE_DSL_LINEINFO
  bool from_cache = false;
  bool other_program = false;  ///< the program's file is not the one that was imported
};

/// Makes exports, or takes them from where earlier ones are kept.
class Exporter {
 public:
  virtual ~Exporter() = default;
  /// Errors: (kind usage) the program refuses these flags, with its words; (kind unavailable) nothing is kept
  /// and there is no CuTe DSL here; (kind input) it could not be exported, and why.
  virtual Result<Exported> get(const ExportWanted& wanted) const = 0;
  /// No program is run: a call that no export tells is not known, which is no fault of the problem.
  virtual bool only_kept() const { return false; }
};

/// The packages below <root>/kernels/cute_python and cute_cpp whose package.json can be read. `problems` gets
/// a sentence for each that cannot. `device`: how the operators of kernels/reference are called.
std::vector<Package> imported_packages(const FileSource& files, const std::string& root,
                                       const std::shared_ptr<const Exporter>& exporter,
                                       std::vector<std::string>& problems,
                                       const DeviceArguments& device = nullptr);

}  // namespace cutelab::kernel
