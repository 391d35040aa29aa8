#pragma once

namespace row_reduce {

/// What is fixed at compile time. Plain C++ shared by plan.cc and kernel.cu.
struct Config {
  int threads_per_row;  // 32 … 1024, a power of two
  int rows_per_cta;     // threads_per_row * rows_per_cta = block size
  int vector_elements;  // elements of one load: 128 bits or less; divides the columns
  int vectors;          // loads of a thread in flight

  constexpr int block() const { return threads_per_row * rows_per_cta; }
  constexpr int tile_columns() const { return threads_per_row * vector_elements * vectors; }
  constexpr int warps_per_row() const { return threads_per_row / 32; }
};

constexpr long long row_blocks(Config c, long long rows) {
  return (rows + c.rows_per_cta - 1) / c.rows_per_cta;
}

}  // namespace row_reduce
