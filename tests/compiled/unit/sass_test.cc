#include "compiled/sass.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "base/process.h"
#include "compiled/cubin.h"

namespace cutelab::compiled {
namespace {

TEST(Sass, Classes) {
  EXPECT_EQ(class_of("HGMMA.64x256x16.F32.BF16"), "HGMMA");
  EXPECT_EQ(class_of("UTCHMMA.2CTA"), "UTCMMA");
  EXPECT_EQ(class_of("UTCBAR"), "tensor memory");
  EXPECT_EQ(class_of("UTMALDG.3D.MULTICAST"), "TMA load");
  EXPECT_EQ(class_of("UTMASTG.2D"), "TMA store");
  EXPECT_EQ(class_of("UTMACCTL.PF"), "TMA other");
  EXPECT_EQ(class_of("LDG.E.128.CONSTANT"), "LDG 128-bit");
  EXPECT_EQ(class_of("LDG.E.NA.128"), "LDG 128-bit");
  EXPECT_EQ(class_of("LDG.E.U16"), "LDG 16-bit");
  EXPECT_EQ(class_of("LDG.E"), "LDG 32-bit");
  EXPECT_EQ(class_of("STG.E.EF.64"), "STG 64-bit");
  EXPECT_EQ(class_of("LDGSTS.E.BYPASS.128"), "LDGSTS");
  EXPECT_EQ(class_of("LDSM.16.M88.4"), "LDSM");
  EXPECT_EQ(class_of("STL"), "STL 32-bit");
  EXPECT_EQ(class_of("BAR.SYNC.DEFER_BLOCKING"), "BAR");
  EXPECT_EQ(class_of("SYNCS.PHASECHK.TRANS64.TRYWAIT"), "SYNCS");
  EXPECT_EQ(class_of("FFMA"), "other");
}

// Written by hand in the form of the tool's listing.
constexpr const char* listing = R"(
	code for sm_90a
	.target	sm_90a

		Function : _Z5firstPf
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;            /* 0x00000a00ff017b82 */
                                                                     /* 0x000fe20000000800 */
        /*0010*/              @!P3 LDG.E.128 R32, desc[UR8][R6.64] ; /* 0x0000 */
        /*0020*/             @!UP0 UTMALDG.2D [UR8], [UR4] ;         /* 0x0000 */
        /*0030*/                   EXIT ;                            /* 0x0000 */
        /*0040*/                   NOP;                              /* 0x0000 */
		..........
		Function : _Z6secondPf
        /*0000*/                   STG.E.U8 desc[UR4][R2.64], R0 ;   /* 0x0000 */
)";

TEST(Sass, CountsPerFunctionWithoutPadding) {
  const auto all = parse_sass(listing);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].function, "_Z5firstPf");
  EXPECT_EQ(all[0].arch, "sm_90a");
  EXPECT_EQ(all[0].total, 4);
  EXPECT_EQ(all[0].count("LDG 128-bit"), 1);
  EXPECT_EQ(all[0].count("TMA load"), 1);
  EXPECT_EQ(all[0].count("HGMMA"), 0);
  EXPECT_EQ(all[1].count("STG 8-bit"), 1);
  int sum = 0;
  for (const auto& [name, n] : all[0].by_class) sum += n;
  EXPECT_EQ(sum, all[0].total) << "totals close";
}

TEST(Sass, GarbageIsPassedOver) {
  EXPECT_TRUE(parse_sass("").empty());
  EXPECT_TRUE(parse_sass("/*0000*/ FFMA R0, R1, R2, R3 ;").empty()) << "an instruction of no function";
  const auto all = parse_sass("Function : f\n/*\n/**/\n/*zz*/ X\n/*0000*/\n/*0000*/ @P0\n/*0010*/ ;\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].total, 0);
}

constexpr const char* usage = R"(
Fatbin elf code:
================
arch = sm_90a
Resource usage:
 Common:
  GLOBAL:0
 Function _Z1kPf:
  REG:14 STACK:8 SHARED:1280 LOCAL:0 CONSTANT[0]:544 TEXTURE:0 SURFACE:0 SAMPLER:0
Fatbin elf code:
arch = sm_80
Resource usage:
 Function _Z1kPf:
  REG:12 STACK:0 SHARED:256 LOCAL:0 CONSTANT[0]:368
)";

