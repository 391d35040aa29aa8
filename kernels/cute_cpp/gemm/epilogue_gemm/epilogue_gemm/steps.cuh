#pragma once
// What an epilogue is made of. A step gets two neighbouring values in registers and where they are, and
// returns what they become; a Chain applies its steps in order. A step of your own derives from Step and has
// this one operator; an activation is a function of one value (user_steps.cuh has an example of each).
#include "../../dense_gemm/dense_gemm_v8/side_stage.cuh"
#include "../../dense_gemm/operands.cuh"

namespace epilogue_gemm {
using namespace dense_gemm;
using dense_gemm_v8::Side;

/// Where two neighbouring values of a row are, in the matrix that the step works on.
struct At {
  int row;
  int column;     // of the first, even
  int eight;      // its place in the tile, in steps of eight columns
  int below;      // 1: of the two rows that a thread has of them, the lower
  int rows;       // of the matrix
  int width;      // of the matrix
  int64_t index;  // of the first in the matrix with all its batches
  bool inside;    // tiles at the border stick out
  float& largest;
  const Side& side;  // its place in the tile's side stage, if the kernel has them
};

/// 64 rows of a tile before it is multiplied: time to fetch what a step will read.
struct Ahead {
  int row, column, columns;  // `columns` of the tile or of half of it; the matrix ends at `last_row`, `width`
  int last_row, width;
  int64_t index;  // of (row, column)
  int eight;      // the first, in the tile
};

/// A step may keep something in registers, from ahead() on or from begin(), which runs when the sums of a
/// tile of `columns` are there; it then takes it as its second argument. A tile's pairs come in the order of
/// their columns, of each eight the upper row first. A step that derives its Kept anew names begin() again.
struct Step {
  struct Kept {};
  CUTE_DEVICE Kept ahead(const Ahead&) const { return {}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
};

template <class T>
CUTE_DEVICE float2 as_pair(uint32_t bits) {
  const auto both = reinterpret_cast<const cutlass::Array<T, 2>&>(bits);
  return {static_cast<float>(both[0]), static_cast<float>(both[1])};
}

/// A function of one value as a step.
template <class Function>
struct Each : Step {
  CUTE_DEVICE float2 operator()(const At&, float2 x) const { return {Function{}(x.x), Function{}(x.y)}; }
};

struct Identity {
  CUTE_DEVICE float operator()(float x) const { return x; }
};
struct Relu {
  CUTE_DEVICE float operator()(float x) const { return x > 0 ? x : 0; }
};
/// The hardware's tanh, absolute error below 2^-10.
CUTE_DEVICE float quick_tanh(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// x · Φ(x) by the usual fit with tanh, as x/2 + x/2 · tanh: one instruction less than x/2 · (1 + tanh).
struct Gelu {
  CUTE_DEVICE float operator()(float x) const {
    const float u = x * (0.7978845608f + 0.0356774081f * x * x), h = 0.5f * x;
    return h + h * quick_tanh(u);
  }
};
/// x / (1 + exp(-x)), with the tanh of half of it.
struct Silu {
  CUTE_DEVICE float operator()(float x) const { return 0.5f * x * (1 + quick_tanh(0.5f * x)); }
};

struct Bias : Step {
  const void* bias;
  explicit Bias(const void* b) : bias(b) {}
  /// Lane l keeps the pairs of columns 8·(l / 4 + 8i) + 2·(l % 4): what four lanes need of every eight
  /// columns lies in lanes that differ in l / 4 only.
  struct Kept {
    uint32_t pairs[GEMM_TILE_N / 64 > 0 ? GEMM_TILE_N / 64 : 1];
  };
  CUTE_DEVICE Kept ahead(const Ahead& tile) const {
    Kept kept;
    const int lane = threadIdx.x % 32;
    CUTE_UNROLL
    for (int i = 0; i < size(kept); ++i) {
      const int column = tile.column + (lane / 4 + 8 * i) * 8 + lane % 4 * 2;
      kept.pairs[i] =
          column < tile.width
              ? __ldg(reinterpret_cast<const uint32_t*>(static_cast<const Result*>(bias) + column))
              : 0;
    }
    return kept;
  }
  CUTE_DEVICE static constexpr int size(const Kept&) { return sizeof(Kept) / 4; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    const int source = at.eight % 8 * 4 + threadIdx.x % 4;
    const float2 b = as_pair<Result>(__shfl_sync(0xffffffff, kept.pairs[at.eight / 8], source));
    return {x.x + b.x, x.y + b.y};
  }
};

/// Four lanes have the rows of a 4 × 4 matrix, and then its columns.
CUTE_DEVICE void transpose_in_quad(uint32_t (&r)[4]) {
  CUTE_UNROLL
  for (int bit = 1; bit < 4; bit *= 2) {
    const bool high = threadIdx.x & bit;
    CUTE_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (i & bit) continue;
      const uint32_t got = __shfl_xor_sync(0xffffffff, high ? r[i] : r[i | bit], bit);
      (high ? r[i] : r[i | bit]) = got;
    }
  }
}

/// A thread's pairs of 32 columns and two rows. In memory 16 bytes a lane are read or written at a time: the
/// four lanes of a row have eight columns each, in registers two of every eight.
struct Pairs32 {
  uint32_t of[2][4];  // (row, which eight)
};

struct Residual : Step {
  const void* c;
  float beta;
  Residual(const void* data, float factor) : c(data), beta(factor) {}
  struct Kept {
    Pairs32 of[GEMM_TILE_N / 32];  // a gated tile uses half of them
  };

