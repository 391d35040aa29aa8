// Schedules that a configuration gives: of several, what all of them are.
// expect-pattern: P2 present default_active
// expect-pattern: P3 present default_active kind=static
// expect-pattern: P8 present kind=smem_tma_store
#include "cutlass/gemm/collective/collective_builder.hpp"
using namespace cute;

struct Cooperative {
  using KernelSchedule = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative;
  using EpilogueSchedule = cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative;
};
struct Pingpong {
  using KernelSchedule = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedPingpong;
  using EpilogueSchedule = cutlass::epilogue::PtrArrayTmaWarpSpecializedPingpong;
};

template <class Config>
struct Given {
  using KernelSchedule = typename Config::KernelSchedule;
  using EpilogueSchedule = typename Config::EpilogueSchedule;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<  // expect: E1 store
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Shape<_128, _128, _64>, Shape<_1, _1, _1>,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, float, Layout, 4, float, Layout, 4,
      EpilogueSchedule>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, cutlass::half_t, Layout, 8, cutlass::half_t, Layout, 8, float,
      Shape<_128, _128, _64>, Shape<_1, _1, _1>,
      cutlass::gemm::collective::StageCountAuto,  // expect: H3 stages stages=7
      KernelSchedule>::CollectiveOp;  // expect: S1 scheduler
};
