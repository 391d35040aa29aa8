#!/usr/bin/env python3
"""Compare the MMA, copy, shared-memory and scale-factor atoms with CuTe's traits, compiled from the CUTLASS headers.

usage: layout_atoms_against_cute.py --cutelab PROGRAM [--cutlass INCLUDE_DIR] [--cuda INCLUDE_DIR] [--compiler CXX]
Exit code: 0 all equal, 1 a difference, 77 skipped (the reason is printed).
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import layout_against_cute as common

K = "SM90::GMMA::Major::K"
UK = "UMMA::Major::K"
MMA = {
    "mma.m16n8k8.f16": "SM80_16x8x8_F32F16F16F32_TN", "mma.m16n8k16.f16": "SM80_16x8x16_F32F16F16F32_TN",
    "mma.m16n8k16.bf16": "SM80_16x8x16_F32BF16BF16F32_TN", "mma.m16n8k4.tf32": "SM80_16x8x4_F32TF32TF32F32_TN",
    "mma.m16n8k8.tf32": "SM80_16x8x8_F32TF32TF32F32_TN", "mma.m16n8k16.s8": "SM80_16x8x16_S32S8S8S32_TN",
    "mma.m16n8k32.s8": "SM80_16x8x32_S32S8S8S32_TN", "mma.m16n8k32.e4m3": "SM89_16x8x32_F32E4M3E4M3F32_TN",
    "mma.m16n8k64.s4": "SM80_16x8x64_S32S4S4S32_TN", "mma.m8n8k4.f64": "SM80_8x8x4_F64F64F64F64_TN",
    "mma.m8n8k16.s8": "SM80_8x8x16_S32S8S8S32_TN",
    "wgmma.m64n8k16.f16": f"SM90_64x8x16_F32F16F16_SS<{K},{K}>", "wgmma.m64n64k16.f16": f"SM90_64x64x16_F32F16F16_SS<{K},{K}>",
    "wgmma.m64n128k16.bf16": f"SM90_64x128x16_F32BF16BF16_SS<{K},{K}>", "wgmma.m64n256k16.f16": f"SM90_64x256x16_F32F16F16_SS<{K},{K}>",
    "wgmma.m64n128k8.tf32": "SM90_64x128x8_F32TF32TF32_SS_TN<>", "wgmma.m64n128k32.e4m3": "SM90_64x128x32_F32E4M3E4M3_SS_TN<>",
    "wgmma.m64n128k32.s8": "SM90_64x128x32_S32S8S8_SS_TN", "wgmma.m64n128k16.f16.rs": f"SM90_64x128x16_F32F16F16_RS<{K},{K}>",
    "wgmma.m64n128k8.tf32.rs": "SM90_64x128x8_F32TF32TF32_RS_TN<>", "wgmma.m64n64k32.s8.rs": "SM90_64x64x32_S32S8S8_RS_TN",
    "tcgen05.m64n64k16.f16": f"SM100_MMA_F16BF16_SS<half_t,half_t,float,64,64,{UK},{UK}>",
    "tcgen05.m128n256k16.f16": f"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,{UK},{UK}>",
    "tcgen05.m128n128k8.tf32": f"SM100_MMA_TF32_SS<tfloat32_t,tfloat32_t,float,128,128,{UK},{UK}>",
    "tcgen05.m256n128k16.f16.cta2": f"SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,128,{UK},{UK}>",
    "tcgen05.m128n128k32.mxf8": f"SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,128,{UK},{UK}>",
    "tcgen05.m128n128k64.mxf4": f"SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,128,32,{UK},{UK}>",
    "tcgen05.m128n192k64.nvf4": f"SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,192,16,{UK},{UK}>",
    "tcgen05.m256n256k64.nvf4.cta2": f"SM100_MMA_MXF4_2x1SM_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,256,256,16,{UK},{UK}>",
    "mma.m16n8k64.nvf4": "SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,16>",
    "mma.m16n8k32.mxf8": "SM120::BLOCKSCALED::SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,32>",
    "tcgen05.m128n128k16.f16.ts": f"SM100_MMA_F16BF16_TS<half_t,half_t,float,128,128,{UK},{UK}>",
}
COPY = {f"{kind}.x{n}{trans}": f"SM{arch}_U{32 if not trans else 16}x{n if not trans else 2 * n}_{op}_{'T' if trans else 'N'}"
        for kind, arch, op in (("ldmatrix", 75, "LDSM"), ("stmatrix", 90, "STSM")) for n in (1, 2, 4) for trans in ("", ".trans")}
COPY |= {"ldmatrix.m16n16.x1.trans.b8": "SM100_U8x8_LDSM_T", "ldmatrix.m16n16.x2.trans.b8": "SM100_U8x16_LDSM_T"}
COPY |= {f"stmatrix.m16n8.x{n}.trans.b8": f"SM100_U8x{4 * n}_STSM_T" for n in (1, 2, 4)}
COPY |= {f"ldmatrix.m8n16.x{n}.b{bits}x16_p{pad}": f"SM100_SU{bits}_DU8x16_x{n}_LDSM_N" for bits, pad in ((4, 64), (6, 32)) for n in (1, 2, 4)}
TENSOR_MEMORY = {"16x64b": ("16dp64b", 128), "16x128b": ("16dp128b", 64), "16x256b": ("16dp256b", 32), "32x32b": ("32dp32b", 128), "16x32bx2": ("16dp32b", 128)}
COPY |= {f"tcgen05.{kind}.{shape}.x{1 << i}{'.' + packing if packed else ''}": f"SM100_TMEM_{op}_{dp}{1 << i}x{'_16b' if packed else ''}"
         for kind, op, packing in (("ld", "LOAD", "pack16b"), ("st", "STORE", "unpack16b")) for shape, (dp, most) in TENSOR_MEMORY.items()
         for i in range(most.bit_length()) for packed in (False, True)}
COPY |= {"tma.load.64x128.b16": "SM90_TMA_LOAD, C<131072>, int", "tma.store.32x8.b32": "SM90_TMA_STORE, C<8192>, int",
         "tma.multicast.64x64.b16": "SM90_TMA_LOAD_MULTICAST, C<65536>, int", "tma.reduce.32x64.b32": "SM90_TMA_REDUCE_ADD, C<65536>, int"}
SCALED = "cutlass::detail::Sm1xxBlockScaledConfig"
FACTORS = {f"scale_factor_atom({v})": f"{SCALED}<{v}>::SfAtom" for v in (16, 32)}
FACTORS |= {f"tile_atom_to_shape_SF(({rows},{k},{batch}),{v})": f"decltype({SCALED}<{v}>::tile_atom_to_shape_SF{operand}(Shape<C<{m}>,C<{n}>,C<{k}>,C<{batch}>>{{}}))"
            for v in (16, 32) for m, n, k in ((128, 256, 128), (256, 384, 512), (512, 128, 1024)) for batch in (1, 4) for operand, rows in (("A", m), ("B", n))}
# Without a batch the headers of some releases append a dynamic one, so the call behind the name is spelled.
FACTORS |= {f"tile_atom_to_shape_SF(({rows},{k}),{v})": f"decltype(tile_to_shape({SCALED}<{v}>::SfAtom{{}}, Shape<C<{rows}>,C<{k}>>{{}}, Step<_2,_1>{{}}))"
            for v in (16, 32) for rows, k in ((128, 128), (256, 512), (384, 512), (512, 1024))}
SMEM = {f"{major}_{kind}": f"SM90::GMMA::Layout_{major}_{kind}_Atom" for major in ("MN", "K") for kind in ("INTER", "SW32", "SW64", "SW128")}
WIDTHS = {8: "int8_t", 16: "half_t", 32: "float"}

PRELUDE = common.PRELUDE.replace("#include <cute/layout.hpp>", "#include <cute/tensor.hpp>\n#include <cute/atom/mma_atom.hpp>\n#include <cute/atom/copy_atom.hpp>\n#include <cutlass/detail/sm100_blockscaled_layout.hpp>") + r"""
using cutlass::float_e2m1_t; using cutlass::float_e4m3_t; using cutlass::float_ue8m0_t; using cutlass::float_ue4m3_t;
using cutlass::half_t; using cutlass::bfloat16_t; using cutlass::tfloat32_t;
template <int B, int M, int H, int W, class L> struct Show<ComposedLayout<Swizzle<B, M, H>, smem_ptr_flag_bits<W>, L>> {
  static std::string of() { return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(H) + "> o 0 o " + Show<L>::of(); } };
