import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import dsl_user_op


@dsl_user_op
def remote_store(value, address, barrier, *, loc=None, ip=None):
    peer = llvm.inline_asm(None, [address], "mapa.shared::cluster.u32 $0, $1, 1;", "=r,r")  # expect: D3 remote-address
    llvm.inline_asm(None, [peer, value, barrier], "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $1, [$2];", "r,f,r")  # expect: D3 copy


@dsl_user_op
def load(address, descriptor, barrier, *, loc=None, ip=None):
    llvm.inline_asm(None, [address, descriptor, barrier], "{ .reg .pred p; elect.sync _|p, 0xFFFFFFFF;\n @p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], [$2]; }", "r,l,r")  # expect: D3 copy operation=tma-load direction=load


@dsl_user_op
def others(*, loc=None, ip=None):
    llvm.inline_asm(None, [], "griddepcontrol.wait;", "")  # expect: D5 dependent-launch action=wait
    llvm.inline_asm(None, [], "setmaxnreg.dec.sync.aligned.u32 40;", "")  # expect: D1 register-budget action=decrease
    llvm.inline_asm(None, [], "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {$0}, $1, $2, 1, 1, 1, 0, 0;", "")  # expect: D4 gemm
    llvm.inline_asm(None, [], "mbarrier.arrive.shared::cta.b64 _, [$0];", "r")  # expect: D5 barrier
    llvm.inline_asm(None, [], "add.f32 $0, $1, $2;", "=f,f,f")


@cute.kernel
def kernel(address, descriptor, barrier):
    load(address, descriptor, barrier)  # expect: D3 copy operation=tma-load
