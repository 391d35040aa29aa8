// Local headers of CuTe C++ sources: what a file uses of them is read as its own, the rest is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reading/read.h"
#include "support/text_files.h"

namespace cutelab {
namespace {
using evidence::Reading;

const std::string kernel_header =
    "#pragma once\n"
    "#include \"stages.h\"\n"
    "template <class Finish>\n"
    "__global__ void __launch_bounds__(384) gemm_kernel(Params p, Finish finish) {\n"
    "  extern __shared__ char raw[];\n"
    "  for (int tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) copy(finish, raw, p.d);\n"
    "  cluster_sync();\n"
    "}\n"
    "template <class T>\n"
    "__global__ void __launch_bounds__(64) never_kernel(Params p) {\n"
    "  __shared__ float unused[32];\n"
    "  warpgroup_reg_alloc<232>();\n"
    "}\n";
const std::string stages_header =
    "#pragma once\nconstexpr int num_stages = 5;\nconstexpr int other_stages = 9;\n";
const std::string launch_header =
    "#pragma once\n"
    "template <class P>\n"
    "int launch(void (*kernel)(P), const P& p) { return cudaLaunchKernelEx(&how, kernel, p); }\n"
    "template <class P>\n"
    "int door(void (*entry)(P), const P& p) { return launch(entry, p); }\n";

Reading read_files(const std::string& main, const std::vector<std::string>& paths,
                   const std::vector<std::string>& texts) {
  std::vector<std::string> all_paths = {"/k/kernel.cu"}, all_texts = {main};
  all_paths.insert(all_paths.end(), paths.begin(), paths.end());
  all_texts.insert(all_texts.end(), texts.begin(), texts.end());
  reading::Request request;
  request.path = "/k/kernel.cu";
  auto result = reading::read(request, TextFiles(all_paths, all_texts));
  EXPECT_TRUE(result.ok());
  return result.ok() ? std::move(*result) : Reading();
}

Reading read_user(const std::string& main) {
  return read_files(main, {"/k/gemm.cuh", "/k/stages.h", "/k/door.cuh"},
                    {kernel_header, stages_header, launch_header});
}

std::vector<std::string> kernels_of(const Reading& reading) {
  std::vector<std::string> out;
  for (const auto& f : reading.functions)
    if (f.kind == evidence::Function::Kind::kernel) out.push_back(f.name);
  return out;
}

std::ptrdiff_t count(const Reading& reading, const std::string& kind, const std::string& path) {
  return std::count_if(reading.facts.begin(), reading.facts.end(), [&](auto& f) {
    return f.kind == kind && reading.files[static_cast<std::size_t>(f.at.file)].path == path;
  });
}

bool present(const Reading& reading, const std::string& id) {
  return std::any_of(reading.patterns.begin(), reading.patterns.end(),
                     [&](auto& p) { return p.id == id && p.present; });
}

TEST(CppHeaders, AKernelThatTheFileInstantiatesIsReadWithTheHeadersLines) {
  const Reading reading = read_user(
      "#include \"gemm.cuh\"\nstruct Finish {};\nint run(P p) { return start(gemm_kernel<Finish>, p); }\n");
  EXPECT_FALSE(reading.helper);
  EXPECT_EQ(kernels_of(reading), std::vector<std::string>{"gemm_kernel"});
  EXPECT_EQ(count(reading, "persistent-loop", "/k/gemm.cuh"), 1);
  EXPECT_TRUE(present(reading, "P3"));
  for (const auto& f : reading.facts)
    if (f.kind == "persistent-loop") {
      EXPECT_EQ(f.at.line(), 6);
      EXPECT_EQ(f.kernel, "gemm_kernel");
    }
}

TEST(CppHeaders, WhatTheFileDoesNotUseAddsNoFact) {
  const Reading unused = read_user("#include \"gemm.cuh\"\n__global__ void own(float* x) { x[0] = 1; }\n");
  EXPECT_EQ(kernels_of(unused), std::vector<std::string>{"own"});
  for (const auto& f : unused.facts) EXPECT_EQ(f.at.file, 0) << f.kind;
  const Reading one = read_user("#include \"gemm.cuh\"\nauto k = gemm_kernel<int>;\n");
  EXPECT_EQ(count(one, "allocation", "/k/gemm.cuh"), 1);  // raw; `unused` is never_kernel's
  EXPECT_EQ(count(one, "register-budget", "/k/gemm.cuh"), 0);
  EXPECT_EQ(count(one, "stages", "/k/stages.h"), 0);
}

TEST(CppHeaders, AHeaderIncludedTwiceAndThroughAnotherIsReadOnce) {
  const Reading reading = read_user(
      "#include \"stages.h\"\n#include \"gemm.cuh\"\n#include \"gemm.cuh\"\n"
      "auto k = gemm_kernel<int>; constexpr int depth = num_stages;\n");
  EXPECT_EQ(reading.files.size(), 3u);
  EXPECT_EQ(kernels_of(reading), std::vector<std::string>{"gemm_kernel"});
  EXPECT_EQ(count(reading, "persistent-loop", "/k/gemm.cuh"), 1);
  EXPECT_EQ(count(reading, "stages", "/k/stages.h"), 1);  // num_stages, and not other_stages
}

TEST(CppHeaders, AMissingHeaderLeavesTheRestOfTheReading) {
  const Reading reading =
      read_user("#include \"absent.cuh\"\n#include \"gemm.cuh\"\nauto k = gemm_kernel<int>;\n");
  EXPECT_EQ(kernels_of(reading), std::vector<std::string>{"gemm_kernel"});
  const Reading alone = read_files("#include \"absent.cuh\"\nauto k = gemm_kernel<int>;\n", {}, {});
  EXPECT_TRUE(kernels_of(alone).empty());
  EXPECT_TRUE(alone.helper);
}

TEST(CppHeaders, TwoSourcesOfOneHeaderAreReadByWhatEachUses) {
  const Reading first = read_user("#include \"gemm.cuh\"\nauto k = gemm_kernel<int>;\n");
  const Reading second = read_user("#include \"gemm.cuh\"\nauto k = never_kernel<int>;\n");
  EXPECT_TRUE(present(first, "P3"));
  EXPECT_FALSE(present(second, "P3"));
  EXPECT_EQ(kernels_of(second), std::vector<std::string>{"never_kernel"});
  EXPECT_EQ(count(second, "register-budget", "/k/gemm.cuh"), 1);
}

TEST(CppHeaders, ALaunchHelperLaunchesTheKernelThatItIsGiven) {
  const Reading reading = read_user(
      "#include \"gemm.cuh\"\n#include \"door.cuh\"\nint run(P p) { return door(gemm_kernel<int>, p); }\n");
  const auto launch = std::find_if(reading.facts.begin(), reading.facts.end(),
                                   [](auto& f) { return f.kind == "launch" && f.subject == "gemm_kernel"; });
  ASSERT_NE(launch, reading.facts.end());
  EXPECT_EQ(reading.files[static_cast<std::size_t>(launch->at.file)].path, "/k/door.cuh");
}

TEST(CppHeaders, AnIncludedSourceIsReadWhole) {
  const Reading reading = read_files("#include \"other.cu\"\n", {"/k/other.cu"},
                                     {"__global__ void inside(float* x) { warpgroup_reg_alloc<40>(); }\n"});
  EXPECT_EQ(kernels_of(reading), std::vector<std::string>{"inside"});
}

TEST(CppHeaders, ALocalOfTheSameNameIsNoUse) {
  const Reading reading = read_user(
      "#include \"gemm.cuh\"\n__global__ void own(float* x) { int never_kernel = 3; x[0] = never_kernel; "
      "}\n");
  EXPECT_EQ(kernels_of(reading), std::vector<std::string>{"own"});
}

TEST(CppHeaders, AMaximumAndAnExponentialOfDifferentStepsAreNoSoftmax) {
  const std::string steps =
      "struct Relu { __device__ float operator()(float x) { return fmaxf(x, 0); } };\n"
      "struct Swish { __device__ float operator()(float x) { return x / (1 + exp2f(-x)); } };\n"
      "struct Row { __device__ float operator()(float x) { m = fmaxf(m, x); return exp2f(x - m); } };\n";
  const Reading apart =
      read_files("#include \"steps.cuh\"\nusing A = Chain<Relu, Swish>;\n", {"/k/steps.cuh"}, {steps});
  EXPECT_FALSE(present(apart, "P4"));
  const Reading together =
      read_files("#include \"steps.cuh\"\nusing A = Chain<Row>;\n", {"/k/steps.cuh"}, {steps});
  EXPECT_TRUE(present(together, "P4"));
}
}  // namespace
}  // namespace cutelab
