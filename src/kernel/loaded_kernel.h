#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/shared_library.h"
#include "kernel/plan.h"

namespace cutelab::kernel {

/// Something that can be launched on a stream; tests put their own in.
class Launchable {
 public:
  virtual ~Launchable() = default;
  /// Enqueues one launch. `arguments` is the package's Params struct. Errors carry the runtime's own text.
  virtual Status launch(const std::vector<std::byte>& arguments, const LaunchShape& shape,
                        void* stream) const = 0;
  /// The names of what the kernel stamps (kernels/role_timeline.cuh), one a line; empty = it was not compiled
  /// to stamp.
  virtual std::string stamped_roles() const { return ""; }
  /// Later launches stamp into the zeroed buffer at that device address; 0 = nowhere any more.
  virtual Status stamp_into(unsigned long long base, unsigned roles, unsigned capacity, unsigned ctas) const;
};

/// A compiled package behind the C door of kernels/launch_abi.h, loaded with dlopen.
class LoadedKernel final : public Launchable {
 public:
  /// The libraries that the kernel opens itself (`cutelab_libraries`) are opened first: as the dynamic loader
  /// finds them, else in one of `folders`. One that is nowhere is the kernel's to report when it is launched.
  /// Errors (kind unavailable): cannot be loaded, lacks a symbol, another version of the door.
  static Result<LoadedKernel> load(const std::string& library, const std::vector<std::string>& folders = {});
  Status launch(const std::vector<std::byte>& arguments, const LaunchShape& shape,
                void* stream) const override;
  std::string stamped_roles() const override;
  Status stamp_into(unsigned long long base, unsigned roles, unsigned capacity, unsigned ctas) const override;

 private:
  using Launch = int (*)(const void*, unsigned long long, const void*, void*);
  using ErrorText = const char* (*)(int);
  void open_libraries(const std::vector<std::string>& folders);
  std::vector<device::SharedLibrary> opened_;  ///< before library_: closed after it
  device::SharedLibrary library_;
  std::string path_;
  Launch launch_ = nullptr;
  ErrorText error_text_ = nullptr;
  using StampNames = const char* (*)();
  using StampInto = int (*)(void*, unsigned, unsigned, unsigned);
  StampNames stamp_names_ = nullptr;  ///< both null in a kernel that does not stamp
  StampInto stamp_into_ = nullptr;
};

}  // namespace cutelab::kernel
