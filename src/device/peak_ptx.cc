#include "device/peak_ptx.h"

#include <fmt/format.h>

namespace cutelab::device {

std::string fma_ptx() {
  constexpr int chains = 16;
  std::string body, sum;
  for (int n = 0; n < fma_per_turn; ++n)
    body += fmt::format("  fma.rn.f32 %x{0}, %x{0}, %a, %b;\n", n % chains);
  std::string first;
  for (int c = 0; c < chains; ++c) {
    first += fmt::format("  add.rn.f32 %x{}, %s, 0f{:08X};\n", c, 0x3F800000 + (c << 16));
    sum += fmt::format("  add.rn.f32 %s, %s, %x{};\n", c);
  }
  return fmt::format(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry cutelab_fma(.param .u64 at, .param .u64 turns)
{{
  .reg .pred %go, %odd;
  .reg .f32 %x<{}>;
  .reg .f32 %a, %b, %s;
  .reg .u32 %t;
  .reg .u64 %p, %n;
  ld.param.u64 %p, [at];
  ld.param.u64 %n, [turns];
  cvta.to.global.u64 %p, %p;
  mov.u32 %t, %tid.x;
  cvt.rn.f32.u32 %s, %t;
{}  mov.f32 %a, 0f3F7FFF00;
  mov.f32 %b, 0f3DCCCCCD;
LOOP:
{}  sub.u64 %n, %n, 1;
  setp.ne.u64 %go, %n, 0;
  @%go bra LOOP;
{}  setp.eq.f32 %odd, %s, 0f7F800000;
  @%odd st.global.f32 [%p], %s;
  ret;
}}
)",
                     chains, first, body, sum);
}

namespace {

/// Shared memory filled with bf16 values in ±[0.5, 1), and made visible to the tensor cores.
constexpr char fill_tile[] = R"(  mov.u32 %t, %tid.x;
  mov.u32 %v, tile;
  shl.b32 %i, %t, 2;
FILL:
  mad.lo.u32 %w, %i, 1664525, 1013904223;
  mul.lo.u32 %w, %w, 1103515245;
  and.b32 %w, %w, 0x807F807F;
  or.b32 %w, %w, 0x3F003F00;
  add.u32 %t, %v, %i;
  st.shared.u32 [%t], %w;
  add.u32 %i, %i, 512;
  setp.lt.u32 %go, %i, 40960;
  @%go bra FILL;
  fence.proxy.async;
  bar.sync 0;
)";

}  // namespace

std::string wgmma_ptx() {
  constexpr int accumulators = 128;  // fp32 registers of a thread: 64 × 256 / 128
  std::string list, zero, sum, products;
  for (int i = 0; i < accumulators; ++i) {
    list += fmt::format("{}%d{}", i ? ", " : "", i);
    zero += fmt::format("  mov.f32 %d{}, 0f00000000;\n", i);
    sum += fmt::format("  add.rn.f32 %s, %s, %d{};\n", i);
  }
  for (int n = 0; n < wgmma_per_turn; ++n)
    products += fmt::format(
        "  wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{{}}}, %da, %db, %one, 1, 1, 0, 0;\n",
        list);
  // Descriptors: address / 16, 1024 bytes from one group of eight rows to the next, 128-byte swizzle (PTX
  // ISA, matrix descriptor).
  return fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry cutelab_wgmma(.param .u64 at, .param .u64 turns)
.maxntid 128, 1, 1
{{
  .shared .align 1024 .b8 tile[40960];
  .reg .pred %go, %odd, %one;
  .reg .f32 %d<{}>;
  .reg .f32 %s;
  .reg .u32 %t, %i, %v, %w;
  .reg .u64 %p, %n, %da, %db, %c;
  ld.param.u64 %p, [at];
  ld.param.u64 %n, [turns];
  cvta.to.global.u64 %p, %p;
{}  shr.u32 %w, %v, 4;
  cvt.u64.u32 %da, %w;
  mov.u64 %c, 0x4000004000010000;
  or.b64 %da, %da, %c;
  add.u32 %w, %w, 512;
  cvt.u64.u32 %db, %w;
  or.b64 %db, %db, %c;
  setp.eq.u32 %one, 0, 0;
{}LOOP:
  wgmma.fence.sync.aligned;
{}  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  sub.u64 %n, %n, 1;
  setp.ne.u64 %go, %n, 0;
  @%go bra LOOP;
  mov.f32 %s, 0f00000000;
{}  setp.eq.f32 %odd, %s, 0fFF800000;
  @%odd st.global.f32 [%p], %s;
  ret;
}}
)",
                     accumulators, fill_tile, zero, products, sum);
}

}  // namespace cutelab::device
