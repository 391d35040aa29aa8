// Symbolic sizes never crash an operation: the result is symbolic, or the error says what it depends on.
#include "layout/fault.h"
#include "layout/operations.h"
#include "layout/support.h"

namespace cutelab::layout::testing {

TEST(Symbols, ResultsStaySymbolic) {
  EXPECT_EQ(eval("size((M,K):(K,1))"), "K*M");
  EXPECT_EQ(eval("coalesce((M,N):(1,M))"), "M*N:1");
  EXPECT_EQ(eval("logical_divide((M,K):(K,1),(128,64))"),
            "((128,ceil_div(M,128)),(64,ceil_div(K,64))):((K,128*K),(1,64))");
  EXPECT_EQ(eval("logical_divide((M{div=128},K):(K,1),(128,64))"),
            "((128,M/128),(64,ceil_div(K,64))):((K,128*K),(1,64))");
  EXPECT_EQ(eval("local_tile((M,K):(K,1),(128,64),(2,_))"),
            "Sw<0,4,3> o 256*K o (128,64,ceil_div(K,64)):(K,1,64)");
  EXPECT_EQ(eval("cosize((M,8):(8,1))"), "8*M");
}

TEST(Symbols, UndecidableQuestionsSaySo) {
  EXPECT_EQ(eval("(M,8):(1,K) o 4:1"), "error: undetermined, depends on M: is M less than 4?");
  EXPECT_EQ(eval("(M{div=4},8):(1,K) o 4:1"), "4:1");
  EXPECT_EQ(eval("complement((2,2):(M,N),64)"),
            "error: undetermined, depends on N, M: which is larger, stride N or M?");
  EXPECT_TRUE(is_undetermined(parse("right_inverse((4,8):(M,1))").error()));
}

TEST(Symbols, NumbersBeyond64BitsAreNotGuessed) {
  EXPECT_EQ(eval("size((4611686018427387904,4):(1,1))"), "overflow");
  EXPECT_EQ(eval("coalesce((4611686018427387904,4,2):(4,overflow,1))").substr(0, 1), "(");
}

// Every operation of the table on layouts in which any leaf may be a symbol.
TEST(Symbols, NoOperationCrashes) {
  RandomLayouts random(20);
  int symbolic = 0;
  for (int round = 0; round < 400; ++round) {
    const auto with_symbols = [&](const Layout& l) {
      const auto replace = [&](TupleView t, auto&& self, TupleBuilder& build) -> void {
        if (t.is_leaf())
          return build.leaf(random.below(3) == 0
                                ? Int::symbol(random.below(2) ? "M" : "N", 1 + 7 * random.below(2))
                                : t.leaf());
        const auto open = build.open();
        for (int i = 0; i < t.rank(); ++i) self(t.mode(i), self, build);
        build.close(open, t.rank());
      };
      TupleBuilder shape, stride;
      replace(l.shape(), replace, shape);
      replace(l.stride(), replace, stride);
      return Layout::unchecked(shape.take(), stride.take());
    };
    const Layout a = with_symbols(random.layout(3, true));
    const Layout b = with_symbols(random.layout(2, true));
    for (const Operation& operation : operations()) {
      for (int count = operation.least; count <= (operation.most < 0 ? 2 : operation.most); ++count) {
        std::vector<Value> arguments{Value(a)};
        for (int i = 1; i < count; ++i) arguments.push_back(i == 1 ? Value(b) : Value(IntTuple(2)));
        auto result = operation.run(arguments);
        if (result)
          symbolic += !result->text().empty();
        else
          EXPECT_FALSE(result.error().wrong.empty()) << operation.name;
      }
    }
  }
  EXPECT_GT(symbolic, 1000);
}

}  // namespace cutelab::layout::testing
