#include "kernel/registry.h"

#include <gtest/gtest.h>

namespace cutelab::kernel {
namespace {

Package package(const std::string& design, const std::string& version, const std::string& layer = "gemm") {
  Package p;
  p.layer = layer;
  p.design = design;
  p.version = version;
  return p;
}

// `best` stood between v0 and v1, as its folder does.
TEST(Registry, VersionsAreInTheOrderOfTheirNumbersNamedOnesLast) {
  std::vector<Package> all = {package("b", "v0"),  package("b", "best"),      package("b", "v1"),
                              package("b", "v10"), package("b", "v2"),        package("a", "v1"),
                              package("a", "v0"),  package("a", "v0", "norm")};
  order_versions(all);
  std::string order;
  for (const Package& p : all) order += p.layer.substr(0, 1) + p.design + p.version + " ";
  EXPECT_EQ(order, "gbv0 gbv1 gbv2 gbv10 gbbest gav0 gav1 nav0 ") << "designs stay where they are";
}

}  // namespace
}  // namespace cutelab::kernel
