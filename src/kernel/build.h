#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"
#include "kernel/registry.h"
#include "kernel/toolchain.h"

namespace cutelab::kernel {

/// A compiled kernel in the cache build/kernels/<source hash>/<toolchain hash>/.
struct BuiltKernel {
  std::string folder;
  std::string library;      ///< kernel.so: the C door of kernels/launch_abi.h
  std::string cubin;        ///< kernel.cubin: the same device code
  std::string source_hash;  ///< sha256 over sources and flags, first 16 digits
  std::string compiler;     ///< "nvcc 13.0.88"
  std::string cutlass;      ///< "4.2.0"
  std::string libraries;  ///< headers of other libraries: "cudnn-frontend 1.18.0, cuDNN 9.19.0"; empty = none
  std::string command;    ///< what was run, to be pasted
  bool from_cache = false;
  double seconds = 0;                    ///< that the compilation took; 0 = not told
  std::vector<std::string> advice = {};  ///< what ptxas says of lost speed ("wgmma … serialized"), each once
  std::string not_linked_because = {};   ///< of an export: there is device code, but no library to launch it
};

struct BuildRequest {
  const FileSource& files;
  const Environment& environment;
  std::string source_root;
  std::string folder;                     ///< the package's, below the source root
  std::vector<std::string> defines;       ///< of CuteKernel
  std::string arch;                       ///< "sm_90a"
  std::vector<std::string> headers = {};  ///< of Package
  std::function<void()> compiling = {};   ///< called when nothing in the cache serves and nvcc starts
  /// Text that is compiled in place of the folder's kernel.cu: it includes `program`, and
  /// kernels/example_door.cuh is its door. `included`: what else it is made of, of the program's own.
  std::string unit = {};
  std::string program = {};
  std::vector<std::string> included = {};
  std::vector<std::string> include_folders = {};
};

/// Linker's words that put kernels/example_door.cuh between a program and the CUDA runtime.
std::vector<std::string> example_door_flags(const std::string& source_root);

/// Hash of what decides the device code besides the toolchain: every .cu, .h and .py of the package, headers
/// that its design's versions share, launch_abi.h, role_timeline.cuh where it is included, flags, defines.
Result<std::string> source_hash(const BuildRequest& request);

/// Compiles, or takes from the cache. Without a compiler a cached build of any toolchain is taken, so that a
/// cache made on one machine serves another. Two builders at once are safe: each works aside and the first to
/// finish wins. Errors (kind unavailable): no compiler or no headers and nothing cached, compilation failed
/// (with nvcc's first errors).
Result<BuiltKernel> build_kernel(const BuildRequest& request, const Toolchain& toolchain);

/// Seconds of the compilations in the cache that tell them, fastest first.
std::vector<double> compile_seconds(const FileSource& files, const std::string& source_root);

}  // namespace cutelab::kernel
