// What CollectiveBuilder decides is named with what decides it: stages, schedule, layouts, store, scheduler.
// expect-arch: sm_90a
// expect-pattern: P1 present default_active
// expect-pattern: P2 present default_active
// expect-pattern: P3 present default_active kind=static
// expect-pattern: P5 present default_active
// expect-pattern: P6 present default_active
// expect-pattern: P7 present default_active
// expect-pattern: P8 present default_active kind=direct_store
// expect-pattern: P9 absent
// expect-pattern: P10 present default_active
#include "cute/tensor.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
using namespace cute;

using Element = cutlass::half_t;
using Layout = cutlass::layout::RowMajor;
using TileShape = Shape<_128, _256, _64>;
using ClusterShape = Shape<_2, _1, _1>;
using Count = cutlass::gemm::collective::StageCountAuto;

using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<  // expect: D6 shared-layout ; E1 store
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, TileShape, ClusterShape,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, Element, Layout, 8, Element, Layout, 8,
    cutlass::epilogue::collective::EpilogueScheduleAuto>::CollectiveOp;

using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<  // expect: D4 mma architecture=Sm90
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp,
    Element, Layout, 8, Element, Layout, 8, float,
    TileShape, ClusterShape,
    Count,  // expect: H3 stages stages=4 bytes_per_stage=49168
    cutlass::gemm::collective::KernelScheduleAuto>::CollectiveOp;  // expect: S1 scheduler

using Fixed = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp,
    Element, Layout, 8, Element, Layout, 8, float,
    TileShape, ClusterShape,
    cutlass::gemm::collective::StageCount<3>,  // expect: H3 stages stages=3
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;

using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int>, Mainloop, Epilogue>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

void run(Gemm::Arguments arguments) {
  Gemm gemm;
  gemm.initialize(arguments);
  gemm.run();  // expect: H2 launch cluster=(2,1,1)
}
