// What a cuTile package asks the compiler for, and the block of arguments that its launches get.
#include "kernel/tile_program.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernel/tile_kernel.h"

namespace cutelab::kernel {
namespace {

template <class T>
T number_in(const std::vector<std::byte>& bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TileProgram two_steps() {
  auto turned = TileParameter::dense("x", DType::bf16, {2, 24, 40}, 8);
  turned.strides = {960, 1, 24};
  turned.contiguous = 1;
  auto partial = TileParameter::dense("", DType::fp32, {3, 4}, 4);
  partial.workspace = 256;
  return {{{"first", {turned, partial, TileParameter::integer(64), TileParameter::real(0.5)}, {7, 2, 1}, 8},
           {"second", {partial, TileParameter::flag(true)}, {5, 1, 1}, 0}},
          512};
}

TEST(TileProgram, RequestsHoldWhatIsCompiledInAndNoExtents) {
  const auto lines = tile_requests(two_steps());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(
      lines[0],
      R"({"function":"first","warps":8,"parameters":[{"array":"bf16","rank":3,"contiguous":1,"divisible":8},)"
      R"({"array":"fp32","rank":2,"contiguous":1,"divisible":4},64,0.5]})");
  EXPECT_EQ(lines[1],
            R"({"function":"second","warps":0,"parameters":[{"array":"fp32","rank":2,"contiguous":1,)"
            R"("divisible":4},true]})");
}

// The convention: per array the address, the extents, the strides; numbers that are compiled in are not
// passed.
TEST(TileProgram, ArgumentsAreAddressesExtentsAndStridesInOrder) {
  std::int64_t workspace = 0;
  const auto launches = tile_launches(tile_arguments(two_steps(), {{"x", 0x7f00000010ull}}), workspace);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(workspace, 512);
  EXPECT_EQ(launches[0].grid, (std::array<unsigned, 3>{7, 2, 1}));
  ASSERT_EQ(launches[0].parameters.size(), 7u + 5u);
  EXPECT_EQ(number_in<std::uint64_t>(launches[0].parameters[0]), 0x7f00000010ull);
  const std::int32_t expected[] = {2, 24, 40, 960, 1, 24};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(number_in<std::int32_t>(launches[0].parameters[i + 1]), expected[i]) << i;
  EXPECT_EQ(launches[0].in_workspace, (std::vector<std::size_t>{7}));
  EXPECT_EQ(number_in<std::uint64_t>(launches[0].parameters[7]), 256u);
  EXPECT_EQ(launches[1].in_workspace, (std::vector<std::size_t>{0}));
  EXPECT_EQ(launches[1].parameters.size(), 5u);
}

TEST(TileProgram, ATornBlockIsNone) {
  auto block = tile_arguments(two_steps(), {});
  std::int64_t workspace = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, block.size() / 2, block.size() - 1}) {
    const std::vector<std::byte> torn(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(tile_launches(torn, workspace).empty()) << size;
  }
  block.push_back(std::byte{0});
  EXPECT_TRUE(tile_launches(block, workspace).empty());
}

TEST(TileProgram, WhatTheCompiledCodeTakesForGrantedIsHeldBeforeALaunch) {
  const auto wrong = [](TileParameter p, std::array<unsigned, 3> grid = {1, 1, 1}) {
    const auto status = check_tile_program({{{"f", {std::move(p)}, grid, 0}}, 0});
    return status ? std::string() : status.error().wrong;
  };
  EXPECT_EQ(wrong(TileParameter::dense("x", DType::bf16, {3, 16}, 8)), "");
  EXPECT_EQ(wrong(TileParameter::dense("x", DType::bf16, {3, 12}, 8)), "x is not aligned to 8 elements");
  auto turned = TileParameter::dense("x", DType::bf16, {3, 16}, 8);
  turned.contiguous = 0;
  EXPECT_EQ(wrong(turned), "x is not contiguous where it should be");
  EXPECT_EQ(wrong(TileParameter::dense("x", DType::bf16, {2, INT64_C(1) << 31, 8}, 8)),
            "an extent or a stride of x does not fit in 32 bits");
  EXPECT_EQ(wrong(TileParameter::dense("x", DType::bf16, {8}, 8), {1, 65536, 1}),
            "a grid of 1×65536×1 tile blocks is more than a device takes");
  const auto kernel = tile_kernel(two_steps());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->device_function, "first");
  EXPECT_EQ(kernel->launch(132).grid, (std::array<unsigned, 3>{7, 2, 1}));
}

}  // namespace
}  // namespace cutelab::kernel
