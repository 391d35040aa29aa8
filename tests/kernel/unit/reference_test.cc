#include "kernel/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutelab::kernel::reference {
namespace {

Tensor filled(const char* name, std::vector<std::int64_t> shape, Seed seed, DType dtype = DType::fp32) {
  Tensor t(name, dtype, std::move(shape));
  t.fill(Fill::normal, seed);
  return t;
}

void expect_near(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.at(i), want.at(i), tolerance * (1 + std::abs(want.at(i)))) << got.coordinates(i);
}

TEST(ReferenceGemm, KnownProductAndEitherMajorness) {
  Tensor a("a", DType::fp32, {2, 3}), b("b", DType::fp32, {2, 3}), by_columns("a", DType::fp32, {3, 2});
  for (int i = 0; i < 6; ++i) {
    a.set(i, i + 1);  // 1 2 3 / 4 5 6
    b.set(i, i % 2);  // 0 1 0 / 1 0 1
    by_columns.set(i % 3 * 2 + i / 3, i + 1);
  }
  const Gemm problem{2, 2, 3};
  const auto d = gemm(problem, matrix(a, 2, 3, true), matrix(b, 2, 3, true));
  EXPECT_EQ(d.at(0), 2);
  EXPECT_EQ(d.at(1), 4);
  EXPECT_EQ(d.at(2), 5);
  EXPECT_EQ(d.at(3), 10);
  EXPECT_EQ(gemm(problem, matrix(by_columns, 2, 3, false), matrix(b, 2, 3, true)).data, d.data);
}

TEST(ReferenceGemm, EpiloguesBiasGateAndLargestMagnitude) {
  const auto a = filled("a", {5, 7}, 1), b = filled("b", {6, 7}, 2), c = filled("c", {5, 6}, 3);
  const auto bias = filled("bias", {6}, 4);
  const auto ra = matrix(a, 5, 7, true), rb = matrix(b, 6, 7, true), rc = matrix(c, 5, 6, true);
  const auto plain = gemm({5, 6, 7}, ra, rb);
  Gemm all{5, 6, 7, 1, 2, 0.5, Activation::gelu};
  double most = 0;
  const auto d = gemm(all, ra, rb, &rc, &bias, &most);
  double largest_seen = 0;
  for (int i = 0; i < 30; ++i) {
    const double x = 2 * plain.at(i) + 0.5 * c.at(i) + bias.at(i % 6);
    EXPECT_NEAR(d.at(i), x * 0.5 * std::erfc(-x / std::sqrt(2.0)), 1e-5);
    largest_seen = std::max(largest_seen, std::abs(d.at(i)));
  }
  EXPECT_NEAR(most, largest_seen, 1e-6);
  Gemm gated{5, 6, 7, 1, 1, 0, Activation::silu, true};
  const auto g = gemm(gated, ra, rb);
  EXPECT_EQ(g.shape, (std::vector<std::int64_t>{1, 5, 3}));
  EXPECT_NEAR(g.at(4), plain.at(8) / (1 + std::exp(-plain.at(8))) * plain.at(9), 1e-5);
}

TEST(ReferenceGemm, ScalesOfBlocksRowsAndWholeTensors) {
  const auto a = filled("a", {4, 64}, 1, DType::fp8_e4m3), b = filled("b", {3, 64}, 2, DType::int4);
  Tensor micro("s", DType::ue8m0, {4, 2});  // 1 × 32
  micro.fill(Fill::uniform, 3);
  Tensor rows("r", DType::fp32, {3, 1});
  rows.fill(Fill::normal, 4);
  const auto d = gemm({4, 3, 64}, scaled(matrix(a, 4, 64, true), micro, 4, 64, 1, 32),
                      scaled(matrix(b, 3, 64, true), rows, 3, 64, 1, 64));
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 3; ++n) {
      double sum = 0;
      for (int k = 0; k < 64; ++k)
        sum += a.at(m * 64 + k) * micro.at(m * 2 + k / 32) * b.at(n * 64 + k) * rows.at(n);
      EXPECT_NEAR(d.at(m * 3 + n), sum, 1e-4 * (1 + std::abs(sum)));
    }
}

/// The same by materialised scores: softmax(q kᵀ scale) v with the gemm and softmax of this file.
TEST(ReferenceAttention, AgreesWithMaterialisedScores) {
  const auto q = filled("q", {1, 6, 1, 8}, 1), k = filled("k", {1, 9, 1, 8}, 2),
             v = filled("v", {1, 9, 1, 5}, 3);
  const Attention problem{1, 1, 1, 6, 8, 5, 0.35, false, {9}};
  const auto got = attention(problem, tokens(q, 6, 1, 8), tokens(k, 9, 1, 8), tokens(v, 9, 1, 5));
  Gemm scores{6, 9, 8};
  scores.alpha = 0.35;
  const auto weights = softmax(gemm(scores, matrix(q, 6, 8, true), matrix(k, 9, 8, true)));
  const auto want = gemm({6, 5, 9}, matrix(weights, 6, 9, true), matrix(v, 5, 9, false));
  expect_near(got.out, want, 1e-5);
}

