#pragma once
// The order in which output tiles are computed. Plain C++ for host tests and device code.

#ifdef __CUDACC__
#define DENSE_GEMM_BOTH __host__ __device__
#else
#define DENSE_GEMM_BOTH
#endif

namespace dense_gemm {

struct OutputTile {
  int m;  // tile row
  int n;  // tile column
  int batch;
};

/// Walks a grid of rows × columns tiles, `group` rows at a time: down a column of the group, then the next
/// column. The tiles in flight then form a block of about group × (SMs / group), whose rows of A and columns
/// of B are read from L2 again and again; row by row, each tile would bring its own column of B from memory.
struct TileOrder {
  int rows;
  int columns;
  int batch;
  int group;  // >= 1

  DENSE_GEMM_BOTH int count() const { return rows * columns * batch; }

  DENSE_GEMM_BOTH OutputTile at(int index) const {
    const int plane = rows * columns;
    const int in_plane = index % plane;
    const int first_row = in_plane / (group * columns) * group;
    const int height = rows - first_row < group ? rows - first_row : group;  // the last group may be lower
    const int in_group = in_plane - first_row * columns;
    return {first_row + in_group % height, in_group / height, index / plane};
  }
};

}  // namespace dense_gemm
