#pragma once

namespace rmsnorm {

/// What is fixed at compile time. A CTA holds rows_per_cta whole rows in registers, threads_per_row threads
/// each. Plain C++ shared by plan.cc (chooses and explains) and kernel.cu (static_asserts the same rules).
struct Config {
  int threads_per_row;      // 32 … 1024, a power of two
  int elements_per_thread;  // row elements a thread holds; a multiple of vector_elements
  int rows_per_cta;         // threads_per_row * rows_per_cta = block size
  int vector_elements;      // elements of one load: 8 (128 bits), 4, 2, 1; divides hidden
  int ctas_per_sm;    // promised to the compiler: at most 65536 / (ctas_per_sm * block) registers a thread
  bool persistent;    // a CTA walks over rows; otherwise it ends after its first
  bool prefetch;      // persistent only: the next row's loads are in flight while this row is reduced
  bool read_once;     // x takes no place in L1 and is the first to leave L2
  bool weight_early;  // weight is loaded before the reduction: its latency is hidden, its registers are taken

  constexpr int block() const { return threads_per_row * rows_per_cta; }
  constexpr int row_capacity() const { return threads_per_row * elements_per_thread; }
  constexpr int warps_per_row() const { return threads_per_row / 32; }
};

/// Registers a thread takes, fitted to what ptxas reports without spilling for 8 to 32 elements; a plan's
/// estimate, the cubin has the truth. Narrow vectors need a predicate and an address per vector.
constexpr int register_estimate(Config c) {
  int estimate = c.prefetch ? 4 + c.elements_per_thread * 9 / 4 : 16 + c.elements_per_thread * 3 / 2;
  if (c.vector_elements < 8) estimate = c.vector_elements == 4 ? estimate * 3 / 2 : estimate * 2;
  return estimate < 32 ? 32 : estimate;
}

constexpr long long row_blocks(Config c, long long rows) {
  return (rows + c.rows_per_cta - 1) / c.rows_per_cta;
}

/// CTAs to launch on a device with `sms` multiprocessors.
constexpr long long grid(Config c, long long rows, int sms) {
  const long long blocks = row_blocks(c, rows);
  const long long resident = static_cast<long long>(c.ctas_per_sm) * sms;
  return !c.persistent || blocks < resident ? blocks : resident;
}

}  // namespace rmsnorm
