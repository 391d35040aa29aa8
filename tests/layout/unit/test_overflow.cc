#include <fmt/format.h>

#include "layout/algebra.h"
#include "layout/divide.h"
#include "layout/support.h"

namespace cutelab::layout::testing {

// Results beyond 64 bits are never a wrong number: they become a symbol, on every way through the algebra.
TEST(Overflow, OfPlainIntegersIsNotANumber) {
  EXPECT_FALSE(coalesce(plain("(3000000000,5000000000):(1,3000000000)")).known());
  EXPECT_TRUE(coalesce(plain("(3000000000,3):(1,3000000000)")).known());
  auto scaled = composition(plain("4:4611686018427387904"), plain("4:4").view());
  ASSERT_TRUE(scaled.ok());
  EXPECT_FALSE(scaled->known());
  auto far = composition(plain("(4,4):(1,4611686018427387904)"), plain("4:16").view());
  ASSERT_TRUE(far.ok());
  EXPECT_FALSE(far->known());
}

// More modes than the form for plain integers holds: the general form gives the same.
TEST(Overflow, OfTheNumberOfModesChangesNothing) {
  std::string shape;
  std::string stride;
  for (int i = 0; i < 20; ++i) {
    shape += i ? ",2" : "(2";
    stride += fmt::format("{}{}", i ? "," : "(", (std::int64_t{1} << (2 * i)));
  }
  const Layout many = plain((shape + "):" + stride + ")").c_str());
  EXPECT_EQ(size(coalesce(many)), Int(1 << 20));
  EXPECT_EQ(coalesce(many).rank(), 20);
  auto part = composition(many, plain("(2,2):(1,2)").view());
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->text(), "(2,2):(1,4)");
}

}  // namespace cutelab::layout::testing
