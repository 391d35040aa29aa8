// Values from the worked examples of CUTLASS's layout documentation (media/docs/cpp/cute): 01_layout,
// 02_layout_algebra, 03_tensor, 0t_mma_atom, 0y_predication, 0z_tma_tensors.
#include <fmt/format.h>

#include "layout/support.h"

namespace cutelab::layout::testing {

struct Example {
  const char* expression;
  const char* value;
};

class WorkedExamples : public ::testing::TestWithParam<Example> {};

TEST_P(WorkedExamples, HasTheDocumentedValue) { EXPECT_EQ(eval(GetParam().expression), GetParam().value); }

INSTANTIATE_TEST_SUITE_P(
    LayoutAlgebra, WorkedExamples,
    ::testing::Values(
        Example{"coalesce((2,(1,6)):(1,(6,2)))", "12:1"},
        Example{"coalesce((2,(1,6)):(1,(6,2)),(1,1))", "(2,6):(1,2)"},
        Example{"composition((6,2):(8,2),(4,3):(3,1))", "((2,2),3):((24,2),8)"},
        Example{"(6,2):(8,2) o 4:3", "(2,2):(24,2)"}, Example{"(6,2):(8,2) o 3:1", "3:8"},
        Example{"20:2 o (5,4):(4,1)", "(5,4):(8,2)"}, Example{"20:2 o (5,4):(1,5)", "(5,4):(2,10)"},
        Example{"(10,2):(16,4) o (5,4):(1,5)", "(5,(2,2)):(16,(80,4))"},
        Example{"(12,(4,8)):(59,(13,1)) o <3:4, 8:2>", "(3,(2,4)):(236,(26,1))"},
        Example{"(12,(4,8)):(59,(13,1)) o (3,8)", "(3,(4,2)):(59,(13,1))"},
        Example{"complement(4:1,24)", "6:4"}, Example{"complement(6:4,24)", "4:1"},
        Example{"complement((4,6):(1,4),24)", "1:0"}, Example{"complement(4:2,24)", "(2,3):(1,8)"},
        Example{"complement((2,4):(1,6),24)", "3:2"}, Example{"complement((2,2):(1,6),24)", "(3,2):(2,12)"},
        Example{"logical_divide((4,2,3):(2,1,8),4:2)", "((2,2),(2,3)):((4,1),(2,8))"},
        Example{"logical_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)",
                "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
        Example{"zipped_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)",
                "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
        Example{"composition((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)", "(3,(2,4)):(177,(13,2))"},
        Example{"logical_product((2,2):(4,1),6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
        Example{"logical_product((2,2):(4,1),(4,2):(2,1))", "((2,2),(4,2)):((4,1),(8,2))"}));

INSTANTIATE_TEST_SUITE_P(
    Layouts, WorkedExamples,
    ::testing::Values(
        Example{"(4,(3,6))", "(4,(3,6))"}, Example{"make_layout((4,(3,6)))", "((4,(3,6))):((1,(4,12)))"},
        Example{"take((2,3,5,7):(1,2,6,30),1,3)", "(3,5):(2,6)"},
        Example{"select((2,3,5,7):(1,2,6,30),0,1,3)", "(2,3,7):(1,2,30)"},
        Example{"make_layout(3:1,4:3)", "(3,4):(1,3)"},
        Example{"make_layout(make_layout(3:1,4:3),make_layout(4:3,3:1))", "((3,4),(4,3)):((1,3),(3,1))"},
        Example{"group((2,3,5,7):(1,2,6,30),0,2)", "((2,3),5,7):((1,2),6,30)"},
        Example{"group(group((2,3,5,7):(1,2,6,30),0,2),1,3)", "((2,3),(5,7)):((1,2),(6,30))"},
        Example{"flatten(((2,3),(5,7)):((1,2),(6,30)))", "(2,3,5,7):(1,2,6,30)"},
        Example{"idx2crd(16,(3,(2,3)))", "(1,(1,2))"}, Example{"crd2idx((1,5),(3,(2,3)):(3,(12,1)))", "17"},
        Example{"crd2idx((1,(1,2)),(3,(2,3)):(3,(12,1)))", "17"},
        Example{"crd2idx(16,(3,(2,3)):(3,(12,1)))", "17"}, Example{"row_major((2,4))", "(2,4):(4,1)"},
        Example{"identity((4,5))", "(4,5):(1@0,1@1)"}, Example{"crd2idx((2,3),identity((4,5)))", "(2,3)"},
        Example{"crd2idx((2,3),(4,5):(1@1,1@0))", "(3,2)"},
        Example{"make_ordered_layout((2,2,2,2),(0,2,3,1))", "(2,2,2,2):(1,4,8,2)"},
        Example{"make_layout_like((2,2,2,2):(0,2,4,1))", "(2,2,2,2):(0,2,4,1)"}));

// By-mode and rank-sensitive divisions and products of 02_layout_algebra, and its steps of a composition.
INSTANTIATE_TEST_SUITE_P(
    Steps, WorkedExamples,
    ::testing::Values(Example{"20:2 o 5:4", "5:8"}, Example{"20:2 o 4:1", "4:2"},
                      Example{"(10,2):(16,4) o 5:1", "5:16"}, Example{"(10,2):(16,4) o 4:5", "(2,2):(80,4)"},
                      Example{"coalesce((2,4):(1,2))", "8:1"},
                      Example{"(3,6,2,8):(w,x,y,z) o 16:9", "(2,2,4):(3*x,y,z)"},
                      Example{"tiled_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)",
                              "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"},
                      Example{"flat_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)",
                              "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"},
                      Example{"logical_product((2,5):(5,1),<3:5,4:6>)", "((2,3),(5,4)):((5,10),(1,30))"},
                      Example{"blocked_product((2,5):(5,1),(3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"},
                      Example{"raked_product((2,5):(5,1),(3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"},
                      Example{"zipped_product((2,5):(5,1),<3:5,4:6>)", "((2,5),(3,4)):((5,1),(10,30))"},
                      Example{"tiled_product((2,5):(5,1),<3:5,4:6>)", "((2,5),3,4):((5,1),10,30)"},
                      Example{"flat_product((2,5):(5,1),<3:5,4:6>)", "(2,5,3,4):(5,1,10,30)"}));

// 01_layout: parts and concatenations.
INSTANTIATE_TEST_SUITE_P(
    Parts, WorkedExamples,
    ::testing::Values(Example{"select((4,(3,6)),1)", "((3,6)):((4,12))"},
                      Example{"select((2,3,5,7):(1,2,6,30),1,3)", "(3,7):(2,30)"},
                      Example{"select((2,3,5,7):(1,2,6,30),2)", "(5):(6)"},
                      Example{"take((2,3,5,7):(1,2,6,30),1,4)", "(3,5,7):(2,6,30)"},
                      Example{"make_layout(4:3,3:1)", "(4,3):(3,1)"}, Example{"make_layout(3:1)", "(3):(1)"},
                      Example{"make_layout(3:1,make_layout(3:1),3:1)", "(3,(3),3):(1,(1),1)"}));

// 03_tensor (slices, inner and outer partitions, thread-value partitions), 0y_predication.
INSTANTIATE_TEST_SUITE_P(
    Tensors, WorkedExamples,
    ::testing::Values(
        Example{"slice(((3,2),(2,5,2)):((4,1),(2,13,100)),(2,_))", "Sw<0,4,3> o 8 o ((2,5,2)):((2,13,100))"},
        Example{"slice(((3,2),(2,5,2)):((4,1),(2,13,100)),(_,5))", "Sw<0,4,3> o 28 o ((3,2)):((4,1))"},
        Example{"slice(((3,2),(2,5,2)):((4,1),(2,13,100)),((_,_),5))", "Sw<0,4,3> o 28 o (3,2):(4,1)"},
        Example{"slice(((3,2),(2,5,2)):((4,1),(2,13,100)),((_,1),(0,_,1)))",
                "Sw<0,4,3> o 101 o (3,5):(4,13)"},
        Example{"slice(((3,2),(2,5,2)):((4,1),(2,13,100)),((2,_),(_,3,_)))",
                "Sw<0,4,3> o 47 o (2,2,2):(1,2,100)"},
        Example{"shape(zipped_divide((8,24),<4,8>))", "((4,8),(2,3))"},
        Example{"local_tile((8,24),<4,8>,(1,2))", "Sw<0,4,3> o 132 o (4,8):(1,8)"},
        Example{"shape(slice(zipped_divide((8,24),<4,8>),(5,(_,_))))", "(2,3)"},
        Example{"composition((4,8):(8,1),((2,4),(2,2)):((8,1),(4,16)))", "((2,4),(2,2)):((2,8),(1,4))"},
        Example{"make_layout_like((4,8):(32,2))", "(4,8):(8,1)"},
        Example{"logical_divide(1000:1,128)", "(128,8):(1,128)"}));

// The tables that the documents print, element by element.
TEST(WorkedTables, AreTheValues) {
  const auto values = [](const char* expression) {
    std::string out;
    const Layout l = plain(expression);
    for (std::int64_t i = 0; i < size(l).value(); ++i) out += (i ? " " : "") + std::to_string(at(l, i));
    return out;
  };
  EXPECT_EQ(values("(2,(2,2)):(4,(2,1))"), "0 4 2 6 1 5 3 7");
  EXPECT_EQ(values("(4,4,2):(1,8,4)"),
            "0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31");
  // Every coordinate of (3,(2,3)) in its three forms.
  for (int i = 0; i < 18; ++i) {
    const std::string natural = fmt::format("({},({},{}))", i % 3, i / 3 % 2, i / 6);
    for (const std::string& form : {fmt::format("{}", i), fmt::format("({},{})", i % 3, i / 3), natural})
      EXPECT_EQ(eval("idx2crd(" + form + ",(3,(2,3)))"), natural);
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      const std::string coordinate = "(" + std::to_string(i) + "," + std::to_string(j) + ")";
      EXPECT_EQ(eval("crd2idx(" + coordinate + ",(4,5):(1@0,1@1))"), coordinate);
      EXPECT_EQ(eval("crd2idx(" + coordinate + ",(4,5):(1@1,1@0))"),
                "(" + std::to_string(j) + "," + std::to_string(i) + ")");
    }
}

}  // namespace cutelab::layout::testing
