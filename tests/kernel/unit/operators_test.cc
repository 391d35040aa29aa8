// What imported kernels compute: references by the modes of their tensors, and what the check allows.
#include "kernel/operators.h"
#include "kernel/sum_tolerance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/exported_tensor.h"
#include "support/truncated_sums.h"

namespace cutelab::kernel {
namespace {
using testing::exported_tensor;

TEST(Operators, RowsOfSeveralModesAndStrides) {
  ExportedCall call;
  call.tensors = {exported_tensor("x", {2, 3, 2}, {1, 2, 6}, 0), exported_tensor("w", {2}, {1}, 1),
                  exported_tensor("y", {2, 3, 2}, {6, 2, 1}, 2)};
  call.buffers = {48, 8, 48};
  Operator op;
  op.name = "rms_norm";
  op.numbers = {{"eps", 0}};
  op.roles = {{"x", {"x", {"row", "row", "column"}}},
              {"weight", {"w", {"column"}}},
              {"y", {"y", {"row", "row", "column"}}}};
  ASSERT_TRUE(check_operator(op, call));
  Inputs inputs{{host_tensor(call.tensors[0]), host_tensor(call.tensors[1])}};
  for (int i = 0; i < 12; ++i) inputs.tensors[0].set(i, i < 6 ? 3 : 4);  // column 0 is 3, column 1 is 4
  inputs.tensors[1].set(0, 1);
  inputs.tensors[1].set(1, 10);
  const Tensor y = evaluate(op, call, inputs);
  const double root = std::sqrt(12.5);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(y.at(i), i % 2 ? 40 / root : 3 / root, 1e-5) << i;
}

TEST(Operators, AttentionFollowsItsModes) {
  // q and o (tokens, elements, batch), one head; k and v (batch, tokens, elements).
  ExportedCall call;
  call.tensors = {
      exported_tensor("q", {1, 1, 2}, {1, 1, 1}, 0), exported_tensor("k", {2, 3, 1}, {3, 1, 1}, 1),
      exported_tensor("v", {2, 3, 1}, {3, 1, 1}, 2), exported_tensor("o", {1, 1, 2}, {1, 1, 1}, 3)};
  call.buffers = {8, 24, 24, 8};
  call.attributes = {{"s", "2.0"}};
  Operator op;
  op.name = "attention";
  op.called = {{"scale", "s"}};
  op.roles = {{"q", {"q", {"query", "d", "batch"}}},
              {"k", {"k", {"batch", "key", "d"}}},
              {"v", {"v", {"batch", "key", "dv"}}},
              {"o", {"o", {"query", "dv", "batch"}}}};
  ASSERT_TRUE(check_operator(op, call)) << check_operator(op, call).error().wrong;
  Inputs inputs{{host_tensor(call.tensors[0]), host_tensor(call.tensors[1]), host_tensor(call.tensors[2])}};
  const double k[] = {0, 0.5, 1, 0, 0, 0}, v[] = {1, 2, 4, 3, 6, 9};
  for (int i = 0; i < 2; ++i) inputs.tensors[0].set(i, 1);
  for (int i = 0; i < 6; ++i) inputs.tensors[1].set(i, k[i]), inputs.tensors[2].set(i, v[i]);
  const Tensor o = evaluate(with_numbers_of(op, call), call, inputs);
  const double e = std::exp(1.0);
  EXPECT_NEAR(o.at(0), (1 + 2 * e + 4 * e * e) / (1 + e + e * e), 1e-6);
  EXPECT_NEAR(o.at(1), 6, 1e-6) << "equal scores: the mean";
  EXPECT_EQ(operator_work(op, call).flops.at("fp32"), 2.0 * 2 * 3 * 2);
  call.attributes.clear();
  EXPECT_FALSE(check_operator(op, call)) << "the scale is not there";
}

TEST(Operators, ANormMayHaveABiasOrNoWeight) {
  ExportedCall call;
  call.tensors = {exported_tensor("x", {8}, {1}, 0), exported_tensor("w", {2}, {1}, 1),
                  exported_tensor("b", {2}, {1}, 2), exported_tensor("y", {8}, {1}, 3)};
  call.buffers = {32, 8, 8, 32};
  Operator op;
  op.name = "layer_norm";
  op.numbers = {{"eps", 0}};
  op.roles = {{"x", {"x", {"row", "column"}}},
              {"weight", {"w", {"column"}}},
              {"bias", {"b", {"column"}}},
              {"y", {"y", {"row", "column"}}}};
  EXPECT_FALSE(check_operator(op, call)) << "a run of memory has one mode";
  shape_runs(op, call);
  ASSERT_TRUE(check_operator(op, call));
  EXPECT_EQ(call.tensors[0].shape, (std::vector<std::int64_t>{4, 2}));
  Inputs inputs{{host_tensor(call.tensors[0]), host_tensor(call.tensors[1]), host_tensor(call.tensors[2])}};
  for (int i = 0; i < 8; ++i) inputs.tensors[0].set(i, i % 2 ? 3 : 1);
  for (int i = 0; i < 2; ++i) inputs.tensors[1].set(i, 2 + i), inputs.tensors[2].set(i, 10);
  const Tensor y = evaluate(op, call, inputs);
  EXPECT_NEAR(y.at(0), 8, 1e-6);
  EXPECT_NEAR(y.at(1), 13, 1e-6);
  op.roles.erase("bias");
  op.roles.erase("weight");
  EXPECT_NEAR(evaluate(op, call, inputs).at(7), 1, 1e-6);
}

/// As a block adds: each of 128 threads its own numbers, then the threads in pairs.
template <class Number>
float block_sum(std::int64_t count, const Number& number) {
  std::array<float, 128> threads{};
  for (std::int64_t i = 0; i < count; ++i) threads[static_cast<std::size_t>(i) % threads.size()] += number(i);
  for (std::size_t half = threads.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) threads[i] += threads[i + half];
  return threads[0];
}

/// The norm with every step in fp32.
void layer_norm_in_fp32(const Inputs& inputs, std::int64_t columns, Tensor& y) {
  const Tensor& x = inputs.tensors[0];
  for (std::int64_t row = 0; row < x.size() / columns; ++row) {
    const auto at = [&](std::int64_t i) { return static_cast<float>(x.at(row * columns + i)); };
    const float mean = block_sum(columns, at) / static_cast<float>(columns);
    const float squares = block_sum(columns, [&](std::int64_t i) { return (at(i) - mean) * (at(i) - mean); });
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns));
    for (std::int64_t i = 0; i < columns; ++i)
      y.set(row * columns + i, (at(i) - mean) * scale * static_cast<float>(inputs.tensors[1].at(i)) +
                                   static_cast<float>(inputs.tensors[2].at(i)));
  }
}

