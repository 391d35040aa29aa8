#include "layout/tma.h"

#include <algorithm>

#include "layout/smem.h"
#include "layout/support.h"

namespace cutelab::layout::testing {

Result<TmaReport> check(const char* global, const char* tile, std::int64_t bits, std::int64_t span) {
  auto extents = parse_tuple(tile);
  return check_tma({plain(global), *extents, bits, span, {}, {}});
}

std::vector<std::string> broken(const TmaReport& report) {
  std::vector<std::string> out;
  for (const TmaRule& rule : report.rules)
    if (rule.verdict != Verdict::holds)
      out.push_back(rule.name + (rule.verdict == Verdict::broken ? "" : "?"));
  return out;
}

// A fp16 tile wider than 64 columns with the 128-byte swizzle is cut into boxes of 64 columns.
TEST(Tma, WideTilesAreCutIntoBoxesOfTheSwizzleSpan) {
  auto report = check("(4096,4096):(4096,1)", "(128,256)", 16, 128);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->legal());
  EXPECT_EQ(report->order, (std::vector<int>{1, 0}));
  EXPECT_EQ(report->box, (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(report->boxes, 4);
  EXPECT_EQ(report->box_bytes, 64 * 128 * 2);
}

TEST(Tma, BoxesHoldAtMost256ElementsPerMode) {
  auto report = check("(4096,4096):(4096,1)", "(320,64)", 16, 128);
  EXPECT_EQ(broken(*report), (std::vector<std::string>{"box-extent"}));
}

TEST(Tma, StridesAreMultiplesOf16Bytes) {
  EXPECT_EQ(broken(*check("(128,100):(100,1)", "(64,64)", 16, 128)),
            (std::vector<std::string>{"stride-16B"}));
  EXPECT_EQ(broken(*check("(128,K):(K,1)", "(64,64)", 16, 128)), (std::vector<std::string>{"stride-16B?"}));
  EXPECT_TRUE(check("(M,K{div=8}):(K,1)", "(64,64)", 16, 128)->legal());
  EXPECT_EQ(broken(*check("(128,128):(256,2)", "(64,64)", 16, 128))[0], "contiguous");
}

// A shared-memory mode that is contiguous where global memory is not steps by one element: refused by the DSL
// from 4.6 on.
TEST(Tma, SharedMemoryModesStepBy16Bytes) {
  TmaRequest request{plain("(128,128):(128,1)"),
                     IntTuple::tuple({64, 64}),
                     16,
                     16,
                     ComposedLayout(plain("(64,64):(1,64)")),
                     {}};
  auto report = check_tma(request);
  ASSERT_TRUE(report.ok());
  const auto names = broken(*report);
  EXPECT_EQ(std::count(names.begin(), names.end(), "smem-stride-16B"), 1);
}

// A null pointer names the field of the descriptor that carries it.
TEST(Tma, NullAddressesAreNamed) {
  TmaRequest request{plain("(128,128):(128,1)"), IntTuple::tuple({64, 64}), 16, 128, {}, 0};
  auto report = check_tma(request);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(broken(*report), (std::vector<std::string>{"address"}));
  for (const TmaRule& rule : report->rules)
    if (rule.name == "address") {
      EXPECT_EQ(rule.field, "globalAddress");
    }
  request.address = 0x7f0000000010;
  EXPECT_TRUE(check_tma(request)->legal());
  request.address = 0x7f0000000008;
  EXPECT_FALSE(check_tma(request)->legal());
}

TEST(LeadingMode, ExtentsOfOneMakeItAmbiguous) {
  EXPECT_EQ(leading_mode(plain("(32,1):(1,1)")).mode, std::nullopt);
  EXPECT_EQ(leading_mode(plain("(32,1):(1,1)")).says,
            "modes 0 and 1 both have stride 1 (one has extent 1): pass the leading dimension explicitly");
  EXPECT_EQ(leading_mode(plain("(32,8):(8,1)")).mode, 1);
  EXPECT_EQ(leading_mode(plain("(32,8):(16,2)")).mode, std::nullopt);
}

// A staged operand's contiguous mode is nested: its leaf counts, its leaves of extent 1 do not.
TEST(LeadingMode, LooksAtTheLeavesOfNestedModes) {
  const LeadingMode staged = leading_mode(plain("((8,16),(64,1)):((64,512),(1,0))"));
  EXPECT_EQ(staged.mode, 1);
  EXPECT_EQ(staged.says, "mode 1 has stride 1 (its leaf of extent 64)");
  EXPECT_EQ(leading_mode(plain("((8,1),64):((64,1),1)")).mode, 1);
  EXPECT_EQ(leading_mode(plain("((8,1),64):((64,1),2)")).mode, std::nullopt);
  EXPECT_EQ(leading_mode(plain("(4,4):(1,1)")).says,
            "modes 0 and 1 both have stride 1: pass the leading dimension explicitly");
}

// Descriptors count 16-byte units: a K-major fp16 operand of 64 columns has 8 of them per row; each
// instruction (16 of K) steps by 2.
TEST(DescriptorUnits, CountSixteenBytes) {
  auto a = sm100_make_smem_layout_a(Major::k, {128, 256, 16}, 1, {128, 256, 64}, 16, 4);
  auto units = descriptor_units(*a, 16);
  ASSERT_TRUE(units.ok());
  EXPECT_EQ(units->layout().text(), "((128,2),1,4,4):((8,1),0,2,1024)");
}

}  // namespace cutelab::layout::testing
