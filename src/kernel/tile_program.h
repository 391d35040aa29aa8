#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/dtype.h"

namespace cutelab::kernel {

/// A parameter of a cuTile kernel: an array, or a number that is compiled in.
class TileParameter {
 public:
  enum class Kind { array, integer, real, flag };
  Kind kind = Kind::array;
  double number = 0;  ///< integer, real, flag
  // Of an array:
  std::string tensor;  ///< the plan's tensor; empty = a part of the workspace, or no memory at all
  DType dtype = DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< elements
  std::size_t contiguous = 0;         ///< compiled in: the dimension whose stride is 1
  std::int64_t divisible = 1;         ///< compiled in: what its extent and the other strides are multiples of
  std::int64_t workspace = -1;        ///< where in the workspace (bytes, a multiple of 256); -1 = not there

  /// A row-major dense array.
  static TileParameter dense(std::string tensor, DType dtype, std::vector<std::int64_t> shape,
                             std::int64_t divisible);
  static TileParameter integer(std::int64_t value) { return of(Kind::integer, static_cast<double>(value)); }
  static TileParameter real(double value) { return of(Kind::real, value); }
  static TileParameter flag(bool value) { return of(Kind::flag, value ? 1.0 : 0.0); }

 private:
  static TileParameter of(Kind kind, double number) {
    TileParameter p;
    p.kind = kind;
    p.number = number;
    return p;
  }
};

/// One launch: a function of the package's kernel.py on a grid of tile blocks.
struct TileStep {
  std::string function;
  std::vector<TileParameter> parameters;  ///< in the order of the function's
  std::array<unsigned, 3> grid = {1, 1, 1};
  int warps = 0;  ///< num_worker_warps, a hint to the compiler; 0 = its own choice
};

/// What a cuTile package compiles and launches for one problem: one step after the other on one stream.
struct TileProgram {
  std::vector<TileStep> steps;
  std::int64_t workspace_bytes = 0;  ///< of memory that only the steps see
};

/// What kernels/cutile/export.py is asked for, one step a line of JSON: what decides the compiled code, and
/// nothing of the problem's extents.
std::vector<std::string> tile_requests(const TileProgram& program);

/// What the convention and the compiled code take for granted: extents and strides fit in an int32, the grid
/// fits the device, strides and extents are multiples of what was promised. Errors (kind usage).
Status check_tile_program(const TileProgram& program);

/// The block of arguments that LoadedTile takes: every step's grid and parameters by the convention
/// cutile_python_v1 (per array a 64-bit pointer, then one int32 per extent, then one int32 per stride).
/// Precondition: check_tile_program. Tensors without an address become null pointers.
std::vector<std::byte> tile_arguments(const TileProgram& program,
                                      const std::map<std::string, unsigned long long>& addresses);

/// One step of such a block.
struct TileLaunch {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::vector<std::vector<std::byte>> parameters;  ///< the value of each, of 8 or 4 bytes
  std::vector<std::size_t> in_workspace;           ///< parameters that are offsets in the workspace
};
/// The inverse; empty = not such a block.
std::vector<TileLaunch> tile_launches(const std::vector<std::byte>& block, std::int64_t& workspace_bytes);

}  // namespace cutelab::kernel
