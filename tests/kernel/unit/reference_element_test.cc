#include <gtest/gtest.h>

#include <cmath>

#include "../kernels/reference/ops.h"
#include "kernel/dtype.h"

namespace cutelab::kernel::reference {
namespace {

namespace ops = cutelab_reference;

TEST(ReferenceOps, EveryPatternOfTheSmallTypesIsTheHostsValue) {
  for (const DType dtype :
       {DType::fp8_e4m3, DType::fp8_e5m2, DType::int8, DType::int4, DType::ue8m0, DType::bf16, DType::fp16}) {
    const int bits = bits_of(dtype) == 16 ? 16 : 8;
    for (unsigned pattern = 0; pattern < 1u << bits; ++pattern) {
      std::byte data[2] = {static_cast<std::byte>(pattern & 255), static_cast<std::byte>(pattern >> 8)};
      for (int index = 0; index < (dtype == DType::int4 ? 2 : 1); ++index) {
        const double host = decode(dtype, data, index);
        const double other = ops::element(data, static_cast<int>(dtype), index);
        EXPECT_TRUE(std::isnan(host) ? std::isnan(other) : host == other)
            << name_of(dtype) << " " << pattern << ": " << host << " and " << other;
      }
    }
  }
}

}  // namespace
}  // namespace cutelab::kernel::reference
