// One megabyte of the compiler's intermediate form turned into facts: what `read --compile` does with each
// module, minus the run of the program. The text is made here in the form that the DSL writes, with call
// chains through the library; IR of one's own: CUTELAB_BENCH_IR=module.mlir
// CUTELAB_BENCH_IR_SOURCE=program.py.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiled/read_ir.h"

namespace {
using namespace cutelab;

constexpr std::size_t megabyte = 1u << 20;
constexpr const char* source = "/project/examples/gemm.py";

/// Operations of one iteration of a main loop, each with the four frames that a call through the library has.
std::string iteration(int n, std::string& locations) {
  std::string text;
  const auto located = [&](const std::string& operation, const char* library, const char* function) {
    const int number = 10 * n + static_cast<int>(text.size() % 10) + 1000000 * (function[0] - 'a' + 1);
    locations += fmt::format(
        "#loc{0} = loc(callsite(\"{1}\"(\"/lib/cutlass/pipeline/sm90.py\":{2}:8) at "
        "callsite(\"{3}.<locals>.wrapper\""
        "(\"/lib/cutlass/_mlir_helpers/op.py\":62:15) at "
        "callsite(\"Gemm.kernel.<locals>.loop_body_{4}\"(\"{5}\":{6}:16) "
        "at callsite(\"KernelLauncher.launch\"(\"/lib/cutlass/cutlass_dsl.py\":400:9) at \"{5}\":90:4)))))\n",
        number, library, 100 + n % 300, function, n % 7, source, 100 + n % 400);
    text += fmt::format("      {} loc(#loc{})\n", operation, number);
  };
  located(fmt::format("%o{0} = cute.make_int_tuple(%c1) : (i32) -> !cute.int_tuple<\"?\">", n), "_pack_x",
          "e");
  located(fmt::format(
              "%p{0} = cute.add_offset(%bytes, %o{0}) : (!cute.ptr<i64, smem>, !cute.int_tuple<\"?\">) -> "
              "!cute.ptr<i64, smem>",
              n),
          "_Pointer.__add__", "d");
  located(fmt::format("nvvm.mbarrier.try_wait.parity %p{0}, %c1, %c1 : !cute.ptr<i64, smem>, i32, i32", n),
          "PipelineTmaAsync.consumer_wait", "c");
  located(fmt::format("%s{0} = cute.slice(%tile, %o{0}) : !tile, !cute.int_tuple<\"?\">", n), "slice_", "b");
  located(fmt::format("cute.gemm(%mma, %acc, %s{0}, %s{0}, %acc) : (!mma, !acc, !tile, !tile, !acc)", n),
          "gemm", "a");
  return text;
}

std::string made_here() {
  std::string body, locations;
  for (int n = 0; body.size() + locations.size() < megabyte; ++n) body += iteration(n, locations);
  return "!mma = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, "
         "f32), "
         "frag_kind = ss>, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">>\n"
         "!tile = !cute.memref<f16, smem, align<1024>, S<3,4,3>, \"(8,64):(64,1)\">\n"
         "!acc = !cute.memref<f32, rmem, align<32>, \"(2,2):(1,2)\">\n#loc = loc(unknown)\nmodule {\n  "
         "gpu.module "
         "@kernels {\n    cuda.kernel @k_0(%mma: !mma loc(unknown), %tile: !tile loc(unknown), %acc: !acc "
         "loc(unknown), %bytes: !cute.ptr<i64, smem> loc(unknown)) attributes {cute.kernel} {\n      %c1 = "
         "arith.constant 1 : i32 loc(#loc)\n" +
         body + "    } loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n" + locations;
}

std::string text_of_file(const char* path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void read_ir(benchmark::State& state) {
  const char* given = std::getenv("CUTELAB_BENCH_IR");
  const char* program = std::getenv("CUTELAB_BENCH_IR_SOURCE");
  const std::string text = given ? text_of_file(given) : made_here();
  const std::vector<std::string> files = {program ? program : source};
  std::size_t facts = 0;
  for (auto _ : state) {
    const auto reading = compiled::read_ir(text, files);
    if (!reading) {
      state.SkipWithError(reading.error().message().c_str());
      return;
    }
    facts = reading->facts.size();
    benchmark::DoNotOptimize(facts);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["MB"] = static_cast<double>(text.size()) / megabyte;
  state.counters["facts"] = static_cast<double>(facts);
}
BENCHMARK(read_ir)->Unit(benchmark::kMillisecond)->Name("read_ir/1MB");

}  // namespace
