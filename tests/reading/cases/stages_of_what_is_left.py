"""Stages from columns of tensor memory, and from bits that other statements add up."""
import cutlass
import cutlass.cute as cute

tmem_capacity = 512
used_columns = 128
acc_stages = (tmem_capacity - used_columns) // 64  # expect: H3 stages stages=6 form=thecolumnsoftensormemory,lessused_columns

smem_capacity = 232448
taken_bits = 8192
taken_bits += 65536
kv_stages = (smem_capacity * 8 - taken_bits) // 262144  # expect: H3 stages stages=6 form=thewholecapacity,lesstaken_bits


@cute.kernel
def kernel(x: cute.Tensor):
    x[0] = 1


@cute.jit
def run(x: cute.Tensor):
    kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))
