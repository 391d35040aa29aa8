// The loop runs on for the depth of the ring and loads all the same.
#include "cute/tensor.hpp"
using namespace cute;

template <int Stages>
__global__ void kernel(Params p) {
  int tiles_left = p.tiles;
  while (tiles_left > -Stages) {
    copy(p.tma_a.with(bar[0]), gA(_, tiles_left), sA(_, 0));  // expect-lint: unguarded-issue the loop runs while tiles_left > -Stages
    --tiles_left;
  }
}
