// Extents, strides and offsets up to the ends of 64 bits: every operation and every analysis gives a value
// that is right, the symbol `overflow`, or an error that says why; nothing wraps around (a build with UBSan
// watches).
#include "layout/banks.h"
#include "layout/operations.h"
#include "layout/smem.h"
#include "layout/support.h"
#include "layout/tma.h"

namespace cutelab::layout::testing {

constexpr std::int64_t extremes[] = {0,         1,         3,         8,         1LL << 31, 1LL << 32,
                                     1LL << 40, 1LL << 50, 1LL << 61, 1LL << 62, INT64_MAX, INT64_MAX - 1};

class Extremes : public ::testing::Test {
 protected:
  std::int64_t number(bool negative) {
    const std::int64_t n = extremes[random_.below(static_cast<int>(std::size(extremes)))];
    if (!negative || random_.below(3) > 0) return n;
    return n == INT64_MAX && random_.below(2) ? INT64_MIN : -n;
  }
  IntTuple far(TupleView t, bool negative) {
    if (t.is_leaf()) return random_.below(2) ? IntTuple(number(negative)) : IntTuple(t);
    std::vector<IntTuple> modes;
    for (int i = 0; i < t.rank(); ++i) modes.push_back(far(t.mode(i), negative));
    return IntTuple::tuple(modes);
  }
  Layout layout(int most_modes) {
    const Layout l = random_.layout(most_modes, true);
    return Layout::unchecked(far(l.shape(), false), far(l.stride(), true));
  }
  ComposedLayout composed(int most_modes) {
    static constexpr Swizzle swizzles[] = {{0, 4, 3}, {3, 4, 3}, {2, 31, 29}, {1, 0, -1}, {31, 0, 31}};
    const Swizzle swizzle = swizzles[random_.below(5)];
    return ComposedLayout(swizzle, random_.below(2) ? number(true) : 0, layout(most_modes));
  }
  RandomLayouts random_{30};
};

TEST_F(Extremes, OfOperationsAreValuesOrErrors) {
  int values = 0;
  int errors = 0;
  for (int round = 0; round < 600; ++round)
    for (const Operation& operation : operations())
      for (int count = operation.least; count <= (operation.most < 0 ? 3 : operation.most); ++count) {
        std::vector<Value> arguments;
        for (int i = 0; i < count; ++i) switch (random_.below(4)) {
            case 0:
              arguments.emplace_back(composed(2));
              break;
            case 1:
              arguments.emplace_back(IntTuple(number(true)));
              break;
            case 2:
              arguments.emplace_back(far(random_.shape(2), true));
              break;
            default:
              arguments.emplace_back(layout(3));
          }
        auto result = operation.run(arguments);
        ++(result ? values : errors);
        if (result)
          EXPECT_FALSE(result->text().empty()) << operation.name;
        else
          EXPECT_FALSE(result.error().wrong.empty()) << operation.name;
      }
  EXPECT_GT(values, 5000);
  EXPECT_GT(errors, 5000);
}

// What is evaluated is what exact arithmetic gives, whichever way it is evaluated.
TEST_F(Extremes, OfEvaluationAreExactOrRefused) {
  int evaluated = 0;
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const ComposedLayout l = composed(2);
    auto known = KnownComposed::of(l);
    if (!known) {
      ++refused;
      EXPECT_FALSE(known.error().wrong.empty());
      continue;
    }
    for (const std::int64_t i : {std::int64_t{0}, known->size() / 2, known->size() - 1}) {
      if (i < 0 || i >= known->size()) continue;
      auto exact = crd2idx(IntTuple(i), l);
      ASSERT_TRUE(exact.ok()) << l.text();
      EXPECT_EQ((*known)(i), exact->leaf().value()) << l.text() << " at " << i;
      EXPECT_EQ(known->at(i), exact->leaf().value()) << l.text() << " at " << i;
      ++evaluated;
    }
    for (const std::int64_t i : {INT64_MAX, INT64_MIN, known->size()}) (void)known->at(i);
  }
  EXPECT_GT(evaluated, 500);
  EXPECT_GT(refused, 500);
}

TEST_F(Extremes, OfAnalysesAreReportsOrErrors) {
  int reports = 0;
  const auto seen = [&](const auto& result) {
    reports += result.ok();
    if (!result) {
      EXPECT_FALSE(result.error().wrong.empty());
    }
  };
  for (int round = 0; round < 4000; ++round) {
    const ComposedLayout l = composed(2);
    const std::int64_t bits = std::int64_t{1} << random_.below(64);
    const SwizzleUnit unit = random_.below(2) ? SwizzleUnit::bytes : SwizzleUnit::elements;
    auto access = warp_access(l, bits, unit, random_.below(2) ? layout(1) : plain("32:1"),
                              static_cast<AccessKind>(random_.below(4)), 1 << random_.below(5));
    seen(access);
    if (access) {
      EXPECT_GE(bank_conflicts(*access).wavefronts, 1);
      EXPECT_GE(global_sectors(*access).sectors, 1);
    }
    TmaRequest request{l.layout(), far(product_each(l.shape()), true), bits, 128, {}, {}};
    if (random_.below(2)) request.smem = composed(2);
    seen(check_tma(request));
    seen(descriptor_units(l, bits));
    seen(element_form(l, bits));
    seen(byte_form(l, bits));
    (void)leading_mode(l.layout());
    const Major major = random_.below(2) ? Major::k : Major::mn;
    seen(sm90_make_smem_layout_a(major, {number(true), number(true), number(true)}, bits, number(true)));
    seen(sm100_make_smem_layout_b(major, {number(true), number(true), number(true)}, 1 + random_.below(2),
                                  {number(true), number(true), number(true)}, bits, number(true)));
  }
  EXPECT_GT(reports, 1000);
}

TEST(ExtremesNamed, TheLimitIsSaid) {
  const auto wrong = [](const char* text) { return KnownComposed::of(*parse_layout(text)).error().wrong; };
  EXPECT_EQ(wrong("2:9223372036854775807"),
            "pre-condition 1: the layout 2:9223372036854775807 reaches past 2^50");
  EXPECT_EQ(wrong("(1099511627776,2):(1,1)"), "pre-condition 1: the layout has more than 2^40 elements");
  EXPECT_EQ(wrong("Sw<3,4,3> o 1125899906842625 o 8:1"),
            "pre-condition 1: the offset 1125899906842625 is past 2^50");
  EXPECT_EQ(wrong("Sw<1,30,25> o 0 o 8:1"), "pre-condition 1: the swizzle Sw<1,30,25> moves bits past 2^50");
}

}  // namespace cutelab::layout::testing
