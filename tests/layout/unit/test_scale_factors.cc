// Values as CuTe DSL 4.8.1 prints them for the same calls (cutlass/utils/blockscaled_layout.py).
#include "layout/scale_factors.h"

#include "layout/support.h"

namespace cutelab::layout::testing {

std::string said(const Result<Layout>& layout) { return layout ? layout->text() : layout.error().wrong; }

TEST(ScaleFactors, AtomIsOneBlockOf512) {
  EXPECT_EQ(said(scale_factor_atom(16)), "((32,4),(16,4)):((16,4),(0,1))");
  EXPECT_EQ(said(scale_factor_atom(16, Major::mn)), "((16,4),(32,4)):((0,1),(16,4))");
  EXPECT_EQ(said(scale_factor_atom(8)),
            "pre-condition 1: one scale factor per 8 elements: 16 and 32 are possible");
}

TEST(ScaleFactors, OfAWholeOperand) {
  const auto tiled = [](std::int64_t rows, std::int64_t k, std::int64_t batch, std::int64_t vector) {
    return said(tile_atom_to_shape_sf(IntTuple::tuple({rows, k, batch}), vector));
  };
  EXPECT_EQ(tiled(256, 512, 4, 16), "(((32,4),2),((16,4),8),(1,4)):(((16,4),4096),((0,1),512),(0,8192))");
  EXPECT_EQ(tiled(128, 256, 1, 16), "(((32,4),1),((16,4),4),(1,1)):(((16,4),0),((0,1),512),(0,0))");
  EXPECT_EQ(tiled(384, 1024, 2, 32), "(((32,4),3),((32,4),8),(1,2)):(((16,4),4096),((0,1),512),(0,12288))");
  EXPECT_EQ(tiled(100, 1024, 2, 32).substr(0, 15), "pre-condition 2");
  EXPECT_EQ(eval("tile_atom_to_shape_SF((M{div=128},K{div=64},L),16)"),
            "(((32,4),M/128),((16,4),K/64),(1,L)):(((16,4),512*K/64),((0,1),512),(0,512*K/64*M/128))");
}

TEST(ScaleFactors, InSharedMemory) {
  const auto a = [](TileMnk instruction, int ctas, TileMnk tile, std::int64_t vector) {
    return said(sm100_make_smem_layout_sfa(instruction, ctas, tile, vector, 4));
  };
  const auto b = [](TileMnk instruction, int ctas, TileMnk tile, std::int64_t vector) {
    return said(sm100_make_smem_layout_sfb(instruction, ctas, tile, vector, 4));
  };
  const std::string one = "((((32,4),1),(16,4)),1,4,4):((((16,4),0),(0,1)),0,512,2048)";
  const std::string two = "((((32,4),2),(16,4)),1,4,4):((((16,4),2048),(0,1)),0,512,4096)";
  EXPECT_EQ(a({128, 128, 64}, 1, {128, 128, 256}, 16), one);
  EXPECT_EQ(b({128, 128, 64}, 1, {128, 128, 256}, 16), one);
  EXPECT_EQ(a({256, 256, 64}, 2, {256, 256, 256}, 16), one);
  EXPECT_EQ(b({256, 256, 64}, 2, {256, 256, 256}, 16), two);
  EXPECT_EQ(b({256, 192, 64}, 2, {256, 192, 256}, 16), two);  // 192 columns take the room of 256
  EXPECT_EQ(a({128, 256, 32}, 1, {128, 256, 128}, 32),
            "((((32,4),1),(32,1)),1,4,4):((((16,4),0),(0,0)),0,1,512)");
  EXPECT_EQ(b({128, 192, 32}, 1, {128, 192, 128}, 32),
            "((((32,4),2),(32,1)),1,4,4):((((16,4),512),(0,0)),0,1,1024)");
  EXPECT_EQ(a({128, 128, 64}, 3, {128, 128, 256}, 16), "pre-condition 3: 3 CTAs: one or a pair");
  EXPECT_EQ(a({128, 128, 96}, 1, {128, 128, 256}, 16),
            "pre-condition 3: the instruction's 128x128x96 does not divide the tile's 128x128x256");
}

}  // namespace cutelab::layout::testing