TEST(ReferenceAttention, CausalSeesUpToItself) {
  const auto q = filled("q", {1, 4, 1, 8}, 1), k = filled("k", {1, 6, 1, 8}, 2),
             v = filled("v", {1, 6, 1, 8}, 3);
  Attention problem{1, 1, 1, 4, 8, 8, 1, true, {6}};
  const auto all = attention(problem, tokens(q, 4, 1, 8), tokens(k, 6, 1, 8), tokens(v, 6, 1, 8));
  // The last query sees all six keys; the first sees three: as a problem of its own.
  problem.queries = 1;
  problem.keys = {3};
  const auto first = attention(problem, tokens(q, 4, 1, 8), tokens(k, 6, 1, 8), tokens(v, 6, 1, 8));
  for (int e = 0; e < 8; ++e) EXPECT_NEAR(all.out.at(e), first.out.at(e), 1e-6);
  // Fewer keys than queries: the first queries see nothing.
  const auto short_one =
      attention({1, 1, 1, 4, 8, 8, 1, true, {2}}, tokens(q, 4, 1, 8), tokens(k, 6, 1, 8), tokens(v, 6, 1, 8));
  EXPECT_EQ(short_one.out.at(0), 0);
  EXPECT_TRUE(std::isinf(short_one.log_sums.at(0)));
}

// torch's scaled_dot_product_attention and programs that check themselves with it.
TEST(ReferenceAttention, AMaskFromTheStartSeesAsManyKeysAsQueriesBefore) {
  const auto q = filled("q", {1, 4, 1, 8}, 1), k = filled("k", {1, 6, 1, 8}, 2),
             v = filled("v", {1, 6, 1, 8}, 3);
  Attention problem{1, 1, 1, 4, 8, 8, 1, true, {6}};
  problem.causal_from_start = true;
  const auto all = attention(problem, tokens(q, 4, 1, 8), tokens(k, 6, 1, 8), tokens(v, 6, 1, 8));
  for (int e = 0; e < 8; ++e)
    EXPECT_NEAR(all.out.at(e), v.at(e), 1e-6) << "the first query sees the first key";
  const auto same =
      attention({1, 1, 1, 4, 8, 8, 1, true, {4}}, tokens(q, 4, 1, 8), tokens(k, 6, 1, 8), tokens(v, 6, 1, 8));
  EXPECT_EQ(all.out.data, same.out.data) << "as if there were as many keys as queries";
}

TEST(ReferenceAttention, GroupedHeadsAreTheirKeyValueHeadRepeated) {
  const auto q = filled("q", {2, 3, 4, 8}, 1), k = filled("k", {2, 5, 2, 8}, 2),
             v = filled("v", {2, 5, 2, 8}, 3);
  Tensor k4("k", DType::fp32, {2, 5, 4, 8}), v4("v", DType::fp32, {2, 5, 4, 8});
  for (int t = 0; t < 10; ++t)
    for (int h = 0; h < 4; ++h)
      for (int e = 0; e < 8; ++e) {
        k4.set((t * 4 + h) * 8 + e, k.at((t * 2 + h / 2) * 8 + e));
        v4.set((t * 4 + h) * 8 + e, v.at((t * 2 + h / 2) * 8 + e));
      }
  const auto grouped = attention({2, 4, 2, 3, 8, 8, 0.3, true, {5}}, tokens(q, 3, 4, 8), tokens(k, 5, 2, 8),
                                 tokens(v, 5, 2, 8));
  const auto plain = attention({2, 4, 4, 3, 8, 8, 0.3, true, {5}}, tokens(q, 3, 4, 8), tokens(k4, 5, 4, 8),
                               tokens(v4, 5, 4, 8));
  EXPECT_EQ(grouped.out.data, plain.out.data);
}

TEST(ReferenceAttention, PagedAndPackedTokensAreTheDenseOnes) {
  const auto q = filled("q", {2, 2, 1, 4}, 1);
  const auto k = filled("k", {2, 6, 1, 4}, 2);
  Tensor pages("pages", DType::fp32, {5, 2, 1, 4});
  Tensor table("table", DType::int32, {2, 3});
  const int order[2][3] = {{4, 0, 2}, {1, 3, 4}};
  const int lengths[2] = {6, 4};  // the second sequence's third page is another's
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 6; ++t) {
      table.set(b * 3 + t / 2, order[b][t / 2]);
      if (t < lengths[b])
        for (int e = 0; e < 4; ++e)
          pages.set((order[b][t / 2] * 2 + t % 2) * 4 + e, k.at((b * 6 + t) * 4 + e));
    }
  Tensor packed("packed", DType::fp32, {10, 1, 4});
  Tensor starts("starts", DType::int32, {3});
  for (int i = 0; i < 3; ++i) starts.set(i, i == 0 ? 0 : i == 1 ? 6 : 10);
  for (int i = 0; i < 40; ++i) packed.set(i, k.at(i));
  const Attention problem{2, 1,   1,    2,     4,
                          3, 0.5, true, {6, 4}};  // values: the first three elements, as in MLA
  const auto dense = attention(problem, tokens(q, 2, 1, 4), tokens(k, 6, 1, 4), tokens(k, 6, 1, 4));
  const auto paged_keys = paged_tokens(pages, table, 2, 1, 4);
  EXPECT_EQ(attention(problem, tokens(q, 2, 1, 4), paged_keys, paged_keys).out.data, dense.out.data);
  const auto packed_keys = packed_tokens(packed, starts, 1, 4);
  EXPECT_EQ(attention(problem, tokens(q, 2, 1, 4), packed_keys, packed_keys).out.data, dense.out.data);
}

