#include "corpus/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "corpus/words.h"

namespace cutelab::corpus::test {

std::string data_folder() { return std::string(CUTELAB_SOURCE_DIR) + "/data"; }

Result<std::string> MemoryFiles::read(const std::string& path, std::uint64_t limit) const {
  ++reads;
  const auto it = texts_.find(path);
  if (it != texts_.end()) return it->second;
  return disk_.read(path, limit);
}

Result<FileStatus> MemoryFiles::status(const std::string& path) const {
  const auto it = texts_.lower_bound(path);
  if (it != texts_.end() && it->first == path) return FileStatus{it->second.size(), 1000, false};
  if (texts_.lower_bound(path + "/") != texts_.end() &&
      texts_.lower_bound(path + "/")->first.starts_with(path + "/"))
    return FileStatus{0, 1000, true};
  return disk_.status(path);
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& folder,
                                                   std::vector<std::string>* unreadable) const {
  std::vector<std::string> out;
  for (auto it = texts_.lower_bound(folder + "/"); it != texts_.end() && it->first.starts_with(folder + "/");
       ++it)
    out.push_back(it->first);
  if (!out.empty()) return out;
  return disk_.list(folder, unreadable);
}

std::string kernel_text(const std::string& generation, const std::string& docstring) {
  std::string text = "import argparse\nimport cutlass\nimport cutlass.cute as cute\n";
  if (!docstring.empty()) text += "\n\"\"\"" + docstring + "\"\"\"\n";
  text += "\n\n@cute.kernel\ndef kernel(a: cute.Tensor):\n";
  if (generation == "hopper")
    text += "    cute.nvgpu.warpgroup.fence()\n    pipeline.PipelineTmaAsync.create(num_stages=4)\n";
  else if (generation == "blackwell")
    text += "    op = tcgen05.MmaF16BF16Op()\n    pipeline.PipelineTmaUmma.create(num_stages=4)\n";
  else if (generation == "blackwell_geforce")
    text += "    op = cute.nvgpu.warp.MmaF16BF16Op()\n    cpasync.make_tiled_tma_atom()\n";
  else if (generation == "ampere")
    text += "    op = cute.nvgpu.warp.MmaF16BF16Op()\n    cute.arch.cp_async_wait_group(0)\n";
  else
    text += "    pass\n";
  text += "\n\nif __name__ == \"__main__\":\n    argparse.ArgumentParser().add_argument(\"--mnkl\")\n";
  return text;
}

void put_checkout(MemoryFiles& files, const std::string& root, const std::string& release) {
  const auto history = ExampleHistory::load(files, data_folder());
  const auto archs = ArchFacts::load(files, data_folder());
  ASSERT_TRUE(history && archs);
  const Release number = parse_release(release).value_or(Release{4, 4, 3});
  files.put(root + "/include/cutlass/version.h",
            "#define CUTLASS_MAJOR " + std::to_string(number.major) + "\n#define CUTLASS_MINOR " +
                std::to_string(number.minor) + "\n#define CUTLASS_PATCH " + std::to_string(number.patch) +
                " \n");
  files.put(root + "/python/CuTeDSL/requirements.txt", "# pin\nnvidia-cutlass-dsl==" + number.text() + "\n");
  const auto& releases = history->releases();
  const auto order = [&](const std::string& r) { return std::find(releases.begin(), releases.end(), r); };
  ASSERT_NE(order(release), releases.end()) << release;
  for (const auto& [name, spans] : history->files())
    for (const auto& span : spans) {
      if (order(release) < order(span.first) || order(release) > order(span.last)) continue;
      for (const std::string& path : span.paths) {
        const bool experimental = path.starts_with("experimental/") || path.starts_with("cute_ext/");
        // The only GEMMs outside a generation folder are tcgen05 ones with an added technique.
        std::string generation = generation_of_path(path, *archs);
        if (generation.empty() && path.find("gemm") != std::string::npos) generation = "blackwell";
        std::string text = extension_of(path) == ".ipynb" ? "{\"cells\": []}" : kernel_text(generation);
        if (experimental) text = "import cutlass.cute.experimental as cute_ext\n" + text;
        files.put(root + "/examples/python/CuTeDSL/" + path, text);
      }
    }
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cutelab-corpus-XXXXXX").string();
  path_ = mkdtemp(pattern.data()) ? pattern : "";
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Environment environment_in(const std::string& folder, std::map<std::string, std::string> more) {
  more["HOME"] = folder;
  more["XDG_CACHE_HOME"] = folder + "/cache";
  more["XDG_CONFIG_HOME"] = folder + "/config";
  more["XDG_DATA_HOME"] = folder + "/data";
  return Environment(std::move(more));
}

std::unique_ptr<Workspace> open_release(MemoryFiles& files, const ScratchFolder& scratch,
                                        const std::string& release) {
  put_checkout(files, "/checkout", release);
  LocateRequest request;
  request.cutlass = "/checkout";
  request.corpora = {"cutlass"};
  request.source_root = CUTELAB_SOURCE_DIR;
  auto w = Workspace::open(request, environment_in(scratch.path()), files);
  EXPECT_TRUE(w) << (w ? "" : w.error().message());
  return w ? std::move(*w) : nullptr;
}

const Example& example(const Workspace& w, int i) {
  return w.catalog->examples()[static_cast<std::size_t>(i)];
}

}  // namespace cutelab::corpus::test
