# What a copy moves that another module makes cannot be followed: it may be tensor memory.
# expect-pattern: P5 present default_active tmem_to_rmem=?
import cutlass.cute as cute
import somewhere


@cute.kernel
def kernel(tmem_ptr, layout, gC):
    cute.arch.setmaxregister_increase(240)
    tCtAcc = cute.make_tensor(tmem_ptr, layout)
    tiled, source, target = somewhere.prepare(tCtAcc, gC)
    cute.copy(tiled, source, target)
