#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"
#include "capture/supervised.h"

namespace cutelab::capture {

/// What a capture runs with.
struct Toolchain {
  std::string python;       ///< an interpreter that has the CuTe DSL
  std::string dsl_version;  ///< "4.8.1"
  std::string harness;      ///< folder of run_program.py
  std::string recorder;     ///< compiled recorder.c
  std::string interpreter;  ///< "python3.11"; empty: not told
  bool has_torch = false;   ///< torch is installed in that interpreter's own environment
  std::string packages;     ///< folder with torch for an interpreter that has none; empty = none
};

/// Looks at `python`, compiles the recorder into `cache` unless that is done. Errors (kind unavailable): no
/// DSL there, no C compiler.
Result<Toolchain> find_toolchain(const std::string& python, const std::string& harness,
                                 const std::string& cache, const Environment& environment,
                                 const FileSource& files);

/// "sm_90a": sm_, two or three digits, and perhaps `a` or `f`.
bool is_architecture(const std::string& text);

/// Which torch the program gets: `automatic` is the stand-in, and torch itself if the stand-in does not do
/// and it is installed.
enum class Torch { automatic, stand_in, real };

/// One CuTe DSL program, run as its own main on a stand-in device of the architecture.
struct Request {
  std::string program;             ///< path
  std::vector<std::string> flags;  ///< its command line
  std::string arch;                ///< "sm_90a"
  bool arch_is_guess = false;      ///< where the DSL refuses it and names others, the first of these is taken
  Torch torch = Torch::automatic;
  Limits limits;
  std::string cache;          ///< folder in which captures are kept; empty = none is looked up or kept
  bool fresh = false;         ///< run even if a capture is kept
  bool keep_modules = false;  ///< keep what the compiler is given, with lines, in `cache`
  /// Keep and take, too, captures that another run might end otherwise: limits, crashes, missing modules.
  bool keep_failures = false;
  bool export_call = false;  ///< export the first call of a kernel of its own (Capture::exported), in `cache`
  /// CUTE_DSL_LINEINFO: the program's own compilations write a line table; the DSL's cache keys change with
  /// it.
  bool line_table = false;
  bool keep_code = false;  ///< with keep_modules: compile each once more, to device code with a line table
};

/// How the program's run ended, apart from what was recorded until then.
enum class Ended {
  returned,        ///< main came to its end, or exit(0)
  exited,          ///< exit with another code
  raised,          ///< an exception left main
  missing_module,  ///< an import found nothing
  crashed,         ///< a signal: the compiler or a library fell
  vanished,        ///< the process ended without a word: os._exit
  time_limit,
  memory_limit,
  output_limit,
  process_limit
};

std::string name_of(Ended ended);  ///< "time-limit"

struct LaunchAttribute {
  int id =
      0;  ///< cudaLaunchAttributeID: 2 cooperative, 4 cluster dimension, 6 programmatic stream serialization
  std::vector<std::uint32_t> value;
};

using Extents = std::array<std::uint32_t, 3>;

/// One distinct launch: kernel and configuration.
struct Launch {
  std::string function;   ///< Python function of the kernel; empty if it was not traced in this process
  std::string qualified;  ///< "Gemm.kernel"
  std::string file;       ///< where it stands
  int line = 0;
  std::string class_name;  ///< class of the object it belongs to; empty for a function
  std::string symbol;      ///< name in the device code
  bool own = false;        ///< defined in the program or a file beside it, not by a library
  Extents grid{};
  Extents block{};                 ///< threads
  std::optional<Extents> cluster;  ///< CTAs; none: the attribute was not passed
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<LaunchAttribute> attributes;
  int times = 1;    ///< how often exactly this was launched
  int module = -1;  ///< which of the capture's modules defines it; -1: none was kept, or none does
  std::vector<std::pair<std::string, std::string>>
      constructor;  ///< plain attributes of the object, value as JSON
  std::vector<std::pair<std::string, std::string>>
      constants;  ///< plain arguments of the kernel, value as JSON
};

/// A TMA descriptor that the host code encoded, innermost extent first.
struct TensorMap {
  int type = 0;     ///< CUtensorMapDataType
  int swizzle = 0;  ///< CUtensorMapSwizzle: 0 none, 1 32 B, 2 64 B, 3 128 B
  std::vector<std::uint64_t> extents;
  std::vector<std::uint64_t> strides_bytes;  ///< of every mode but the innermost
  std::vector<std::uint64_t> box;
};

struct SourceFile {
  std::string path;
  std::string sha256;
};

struct Capture {
  std::string program;
  std::vector<std::string> flags;
  std::string arch;
  std::string dsl_version;
  std::string torch;  ///< "stand-in", "torch"
  Ended ended = Ended::vanished;
  std::string reason;  ///< what was raised or exceeded; empty when it returned
  std::string at;      ///< innermost line of the program's own, "gemm.py:12"; empty if there is none
  std::string output;  ///< end of what it printed, when it did not return or launched nothing of its own
  std::vector<Launch> launches;
  std::vector<TensorMap> tensor_maps;
  std::vector<SourceFile> sources;   ///< the program and the local modules it imported
  std::vector<std::string> modules;  ///< files that hold what the compiler was given (textual MLIR), in order
  std::vector<std::string> device_code;  ///< cubins with a line table, made from the modules
  std::string exported;                  ///< folder of kernel.o, kernel.h, device code and export.json
                                         ///< (harness/export_calls.py); empty: no export was asked for
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
  bool kept = false;  ///< from the cache

  bool recorded() const;  ///< at least one launch of a kernel of its own
  bool compiled() const;  ///< and what its compiler was given is kept for one of these
  /// It launched nothing of its own with the stand-in for torch, which has not got what the program wants, or
  /// failed with it: torch itself may serve.
  bool wants_torch() const;
};

/// Runs the program, or takes the kept capture of the same source, helpers, flags, architecture and DSL. A
/// program that fails is a Capture that says how. Errors: the program cannot be read (input), the child
/// cannot be started (unavailable).
Result<Capture> capture(const Request& request, const Toolchain& toolchain, const FileSource& files);

}  // namespace cutelab::capture
