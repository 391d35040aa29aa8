// How long a reading takes: one large kernel, its parse alone, growth with size, a whole tree (CUTLASS_DIR,
// else the PyPI corpora).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file_source.h"
#include "reading/read.h"
#include "source/tree.h"

namespace {
namespace fs = std::filesystem;
using cutelab::DiskFileSource;
using cutelab::FileSource;

std::vector<std::string> tree() {
  const char* checkout = std::getenv("CUTLASS_DIR");
  const std::string root = checkout && *checkout ? std::string(checkout) + "/examples/python/CuTeDSL"
                                                 : std::string(CUTELAB_DEPS_DIR) + "/corpora";
  std::vector<std::string> out;
  if (!fs::exists(root)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && entry.path().extension() == ".py" && entry.file_size() > 0)
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string largest() {
  const auto files = tree();
  const auto found = std::max_element(files.begin(), files.end(),
                                      [](auto& a, auto& b) { return fs::file_size(a) < fs::file_size(b); });
  return found == files.end() ? "" : *found;
}

/// False when the file could not be read: a time of an error is not a time of a reading.
bool read_one(const FileSource& files, const std::string& path) {
  cutelab::reading::Request request;
  request.path = path;
  auto reading = cutelab::reading::read(request, files);
  benchmark::DoNotOptimize(reading);
  return reading.ok();
}

void ReadLargest(benchmark::State& state) {
  const std::string path = largest();
  if (path.empty()) return state.SkipWithError("no tree: set CUTLASS_DIR or set up the part 'corpora'");
  const DiskFileSource files;
  for (auto _ : state)
    if (!read_one(files, path)) return state.SkipWithError("not read");
  state.SetLabel(fs::path(path).filename().string());
  state.counters["bytes"] = static_cast<double>(fs::file_size(path));
}
BENCHMARK(ReadLargest)->Unit(benchmark::kMillisecond);

void ParseLargest(benchmark::State& state) {
  const std::string path = largest();
  if (path.empty()) return state.SkipWithError("no tree: set CUTLASS_DIR or set up the part 'corpora'");
  const auto text = DiskFileSource().read(path, cutelab::max_source_bytes);
  for (auto _ : state)
    benchmark::DoNotOptimize(cutelab::source::Tree::parse(cutelab::source::Grammar::python, *text));
  state.SetLabel(fs::path(path).filename().string());
}
BENCHMARK(ParseLargest)->Unit(benchmark::kMillisecond);

void ReadTree(benchmark::State& state) {
  const auto paths = tree();
  if (paths.empty()) return state.SkipWithError("no tree: set CUTLASS_DIR or set up the part 'corpora'");
  const DiskFileSource files;
  for (auto _ : state)
    for (const auto& path : paths)
      if (!read_one(files, path)) return state.SkipWithError(("not read: " + path).c_str());
  state.counters["files"] = static_cast<double>(paths.size());
}
BENCHMARK(ReadTree)->Unit(benchmark::kMillisecond)->Iterations(3);

/// The same kernel body repeated: time must grow in proportion.
void ReadGrowth(benchmark::State& state) {
  class OneFile final : public cutelab::FileSource {
   public:
    explicit OneFile(std::string text) : text_(std::move(text)) {}
    cutelab::Result<std::string> read(const std::string& path, std::uint64_t) const override {
      if (path == "kernel.py") return text_;
      return cutelab::Error{cutelab::ErrorKind::input, "read " + path, "no such file", path, ""};
    }
    cutelab::Result<cutelab::FileStatus> status(const std::string& path) const override {
      if (path == "kernel.py") return cutelab::FileStatus{text_.size(), 0, false};
      return cutelab::Error{cutelab::ErrorKind::input, "stat " + path, "no such file", path, ""};
    }
    cutelab::Result<std::vector<std::string>> list(const std::string&,
                                                   std::vector<std::string>*) const override {
      return std::vector<std::string>();
    }

   private:
    std::string text_;
  };
  std::string text = "import cutlass.cute as cute\n";
  for (int i = 0; i < state.range(0); ++i)
    text += "@cute.kernel\ndef kernel_" + std::to_string(i) +
            "(a, b):\n    w = cute.arch.warp_idx()\n    if w == 0:\n        for k in range(4):\n" +
            "            cute.copy(a, b, a, tma_bar_ptr=b)\n\nkernel_" + std::to_string(i) +
            "(1, 2).launch(grid=(8, 1, 1), block=[128, 1, 1])\n";
  const OneFile files(text);
  for (auto _ : state)
    if (!read_one(files, "kernel.py")) return state.SkipWithError("not read");
  state.SetComplexityN(state.range(0));
}
BENCHMARK(ReadGrowth)->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond)->Complexity();

}  // namespace
