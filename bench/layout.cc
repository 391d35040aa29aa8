// The layout algebra on layouts of the kind that kernels use. Target: composition and coalesce under 2 us.
#include <benchmark/benchmark.h>

#include "layout/parse.h"
#include "layout/smem.h"

namespace {

using namespace cutelab::layout;

Layout plain(const char* text) { return parse_layout(text)->layout(); }

void coalesce_smem(benchmark::State& state) {
  const Layout l = plain("((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))");
  for (auto _ : state) benchmark::DoNotOptimize(coalesce(l));
}
BENCHMARK(coalesce_smem);

void composition_accumulator(benchmark::State& state) {
  const Layout tile = plain("(128,256):(256,1)");
  const Layout c = plain("((4,8,4),(2,2,32)):((128,1,16),(64,8,512))");
  for (auto _ : state) benchmark::DoNotOptimize(composition(tile, c.view()));
}
BENCHMARK(composition_accumulator);

void composition_small(benchmark::State& state) {
  const Layout a = plain("(6,2):(8,2)");
  const Layout b = plain("(4,3):(3,1)");
  for (auto _ : state) benchmark::DoNotOptimize(composition(a, b.view()));
}
BENCHMARK(composition_small);

void zipped_divide_gmem(benchmark::State& state) {
  const Layout g = plain("(8192,4096):(4096,1)");
  const Tiler tiler = *parse_tiler("(128,64)");
  for (auto _ : state) benchmark::DoNotOptimize(zipped_divide(g, tiler));
}
BENCHMARK(zipped_divide_gmem);

void zipped_divide_symbolic(benchmark::State& state) {
  const Layout g = plain("(M{div=8},K{div=8}):(K,1)");
  const Tiler tiler = *parse_tiler("(128,64)");
  for (auto _ : state) benchmark::DoNotOptimize(zipped_divide(g, tiler));
}
BENCHMARK(zipped_divide_symbolic);

void complement_tiler(benchmark::State& state) {
  const Layout l = plain("(2,4):(1,6)");
  const IntTuple target(24);
  for (auto _ : state) benchmark::DoNotOptimize(complement(l, target));
}
BENCHMARK(complement_tiler);

void right_inverse_tv(benchmark::State& state) {
  const Layout l = plain("((4,8),(2,4)):((16,1),(8,64))");
  for (auto _ : state) benchmark::DoNotOptimize(right_inverse(l));
}
BENCHMARK(right_inverse_tv);

void make_smem_layout_a(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sm90_make_smem_layout_a(Major::k, {128, 256, 64}, 16, 7));
}
BENCHMARK(make_smem_layout_a);

void parse_smem(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(parse("S<3,4,3> o 0 o ((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))"));
}
BENCHMARK(parse_smem);

}  // namespace
