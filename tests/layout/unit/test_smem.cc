// Values as CuTe DSL 4.8.1 prints them for the same calls (make_smem_layout_atom, hopper_helpers,
// blackwell_helpers).
#include "layout/smem.h"

#include <fmt/format.h>

#include "layout/support.h"

namespace cutelab::layout::testing {

std::string dsl(const Result<ComposedLayout>& layout) {
  if (!layout) return layout.error().wrong;
  const Swizzle& sw = layout->swizzle();
  return fmt::format("S<{},{},{}> o {} o {}", sw.bits, sw.base, sw.shift, layout->offset().text(),
                     layout->layout().text());
}

TEST(SmemAtom, MatchesTheDsl) {
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::mn_inter, 16)), "S<0,4,3> o 0 o (8,8):(1,8)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::mn_sw32, 16)), "S<1,4,3> o 0 o (16,8):(1,16)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::mn_sw128, 8)), "S<3,4,3> o 0 o (128,8):(1,128)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::mn_sw128_32b, 32)), "S<2,5,2> o 0 o (32,8):(1,32)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::k_inter, 32)), "S<0,4,3> o 0 o (8,4):(4,1)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::k_sw64, 8)), "S<2,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::k_sw128, 16)), "S<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(dsl(smem_layout_atom(SmemAtomKind::k_sw128, 24)),
            "pre-condition 1: elements of 24 bits do not divide a row of 128 bytes");
}

TEST(SmemLayout, HopperHelpers) {
  const TileMnk tile{128, 256, 64};
  EXPECT_EQ(dsl(sm90_make_smem_layout_a(Major::k, tile, 16, 7)),
            "S<3,4,3> o 0 o ((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))");
  EXPECT_EQ(dsl(sm90_make_smem_layout_b(Major::k, tile, 16, 7)),
            "S<3,4,3> o 0 o ((8,32),(64,1),(1,7)):((64,512),(1,0),(0,16384))");
  EXPECT_EQ(dsl(sm90_make_smem_layout_epi(16, true, 64, 32, 4)),
            "S<2,4,3> o 0 o ((8,8),(32,1),(1,4)):((32,256),(1,0),(0,2048))");
}

TEST(SmemLayout, BlackwellHelpers) {
  const TileMnk one{128, 256, 16};
  const TileMnk tile{128, 256, 64};
  EXPECT_EQ(dsl(sm100_make_smem_layout_a(Major::k, one, 1, tile, 16, 4)),
            "S<3,4,3> o 0 o ((128,16),1,4,4):((64,1),0,16,8192)");
  EXPECT_EQ(dsl(sm100_make_smem_layout_b(Major::k, one, 1, tile, 16, 4)),
            "S<3,4,3> o 0 o ((256,16),1,4,4):((64,1),0,16,16384)");
  EXPECT_EQ(dsl(sm100_make_smem_layout_a(Major::mn, one, 1, tile, 16, 4)),
            "S<3,4,3> o 0 o (((64,2),16),1,4,4):(((1,4096),64),0,1024,8192)");
  const TileMnk pair{256, 128, 32};
  const TileMnk wide{256, 128, 128};
  EXPECT_EQ(dsl(sm100_make_smem_layout_a(Major::k, pair, 2, wide, 8, 4)),
            "S<3,4,3> o 0 o ((128,32),1,4,4):((128,1),0,32,16384)");
  EXPECT_EQ(dsl(sm100_make_smem_layout_b(Major::mn, pair, 2, wide, 8, 4)),
            "S<2,4,3> o 0 o ((64,32),1,4,4):((1,64),0,2048,8192)");
  EXPECT_EQ(dsl(sm100_make_smem_layout_epi(16, true, 128, 32, 2)),
            "S<2,4,3> o 0 o ((8,16),(32,1),(1,2)):((32,256),(1,0),(0,4096))");
  EXPECT_EQ(dsl(sm100_make_smem_layout_epi(16, false, 128, 32, 2)),
            "S<3,4,3> o 0 o ((64,2),(8,4),(1,2)):((1,2048),(64,512),(0,4096))");
}

// A byte swizzle printed as 3,4,3 and an element swizzle printed as 3,3,3 are one mapping of 16-bit elements.
TEST(SmemLayout, ByteAndElementFormAreTheSameMapping) {
  for (const std::int64_t bits : {8, 16, 32}) {
    auto atom = smem_layout_atom(SmemAtomKind::k_sw128, bits);
    auto elements = element_form(*atom, bits);
    auto bytes = byte_form(*atom, bits);
    ASSERT_TRUE(elements.ok() && bytes.ok());
    if (bits == 16) {
      EXPECT_EQ(elements->swizzle(), (Swizzle{3, 3, 3}));
    }
    auto e = KnownComposed::of(*elements);
    auto b = KnownComposed::of(*bytes);
    for (std::int64_t i = 0; i < e->size(); ++i) ASSERT_EQ((*e)(i)*bits / 8, (*b)(i));
  }
}

}  // namespace cutelab::layout::testing
