# A helper launches nothing: PTX that reaches into another CTA shows the cluster that its callers launch. What
# needs it decides no minimum for those that do not.
# expect-pattern: P7 present dsmem=true
# expect-pattern: P9 present
# expect-arch: sm_80
import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import dsl_user_op


@dsl_user_op
def remote_address(pointer, rank, *, loc=None, ip=None):
    return llvm.inline_asm(None, [pointer, rank], "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r")  # expect-evidence: P7


@cute.jit
def reduce_row(value, buffer, count):
    lane_idx = cute.arch.lane_idx()
    if lane_idx == 0:  # expect-no-evidence: P9
        buffer[0] = value
    if lane_idx < count:  # expect-evidence: P9
        value = buffer[lane_idx]
    return cute.arch.warp_reduction(value)


@cute.jit
def reduce_cluster(value, buffer, barrier):
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64)
    cute.arch.mbarrier_wait(barrier, phase=0)
    return value


@cute.jit
def reduce(value, buffer, barrier, cluster_n: cutlass.Constexpr):
    if cutlass.const_expr(cluster_n == 1):
        return reduce_row(value, buffer, 4)
    else:
        return reduce_cluster(value, buffer, barrier)
