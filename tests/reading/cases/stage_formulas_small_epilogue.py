"""The three formulas with a C stage of 8 KiB: 6, 6 and 7; one accumulator stage, or two to overlap the epilogue."""
import cutlass
import cutlass.cute as cute

smem_capacity = 232448
occupancy = 1
ab_bytes = 32768
helpers = 1024
c_bytes = 2 * 8192
epi_bytes = 0

num_acc_stage = 1  # expect: H3 stages stages=1
persistent_acc_stage = 2  # expect: H3 stages stages=2
one_tile_ab_stage = (smem_capacity - (occupancy + 1) * (helpers + c_bytes)) // ab_bytes  # expect: H3 stages stages=6 form=thewholecapacity,lessareserveforeveryCTAandonemore,lesstheepilogue'sbuffers
persistent_ab_stage = (smem_capacity // occupancy - (helpers + c_bytes)) // ab_bytes  # expect: H3 stages stages=6 form=eachCTA'sshareofthecapacity,lesstheepilogue'sbuffers
reusing_ab_stage = (smem_capacity // occupancy - helpers - epi_bytes) // ab_bytes  # expect: H3 stages stages=7 form=eachCTA'sshareofthecapacity,theepilogue'sbuffersnotcounted
geforce_ab_stage = (101376 // occupancy - helpers - epi_bytes) // ab_bytes  # expect: H3 stages stages=3


@cute.kernel
def kernel(x: cute.Tensor):
    x[0] = 1


@cute.jit
def run(x: cute.Tensor):
    kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))
