// A ring of plain barriers, filled by TMA, in a kernel whose CTAs stay and walk over the tiles.
// expect-pattern: P1 present default_active
// expect-pattern: P3 present kind=custom_static
// expect-pattern: P9 present
// expect-pattern: P8 present kind=direct_store
// read-set: STAGES=3
using namespace cute;
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;

struct Storage {
  uint64_t full[STAGES];   // expect: H3 storage-member bytes=24
  uint64_t empty[STAGES];
};

struct Schedule {
  int tiles;
  __device__ static int first() { return blockIdx.x; }
  __device__ static int step() { return gridDim.x; }
};

auto load_a(const Params& p) { return make_tma_atom(SM90_TMA_LOAD{}, p.a, p.layout, p.tile); }

__device__ void store(float* out, int row, int rows, float value) {
  if (row < rows) *reinterpret_cast<float*>(out + row) = value;  // expect: B1 predicate; E1 store
}

__global__ void kernel(const Params p, Storage& s, float* out) {
  const bool loader = threadIdx.x >= 128;
  for (int tile = Schedule::first(); tile < p.tiles; tile += Schedule::step()) {  // expect: S1 persistent-loop
    for (int k = 0; k < p.k_tiles; ++k) {
      Empty::wait(&s.empty[stage], parity ^ 1);
      Full::arrive_and_expect_tx(&s.full[stage], 4096);  // expect: D2 ring stages=3
      copy(p.tma.with(s.full[stage]), gA(k), sA(stage));
      Full::wait(&s.full[stage], parity);
    }
    store(out, tile, p.rows, 1.0f);
  }
}
