#pragma once
// How blocks of output tiles are handed out when the last turn would leave processors idle. Plain C++ for
// host tests and device code.

#ifdef __CUDACC__
#define DENSE_GEMM_HERE __host__ __device__
#else
#define DENSE_GEMM_HERE
#endif

namespace dense_gemm {

/// A range of one block's stages of k.
struct Piece {
  int block;
  int k_begin;
  int k_end;
  DENSE_GEMM_HERE int depth() const { return k_end - k_begin; }
};

/// `blocks` of `depth` stages of k each, for `clusters` that work at a time. Whole blocks fill the turns that
/// are full; the stages of the rest, laid end to end, are cut into as many segments as there are clusters
/// (stream-K). Items [0, whole) are blocks, items [whole, count()) are segments.
struct WorkSplit {
  int depth;
  int whole;
  int rest;      // blocks that are cut
  int segments;  // 0 where nothing is cut
  int length;    // stages of a segment, before cuts move to a block's end
  int longer;    // segments that have one more

  static constexpr int shortest = 4;  // stages: a cut nearer to a block's end moves there

  /// Cuts where that saves a cluster at least `gain` stages; gain 0 = never.
  DENSE_GEMM_HERE static WorkSplit of(int blocks, int depth, int clusters, int gain) {
    const int rest = blocks % clusters;
    const int all = rest * depth;
    const int shared = (all + clusters - 1) / clusters;
    if (gain == 0 || rest == 0 || depth - shared < gain) return {depth, blocks, 0, 0, 0, 0};
    return {depth, blocks - rest, rest, clusters, all / clusters, all % clusters};
  }

  DENSE_GEMM_HERE int count() const { return whole + segments; }

  /// Where segment `s` begins, in stages from the first block's first; boundary(segments) is the end.
  DENSE_GEMM_HERE int boundary(int s) const {
    const int at = whole * depth + s * length + (s < longer ? s : longer);
    const int inside = at % depth;
    return inside < shortest ? at - inside : depth - inside < shortest ? at + depth - inside : at;
  }

  DENSE_GEMM_HERE int begin(int item) const { return item < whole ? item * depth : boundary(item - whole); }
  DENSE_GEMM_HERE int end(int item) const {
    return item < whole ? (item + 1) * depth : boundary(item - whole + 1);
  }

  /// The piece that begins at `at` of an item that ends at `end`.
  DENSE_GEMM_HERE Piece piece(int at, int end) const {
    const int block = at / depth;
    const int k = at - block * depth;
    return {block, k, depth - k < end - at ? depth : k + end - at};
  }

  /// The segment that holds the first stage of a block that is cut.
  DENSE_GEMM_HERE int first_segment(int block) const {
    int s = (block - whole) * depth / (length + 1);
    while (s > 0 && boundary(s) > block * depth) --s;
    while (s + 1 < segments && boundary(s + 1) <= block * depth) ++s;
    return s;
  }
};

}  // namespace dense_gemm
