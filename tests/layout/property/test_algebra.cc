// Each test quotes the numbered condition of src/layout/{algebra,divide}.h that it checks.
#include <algorithm>
#include <set>

#include "layout/fault.h"
#include "layout/support.h"

namespace cutelab::layout::testing {

constexpr int rounds = 2000;

std::int64_t size_of(const Layout& l) { return size(l).value(); }

TEST(Coalesce, Post1SizePost2DepthPost3Values) {
  RandomLayouts random(1);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    const Layout c = coalesce(l);
    EXPECT_EQ(size_of(c), size_of(l)) << l.text();
    EXPECT_LE(c.depth(), 1);
    for (std::int64_t i = 0; i < size_of(l); ++i)
      ASSERT_EQ(at(c, i), at(l, i)) << l.text() << " " << c.text();
  }
}

TEST(Filter, Post1NoZeroPost2DepthPost3SameValues) {
  RandomLayouts random(2);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    const Layout f = filter(l);
    EXPECT_LE(f.depth(), 1);
    if (!(f == Layout())) {
      for (const Int& d : leaves(f.stride())) EXPECT_FALSE(d.is_zero()) << l.text();
    }
    std::set<std::int64_t> a, b;
    for (std::int64_t i = 0; i < size_of(l); ++i) a.insert(at(l, i));
    for (std::int64_t i = 0; i < size_of(f); ++i) b.insert(at(f, i));
    ASSERT_EQ(a, b) << l.text();
  }
}

TEST(Composition, Post5CompatiblePost6Values) {
  RandomLayouts random(3);
  int made = 0;
  int inexact = 0;
  for (int round = 0; round < 3 * rounds; ++round) {
    const Layout a = random.layout(3, true);
    const Layout b = random.layout(2, true);
    auto r = composition(a, b.view());
    if (!r) continue;
    ++made;
    EXPECT_EQ(compatible(b.shape(), r->shape()), true) << a.text() << " o " << b.text();
    bool equal = true;
    for (std::int64_t i = 0; i < size_of(b); ++i) equal &= at(*r, i) == at(a, at(b, i));
    ASSERT_EQ(carry_free(a, b), equal) << a.text() << " o " << b.text() << " = " << r->text();
    inexact += !equal;
  }
  EXPECT_GT(made, rounds);
  EXPECT_GT(inexact, 0);  // CuTe's own gap is met
}

TEST(Composition, Pre1And2AreNamed) {
  EXPECT_EQ(eval("(4,3):(1,8) o 2:6"),
            "error: pre-condition 1: stride 6 and extent 4 do not divide one another");
  EXPECT_EQ(eval("(4,3):(1,8) o 6:1"), "error: pre-condition 2: extent 6 is not a multiple of 4");
  EXPECT_EQ(eval("(4,3):(1,8) o 2:1@2"),
            "error: pre-condition 3: (4,3):(1,8) has no mode for the basis stride 1@2");
  EXPECT_EQ(eval("(0,3):(1,8) o 2:1"),
            "error: pre-condition 4: the left-hand side (0,3):(1,8) has an extent of 0");
}

TEST(Complement, Post3IncreasingPost4DisjointPost5Covers) {
  RandomLayouts random(4);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    const std::int64_t target = cosize(l).value() * (1 + random.below(3));
    auto c = complement(l, IntTuple(target));
    ASSERT_TRUE(c.ok()) << l.text();
    std::set<std::int64_t> image;
    for (std::int64_t i = 0; i < size_of(l); ++i) image.insert(at(l, i));
    for (std::int64_t i = 1; i < size_of(*c); ++i) {
      ASSERT_LT(at(*c, i - 1), at(*c, i)) << l.text();
      ASSERT_EQ(image.count(at(*c, i)), 0u) << l.text() << " " << c->text();
    }
    ASSERT_GE(size_of(*c) * static_cast<std::int64_t>(image.size()), target) << l.text() << " " << c->text();
  }
}

TEST(Complement, Pre1And2AreNamed) {
  EXPECT_EQ(eval("complement(4:-1)"), "error: pre-condition 1: stride -1 is not a positive integer");
  EXPECT_EQ(
      eval("complement((4,2):(1,2))"),
      "error: pre-condition 2: stride 2 falls inside the 4 elements below it: some value is taken twice");
}

