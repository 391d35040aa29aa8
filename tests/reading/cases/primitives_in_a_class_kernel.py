# expect-style: class
import cutlass.cute as cute
from cutlass.experimental import primitives as prims


class Kernel:
    @cute.kernel
    def kernel(self, x):
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        prims.griddepcontrol(prims.GridDepAction.WAIT)  # expect: D5 dependent-launch action=wait
        cute.arch.sync_threads()
        prims.griddepcontrol(prims.GridDepAction.LAUNCH_DEPENDENTS)  # expect: D5 dependent-launch action=launch
