#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace cutelab::layout {

/// A matrix instruction as thread-value layouts: (thread, value) → index in the operand's tile, first mode
/// (M, N) fastest: A maps to m + M·k, B to n + N·k, C to m + M·n. Source: PTX's fragment figures, spelled as
/// CuTe's MMA_Traits.
struct MmaAtom {
  std::string name;      ///< "wgmma.m64n256k16.f16"
  std::string a_source;  ///< "registers", "smem" (through a descriptor), "tmem"
  int m = 0, n = 0, k = 0;
  int a_bits = 0;  ///< of one element of A and B
  Layout threads;  ///< 32:1 a warp, 128:1 a warpgroup, 1:0 or 2:1 CTAs for tcgen05
  Layout a, b, c;
  std::string note;  ///< what a reader has to know
};

/// A copy instruction of one warp (TMA: of one thread) in units of bits: (thread, bit) → bit of the source,
/// and of the destination.
struct CopyAtom {
  std::string name;  ///< "ldmatrix.x4", "stmatrix.x2.trans"
  Layout source, destination;
  std::string note;
  /// tcgen05: bit → bit address in tensor memory (a lane every 2^21 bits), CuTe's ValID.
  std::optional<Layout> address;
};

/// Families:
///   mma.m16n8k{4,8,16,32,64}.TYPE, mma.m8n8k{4,16}.{f64,s8}                    warp, sm_75 to sm_120
///   wgmma.m64n{8…256}k{8,16,32}.TYPE[.rs]                                      warpgroup, sm_90a; rs: A from
///   registers tcgen05.m{64,128,256}n{8…256}k{8,16,32,64}.TYPE[.cta2][.ts]                sm_100a; ts: A from
///   tensor memory
/// TYPE: f16 bf16 tf32 e4m3 e5m2 e3m2 e2m3 e2m1 s8 u8 s4 f64, and block-scaled mxf8 mxf4 nvf4. Errors (kind
/// input): no such family, shape or type, with what there is.
Result<MmaAtom> mma_atom(std::string_view name);
///   ldmatrix.x{1,2,4}[.trans], stmatrix.x{1,2,4}[.trans]                       16-bit, sm_75, sm_90
///   ldmatrix.m16n16.x{1,2}.trans.b8, stmatrix.m16n8.x{1,2,4}.trans.b8          8-bit, sm_100
///   ldmatrix.m8n16.x{1,2,4}.{b4x16_p64,b6x16_p32}                              4- and 6-bit to 8-bit, sm_100
///   tcgen05.ld.SHAPE.xN[.pack16b], tcgen05.st.SHAPE.xN[.unpack16b]             N a power of two
///     SHAPE: 16x64b 16x128b 16x256b 32x32b 16x32bx2
///   tma.{load,multicast,store,reduce}.BOX.bBITS                                the contiguous extent first
Result<CopyAtom> copy_atom(std::string_view name);

/// Names that mma_atom and copy_atom answer to, a representative of each family and type.
std::vector<std::string> mma_atom_names();
std::vector<std::string> copy_atom_names();

}  // namespace cutelab::layout
