"""Three formulas for the stages of one tile: 128x128x64 fp16 (32 KiB a stage), a C stage of 16 KiB, 227 KiB."""
import cutlass
import cutlass.cute as cute

smem_capacity = 232448
occupancy = 1
ab_bytes = 32768
helpers = 1024
c_bytes = 2 * 16384
epi_bytes = 0

one_tile_ab_stage = (smem_capacity - (occupancy + 1) * (helpers + c_bytes)) // ab_bytes  # expect: H3 stages stages=5 form=thewholecapacity,lessareserveforeveryCTAandonemore,lesstheepilogue'sbuffers
persistent_ab_stage = (smem_capacity // occupancy - (helpers + c_bytes)) // ab_bytes  # expect: H3 stages stages=6 form=eachCTA'sshareofthecapacity,lesstheepilogue'sbuffers
reusing_ab_stage = (smem_capacity // occupancy - helpers - epi_bytes) // ab_bytes  # expect: H3 stages stages=7 form=eachCTA'sshareofthecapacity,theepilogue'sbuffersnotcounted


@cute.kernel
def kernel(x: cute.Tensor):
    x[0] = 1


@cute.jit
def run(x: cute.Tensor):
    kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))