TEST(ReferenceAttention, QueriesPastASequencesOwnStayUnwritten) {
  const auto q = filled("q", {2, 3, 1, 4}, 1), k = filled("k", {2, 5, 1, 4}, 2);
  Attention problem{2, 1, 1, 3, 4, 4, 1, false, {5}, {3, 1}};
  const auto got = attention(problem, tokens(q, 3, 1, 4), tokens(k, 5, 1, 4), tokens(k, 5, 1, 4));
  EXPECT_FALSE(std::isnan(got.out.at(3 * 4)));
  EXPECT_TRUE(std::isnan(got.out.at(4 * 4)));
}

TEST(ReferenceNorms, AreWhatTheirNamesSay) {
  const auto x = filled("x", {3, 50}, 1);
  Tensor one("w", DType::fp32, {50});
  for (int i = 0; i < 50; ++i) one.set(i, 1);
  const auto normed = layer_norm(x, one, nullptr, 0);
  const auto squares = reduce(normed, Reduction::sum_of_squares);
  const auto means = reduce(normed, Reduction::mean);
  for (int r = 0; r < 3; ++r) {
    EXPECT_NEAR(squares.at(r), 50, 1e-4);
    EXPECT_NEAR(means.at(r), 0, 1e-6);
  }
  const auto rms = reduce(rms_norm(x, one, 0), Reduction::sum_of_squares);
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(rms.at(r), 50, 1e-4);
}

TEST(ReferenceReductions, LoseNoSmallAddends) {
  Tensor x("x", DType::fp32, {3});
  x.set(0, 1e30);
  x.set(1, 1);
  x.set(2, -1e30);
  EXPECT_EQ(reduce(x, Reduction::sum).at(0), 1);
  EXPECT_EQ(reduce(x, Reduction::largest).at(0), static_cast<double>(1e30F));
  EXPECT_EQ(reduce(x, Reduction::least).at(0), -static_cast<double>(1e30F));
}

/// The dual, quadratic form: y_i = Σ_{j ≤ i} C_i·B_j · exp(Σ_{j < l ≤ i} dt_l A) · dt_j x_j + D x_i.
TEST(ReferenceStateSpace, TheRecurrenceIsItsQuadraticForm) {
  const StateSpace p{2, 12, 4, 3, 2, 5};
  const auto x = filled("x", {2, 12, 4, 3}, 1), b = filled("b", {2, 12, 2, 5}, 2),
             c = filled("c", {2, 12, 2, 5}, 3);
  Tensor dt("dt", DType::fp32, {2, 12, 4}), a("a", DType::fp32, {4}), d("d", DType::fp32, {4});
  dt.fill(Fill::uniform, 4);
  for (int i = 0; i < dt.size(); ++i) dt.set(i, std::abs(dt.at(i)));
  for (int h = 0; h < 4; ++h) {
    a.set(h, -0.3 * (h + 1));
    d.set(h, 0.1 * h);
  }
  const auto got = state_space(p, x, dt, a, b, c, &d);
  Tensor want("y", DType::fp32, {2, 12, 4, 3});
  for (int batch = 0; batch < 2; ++batch)
    for (int head = 0; head < 4; ++head)
      for (int i = 0; i < 12; ++i)
        for (int w = 0; w < 3; ++w) {
          const auto token = [&](int t) { return batch * 12 + t; };
          double sum = d.at(head) * x.at((token(i) * 4 + head) * 3 + w);
          for (int j = 0; j <= i; ++j) {
            double exponent = 0;
            for (int l = j + 1; l <= i; ++l) exponent += dt.at(token(l) * 4 + head) * a.at(head);
            double dot = 0;
            for (int s = 0; s < 5; ++s)
              dot += c.at((token(i) * 2 + head / 2) * 5 + s) * b.at((token(j) * 2 + head / 2) * 5 + s);
            sum +=
                dot * std::exp(exponent) * dt.at(token(j) * 4 + head) * x.at((token(j) * 4 + head) * 3 + w);
          }
          want.set((token(i) * 4 + head) * 3 + w, sum);
        }
  expect_near(got, want, 1e-5);
}

}  // namespace
}  // namespace cutelab::kernel::reference
