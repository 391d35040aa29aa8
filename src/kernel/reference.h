#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/views.h"

/// What kernels compute, in double precision on the CPU, for checks on problems of moderate size. Results are
/// fp32 tensors. All processors work on them.
namespace cutelab::kernel::reference {

enum class Activation { none, relu, gelu, gelu_tanh, silu };
double activate(Activation kind, double x);

/// D = activation(alpha · A · Bᵀ + beta · C + bias) for each of `batch` problems; of a gated one, D (m, n /
/// 2) = activation(even columns) · (odd columns).
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  double alpha = 1;
  double beta = 0;
  Activation activation = Activation::none;
  bool gated = false;
};
/// a is (m, k), b is (n, k), c and d are (m, n); bias has n elements. `largest_magnitude`: of D (amax).
Tensor gemm(const Gemm& problem, const MatrixReader& a, const MatrixReader& b,
            const MatrixReader* c = nullptr, const Tensor* bias = nullptr,
            double* largest_magnitude = nullptr);

/// softmax(scale · Q · Kᵀ + mask) · V. Query head h reads key-value head h / (heads / heads_kv), so heads_kv
/// = heads is plain, 1 multi-query attention. MLA: keys are the latent of 576 elements, values its first 512
/// (`dv`), one key-value head for all: pass the same reader twice.
struct Attention {
  std::int64_t batch = 1, heads = 1, heads_kv = 1;
  std::int64_t queries = 0;  ///< of each sequence
  std::int64_t d = 0, dv = 0;
  double scale = 1;
  bool causal = false;             ///< aligned at the end: query i of q sees keys up to i + keys - q
  std::vector<std::int64_t> keys;  ///< of each sequence, or one for all
  std::vector<std::int64_t> queries_of =
      {};                          ///< of each sequence, at most `queries`; empty = all have `queries`
  bool causal_from_start = false;  ///< with `causal`: query i sees keys up to i, however many there are
};
struct AttentionResult {
  Tensor
      out;  ///< (batch, queries, heads, dv); rows past a sequence's queries are NaN, those that see no key 0
  Tensor log_sums;  ///< (batch, heads, queries): log of the sum of exponentials, -inf where no key is seen
};
AttentionResult attention(const Attention& problem, const TokenReader& q, const TokenReader& k,
                          const TokenReader& v);

/// y = x / sqrt(mean(x²) + eps) · weight, row by row; x is (rows, columns).
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps);
/// y = (x - mean) / sqrt(variance + eps) · weight + bias.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor* bias, double eps);
/// Along the last extent.
Tensor softmax(const Tensor& x);

enum class Reduction { sum, mean, largest, least, sum_of_squares };
/// Of the last extent; a tensor of one extent gives one element. Sums are compensated (Neumaier).
Tensor reduce(const Tensor& x, Reduction kind);

/// Mamba2's state space duality as the plain recurrence, per batch, head and element of the head:
/// h_t = exp(dt_t · A) · h_{t-1} + dt_t · B_t · x_t; y_t = C_t · h_t + D · x_t, h of `states` elements.
/// x (batch, tokens, heads, width), dt (batch, tokens, heads), a and d (heads), b and c (batch, tokens,
/// groups, states).
struct StateSpace {
  std::int64_t batch = 1, tokens = 0, heads = 1, width = 1, groups = 1, states = 1;
};
Tensor state_space(const StateSpace& problem, const Tensor& x, const Tensor& dt, const Tensor& a,
                   const Tensor& b, const Tensor& c, const Tensor* d = nullptr);

}  // namespace cutelab::kernel::reference
