#pragma once

namespace cutelab::device {

/// void cutelab_sweep(const uint4* at, u64 vectors): every thread of the grid reads its share, 16 bytes at a
/// time, past L1. The sum is stored only in the one case that cannot be excluded at compile time, so that the
/// loads are not dropped; the swept memory holds zeros, so nothing is ever written and L2 is left with clean
/// lines.
inline constexpr char sweep_ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry cutelab_sweep(.param .u64 at, .param .u64 vectors)
{
  .reg .pred %done, %odd;
  .reg .u32 %a, %b, %c, %d, %sum, %t;
  .reg .u64 %base, %n, %i, %step, %p, %w;
  ld.param.u64 %base, [at];
  ld.param.u64 %n, [vectors];
  cvta.to.global.u64 %base, %base;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %c, %tid.x;
  mov.u32 %d, %nctaid.x;
  mad.lo.u32 %t, %a, %b, %c;
  cvt.u64.u32 %i, %t;
  mul.wide.u32 %step, %b, %d;
  mov.u32 %sum, 0;
LOOP:
  setp.ge.u64 %done, %i, %n;
  @%done bra END;
  shl.b64 %w, %i, 4;
  add.u64 %p, %base, %w;
  ld.global.cg.v4.u32 {%a, %b, %c, %d}, [%p];
  or.b32 %sum, %sum, %a;
  or.b32 %sum, %sum, %b;
  or.b32 %sum, %sum, %c;
  or.b32 %sum, %sum, %d;
  add.u64 %i, %i, %step;
  bra LOOP;
END:
  setp.ne.u32 %odd, %sum, 0;
  @%odd st.global.u32 [%base], %sum;
  ret;
}
)";

}  // namespace cutelab::device
