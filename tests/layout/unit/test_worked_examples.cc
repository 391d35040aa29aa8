// Values from the worked examples of CUTLASS's layout documentation (media/docs/cpp/cute): 01_layout,
// 02_layout_algebra, 0z_tma_tensors.
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

}  // namespace cutelab::layout::testing
