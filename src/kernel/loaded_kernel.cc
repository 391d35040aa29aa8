#include "kernel/loaded_kernel.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

constexpr int abi_version = 1;  // CUTELAB_ABI_VERSION of kernels/launch_abi.h

/// struct cutelab_launch_shape of kernels/launch_abi.h.
struct AbiLaunchShape {
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3];
  unsigned dynamic_smem_bytes;
};

/// What to do about a code of the CUDA runtime, by its number (CUDA runtime API, cudaError_t).
const char* remedy_of(int code) {
  switch (code) {
    case 35:   // cudaErrorInsufficientDriver: said on a GPU that is able, whatever else a message adds
    case 222:  // cudaErrorUnsupportedPtxVersion
      return "the driver is older than the CUDA that the kernel was compiled with (CUDA 13 needs 580 or "
             "newer, 12.9 needs 575), whatever hint the message adds: update the driver, or "
             "compile with a CUDA that it knows; `cutelab doctor` holds driver, cuda-python and the DSL's "
             "wheels against each other";
    case 209:  // cudaErrorNoKernelImageForDevice
      return "the kernel is compiled for another architecture: `cutelab list` shows which";
    default:
      return "`cutelab device` shows what the GPU offers";
  }
}

Error load_error(const std::string& library, std::string wrong) {
  return Error{ErrorKind::unavailable, "load a compiled kernel", std::move(wrong), library,
               "delete the folder and run again: the kernel is compiled anew"};
}

}  // namespace

void LoadedKernel::open_libraries(const std::vector<std::string>& folders) {
  const auto names = library_.function<const char* (*)()>("cutelab_libraries");
  if (!names) return;
  const std::string lines = names();
  for (const auto line : split(lines, '\n')) {
    const std::string name(trim(line));
    if (name.empty()) continue;
    // A second dlopen of the name, the kernel's own, finds what is open already.
    device::SharedLibrary found(name, device::SharedLibrary::Stay::for_good);
    for (std::size_t i = 0; i < folders.size() && !found.loaded(); ++i)
      found = device::SharedLibrary(folders[i] + "/" + name, device::SharedLibrary::Stay::for_good);
    if (found.loaded()) opened_.push_back(std::move(found));
  }
}

Result<LoadedKernel> LoadedKernel::load(const std::string& library, const std::vector<std::string>& folders) {
  LoadedKernel loaded;
  loaded.path_ = library;
  loaded.library_ = device::SharedLibrary(library);
  if (!loaded.library_.loaded()) return load_error(library, loaded.library_.missing());
  const auto version = loaded.library_.function<int (*)()>("cutelab_abi_version");
  loaded.launch_ = loaded.library_.function<Launch>("cutelab_launch");
  loaded.error_text_ = loaded.library_.function<ErrorText>("cutelab_error_text");
  if (!version || !loaded.launch_ || !loaded.error_text_)
    return load_error(library, "it is no kernel package");
  if (version() != abi_version)
    return load_error(
        library, fmt::format("it speaks version {} of the door, this program {}", version(), abi_version));
  loaded.open_libraries(folders);
  loaded.stamp_names_ = loaded.library_.function<StampNames>("cutelab_timeline_names");
  loaded.stamp_into_ = loaded.library_.function<StampInto>("cutelab_timeline_attach");
  return Result<LoadedKernel>(std::move(loaded));
}

Status Launchable::stamp_into(unsigned long long, unsigned, unsigned, unsigned) const {
  return Error{ErrorKind::unavailable, "stamp a role timeline", "the kernel is not compiled to stamp", "",
               "--prof_type=timeline compiles it so"};
}

std::string LoadedKernel::stamped_roles() const { return stamp_names_ ? stamp_names_() : ""; }

Status LoadedKernel::stamp_into(unsigned long long base, unsigned roles, unsigned capacity,
                                unsigned ctas) const {
  if (!stamp_into_) return Launchable::stamp_into(base, roles, capacity, ctas);
  const int code = stamp_into_(reinterpret_cast<void*>(base), roles, capacity, ctas);
  if (code == 0) return {};
  return Error{ErrorKind::unavailable,
               "tell the kernel where to stamp",
               fmt::format("cudaError {}: {}", code, error_text_(code)),
               path_,
               "",
               code};
}

Status LoadedKernel::launch(const std::vector<std::byte>& arguments, const LaunchShape& shape,
                            void* stream) const {
  AbiLaunchShape abi{};
  for (std::size_t d = 0; d < 3; ++d) {
    abi.grid[d] = shape.grid[d];
    abi.block[d] = shape.block[d];
    abi.cluster[d] = shape.cluster[d];
  }
  abi.dynamic_smem_bytes = shape.dynamic_smem_bytes;
  const int code = launch_(arguments.data(), arguments.size(), &abi, stream);
  if (code == 0) return {};
  return Error{ErrorKind::unavailable,
               "launch " + shape.text(),
               fmt::format("cudaError {}: {}", code, error_text_(code)),
               path_,
               remedy_of(code),
               code};
}

}  // namespace cutelab::kernel
