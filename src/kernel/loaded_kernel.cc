#include "kernel/loaded_kernel.h"

#include <fmt/format.h>

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

Error load_error(const std::string& library, std::string wrong) {
  return Error{ErrorKind::unavailable, "load a compiled kernel", std::move(wrong), library,
               "delete the folder and run again: the kernel is compiled anew"};
}

}  // namespace

Result<LoadedKernel> LoadedKernel::load(const std::string& library) {
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
               "`cutelab device` shows what the GPU offers",
               code};
}

}  // namespace cutelab::kernel
