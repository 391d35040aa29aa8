#include "kernel/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "kernel/parallel.h"

namespace cutelab::kernel::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sum that does not lose small addends (Neumaier 1974).
class Sum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

std::int64_t rows_of(const Tensor& x) { return x.shape.back() == 0 ? 0 : x.size() / x.shape.back(); }

}  // namespace

double activate(Activation kind, double x) {
  switch (kind) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x > 0 || std::isnan(x) ? x : 0;
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::gelu_tanh:  // 0.79788456… = sqrt(2 / pi)
      return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
  }
  return x;
}

Tensor gemm(const Gemm& p, const MatrixReader& a, const MatrixReader& b, const MatrixReader* c,
            const Tensor* bias, double* largest_magnitude) {
  const std::int64_t columns = p.gated ? p.n / 2 : p.n;
  Tensor d("d", DType::fp32, {p.batch, p.m, columns});
  std::mutex guard;
  double most = 0;
  for_each_share(p.batch * p.m, [&](std::int64_t begin, std::int64_t end) {
    double own = 0;
    std::vector<double> row(static_cast<std::size_t>(p.k));
    const auto element = [&](std::int64_t batch, std::int64_t m, std::int64_t n) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum += row[static_cast<std::size_t>(k)] * b(batch, n, k);
      return p.alpha * sum + (c && p.beta != 0 ? p.beta * (*c)(batch, m, n) : 0) + (bias ? bias->at(n) : 0);
    };
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t batch = at / p.m;
      const std::int64_t m = at % p.m;
      for (std::int64_t k = 0; k < p.k; ++k) row[static_cast<std::size_t>(k)] = a(batch, m, k);
      for (std::int64_t n = 0; n < columns; ++n) {
        const double value =
            p.gated ? activate(p.activation, element(batch, m, 2 * n)) * element(batch, m, 2 * n + 1)
                    : activate(p.activation, element(batch, m, n));
        own = std::max(own, std::abs(value));
        d.set(at * columns + n, value);
      }
    }
    const std::lock_guard lock(guard);
    most = std::max(most, own);
  });
  if (largest_magnitude) *largest_magnitude = most;
  return d;
}

namespace {

/// One query row: scores, their largest, then the weighted sum of values.
class AttentionRow {
 public:
  AttentionRow(const Attention& p, const TokenReader& q, const TokenReader& k, const TokenReader& v)
      : p_(p), q_(q), k_(k), v_(v) {}

  /// Writes out[0 … dv) and gives the log of the sum of exponentials.
  double compute(std::int64_t batch, std::int64_t query, std::int64_t head, std::int64_t seen, double* out) {
    const std::int64_t head_kv = head / (p_.heads / p_.heads_kv);
    std::fill(out, out + p_.dv, 0.0);
    scores_.assign(static_cast<std::size_t>(std::max<std::int64_t>(seen, 0)), 0);
    double most = -infinity;
    for (std::int64_t key = 0; key < seen; ++key) {
      double dot = 0;
      for (std::int64_t e = 0; e < p_.d; ++e) dot += q_(batch, query, head, e) * k_(batch, key, head_kv, e);
      scores_[static_cast<std::size_t>(key)] = p_.scale * dot;
      most = std::max(most, p_.scale * dot);
    }
    if (most == -infinity) return -infinity;
    double sum = 0;
    for (std::int64_t key = 0; key < seen; ++key) {
      const double weight = std::exp(scores_[static_cast<std::size_t>(key)] - most);
      sum += weight;
      for (std::int64_t e = 0; e < p_.dv; ++e) out[e] += weight * v_(batch, key, head_kv, e);
    }
    for (std::int64_t e = 0; e < p_.dv; ++e) out[e] /= sum;
    return most + std::log(sum);
  }

 private:
  const Attention& p_;
  const TokenReader& q_;
  const TokenReader& k_;
  const TokenReader& v_;
  std::vector<double> scores_;
};

}  // namespace