// Seen on an H200: elements near zero, where x and the mean or a term and the bias cancel, were called wrong.
TEST(Operators, NumbersThatCancelInANormAreWithinItsTolerance) {
  constexpr std::int64_t rows = 256, columns = 4096;
  ExportedCall call;
  call.tensors = {exported_tensor("x", {rows, columns}, {columns, 1}, 0, "Float16"),
                  exported_tensor("w", {columns}, {1}, 1, "Float16"),
                  exported_tensor("b", {columns}, {1}, 2, "Float16"),
                  exported_tensor("y", {rows, columns}, {columns, 1}, 3, "Float16")};
  call.buffers = {1, 1, 1, 1};
  Operator op;
  op.name = "layer_norm";
  op.numbers = {{"eps", 0}};
  op.roles = {{"x", {"x", {"row", "column"}}},
              {"weight", {"w", {"column"}}},
              {"bias", {"b", {"column"}}},
              {"y", {"y", {"row", "column"}}}};
  const Tolerance tolerance = operator_tolerance(op, call);
  Tolerance relative = tolerance;
  relative.floor = 0x1p-14;
  int called_wrong = 0;
  for (const Fill fill : {Fill::uniform, Fill::adversarial}) {
    Inputs inputs{{host_tensor(call.tensors[0]), host_tensor(call.tensors[1]), host_tensor(call.tensors[2])}};
    for (std::size_t i = 0; i < 3; ++i)
      inputs.tensors[i].fill(fill_for(op, inputs.tensors[i].name, fill), 5 + i);
    Tensor y = host_tensor(call.tensors[3]);
    layer_norm_in_fp32(inputs, columns, y);
    const Tensor reference = evaluate(op, call, inputs);
    EXPECT_TRUE(compare(y, reference, tolerance).passed) << compare(y, reference, tolerance).text;
    called_wrong += !compare(y, reference, relative).passed;
    y.set(77, y.at(77) + 0.02);
    EXPECT_FALSE(compare(y, reference, tolerance).passed) << "a wrong element is still seen";
  }
  EXPECT_GT(called_wrong, 0) << "the test shows nothing: nothing cancelled";
}

