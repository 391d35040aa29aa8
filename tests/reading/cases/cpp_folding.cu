// A kernel whose numbers stand in constexpr arithmetic, aliases and a header beside it.
#include "cpp_shared_constants.cuh"

namespace folded {
using namespace cute;
using Element = cutlass::half_t;

struct Config {
  int tile_m;
  int stages;
  constexpr int consumers() const { return tile_m / 64; }
  constexpr int block() const { return 128 * (1 + consumers()); }
};
constexpr Config config{128, ring_stages};
constexpr int slices = config.tile_m > 64 ? (config.tile_m + 63) / 64 : 1;

using TileM = Int<config.tile_m>;
template <int rows, int stages>
using Staged = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Element>{}, Shape<Int<rows>, Int<tile_k>, Int<stages>>{}));
using SmemA = Staged<config.tile_m, config.stages>;

struct SharedStorage {                        // expect: H3 storage bytes=68608 alignment=1024
  alignas(1024) Element a[cosize_v<SmemA>];   // expect: H3 storage-member bytes=65536 offset=0
  struct alignas(1024) Slice {                // expect: H3 storage-member bytes=2048 offset=65536
    float d[16];
  } parts[slices];
  uint64_t full[config.stages];               // expect: H3 storage-member bytes=32 offset=67584
  union {                                     // expect: H3 storage-member bytes=8 offset=67616
    float sum;
    uint64_t raw;
  } last;
};

__global__ void __launch_bounds__(config.block(), 1) kernel(float* out) {  // expect: H4 launch-keyword max_threads=384
  extern __shared__ __align__(1024) char raw[];  // expect: H3 allocation alignment=1024 dynamic=true
  __shared__ float fixed[2 * tile_k];            // expect: H3 allocation bytes=512 dynamic=false
  cutlass::arch::warpgroup_reg_dealloc<24 + 16>();  // expect: D1 register-budget registers=40 action=decrease
  out[threadIdx.x] = fixed[0];
}

void launch(float* out) {
  dim3 grid(ceil_div(1000, TileM{}), 3);                              // expect: H2 grid grid=(8,3,1)
  kernel<<<grid, config.block(), sizeof(SharedStorage)>>>(out);      // expect: H2 launch grid=(8,3,1) block=384 smem_bytes=68608 static_smem_bytes=512 threads=384
}
}  // namespace folded