AttentionResult attention(const Attention& p, const TokenReader& q, const TokenReader& k,
                          const TokenReader& v) {
  AttentionResult result{Tensor("out", DType::fp32, {p.batch, p.queries, p.heads, p.dv}),
                         Tensor("log_sums", DType::fp32, {p.batch, p.heads, p.queries})};
  for_each_share(p.batch * p.queries * p.heads, [&](std::int64_t begin, std::int64_t end) {
    AttentionRow row(p, q, k, v);
    std::vector<double> out(static_cast<std::size_t>(p.dv));
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t head = at % p.heads;
      const std::int64_t query = at / p.heads % p.queries;
      const std::int64_t batch = at / p.heads / p.queries;
      const auto which = static_cast<std::size_t>(batch);
      const std::int64_t queries = p.queries_of.empty() ? p.queries : p.queries_of[which];
      if (query >= queries) continue;
      const std::int64_t keys = p.keys.size() == 1 ? p.keys[0] : p.keys[which];
      const std::int64_t offset = p.causal_from_start ? 0 : keys - queries;
      const std::int64_t seen = p.causal ? std::min(keys, query + 1 + offset) : keys;
      const double log_sum = row.compute(batch, query, head, seen, out.data());
      result.log_sums.set((batch * p.heads + head) * p.queries + query, log_sum);
      for (std::int64_t e = 0; e < p.dv; ++e) result.out.set(at * p.dv + e, out[static_cast<std::size_t>(e)]);
    }
  });
  return result;
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  Tensor y("y", DType::fp32, x.shape);
  const std::int64_t columns = x.shape.back();
  for_each_share(rows_of(x), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin * columns; row < end * columns; row += columns) {
      Sum squares;
      for (std::int64_t c = 0; c < columns; ++c) squares.add(x.at(row + c) * x.at(row + c));
      const double scale = 1 / std::sqrt(squares.value() / static_cast<double>(columns) + eps);
      for (std::int64_t c = 0; c < columns; ++c) y.set(row + c, x.at(row + c) * scale * weight.at(c));
    }
  });
  return y;
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor* bias, double eps) {
  Tensor y("y", DType::fp32, x.shape);
  const std::int64_t columns = x.shape.back();
  for_each_share(rows_of(x), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin * columns; row < end * columns; row += columns) {
      Sum sum;
      for (std::int64_t c = 0; c < columns; ++c) sum.add(x.at(row + c));
      const double mean = sum.value() / static_cast<double>(columns);
      Sum squares;
      for (std::int64_t c = 0; c < columns; ++c) squares.add((x.at(row + c) - mean) * (x.at(row + c) - mean));
      const double scale = 1 / std::sqrt(squares.value() / static_cast<double>(columns) + eps);
      for (std::int64_t c = 0; c < columns; ++c)
        y.set(row + c, (x.at(row + c) - mean) * scale * weight.at(c) + (bias ? bias->at(c) : 0));
    }
  });
  return y;
}

Tensor softmax(const Tensor& x) {
  Tensor y("y", DType::fp32, x.shape);
  const std::int64_t columns = x.shape.back();
  for (std::int64_t row = 0; row < x.size(); row += columns) {
    double most = -infinity;
    for (std::int64_t c = 0; c < columns; ++c) most = std::max(most, x.at(row + c));
    Sum sum;
    for (std::int64_t c = 0; c < columns; ++c) sum.add(std::exp(x.at(row + c) - most));
    for (std::int64_t c = 0; c < columns; ++c) y.set(row + c, std::exp(x.at(row + c) - most) / sum.value());
  }
  return y;
}

Tensor reduce(const Tensor& x, Reduction kind) {
  std::vector<std::int64_t> shape(x.shape.begin(), x.shape.end() - 1);
  if (shape.empty()) shape.push_back(1);
  Tensor y("y", DType::fp32, shape);
  const std::int64_t columns = x.shape.back();
  for (std::int64_t row = 0; row < rows_of(x); ++row) {
    Sum sum;
    double least = infinity;
    double most = -infinity;
    for (std::int64_t c = 0; c < columns; ++c) {
      const double value = x.at(row * columns + c);
      sum.add(kind == Reduction::sum_of_squares ? value * value : value);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    y.set(row, kind == Reduction::largest ? most
               : kind == Reduction::least ? least
               : kind == Reduction::mean  ? sum.value() / static_cast<double>(columns)
                                          : sum.value());
  }
  return y;
}

Tensor state_space(const StateSpace& p, const Tensor& x, const Tensor& dt, const Tensor& a, const Tensor& b,
                   const Tensor& c, const Tensor* d) {
  Tensor y("y", DType::fp32, {p.batch, p.tokens, p.heads, p.width});
  for_each_share(p.batch * p.heads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t batch = at / p.heads;
      const std::int64_t head = at % p.heads;
      const std::int64_t group = head / (p.heads / p.groups);
      std::vector<double> h(static_cast<std::size_t>(p.width * p.states), 0.0);
      for (std::int64_t t = 0; t < p.tokens; ++t) {
        const std::int64_t token = batch * p.tokens + t;
        const double step = dt.at(token * p.heads + head);
        const double decay = std::exp(step * a.at(head));
        for (std::int64_t w = 0; w < p.width; ++w) {
          const std::int64_t place = (token * p.heads + head) * p.width + w;
          double sum = d ? d->at(head) * x.at(place) : 0;
          for (std::int64_t s = 0; s < p.states; ++s) {
            const std::int64_t of_group = (token * p.groups + group) * p.states + s;
            double& state = h[static_cast<std::size_t>(w * p.states + s)];
            state = decay * state + step * b.at(of_group) * x.at(place);
            sum += c.at(of_group) * state;
          }
          y.set(place, sum);
        }
      }
    }
  });
  return y;
}

}  // namespace cutelab::kernel::reference
