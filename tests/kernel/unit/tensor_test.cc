#include "kernel/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "kernel/error_report.h"

namespace cutelab::kernel {
namespace {

TEST(Tensor, Bf16RoundsToNearestEven) {
  EXPECT_EQ(to_bf16(1.0f), 0x3F80);
  EXPECT_EQ(to_bf16(1.0f + 0x1p-8f), 0x3F80);            // halfway, down to even
  EXPECT_EQ(to_bf16(1.0f + 0x1p-7f + 0x1p-8f), 0x3F82);  // halfway, up to even
  EXPECT_EQ(to_bf16(-2.0f), 0xC000);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7F80);  // rounds to infinity
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

// Every bf16 and fp16 value survives the way through float.
TEST(Tensor, SixteenBitValuesRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    if (!std::isnan(from_bf16(b))) {
      EXPECT_EQ(to_bf16(from_bf16(b)), b);
    }
    if (!std::isnan(from_fp16(b))) {
      EXPECT_EQ(to_fp16(from_fp16(b)), b);
    }
  }
}

TEST(Tensor, TheRootMeanSquareOfAFillIsThatOfWhatItDraws) {
  for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial, Fill::zeros}) {
    Tensor t("t", DType::fp32, {400'000});
    t.fill(fill, 11);
    double squares = 0;
    for (std::int64_t i = 0; i < t.size(); ++i) squares += t.at(i) * t.at(i);
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(t.size())), root_mean_square(fill),
                0.01 * root_mean_square(fill))
        << name_of(fill);
  }
}

TEST(Tensor, IsNaNUntilItIsFilled) {
  for (const auto dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    const Tensor t("t", dtype, {2, 3});
    EXPECT_EQ(t.data.size(), 6 * bytes_of(dtype));
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(t.at(i)));
  }
}

TEST(Tensor, FillsAreReproducibleAndAsDescribed) {
  Tensor a("a", DType::fp32, {100, 100});
  Tensor b = a;
  for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
    a.fill(fill, 7);
    b.fill(fill, 7);
    EXPECT_EQ(a.data, b.data);
    b.fill(fill, 8);
    EXPECT_NE(a.data, b.data);
  }
  a.fill(Fill::uniform, 1);
  double sum = 0;
  for (int i = 0; i < a.size(); ++i) {
    EXPECT_GE(a.at(i), -1);
    EXPECT_LT(a.at(i), 1.0000001);
    sum += a.at(i);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);  // five standard errors
  a.fill(Fill::normal, 1);
  double squares = 0;
  for (int i = 0; i < a.size(); ++i) squares += a.at(i) * a.at(i);
  EXPECT_NEAR(squares / 10000, 1, 0.07);
  a.fill(Fill::adversarial, 1);
  std::set<int> exponents;
  bool zero = false;
  for (int i = 0; i < a.size(); ++i) {
    zero = zero || a.at(i) == 0;
    exponents.insert(std::ilogb(a.at(i)));
  }
  EXPECT_TRUE(zero);
  EXPECT_GE(exponents.size(), 26u);
}

TEST(Tensor, CoordinatesAreRowMajor) {
  const Tensor t("y", DType::bf16, {2, 3, 4});
  EXPECT_EQ(t.coordinates(0), "[0][0][0]");
  EXPECT_EQ(t.coordinates(23), "[1][2][3]");
  EXPECT_EQ(t.coordinates(17), "[1][1][1]");
  EXPECT_EQ(t.text(), "y bf16 (2, 3, 4)");
}

class Compare : public ::testing::Test {
 protected:
  Compare() {
    reference.fill(Fill::normal, 3);
    out = reference;
  }
  Tensor reference{"y", DType::fp32, {4, 8}};
  Tensor out{"y", DType::fp32, {4, 8}};
  Tolerance tolerance{1e-3, 1e-2, 1e-6, "test"};
};

TEST_F(Compare, EqualPasses) {
  const auto report = compare(out, reference, tolerance);
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.relative_norm, 0);
}

TEST_F(Compare, NamesTheWorstElement) {
  out.set(13, reference.at(13) * 1.5);
  const auto report = compare(out, reference, tolerance);
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.worst_index, 13);
  EXPECT_NEAR(report.worst_error, 0.5, 1e-6);
  EXPECT_EQ(report.worst.rfind("y[1][5]: ", 0), 0u) << report.worst;
}

// One element far off hides in the norm of many; the bound on each element sees it.
TEST_F(Compare, ASingleElementOffFailsThoughTheNormPasses) {
  Tensor large("y", DType::fp32, {1000, 1000});
  large.fill(Fill::uniform, 1);
  Tensor changed = large;
  changed.set(77, large.at(77) * 1.1);
  const auto report = compare(changed, large, {1e-3, 1e-2, 1e-6, "test"});
  EXPECT_LE(report.relative_norm, 1e-3);
  EXPECT_FALSE(report.passed);
}

TEST_F(Compare, AnUnwrittenElementNeverPasses) {
  out.set(9, std::numeric_limits<double>::quiet_NaN());
  const auto report = compare(out, reference, {1e9, 1e9, 1, "anything goes"});
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.nan_count, 1);
  EXPECT_EQ(report.first_bad_index, 9);
  EXPECT_TRUE(std::isinf(report.relative_norm));
}

TEST_F(Compare, InfinityAgainstANumberNeverPasses) {
  out.set(9, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(compare(out, reference, {1e9, 1e9, 1, "anything goes"}).passed);
}

TEST_F(Compare, AllZeroReferenceAndNonZeroOutputFails) {
  for (int i = 0; i < reference.size(); ++i) reference.set(i, 0);
  EXPECT_FALSE(compare(out, reference, tolerance).passed);
}

}  // namespace
}  // namespace cutelab::kernel
