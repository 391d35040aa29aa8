// Indexing and selecting over a full CUTLASS example tree: the whole of what `cutelab select --goal …` does,
// minus printing. Warm = the stored index is there and fits; cold = no stored index. The tree of CUTLASS_DIR,
// skipped with the reason without one, and a tree made here of 240 kernels with the line count that such
// examples have.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "corpus/select.h"

namespace {
using namespace cutelab;
using namespace cutelab::corpus;
namespace fs = std::filesystem;

struct Scratch {
  std::string path = (fs::temp_directory_path() / fmt::format("cutelab-bench-{}", getpid())).string();
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
};

const std::string& scratch() {
  static const Scratch folder;
  return folder.path;
}

std::string source_root() {
  const char* root = std::getenv("CUTELAB_ROOT");
  return root ? root : CUTELAB_SOURCE_DIR;
}

/// About 1,000 lines of code per file, 240 files: the size of the CUTLASS 4.7 DSL tree.
std::string synthetic_tree() {
  const std::string root = scratch() + "/synthetic";
  if (fs::exists(root)) return root;
  std::string body;
  for (int i = 0; i < 240; ++i)
    body += fmt::format(
        "        t{0} = cute.make_tensor(ptr{0}, cute.make_layout((M, K), stride=(K, 1)))  # tile {0}\n"
        "        pipeline_state.advance()\n        if cutlass.const_expr(flag{0}):\n            "
        "cute.copy(atom, t{0}, s{0})\n",
        i);
  for (const char* generation : {"ampere", "hopper", "blackwell", "blackwell_geforce"})
    for (int i = 0; i < 60; ++i) {
      const std::string file =
          fmt::format("{}/{}/kernel/family_{}/dense_gemm_{}.py", root, generation, i % 12, i);
      fs::create_directories(fs::path(file).parent_path());
      std::ofstream(file) << "import cutlass\nimport cutlass.cute as cute\n\n\"\"\"A "
                             "GEMM.\"\"\"\n\n\n@cute.kernel\ndef kernel(a):\n    if True:\n"
                          << body
                          << "        warpgroup.fence()\n        p = pipeline.PipelineTmaAsync.create()\n";
    }
  return root;
}

void select_once(benchmark::State& state, const std::string& tree, bool cold) {
  const DiskFileSource files;
  const Environment environment({{"HOME", scratch()}});
  LocateRequest request;
  request.corpora = {tree};
  request.source_root = source_root();
  std::size_t found = 0, sources = 0;
  for (auto _ : state) {
    if (cold) {
      state.PauseTiming();
      fs::remove_all(environment.cache_home());
      state.ResumeTiming();
    }
    auto w = Workspace::open(request, environment, files);
    if (!w) return state.SkipWithError(w.error().message().c_str());
    Query query;
    query.goal = "tma-pipeline";
    query.device = (*w)->archs.device("H100").value();
    const auto hits = select(query, **w);
    found = hits->size();
    sources = (*w)->catalog->corpora().front().index.files.size();
    benchmark::DoNotOptimize(found);
  }
  state.counters["sources"] = static_cast<double>(sources);
  state.counters["hits"] = static_cast<double>(found);
}

void checkout(benchmark::State& state, bool cold) {
  const char* folder = std::getenv("CUTLASS_DIR");
  if (!folder || !*folder) return state.SkipWithError("CUTLASS_DIR names no checkout");
  select_once(state, folder, cold);
}

BENCHMARK_CAPTURE(checkout, warm, false)->Name("select/cutlass_checkout_warm")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checkout, cold, true)
    ->Name("select/cutlass_checkout_cold")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
void synthetic(benchmark::State& state, bool cold) { select_once(state, synthetic_tree(), cold); }
BENCHMARK_CAPTURE(synthetic, warm, false)->Name("select/synthetic_tree_warm")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(synthetic, cold, true)
    ->Name("select/synthetic_tree_cold")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

}  // namespace
