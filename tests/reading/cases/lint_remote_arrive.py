"""An arrive on the leader's barrier with the scope of one's own CTA."""
import cutlass.cute as cute
import cutlass.experimental.primitives as prims


@cute.kernel
def kernel(bar, stage):
    leader = prims.mapa(bar, 0)
    prims.mbarrier_arrive(leader, count=1, scope=prims.MemScope.CTA)  # expect-lint: remote-arrive-scope lies in another CTA


@cute.jit
def run(bar):
    kernel(bar, 0).launch(grid=(2, 1, 1), block=[128, 1, 1], cluster=[2, 1, 1])
# expect-remedy: remote-arrive-scope scope=MemScope.CLUSTER
