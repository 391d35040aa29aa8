#include "compiled/machine_code.h"

#include <gtest/gtest.h>

#include "support/small_elf.h"

namespace cutelab::compiled {
namespace {

using testing::small_elf;

TEST(MachineCode, NamesAndOtherSectionsDoNotCount) {
  const auto one =
      machine_code_hash(small_elf({{".text._Z9my_kernelv", "abcd"}, {".nv.info", "x"}}), "my_kernel");
  ASSERT_EQ(one.size(), 16u);
  EXPECT_EQ(one, machine_code_hash(small_elf({{".nv.info", "other"}, {".text._ZN2v79my_kernelEv", "abcd"}}),
                                   "my_kernel"));
  EXPECT_NE(one, machine_code_hash(small_elf({{".text._Z9my_kernelv", "abce"}}), "my_kernel"));
}

TEST(MachineCode, OnlyFunctionsOfThatNameCountAndAllOfThem) {
  const auto two = small_elf({{".text.k1", "1111"}, {".text.other", "zzzz"}, {".text.k2", "2222"}});
  EXPECT_EQ(machine_code_hash(two, ".k"), "") << "the prefix .text. is no part of a name";
  EXPECT_EQ(machine_code_hash(two, "k"), machine_code_hash(small_elf({{".text.k", "11112222"}}), "k"));
  EXPECT_EQ(machine_code_hash(two, "absent"), "");
}

TEST(MachineCode, WhatIsNoWholeCubinHasNone) {
  const std::string whole = small_elf({{".text.k", "1111"}});
  EXPECT_EQ(machine_code_hash("compiler: test", "k"), "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    machine_code_hash(whole.substr(0, size), "k");  // no read past the end
  EXPECT_EQ(machine_code_hash(whole.substr(0, 70), "k"), "");
}

}  // namespace
}  // namespace cutelab::compiled
