// expect-lint-passed: unguarded-issue
#include "cute/tensor.hpp"
using namespace cute;

template <int Stages>
__global__ void kernel(Params p) {
  int tiles_left = p.tiles;
  while (tiles_left > -Stages) {
    if ((threadIdx.x < 32) && (tiles_left > 0)) {
      copy(p.tma_a.with(bar[0]), gA(_, tiles_left), sA(_, 0));
    }
    --tiles_left;
  }
}