"""


def wanted():
    """(flags of cutelab layout, C++ type)"""
    for name, trait in MMA.items():
        for operand in "abc":
            yield ["--atom", name, "--operand", operand], f"typename MMA_Traits<{trait}>::{operand.upper()}Layout"
    for name, trait in COPY.items():
        for side in ("source", "destination"):
            yield ["--atom", name, "--operand", side], f"typename Copy_Traits<{trait}>::{'Src' if side == 'source' else 'Dst'}Layout"
        if name.startswith("tcgen05."):
            yield ["--atom", name, "--operand", "address"], f"typename Copy_Traits<{trait}>::ValID"
    for expression, layout in FACTORS.items():
        yield [expression], layout
    for name, atom in SMEM.items():
        for bits, element in WIDTHS.items():
            yield ["--atom", name, "--bits", str(bits)], f"{atom}<{element}>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cutelab", required=True)
    parser.add_argument("--cutlass")
    parser.add_argument("--cuda")
    parser.add_argument("--compiler", default="g++")
    args = parser.parse_args()
    folders, reason = common.find_headers(args)
    if reason:
        print(f"skipped: {reason}")
        return 77
    pairs = list(wanted())
    with tempfile.TemporaryDirectory() as work:
        common.PRELUDE = PRELUDE
        theirs, refused = common.Compiler(args.compiler, folders, work).run("atoms", [(i, f"{t}{{}}") for i, (_, t) in enumerate(pairs)])
    wrong = len(refused)
    for i in sorted(refused):
        print(f"does not compile: {pairs[i][1]}")
    for i, (flags, cpp) in enumerate(pairs):
        if i in refused:
            continue
        done = subprocess.run([args.cutelab, "layout", *flags], capture_output=True, text=True)
        ours = done.stdout.split("\n")[0]
        if re.sub(r"^Sw<0,4,3> o 0 o ", "", ours) != re.sub(r"^Sw<0,4,3> o 0 o ", "", theirs[i]):
            wrong += 1
            print(f"different: {' '.join(flags)}\n  ours {ours or done.stderr}\n  CuTe {theirs[i]}")
    print(f"{len(pairs)} atom layouts compared with CuTe's traits, {len(pairs) - wrong} equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
