// Compiling cuTile packages, with a stand-in for Python: what is asked, kept, and said.
#include "kernel/tile_build.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cutelab::kernel {
namespace {
namespace fs = std::filesystem;

class TileBuild : public ::testing::Test {
 protected:
  TileBuild() : root(fs::temp_directory_path() / ("cutelab_tile_build_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    put("kernels/cutile/export.py", "export step\n");
    put("kernels/cutile/norm/x/x/kernel.py", "kernel\n");
    put("deps/cutile.lock", "cuda-tile==1.7.0 \\\n    --hash=sha256:1\nnvidia-cuda-tileiras==13.5.37 \\\n");
  }
  ~TileBuild() override { fs::remove_all(root); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  /// An interpreter that does what `script` says: $1 is the export step, $2 the request.
  std::string python(const std::string& script) const {
    put("python", "#!/bin/sh\n" + script);
    fs::permissions(root / "python", fs::perms::owner_all);
    return (root / "python").string();
  }
  std::string exporter(const std::string& compiler) const {
    return python(
        "cd $(dirname $2); grep -o '\"divisible\": [0-9]*' request.json > f.cubin\n"
        "echo '{\"schema\": \"cutelab.tile_kernel\", \"schema_version\": 1, \"compiler\": \"" +
        compiler +
        "\", \"steps\": [{\"cubin\": \"f.cubin\", \"symbol\": \"f\", \"parameters\": [8, 4, 4]}]}' "
        "> kernel.json\n");
  }
  TileBuildRequest request(const std::string& interpreter, std::int64_t divisible = 8,
                           const std::string& arch = "sm_90") const {
    return {files,
            root.string(),
            "kernels/cutile/norm/x/x",
            {{{"f", {TileParameter::dense("x", DType::bf16, {64}, divisible)}, {1, 1, 1}, 0}}, 0},
            arch,
            interpreter};
  }
  DiskFileSource files;
  fs::path root;
};

TEST_F(TileBuild, IsMadeOnceAndTakenFromTheCache) {
  const auto first = build_tile_kernel(request(exporter("cuTile 1")));
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_FALSE(first->from_cache);
  EXPECT_EQ(first->compiler, "cuTile 1");
  EXPECT_TRUE(fs::exists(first->library)) << first->library;
  EXPECT_EQ(*files.read(first->cubin, 1000), "\"divisible\": 8\n");
  EXPECT_FALSE(fs::exists(first->folder + "/request.json"));
  const auto second = build_tile_kernel(request(python("exit 9")));
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->source_hash, first->source_hash);
  // Without cuTile, what any version made will do.
  put("deps/cutile.lock", "cuda-tile==2.0.0\n");
  const auto third = build_tile_kernel(request(""));
  ASSERT_TRUE(third) << third.error().message();
  EXPECT_EQ(third->folder, first->folder);
  // With it, another version compiles anew.
  const auto newer = build_tile_kernel(request(exporter("cuTile 2")));
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->compiler, "cuTile 2");
  EXPECT_NE(newer->folder, first->folder);
}

TEST_F(TileBuild, TheHashFollowsWhatDecidesTheCode) {
  const auto hash = [&](const TileBuildRequest& r) { return *tile_source_hash(r); };
  const std::string base = hash(request(""));
  auto larger = request("");
  larger.program.steps[0].parameters[0].shape = {128};
  larger.program.steps[0].grid = {9, 1, 1};
  EXPECT_EQ(hash(larger), base) << "extents are arguments";
  EXPECT_NE(hash(request("", 4)), base);
  EXPECT_NE(hash(request("", 8, "sm_100")), base);
  put("kernels/cutile/norm/x/x/kernel.py", "kernel2\n");
  const std::string edited = hash(request(""));
  EXPECT_NE(edited, base);
  put("kernels/cutile/export.py", "another step\n");
  EXPECT_NE(hash(request("")), edited);
}

TEST_F(TileBuild, WhatFailsSaysWhyAndLeavesNothing) {
  const auto none = build_tile_kernel(request(""));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(none.error().wrong, "cuTile is not installed");
  EXPECT_NE(none.error().remedy.find("cutelab setup cutile"), std::string::npos);
  const auto failed = build_tile_kernel(request(python("echo 'TileTypeError: no such tile' >&2; exit 1\n")));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().wrong, "cuTile does not compile it");
  EXPECT_NE(failed.error().where.find("TileTypeError: no such tile"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(root / "build/kernels"))
    EXPECT_TRUE(fs::is_empty(entry.path())) << "nothing half-made stays";
}

// cuTile and tileiras left tmp…/ and tileir-….o in the machine's folder when a signal ended them.
TEST_F(TileBuild, TemporaryFilesOfTheCompilerLieInWhatIsRemoved) {
  const auto built = build_tile_kernel(
      request(python("cd $(dirname $2); echo $TMPDIR > " + (root / "seen").string() +
                     "; touch $TMPDIR/left.o || exit 1; echo x > f.cubin\n"
                     "echo '{\"compiler\": \"c\", \"steps\": [{\"cubin\": \"f.cubin\"}]}' > kernel.json\n")));
  ASSERT_TRUE(built) << built.error().message();
  const std::string seen = *files.read((root / "seen").string(), 1000);
  EXPECT_EQ(seen.rfind(fs::path(built->folder).parent_path().string() + "/.", 0), 0u) << seen;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    EXPECT_NE(entry.path().filename(), "left.o") << entry.path();
}

TEST_F(TileBuild, ATornBuildIsMadeAnew) {
  const auto first = build_tile_kernel(request(exporter("cuTile 1")));
  ASSERT_TRUE(first);
  fs::remove(first->cubin);
  const auto again = build_tile_kernel(request(exporter("cuTile 1")));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_FALSE(again->from_cache);
  EXPECT_TRUE(fs::exists(again->cubin));
}

TEST_F(TileBuild, ThePinnedCompilerIsReadFromTheLock) {
  EXPECT_EQ(pinned_tile_compiler(files, root.string()), "cuda-tile 1.7.0, nvidia-cuda-tileiras 13.5.37");
  EXPECT_EQ(pinned_tile_compiler(files, root.string() + "/nowhere"), "");
}

}  // namespace
}  // namespace cutelab::kernel
