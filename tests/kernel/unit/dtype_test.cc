#include "kernel/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "kernel/tensor.h"

namespace cutelab::kernel {
namespace {

double rounded(DType dtype, double value) {
  std::array<std::byte, 4> data{};
  encode(dtype, data.data(), 0, value);
  return decode(dtype, data.data(), 0);
}

unsigned code(DType dtype, double value) {
  std::array<std::byte, 4> data{};
  encode(dtype, data.data(), 0, value);
  return std::to_integer<unsigned>(data[0]);
}

// Values of the OCP 8-bit floating point specification, table 1.
TEST(DTypes, Fp8CodesAreTheSpecifications) {
  EXPECT_EQ(code(DType::fp8_e4m3, 448), 0x7Eu);
  EXPECT_EQ(code(DType::fp8_e4m3, 1), 0x38u);
  EXPECT_EQ(code(DType::fp8_e4m3, 0x1p-6), 0x08u);           // smallest normal
  EXPECT_EQ(code(DType::fp8_e4m3, 0x1p-9), 0x01u);           // smallest denormal
  EXPECT_EQ(code(DType::fp8_e4m3, -0.875 * 0x1p-6), 0x87u);  // largest denormal
  EXPECT_EQ(code(DType::fp8_e5m2, 57344), 0x7Bu);
  EXPECT_EQ(code(DType::fp8_e5m2, 1), 0x3Cu);
  EXPECT_EQ(code(DType::fp8_e5m2, 0x1p-16), 0x01u);
  const std::byte infinite{0x7C};
  EXPECT_TRUE(std::isinf(decode(DType::fp8_e5m2, &infinite, 0)));
}

TEST(DTypes, Fp8RoundsToNearestEvenAndStaysAtTheLargest) {
  EXPECT_EQ(rounded(DType::fp8_e4m3, 17), 16);  // between 16 and 18, to even
  EXPECT_EQ(rounded(DType::fp8_e4m3, 19), 20);
  EXPECT_EQ(rounded(DType::fp8_e4m3, 1.9999), 2);
  EXPECT_EQ(rounded(DType::fp8_e4m3, 1e9), 448);
  EXPECT_EQ(rounded(DType::fp8_e5m2, -1e9), -57344);
  EXPECT_EQ(rounded(DType::fp8_e4m3, 0x1p-10), 0);        // half of the smallest, to even
  EXPECT_EQ(rounded(DType::fp8_e4m3, 0x1.8p-9), 0x1p-8);  // one and a half of it
  EXPECT_TRUE(std::isnan(rounded(DType::fp8_e4m3, std::nan(""))));
  EXPECT_TRUE(std::isnan(rounded(DType::fp8_e5m2, std::nan(""))));
}

// Every code of every one-byte type survives the way through double.
TEST(DTypes, ByteCodesRoundTrip) {
  for (const DType dtype : {DType::fp8_e4m3, DType::fp8_e5m2, DType::int8, DType::ue8m0})
    for (unsigned bits = 0; bits < 256; ++bits) {
      const std::byte byte{static_cast<unsigned char>(bits)};
      const double value = decode(dtype, &byte, 0);
      if (std::isfinite(value)) {
        EXPECT_EQ(code(dtype, value), bits) << name_of(dtype);
      }
    }
}

TEST(DTypes, TheNearestOfAllValuesIsTaken) {
  for (const DType dtype : {DType::fp8_e4m3, DType::fp8_e5m2}) {
    std::set<double> values;
    for (unsigned bits = 0; bits < 256; ++bits) {
      const std::byte byte{static_cast<unsigned char>(bits)};
      if (const double v = decode(dtype, &byte, 0); std::isfinite(v)) values.insert(v);
    }
    for (double v = -300; v < 300; v += 0.37) {
      double best = 1e9;
      for (const double candidate : values) best = std::min(best, std::abs(candidate - v));
      EXPECT_EQ(std::abs(rounded(dtype, v) - v), best) << name_of(dtype) << " " << v;
    }
  }
}

TEST(DTypes, Int4IsPackedLowFirst) {
  Tensor t("t", DType::int4, {5});
  EXPECT_EQ(t.data.size(), 3u);
  for (int i = 0; i < 5; ++i) t.set(i, i - 8);
  EXPECT_EQ(std::to_integer<unsigned>(t.data[0]), 0x98u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(t.at(i), i - 8);
  EXPECT_EQ(rounded(DType::int4, 100), 7);
  EXPECT_EQ(rounded(DType::int4, -100), -8);
}

TEST(DTypes, Tf32KeepsTenBitsAndUe8m0PowersOfTwo) {
  EXPECT_EQ(rounded(DType::tf32, 1 + 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(rounded(DType::tf32, 1 + 0x1p-11), 1);
  EXPECT_EQ(rounded(DType::tf32, 1 + 0x3p-11), 1 + 0x2p-10);
  EXPECT_EQ(rounded(DType::ue8m0, 0.25), 0.25);
  EXPECT_EQ(rounded(DType::ue8m0, 3.0), 4);
  EXPECT_EQ(code(DType::ue8m0, 1), 127u);
}

TEST(DTypes, FillsStayInTheirRangeAndAreNeverAllZeros) {
  for (const DType dtype : all_dtypes())
    for (const Fill fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
      Tensor t("t", dtype, {1000});
      t.fill(fill, 3);
      int zeros = 0;
      for (int i = 0; i < 1000; ++i) {
        EXPECT_LE(std::abs(t.at(i)), largest(dtype) + 1) << name_of(dtype);
        zeros += t.at(i) == 0 ? 1 : 0;
      }
      EXPECT_LT(zeros, 700) << name_of(dtype) << " " << name_of(fill);
    }
  Tensor zero("z", DType::bf16, {10});
  zero.fill(Fill::zeros, 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(zero.at(i), 0);
}

TEST(DTypes, NamesAreInverse) {
  for (const DType dtype : all_dtypes()) EXPECT_EQ(dtype_of(name_of(dtype)), dtype);
}

}  // namespace
}  // namespace cutelab::kernel
