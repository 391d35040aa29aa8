import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims


@cute.kernel
def kernel(out: cute.Tensor):
    columns = 256  # expect: D4 tmem-columns columns=256
    address = cutlass.Array(cutlass.Int32, 1, space=cutlass.AddressSpace.smem)
    tile = cutlass.Array(cutlass.Float16, (128, 64), space=cutlass.AddressSpace.smem)  # expect: H3 allocation bytes=16384
    prims.tcgen05_alloc(address, columns)  # expect: D4 tensor-memory-allocation columns=256
    instruction = prims.Tcgen05InstrDesc.build(a_dtype=cutlass.Float16, n_dim=128, m_dim=128)  # expect: D4 mma
    descriptor = prims.Tcgen05SmemDesc.build(tile, leading_byte_offset=16, stride_byte_offset=1024, layout=2)  # expect: D6 shared-layout swizzle=128bytes
    accumulate = cutlass.Boolean(False)  # expect: D4 accumulate
    prims.tcgen05_mma(prims.Tcgen05MMAKind.F16, prims.CTAGroup.CTA_1, address, descriptor, descriptor, instruction, accumulate)  # expect: D4 gemm operand_kind=F16 cta_group=CTA_1
    prims.barrier_cta_sync(2, thread_count=160)  # expect: D5 barrier id=2 threads=160
