# A helper launches nothing: PTX that reaches into another CTA shows the cluster that its callers launch. What
# needs it decides no minimum for those that do not.
# expect-pattern: P7 present dsmem=true
# expect-pattern: P9 present
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
