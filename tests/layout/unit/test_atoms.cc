#include "layout/atoms.h"

#include <set>

#include "layout/support.h"

namespace cutelab::layout::testing {

// Why "every thread holds 64x16 values" is printed for an operand that a thread does not hold: A and B are
// read through shared-memory descriptors, so every thread addresses the whole tile.
TEST(MmaAtom, SharedMemoryOperandsHaveThreadStrideZero) {
  auto atom = mma_atom("wgmma.m64n64k16.f16");
  ASSERT_TRUE(atom.ok());
  EXPECT_EQ(atom->a.text(), "(128,(64,16)):(0,(1,64))");
  EXPECT_EQ(atom->b.text(), "(128,(64,16)):(0,(1,64))");
  EXPECT_EQ(atom->c.text(), "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))");
  EXPECT_NE(atom->note.find("only C is distributed"), std::string::npos);
}

// Operands in registers are distributed: each element has exactly one (thread, value).
TEST(MmaAtom, RegisterOperandsCoverTheirTileOnce) {
  for (const std::string& name : mma_atom_names()) {
    auto atom = mma_atom(name);
    ASSERT_TRUE(atom.ok()) << name;
    const auto covers = [&](const Layout& l, std::int64_t elements) {
      std::set<std::int64_t> seen;
      for (std::int64_t i = 0; i < size(l).value(); ++i) seen.insert(at(l, i));
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), elements) << name << " " << l.text();
      EXPECT_EQ(*seen.rbegin(), elements - 1) << name;
      return size(l).value() == elements;
    };
    EXPECT_TRUE(covers(atom->c, atom->m * atom->n)) << name;
    const bool a_once = covers(atom->a, atom->m * atom->k);
    EXPECT_TRUE(a_once || atom->a_source == "smem") << name;
    covers(atom->b, atom->n * atom->k);
  }
}

TEST(MmaAtom, UnknownNamesSayWhatThereIs) {
  EXPECT_EQ(mma_atom("wgmma.m64n100k16.f16").error().wrong,
            "wgmma is m64, n a multiple of 8 up to 256, K is 32 bytes, and its types are not block-scaled");
  EXPECT_EQ(mma_atom("gemm.m64n8k16.f16").error().wrong, "there is no family `gemm`");
  EXPECT_EQ(mma_atom("mma.m16n8k16.f17").error().wrong, "there is no type `f17`");
  EXPECT_EQ(mma_atom("").error().wrong, "not FAMILY.mMnNkK.TYPE");
}

TEST(CopyAtom, StoreMirrorsLoad) {
  for (const char* n : {"x1", "x2", "x4", "x1.trans", "x2.trans", "x4.trans"}) {
    auto load = copy_atom(std::string("ldmatrix.") + n);
    auto store = copy_atom(std::string("stmatrix.") + n);
    ASSERT_TRUE(load.ok() && store.ok()) << n;
    EXPECT_EQ(load->source, store->destination);
    EXPECT_EQ(load->destination, store->source);
  }
}

// The guidance a reader wants: what one instruction brings, how many an accumulator takes, and that x1 is
// slow.
TEST(CopyAtom, TensorMemoryLoadsSayHowManyAreNeeded) {
  auto wide = copy_atom("tcgen05.ld.32x32b.x32");
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->destination.text(), "(32,1024):(1024,1)");
  EXPECT_NE(wide->note.find("32 registers per thread"), std::string::npos);
  EXPECT_NE(wide->note.find("take 8 of them"), std::string::npos);
  EXPECT_EQ(wide->note.find("warning"), std::string::npos);
  auto narrow = copy_atom("tcgen05.ld.32x32b.x1");
  ASSERT_TRUE(narrow.ok());
  EXPECT_NE(narrow->note.find("take 256 of them"), std::string::npos);
  EXPECT_NE(narrow->note.find("warning: x1"), std::string::npos);
  EXPECT_FALSE(copy_atom("tcgen05.ld.16x256b.x64").ok());
  EXPECT_FALSE(copy_atom("tcgen05.ld.16x256b.x3").ok());
}

// Each bit of the registers' side stands for one bit of tensor memory, for every shape and repeat.
TEST(CopyAtom, RegistersHoldEachBitOnce) {
  for (const std::string& name : copy_atom_names()) {
    auto atom = copy_atom(name);
    ASSERT_TRUE(atom.ok()) << name;
    if (name.find("tcgen05.") != 0 || size(atom->destination).value() > 1 << 15) continue;
    const Layout& registers = name.find(".st.") == std::string::npos ? atom->destination : atom->source;
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size(registers).value(); ++i) seen.insert(at(registers, i));
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size(registers).value()) << name;
    EXPECT_EQ(*seen.rbegin(), size(registers).value() - 1) << name;
  }
}

TEST(CopyAtom, BoxesOfTmaKeepItsLimits) {
  auto box = copy_atom("tma.load.64x128.b16");
  ASSERT_TRUE(box.ok());
  EXPECT_EQ(box->source.text(), "(1,131072):(0,1)");
  EXPECT_FALSE(copy_atom("tma.load.320x8.b16").ok());
  EXPECT_FALSE(copy_atom("tma.load.3x8.b16").ok());
  EXPECT_FALSE(copy_atom("tma.load.8x2x2x2x2x2.b16").ok());
}

TEST(MmaAtom, BlockScaledFamiliesNameTheirScaleFactors) {
  auto atom = mma_atom("tcgen05.m128n128k64.nvf4");
  ASSERT_TRUE(atom.ok());
  EXPECT_NE(atom->note.find("one scale factor per 16 elements of K"), std::string::npos);
  EXPECT_FALSE(mma_atom("tcgen05.m64n64k64.nvf4").ok());
  EXPECT_FALSE(mma_atom("wgmma.m64n64k32.mxf8").ok());
}

}  // namespace cutelab::layout::testing