TEST(Resources, PerArchitectureWithReservedSharedMemoryApart) {
  auto all = parse_resource_usage(usage);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].arch, "sm_90a");
  EXPECT_EQ(all[0].registers, 14);
  EXPECT_EQ(all[0].stack_bytes, 8);
  EXPECT_EQ(all[0].static_smem_bytes, 256);
  EXPECT_EQ(all[0].reserved_smem_bytes, 1024);
  EXPECT_EQ(all[1].static_smem_bytes, 256);
  EXPECT_EQ(all[1].reserved_smem_bytes, 0);
  add_elf_attributes(
      "arch = "
      "sm_90a\n.nv.info._Z1kPf\n\t<0x1>\n\tAttribute:\tEIATTR_NUM_BARRIERS\n\tFormat:\tEIFMT_BVAL\n\tValue:"
      "\t0x3\n"
      "\tAttribute:\tEIATTR_MAX_THREADS\n\tValue:\t0x100 0x1 0x1 \n.text._Z1kPf\n",
      all);
  EXPECT_EQ(all[0].barriers, 3);
  EXPECT_EQ(all[0].max_threads, 256);
  // A block of that very size is required, and it may have several extents.
  add_elf_attributes("arch = sm_80\n.nv.info._Z1kPf\n\tAttribute:\tEIATTR_REQNTID\n\tValue:\t0x40 0x4 0x1 \n",
                     all);
  EXPECT_EQ(all[1].max_threads, 256);
}

// P88: whether a profiler has lines to show is told of each architecture's code.
TEST(Resources, ALineTableIsSeenOfTheCodeThatHasOne) {
  auto all = parse_resource_usage(usage);
  add_elf_attributes("arch = sm_90a\n.text._Z1kPf\narch = sm_80\n.text._Z1kPf\n", all);
  EXPECT_FALSE(all[0].line_table || all[1].line_table);
  add_elf_attributes("arch = sm_90a\n.section .debug_line\narch = sm_80\n.text._Z1kPf\n", all);
  EXPECT_TRUE(all[0].line_table);
  EXPECT_FALSE(all[1].line_table);
}

// P90: bytes of local memory are told, with what may have made them.
TEST(Resources, LocalMemoryIsToldWithWhatMayHaveMadeIt) {
  const auto all = parse_resource_usage(usage);
  const std::string text = local_memory_text(all[0], 4, true);
  EXPECT_EQ(text.rfind("local memory: 8 bytes of a thread, 4 loads and stores: ", 0), 0u) << text;
  EXPECT_NE(text.find("index the register tensor first"), std::string::npos);
  EXPECT_EQ(local_memory_text(all[0], 4, false).find("4.5.0"), std::string::npos);
  EXPECT_EQ(local_memory_text(all[1], 0, true), "");
  EXPECT_NE(local_memory_text(all[1], 1, true), "") << "instructions tell it where the tool does not";
}