// It was that of the adversarial fill, which no weight is given: 7 times too wide.
TEST(Operators, TheAbsoluteToleranceOfANormIsThatOfTheLargestWeightThereCanBe) {
  ExportedCall call;
  call.tensors = {exported_tensor("x", {8, 64}, {64, 1}, 0, "Float16"),
                  exported_tensor("w", {64}, {1}, 1, "Float16"),
                  exported_tensor("y", {8, 64}, {64, 1}, 2, "Float16")};
  call.buffers = {1, 1, 1};
  Operator op;
  op.name = "layer_norm";
  op.numbers = {{"eps", 0}};
  op.roles = {
      {"x", {"x", {"row", "column"}}}, {"weight", {"w", {"column"}}}, {"y", {"y", {"row", "column"}}}};
  double largest = 0;
  for (const Fill fill : {Fill::uniform, Fill::normal, Fill::adversarial})
    largest = std::max(largest, largest_magnitude(fill_for(op, "w", fill)));
  const Tolerance tolerance = operator_tolerance(op, call);
  EXPECT_NEAR(tolerance.floor * tolerance.element, 8 * largest * 0x1p-23, 1e-12);
  EXPECT_LT(largest, 9);
}

struct DroppedSums {
  const char* name;
  const char* dtype;
  int at_once, kept_bits;
};

class ProductTolerance : public ::testing::TestWithParam<DroppedSums> {};

// Of fp8 the norm's was that of the rounding alone: Hopper's fp8 product with GELU failed by 5 %.
TEST_P(ProductTolerance, AllowsWhatSumsDropAndLittleMore) {
  constexpr std::int64_t m = 48, n = 48, k = 2048;
  ExportedCall call;
  call.tensors = {exported_tensor("a", {m, k}, {k, 1}, 0, GetParam().dtype),
                  exported_tensor("b", {n, k}, {k, 1}, 1, GetParam().dtype),
                  exported_tensor("c", {m, n}, {n, 1}, 2, "Float16")};
  call.buffers = {1, 1, 1};
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"a", {"m", "k"}}}, {"b", {"b", {"n", "k"}}}, {"d", {"c", {"m", "n"}}}};
  Inputs inputs{{host_tensor(call.tensors[0]), host_tensor(call.tensors[1])}};
  inputs.tensors[0].fill(Fill::adversarial, 7);
  inputs.tensors[1].fill(Fill::adversarial, 8);
  Tensor out = host_tensor(call.tensors[2]);
  const double dropped = testing::multiply_dropping_bits(inputs.tensors[0], inputs.tensors[1], k, out,
                                                         GetParam().at_once, GetParam().kept_bits);
  const Tolerance tolerance = operator_tolerance(op, call);
  const auto report = compare(out, evaluate(op, call, inputs), tolerance);
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_GT(report.relative_norm, tolerance.relative_norm / 10) << "the tolerance is not slack";
  const double allowed = tolerance.floor * tolerance.element / 5;
  EXPECT_LT(dropped, allowed);
  EXPECT_GT(dropped, allowed / 10) << "nor is what it allows for sums";
}

INSTANTIATE_TEST_SUITE_P(Sums, ProductTolerance,
                         ::testing::Values(DroppedSums{"fp16", "Float16", 16, 23},
                                           DroppedSums{"e4m3", "Float8E4M3FN", 32, 13}),
                         [](const auto& drawn) { return drawn.param.name; });

TEST(SumTolerance, NamesTheSumsByWhatTheyKeep) {
  ProductSum sum;
  sum.products = 64;
  EXPECT_NE(product_tolerance(sum).reason.find("fp32 sums of 64"), std::string::npos);
  sum.kept_bits = 10;
  EXPECT_NE(product_tolerance(sum).reason.find("fp16 sums of 64"), std::string::npos);
  sum.kept_bits = 13;
  EXPECT_NE(product_tolerance(sum).reason.find("sums that keep 13 bits of 64"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::kernel
