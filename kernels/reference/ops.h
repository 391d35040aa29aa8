#pragma once
// What kernels compute, element by element in double precision, for any thread of a GPU and for the host: the
// same functions run under CI, where they are held against src/kernel/reference.h. Plain data, so that host
// and device agree on this file.
#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define REFERENCE_BOTH __host__ __device__ inline
#else
#define REFERENCE_BOTH inline
#endif

namespace cutelab_reference {

/// Precondition: the result is a normal double.
REFERENCE_BOTH double power_of_two(int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// A floating-point value of `exponent_bits` and `mantissa_bits` by its bits. `finite_only`: no infinities,
/// NaN has all bits set (e4m3).
REFERENCE_BOTH double small_float(unsigned bits, int exponent_bits, int mantissa_bits, bool finite_only) {
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
  const int most = (1 << exponent_bits) - 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == most && finite_only && mantissa == (1u << mantissa_bits) - 1) return NAN;
  if (exponent == most && !finite_only) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * mantissa * power_of_two(1 - bias - mantissa_bits);
  return sign * (mantissa + (1u << mantissa_bits)) * power_of_two(exponent - bias - mantissa_bits);
}

template <class T>
REFERENCE_BOTH T loaded(const void* data, long long index) {
  T value;
  memcpy(&value, static_cast<const char*>(data) + index * static_cast<long long>(sizeof(T)), sizeof(T));
  return value;
}

/// Types by the order of cutelab::kernel::DType: fp32, fp16, bf16, tf32, e4m3, e5m2, int8, int4, ue8m0,
/// int32.
REFERENCE_BOTH double element(const void* data, int dtype, long long index) {
  switch (dtype) {
    case 0:
    case 3:
      return loaded<float>(data, index);
    case 1:
      return small_float(loaded<std::uint16_t>(data, index), 5, 10, false);
    case 2:
      return small_float(loaded<std::uint16_t>(data, index), 8, 7, false);
    case 4:
      return small_float(loaded<std::uint8_t>(data, index), 4, 3, true);
    case 5:
      return small_float(loaded<std::uint8_t>(data, index), 5, 2, false);
    case 6:
      return loaded<std::int8_t>(data, index);
    case 7: {
      const int four = loaded<std::uint8_t>(data, index / 2) >> (index % 2 * 4) & 15;
      return four >= 8 ? four - 16 : four;
    }
    case 8: {
      const int exponent = loaded<std::uint8_t>(data, index);
      return exponent == 255 ? NAN : power_of_two(exponent - 127);
    }
    default:
      return loaded<std::int32_t>(data, index);
  }
}

/// A tensor by four coordinates: (batch, row, column, -) of a matrix, (batch, token, head, element) of
/// tokens.
struct Operand {
  const void* data;
  long long strides[4];  // elements
  // One scale for each block of block_rows × block_columns; null = none.
  const void* scales;
  long long block_rows, block_columns;
  long long scale_strides[2];  // of a batch, of a row of blocks
  // Tokens one sequence after the other begin at starts[batch]; pages of page_size are named by table[batch].
  const std::int32_t* starts;
  const std::int32_t* table;
  long long page_size, pages_of_a_sequence;
  int dtype;
  int scale_dtype;
};

REFERENCE_BOTH double matrix_at(const Operand& o, long long batch, long long row, long long column) {
  const double value =
      element(o.data, o.dtype, batch * o.strides[0] + row * o.strides[1] + column * o.strides[2]);
  if (!o.scales) return value;
  return value * element(o.scales, o.scale_dtype,
                         batch * o.scale_strides[0] + row / o.block_rows * o.scale_strides[1] +
                             column / o.block_columns);
}

REFERENCE_BOTH double token_at(const Operand& o, long long batch, long long token, long long head,
                               long long e) {
  if (o.starts) {
    token += o.starts[batch];
    batch = 0;
  } else if (o.table) {
    batch = o.table[batch * o.pages_of_a_sequence + token / o.page_size];
    token %= o.page_size;
  }
  return element(o.data, o.dtype,
                 batch * o.strides[0] + token * o.strides[1] + head * o.strides[2] + e * o.strides[3]);
}

/// Activations by the order of reference::Activation: none, relu, gelu, gelu_tanh, silu.
REFERENCE_BOTH double activated(int kind, double x) {
  if (kind == 1) return x > 0 || x != x ? x : 0;
  if (kind == 2) return x / 2 * (1 + erf(x / sqrt(2.0)));
  if (kind == 3) return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  if (kind == 4) return x / (1 + exp(-x));
  return x;
}

struct Gemm {
  Operand a, b, c;           // (m, k), (n, k), (m, n); c.data null = none
  const void* bias;          // n elements; null = none
  float* out;                // (batch, m, n), or (batch, m, n / 2) of a gated one
  long long out_strides[3];  // elements; all 0 = dense
  long long m, n, k, batch;
  double alpha, beta;
  int bias_dtype, activation, gated;
  REFERENCE_BOTH long long items() const { return batch * m * (gated ? n / 2 : n); }
};

REFERENCE_BOTH double gemm_sum(const Gemm& p, long long batch, long long row, long long column) {
  double sum = 0;
  for (long long k = 0; k < p.k; ++k) sum += matrix_at(p.a, batch, row, k) * matrix_at(p.b, batch, column, k);
  sum *= p.alpha;
  if (p.c.data && p.beta != 0) sum += p.beta * matrix_at(p.c, batch, row, column);
  if (p.bias) sum += element(p.bias, p.bias_dtype, column);
  return sum;
}

REFERENCE_BOTH void compute(const Gemm& p, long long item) {
  const long long columns = p.gated ? p.n / 2 : p.n;
  const long long column = item % columns, row = item / columns % p.m, batch = item / columns / p.m;
  const double first = activated(p.activation, gemm_sum(p, batch, row, p.gated ? 2 * column : column));
  const long long* strides = p.out_strides;
  const bool dense = strides[0] == 0 && strides[1] == 0 && strides[2] == 0;
  p.out[dense ? item : batch * strides[0] + row * strides[1] + column * strides[2]] =
      static_cast<float>(p.gated ? first * gemm_sum(p, batch, row, 2 * column + 1) : first);
}

struct Attention {
  Operand q, k, v;
  const std::int32_t* keys;        // of each sequence
  const std::int32_t* queries_of;  // of each sequence
  float* out;                      // (batch, queries, heads, dv)
  float* log_sums;                 // (batch, heads, queries)
  long long batch, heads, heads_kv, queries, d, dv;
  double scale;
  int causal;
  REFERENCE_BOTH long long items() const { return batch * queries * heads; }
};

REFERENCE_BOTH double score(const Attention& p, long long batch, long long query, long long head,
                            long long key) {
  double dot = 0;
  const long long head_kv = head / (p.heads / p.heads_kv);
  for (long long e = 0; e < p.d; ++e)
    dot += token_at(p.q, batch, query, head, e) * token_at(p.k, batch, key, head_kv, e);
  return p.scale * dot;
}

/// One query of one head. Values are summed 64 elements at a time, scores computed anew for each.
REFERENCE_BOTH void compute(const Attention& p, long long item) {
  const long long head = item % p.heads, query = item / p.heads % p.queries,
                  batch = item / p.heads / p.queries;
  const long long queries = p.queries_of[batch], keys = p.keys[batch];
  if (query >= queries) return;  // rows past a sequence's queries keep what they hold
  const long long last = query + 1 + keys - queries;
  const long long seen = p.causal && last < keys ? last : keys;
  double most = -INFINITY, sum = 0;
  for (long long key = 0; key < seen; ++key) most = fmax(most, score(p, batch, query, head, key));
  for (long long key = 0; key < seen; ++key) sum += exp(score(p, batch, query, head, key) - most);
  p.log_sums[(batch * p.heads + head) * p.queries + query] =
      static_cast<float>(seen > 0 ? most + log(sum) : -INFINITY);
  const long long head_kv = head / (p.heads / p.heads_kv);
  constexpr int width = 64;
  for (long long first = 0; first < p.dv; first += width) {
    double part[width] = {};
    const int columns = static_cast<int>(p.dv - first < width ? p.dv - first : width);
    for (long long key = 0; key < seen; ++key) {
      const double weight = exp(score(p, batch, query, head, key) - most) / sum;
      for (int e = 0; e < columns; ++e) part[e] += weight * token_at(p.v, batch, key, head_kv, first + e);
    }
    for (int e = 0; e < columns; ++e) p.out[item * p.dv + first + e] = static_cast<float>(part[e]);
  }
}

/// Row by row: what `kind` says of (rows, columns), dense.
struct Rows {
  enum Kind { rms_norm, layer_norm, softmax, sum, mean, largest, least, sum_of_squares };
  const void* x;
  const void* weight;  // of the norms
  const void* bias;    // of layer_norm; null = none
  float* out;          // (rows, columns) of norms and softmax, else (rows)
  long long rows, columns;
  double eps;
  int kind, x_dtype, weight_dtype, bias_dtype;
  REFERENCE_BOTH long long items() const { return rows; }
};

REFERENCE_BOTH void normalize(const Rows& p, long long row) {
  const auto x = [&](long long c) { return element(p.x, p.x_dtype, row * p.columns + c); };
  const auto count = static_cast<double>(p.columns);
  double mean = 0, squares = 0;
  if (p.kind == Rows::layer_norm)
    for (long long c = 0; c < p.columns; ++c) mean += x(c) / count;
  for (long long c = 0; c < p.columns; ++c) squares += (x(c) - mean) * (x(c) - mean);
  const double scale = 1 / sqrt(squares / count + p.eps);
  for (long long c = 0; c < p.columns; ++c)
    p.out[row * p.columns + c] =
        static_cast<float>((x(c) - mean) * scale * element(p.weight, p.weight_dtype, c) +
                           (p.bias ? element(p.bias, p.bias_dtype, c) : 0));
}

REFERENCE_BOTH void compute(const Rows& p, long long row) {
  if (p.kind == Rows::rms_norm || p.kind == Rows::layer_norm) return normalize(p, row);
  const auto x = [&](long long c) { return element(p.x, p.x_dtype, row * p.columns + c); };
  double most = -INFINITY, least = INFINITY, sum = 0, lost = 0;  // the sum is compensated (Neumaier)
  const auto add = [&](double value) {
    const double next = sum + value;
    lost += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  };
  for (long long c = 0; c < p.columns; ++c) {
    most = fmax(most, x(c));
    least = fmin(least, x(c));
  }
  for (long long c = 0; c < p.columns; ++c)
    add(p.kind == Rows::softmax ? exp(x(c) - most) : p.kind == Rows::sum_of_squares ? x(c) * x(c) : x(c));
  const double total = sum - sum == 0 ? sum + lost : sum;
  if (p.kind == Rows::softmax) {
    for (long long c = 0; c < p.columns; ++c)
      p.out[row * p.columns + c] = static_cast<float>(exp(x(c) - most) / total);
    return;
  }
  p.out[row] = static_cast<float>(p.kind == Rows::largest ? most
                                  : p.kind == Rows::least ? least
                                  : p.kind == Rows::mean  ? total / static_cast<double>(p.columns)
                                                          : total);
}

/// Mamba2's recurrence; tensors as in reference::state_space, dense, at most 256 states.
struct StateSpace {
  const void *x, *dt, *a, *b, *c, *d;  // d null = none
  float* out;                          // (batch, tokens, heads, width)
  long long batch, tokens, heads, width, groups, states;
  int dtypes[6];  // of x, dt, a, b, c, d
  static constexpr long long most_states = 256;
  REFERENCE_BOTH long long items() const { return batch * heads * width; }
};

REFERENCE_BOTH void compute(const StateSpace& p, long long item) {
  const long long w = item % p.width, head = item / p.width % p.heads, batch = item / p.width / p.heads;
  const long long group = head / (p.heads / p.groups);
  double h[StateSpace::most_states] = {};
  for (long long t = 0; t < p.tokens; ++t) {
    const long long token = batch * p.tokens + t;
    const double step = element(p.dt, p.dtypes[1], token * p.heads + head);
    const double decay = exp(step * element(p.a, p.dtypes[2], head));
    const long long place = (token * p.heads + head) * p.width + w;
    const double x = element(p.x, p.dtypes[0], place);
    double sum = p.d ? element(p.d, p.dtypes[5], head) * x : 0;
    for (long long s = 0; s < p.states; ++s) {
      const long long at = (token * p.groups + group) * p.states + s;
      h[s] = decay * h[s] + step * element(p.b, p.dtypes[3], at) * x;
      sum += element(p.c, p.dtypes[4], at) * h[s];
    }
    p.out[place] = static_cast<float>(sum);
  }
}

/// One of them, as the C door takes it.
struct Call {
  enum Op { gemm_op, attention_op, rows_op, state_space_op } op;
  Gemm gemm;
  Attention attention;
  Rows rows;
  StateSpace state_space;
};

}  // namespace cutelab_reference
