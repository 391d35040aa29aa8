import cutlass.cute as cute
import cutlass.experimental.primitives as prims


@cute.kernel
def kernel(x):
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        prims.setmaxregister(40, prims.SetMaxRegisterAction.DECREASE)  # expect: D1 register-budget registers=40 action=decrease
    if warp_idx == 4:
        prims.setmaxregister(232, action=prims.SetMaxRegisterAction.INCREASE)  # expect: D1 register-budget registers=232 action=increase
