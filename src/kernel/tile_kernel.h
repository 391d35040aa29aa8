#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/plan.h"
#include "kernel/registry.h"

namespace cutelab::kernel {

/// The launchable of a cuTile package: what is compiled, the first step's grid, the arguments. A tile block
/// counts as a block of one thread, as the driver is told. Errors: check_tile_program.
Result<CuteKernel> tile_kernel(TileProgram program);

/// A package below kernels/cutile; architectures: what cuTile compiles for, Hopper first.
Package tile_package(const std::string& layer, const std::string& design, const std::string& summary,
                     std::shared_ptr<const KernelPlan> plan);

/// Tiles of `tile` that cover `extent`, for a grid.
unsigned tile_blocks(std::int64_t extent, std::int64_t tile);
/// The least power of two that is not below `value`: extents of tiles are powers of two.
std::int64_t power_of_two_from(std::int64_t value);
bool is_power_of_two(std::int64_t value);

}  // namespace cutelab::kernel
