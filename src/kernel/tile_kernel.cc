#include "kernel/tile_kernel.h"

#include <utility>

namespace cutelab::kernel {

Result<CuteKernel> tile_kernel(TileProgram program) {
  if (auto fits = check_tile_program(program); !fits) return fits.error();
  CuteKernel k;
  k.defines = tile_requests(program);
  k.device_function = program.steps.front().function;
  k.launch = [grid = program.steps.front().grid](int) {
    LaunchShape shape;
    shape.grid = grid;
    return shape;
  };
  k.arguments = [program](const Addresses& at) { return tile_arguments(program, at); };
  k.tile = std::move(program);
  return k;
}

Package tile_package(const std::string& layer, const std::string& design, const std::string& summary,
                     std::shared_ptr<const KernelPlan> plan) {
  Package package;
  package.language = "cutile-dsl";
  package.layer = layer;
  package.design = design;
  package.version = "v0";
  package.summary = summary;
  package.architectures = {"sm_90", "sm_80", "sm_86", "sm_89", "sm_100", "sm_103", "sm_120"};
  package.plan = std::move(plan);
  return package;
}

unsigned tile_blocks(std::int64_t extent, std::int64_t tile) {
  return static_cast<unsigned>((extent + tile - 1) / tile);
}

std::int64_t power_of_two_from(std::int64_t value) {
  std::int64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace cutelab::kernel
