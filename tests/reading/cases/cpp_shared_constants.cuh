// Constants that a kernel beside this header is built from.
#pragma once
constexpr int tile_k = 64;
constexpr int ring_stages = 2 * 2;  // expect: H3 stages stages=4
