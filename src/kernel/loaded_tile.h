#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/loaded_kernel.h"

namespace cutelab::kernel {

/// Compiled cuTile functions, launched one after the other through the CUDA driver: what tile_build.h made.
class LoadedTile final : public Launchable {
 public:
  /// `record` is the build's kernel.json. A context of the device is current. Errors (kind unavailable): no
  /// driver, it refuses the code; (kind input) the build is not whole.
  static Result<std::unique_ptr<LoadedTile>> load(const std::string& record,
                                                  const std::string& driver = "libcuda.so.1");
  ~LoadedTile() override;
  /// `arguments` is a block of tile_arguments(); grids stand in it. The first launch of a block with a
  /// workspace allocates that. Errors: another block than the code takes; the driver's.
  Status launch(const std::vector<std::byte>& arguments, const LaunchShape& shape,
                void* stream) const override;

 private:
  struct State;
  explicit LoadedTile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cutelab::kernel