  CUTE_DEVICE Kept ahead(const Ahead& tile) const {  // into L2, a row a thread
    const int row = threadIdx.x % 128;
    const int inside = tile.width - tile.column < tile.columns ? tile.width - tile.column : tile.columns;
    if (row < 64 && tile.row + row < tile.last_row && inside > 0)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                       static_cast<const Result*>(c) + tile.index + static_cast<int64_t>(row) * tile.width),
                   "r"(inside * 2)
                   : "memory");
    return {};
  }
  /// All at once, while the registers of the tile before are free: one way to L2 and back.
  template <int columns>
  CUTE_DEVICE void begin(const Ahead& tile, Kept& kept) const {
    const int t = threadIdx.x % 128;
    const int row = t / 32 * 16 + t / 4 % 8;
    CUTE_UNROLL
    for (int group = 0; group < columns / 32; ++group) {
      CUTE_UNROLL
      for (int below = 0; below < 2; ++below) {
        const int r = row + below * 8, column = group * 32 + t % 4 * 8;
        uint4 four = make_uint4(0, 0, 0, 0);
        if (tile.row + r < tile.last_row && tile.column + column < tile.width)
          four = __ldg(reinterpret_cast<const uint4*>(static_cast<const Result*>(c) + tile.index +
                                                      static_cast<int64_t>(r) * tile.width + column));
        auto& of = kept.of[tile.eight / 4 + group].of[below];
        of[0] = four.x, of[1] = four.y, of[2] = four.z, of[3] = four.w;
      }
    }
  }
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    Pairs32& now = kept.of[at.eight / 4];
    if (at.eight % 4 == 0 && !at.below) {
      transpose_in_quad(now.of[0]);
      transpose_in_quad(now.of[1]);
    }
    const float2 of_c = as_pair<Result>(now.of[at.below][at.eight % 4]);
    return {x.x + beta * of_c.x, x.y + beta * of_c.y};
  }
};

/// The same where C comes through a stage of the ring: 16 columns of a warp at a time lie as the sums do.
struct StagedResidual : Step {
  const void* c;
  float beta;
  StagedResidual(const void* data, float factor) : c(data), beta(factor) {}
  struct Kept {
    uint32_t four[4];
  };
  CUTE_DEVICE Kept ahead(const Ahead&) const { return {}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    if (at.eight % 2 == 0 && !at.below) at.side.read(at.eight * 8 % dense_gemm_v8::side_columns, kept.four);
    const float2 of_c = as_pair<Result>(kept.four[at.eight % 2 * 2 + at.below]);
    return {x.x + beta * of_c.x, x.y + beta * of_c.y};
  }
};

/// Stores what passes by, rounded.
struct Aux : Step {
  void* aux;
  explicit Aux(void* data) : aux(data) {}
  struct Kept {
    Pairs32 now;
  };
  CUTE_DEVICE Kept ahead(const Ahead&) const { return {}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    kept.now.of[at.below][at.eight % 4] = packed(x.x, x.y);
    if (at.eight % 4 != 3 || !at.below) return x;
    const int back = threadIdx.x % 4 * 6 - 24;
    CUTE_UNROLL
    for (int below = 0; below < 2; ++below) {
      auto& four = kept.now.of[below];
      transpose_in_quad(four);
      const int row = at.row - 8 + below * 8;
      if (row < at.rows && at.column + back < at.width)
        *reinterpret_cast<uint4*>(static_cast<Result*>(aux) + at.index + back -
                                  static_cast<int64_t>(1 - below) * 8 * at.width) =
            make_uint4(four[0], four[1], four[2], four[3]);
    }
    return x;
  }
};

/// The same through a stage of the ring, from which TMA stores it. C may have come in the same stage: a warp
/// reads its 16 columns before it writes them.
struct StagedAux : Step {
  void* aux;
  explicit StagedAux(void* data) : aux(data) {}
  struct Kept {
    uint32_t four[4];
  };
  CUTE_DEVICE Kept ahead(const Ahead&) const { return {}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    kept.four[at.eight % 2 * 2 + at.below] = packed(x.x, x.y);
    if (at.eight % 2 == 1 && at.below)
      at.side.write((at.eight - 1) * 8 % dense_gemm_v8::side_columns, kept.four);
    return x;
  }
};

struct Amax : Step {
  CUTE_DEVICE float2 operator()(const At& at, float2 x) const {
    if (at.inside) at.largest = fmaxf(at.largest, fmaxf(fabsf(x.x), fabsf(x.y)));
    return x;
  }
};

/// Steps one after the other.
template <class... Steps>
struct Chain {
  struct Kept {};
  CUTE_DEVICE Kept ahead(const Ahead&) const { return {}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead&, Kept&) const {}
  CUTE_DEVICE float2 operator()(const At&, Kept&, float2 x) const { return x; }
};
template <class First, class... Rest>
struct Chain<First, Rest...> {
  First first;
  Chain<Rest...> rest;
  struct Kept {
    typename First::Kept first;
    typename Chain<Rest...>::Kept rest;
  };
  CUTE_DEVICE Kept ahead(const Ahead& tile) const { return {first.ahead(tile), rest.ahead(tile)}; }
  template <int columns>
  CUTE_DEVICE void begin(const Ahead& tile, Kept& kept) const {
    if constexpr (!std::is_empty_v<typename First::Kept>) first.template begin<columns>(tile, kept.first);
    rest.template begin<columns>(tile, kept.rest);
  }
  CUTE_DEVICE float2 operator()(const At& at, Kept& kept, float2 x) const {
    if constexpr (std::is_empty_v<typename First::Kept>)
      return rest(at, kept.rest, first(at, x));
    else
      return rest(at, kept.rest, first(at, kept.first, x));
  }
};
inline Chain<> chain() { return {}; }
template <class First, class... Rest>
Chain<First, Rest...> chain(const First& first, const Rest&... rest) {
  return {first, chain(rest...)};
}

}  // namespace epilogue_gemm