TEST(RightInverse, Post2) {
  RandomLayouts random(5);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    auto r = right_inverse(l);
    ASSERT_TRUE(r.ok());
    for (std::int64_t i = 0; i < size_of(*r); ++i)
      ASSERT_EQ(at(l, at(*r, i)), i) << l.text() << " " << r->text();
  }
}

TEST(LeftInverse, Post3) {
  RandomLayouts random(6);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    auto r = left_inverse(l);
    ASSERT_TRUE(r.ok()) << l.text();
    for (std::int64_t i = 0; i < size_of(l); ++i)
      ASSERT_EQ(at(l, at(*r, at(l, i))), at(l, i)) << l.text() << " " << r->text();
  }
}

TEST(LogicalDivide, Post2TilePost3Permutation) {
  RandomLayouts random(7);
  int made = 0;
  int permuted = 0;
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    const Layout t = random.layout(2);
    auto d = logical_divide(l, Tiler(t));
    auto tile = composition(l, t.view());
    if (!d) continue;
    ++made;
    ASSERT_TRUE(tile.ok());
    EXPECT_EQ(d->mode(0), *tile);
    auto rest = complement(t, coalesce(l).shape());
    ASSERT_TRUE(rest.ok());
    if (carry_free(l, Layout::concat({t, *rest})) != true || size_of(*d) != size_of(l)) continue;
    ++permuted;
    std::multiset<std::int64_t> a, b;
    for (std::int64_t i = 0; i < size_of(l); ++i) a.insert(at(l, i)), b.insert(at(*d, i));
    EXPECT_EQ(a, b) << l.text() << " / " << t.text();
  }
  EXPECT_GT(permuted, rounds / 10);
  EXPECT_GT(made, rounds / 10);
}

TEST(LogicalProduct, Post2BlockPost3DisjointCopies) {
  RandomLayouts random(8);
  int made = 0;
  for (int round = 0; round < rounds; ++round) {
    const Layout block = random.layout(2);
    const Layout tiler = random.layout(2);
    auto p = logical_product(block, Tiler(tiler));
    if (!p) continue;
    ++made;
    EXPECT_EQ(p->mode(0), block);
    EXPECT_EQ(compatible(tiler.shape(), p->mode(1).shape()), true);
    std::set<std::int64_t> image;
    for (std::int64_t i = 0; i < size_of(*p); ++i) image.insert(at(*p, i));
    ASSERT_EQ(static_cast<std::int64_t>(image.size()), size_of(*p)) << block.text() << " x " << tiler.text();
  }
  EXPECT_GT(made, rounds / 10);
}

TEST(MaxCommonLayout, Post2) {
  RandomLayouts random(9);
  for (int round = 0; round < rounds; ++round) {
    const Layout a = random.layout(2);
    const Layout b = random.layout(2);
    auto r = max_common_layout(a, b);
    if (!r) continue;
    for (std::int64_t i = 0; i < size_of(*r); ++i) {
      ASSERT_EQ(at(a, at(*r, i)), i) << a.text() << " " << b.text();
      ASSERT_EQ(at(b, at(*r, i)), i) << a.text() << " " << b.text();
    }
    auto v = max_common_vector(a, b);
    ASSERT_TRUE(v.ok());
    EXPECT_GE(v->value(), 1);
    EXPECT_EQ(v->value(), size_of(*r));
  }
}

TEST(Cosize, IsAboveEveryValue) {
  RandomLayouts random(10);
  for (int round = 0; round < rounds; ++round) {
    const Layout l = random.layout(3, true);
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < size_of(l); ++i) most = std::max(most, at(l, i));
    EXPECT_EQ(cosize(l).value(), most + 1) << l.text();
    auto fast = KnownLayout::of(l);
    ASSERT_TRUE(fast.ok());
    for (std::int64_t i = 0; i < size_of(l); ++i) ASSERT_EQ((*fast)(i), at(l, i)) << l.text();
  }
}

TEST(Idx2crd, PostInvertsCrd2idx) {
  RandomLayouts random(11);
  for (int round = 0; round < rounds; ++round) {
    const IntTuple s = random.shape(3);
    for (std::int64_t i = 0; i < product(s).value(); ++i) {
      auto coord = idx2crd(IntTuple(i), s);
      ASSERT_TRUE(coord.ok());
      EXPECT_TRUE(congruent(*coord, s));
      ASSERT_EQ(crd2idx(*coord, s)->value(), i) << s.text();
    }
  }
}

}  // namespace cutelab::layout::testing
