// Runs one shared-memory instruction of one warp per launch, so that a profiler's counters belong to it
// alone. usage: bank_probe ADDRESSES     one line per access: name kind bytes a0 … a31 (byte addresses below
// 48 KiB) Launches go in the order of the lines; the n-th kernel that a profiler reports is line n.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

constexpr int smem_bytes = 48 * 1024;

struct Addresses {
  unsigned a[32];
};

__device__ unsigned base() {
  extern __shared__ __align__(1024) unsigned char smem[];
  return static_cast<unsigned>(__cvta_generic_to_shared(smem));
}

template <int Bytes>
__global__ void load(Addresses where, unsigned* out) {
  const unsigned at = base() + where.a[threadIdx.x];
  unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  if constexpr (Bytes == 1)
    asm volatile("{ .reg .u16 t; ld.shared.u8 t, [%1]; cvt.u32.u16 %0, t; }" : "=r"(r0) : "r"(at));
  if constexpr (Bytes == 2)
    asm volatile("{ .reg .u16 t; ld.shared.u16 t, [%1]; cvt.u32.u16 %0, t; }" : "=r"(r0) : "r"(at));
  if constexpr (Bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r0) : "r"(at));
  if constexpr (Bytes == 8) asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at));
  if constexpr (Bytes == 16)
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
  out[threadIdx.x] = r0 + r1 + r2 + r3;
}

template <int Bytes>
__global__ void store(Addresses where, unsigned* out) {
  const unsigned at = base() + where.a[threadIdx.x];
  const unsigned v = threadIdx.x;
  if constexpr (Bytes == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(v));
  if constexpr (Bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at), "r"(v));
  if constexpr (Bytes == 16) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(v));
  out[threadIdx.x] = v;
}

template <int Bytes>
__global__ void ldmatrix(Addresses where, unsigned* out) {
  const unsigned at = base() + where.a[threadIdx.x];
  unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  if constexpr (Bytes == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(at));
  if constexpr (Bytes == 8)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at));
  if constexpr (Bytes == 16)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(at));
  out[threadIdx.x] = r0 + r1 + r2 + r3;
}

__global__ void stmatrix(Addresses where, unsigned* out) {
  const unsigned at = base() + where.a[threadIdx.x];
  const unsigned v = threadIdx.x;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(v));
  out[threadIdx.x] = v;
}

using Kernel = void (*)(Addresses, unsigned*);

static Kernel find(const std::string& kind, int bytes) {
  if (kind == "load")
    return bytes == 1   ? load<1>
           : bytes == 2 ? load<2>
           : bytes == 4 ? load<4>
           : bytes == 8 ? load<8>
                        : load<16>;
  if (kind == "store") return bytes == 4 ? store<4> : bytes == 8 ? store<8> : store<16>;
  if (kind == "ldmatrix") return bytes == 4 ? ldmatrix<4> : bytes == 8 ? ldmatrix<8> : ldmatrix<16>;
  return kind == "stmatrix" && bytes == 16 ? stmatrix : nullptr;
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: bank_probe ADDRESSES\n"), 2;
  std::ifstream lines(argv[1]);
  unsigned* out = nullptr;
  if (!lines || cudaMalloc(&out, 32 * sizeof(unsigned)) != cudaSuccess)
    return std::fprintf(stderr, "no file or no device\n"), 3;
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, kind;
    int bytes = 0;
    Addresses where{};
    words >> name >> kind >> bytes;
    for (unsigned& a : where.a) words >> a;
    const Kernel kernel = find(kind, bytes);
    if (!words || !kernel) return std::fprintf(stderr, "line %d is no access\n", count + 1), 2;
    kernel<<<1, 32, smem_bytes>>>(where, out);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return std::fprintf(stderr, "%s: %s\n", name.c_str(), cudaGetErrorString(cudaGetLastError())), 1;
    std::printf("%d %s\n", ++count, name.c_str());
  }
  return 0;
}