TEST(Resources, MissingFiguresStayMissing) {
  const auto all = parse_resource_usage(" Function f:\n  REG:x STACK\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].registers);
  EXPECT_FALSE(all[0].static_smem_bytes);
}

Resources with(int registers, int smem) {
  Resources r;
  r.registers = registers;
  r.static_smem_bytes = smem;
  return r;
}

// Figures of the CUDA occupancy calculator for compute capability 9.0.
TEST(Resources, Occupancy) {
  EXPECT_EQ(resident_blocks(with(32, 0), 1024, 0, 9, 0), 2);
  EXPECT_EQ(resident_blocks(with(40, 128), 512, 0, 9, 0), 3);
  EXPECT_EQ(resident_blocks(with(64, 64), 256, 0, 9, 0), 4);
  EXPECT_EQ(resident_blocks(with(168, 0), 384, 0, 9, 0), 1);
  EXPECT_EQ(resident_blocks(with(32, 0), 128, 230'400, 9, 0), 1);
  EXPECT_EQ(resident_blocks(with(32, 0), 32, 0, 9, 0), 32);
  EXPECT_DOUBLE_EQ(occupancy_percent(with(40, 128), 512, 0, 9, 0), 75);
}

// With nvcc and cuobjdump at hand, a kernel of our own is compiled for two architectures and read back.
TEST(Cubin, ReadsWhatNvccWrote) {
  const auto environment = Environment::of_process();
  const std::string nvcc = find_program(environment, "nvcc");
  std::string cuobjdump = find_program(environment, "cuobjdump");
  if (cuobjdump.empty()) cuobjdump = find_program(environment, CUTELAB_DEPS_DIR "/cuda-tools/bin/cuobjdump");
  if (nvcc.empty() || cuobjdump.empty()) GTEST_SKIP() << "needs nvcc and cuobjdump";
  const std::string stem = ::testing::TempDir() + "cutelab_cubin_" + std::to_string(::getpid());
  std::ofstream(stem + ".cu") << "__global__ void spread(const float4* x, float4* y) {\n"
                                 "  __shared__ float4 s[32];\n"
                                 "  s[threadIdx.x] = x[threadIdx.x];\n"
                                 "  __syncthreads();\n"
                                 "  y[threadIdx.x] = s[31 - threadIdx.x];\n}\n";
  auto built = run_process({{nvcc, "-fatbin", "-gencode=arch=compute_90a,code=sm_90a",
                             "-gencode=arch=compute_80,code=sm_80", stem + ".cu", "-o", stem + ".fatbin"},
                            "",
                            {},
                            120});
  ASSERT_TRUE(built && built->succeeded());
  auto kernels = inspect_binary(cuobjdump, cuobjdump.substr(0, cuobjdump.rfind('/')),
                                *environment.get("PATH"), stem + ".fatbin");
  ASSERT_TRUE(kernels) << kernels.error().message();
  ASSERT_EQ(kernels->size(), 2u);
  for (const auto& kernel : *kernels) {
    EXPECT_EQ(kernel.resources.static_smem_bytes, 512) << kernel.mix.arch;
    EXPECT_EQ(kernel.resources.barriers, 1);
    EXPECT_EQ(kernel.mix.count("LDG 128-bit"), 1);
    EXPECT_EQ(kernel.mix.count("STG 128-bit"), 1);
    EXPECT_EQ(kernel.mix.count("BAR"), 1);
  }
  EXPECT_FALSE(inspect_binary(cuobjdump, "", *environment.get("PATH"), stem + ".cu"));
  for (const char* end : {".cu", ".fatbin"}) std::remove((stem + end).c_str());
}

// Written by hand in the form of the tool's listing with lines.
constexpr const char* lined = R"(	.headerflags	@"EF_CUDA_SM90"
	.section	.text.first,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=2"
first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/k/gemm.py", line 12
        /*0010*/                   LDSM.16.M88.4 R4, [R8] ;
	//## File "/k/gemm.py", line 30 inlined at "/k/gemm.py", line 40
	//## File "/lib/pipe.py", line 7
        /*0020*/              @!P0 STL.64 [R1], R2 ;
	//## File "/k/gemm.py", line 12
        /*0030*/                   HGMMA.64x128x16.F32 R24, gdesc[UR8], R24 ;
        /*0040*/                   NOP ;
	.section	.nv.info.first,"",@"SHT_CUDA_INFO"
	.section	.text.second,"ax",@progbits
        /*0000*/                   EXIT ;
)";

TEST(LinedSass, InstructionsGoToTheLineOfTheTable) {
  const auto all = parse_lined_sass(lined);
  ASSERT_EQ(all.size(), 2u);
  const LinedCode& code = all[0];
  EXPECT_EQ(code.function, "first");
  EXPECT_EQ(code.barriers, 2);
  EXPECT_EQ(code.mix.total, 4);
  ASSERT_EQ(code.lines.size(), 3u);
  EXPECT_EQ(code.lines[0].path, "");
  EXPECT_EQ(code.lines[1].path, "/k/gemm.py");
  EXPECT_EQ(code.lines[1].line, 12);
  EXPECT_EQ(code.lines[1].mix.total, 2);
  EXPECT_EQ(code.lines[1].mix.count("HGMMA"), 1);
  EXPECT_EQ(code.lines[2].path, "/lib/pipe.py");
  EXPECT_EQ(code.lines[2].mix.by_opcode.at("STL"), 1);
  EXPECT_EQ(all[1].lines.size(), 1u) << "a function begins without a line";
  EXPECT_FALSE(all[1].barriers);
}

TEST(LinedSass, OtherTextIsPassedOver) {
  EXPECT_TRUE(parse_lined_sass("").empty());
  const char* torn =
      "/*0000*/ EXIT ;\n.section\t.text.k\n//## File \"a, line 3\n//## File \"a\", line x\n/*0010*/ EXIT ;\n";
  const auto all = parse_lined_sass(torn);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].lines.size(), 1u);
  EXPECT_EQ(all[0].lines[0].line, 0);
}

}  // namespace
}  // namespace cutelab::compiled
