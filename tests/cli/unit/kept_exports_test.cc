// Kept exports that somebody changed: what is said of them, and that nothing falls over them.
#include "cli/kept_exports.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"
#include "base/sha256.h"
#include "cli/exports.h"
#include "cli/unit/fake_context.h"
#include "support/exported_tensor.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

class KeptExports : public ::testing::Test {
 protected:
  KeptExports() : scratch_("kept-exports"), root_(fs::canonical(scratch_.path()).string()) {
    world_.context.source_root = root_;
    fs::create_directories(folder_);
    kernel::ExportedCall call;
    call.entry = "f";
    call.device_code = "kernel.cubin";
    call.tensors = {kernel::testing::exported_tensor("x", {4, 2}, {2, 1}, 0)};
    call.buffers = {32};
    whole_ = kernel::to_json(call);
    put("export.json", whole_);
    put("record.json", R"({"dsl_version": "4.8.1", "arch": "sm_90a", "seconds": 2.5, "sources": []})");
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::trunc) << text;
  }
  Result<kernel::Exported> read() const { return read_export(folder_, world_.files); }
  /// What an import without a DSL, or a dry run, is told.
  Error asked_for_kept() {
    ExportSettings settings;
    settings.only_kept = true;
    return make_exporter(world_.context, settings)
        ->get({"program.py", std::string(64, '0'), {}, "sm_90a"})
        .error();
  }

  ScratchFolder scratch_;
  std::string root_;
  std::string folder_ = root_ + "/build/exports/key/4.8.1";
  std::string whole_;
  FakeContext world_;
};

TEST_F(KeptExports, AWholeOneIsTaken) {
  const auto found = read();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->dsl_version, "4.8.1");
  EXPECT_EQ(found->seconds, 2.5);
  EXPECT_EQ(export_seconds(world_.context), std::vector<double>{2.5});
}

TEST_F(KeptExports, ADamagedOneIsRefusedWithItsFileAndMember) {
  std::string damaged = whole_;
  damaged.replace(damaged.find("\"bytes\": 32"), 11, "\"bytes\": -1");
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{\"trunc"), damaged}) {
    put("export.json", text);
    const auto refused = read();
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
    EXPECT_EQ(refused.error().where, folder_ + "/export.json");
    EXPECT_NE(refused.error().remedy.find("delete its folder"), std::string::npos);
  }
  EXPECT_NE(read().error().wrong.find("bytes`: -1 is no whole number"), std::string::npos)
      << read().error().wrong;
}

TEST_F(KeptExports, MembersOfARecordOfAnotherFormAreAsIfTheyWereNotThere) {
  put("record.json",
      R"({"dsl_version": 7, "arch": ["sm_90a"], "seconds": "long", "line_table": 1, "sources": [{"path": 3, "sha256": {}}]})");
  const auto found = read();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->dsl_version, "");
  EXPECT_EQ(found->seconds, 0);
  EXPECT_TRUE(export_seconds(world_.context).empty());
  EXPECT_NO_THROW((void)sources_unchanged(folder_, world_.context));
  put("record.json", "null");
  ASSERT_FALSE(read());
  EXPECT_EQ(read().error().where, folder_ + "/record.json");
  EXPECT_FALSE(sources_unchanged(folder_, world_.context));
}

TEST_F(KeptExports, WhereNothingElseServesTheDamageIsSaid) {
  const auto key = [&] {
    for (const auto& entry : fs::directory_iterator(root_ + "/build/exports")) return entry.path().string();
    return std::string();
  };
  EXPECT_EQ(asked_for_kept().kind, ErrorKind::unavailable) << "nothing is kept under that key";
  // The name of the folder is a digest of what is asked for: taken from what the exporter looks for.
  const std::string wanted = sha256(std::string(64, '0') + "\n" + "\n" + "sm_90a").substr(0, 16);
  fs::rename(key(), root_ + "/build/exports/" + wanted);
  folder_ = root_ + "/build/exports/" + wanted + "/4.8.1";
  put("export.json", "{");
  const Error damaged = asked_for_kept();
  EXPECT_EQ(damaged.kind, ErrorKind::input) << damaged.message();
  EXPECT_EQ(damaged.where, folder_ + "/export.json");
}

}  // namespace
}  // namespace cutelab::cli
