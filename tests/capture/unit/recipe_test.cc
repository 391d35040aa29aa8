#include "capture/recipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;

class RecipeFile : public ::testing::Test {
 protected:
  RecipeFile() : folder(fs::temp_directory_path() / ("cutelab_recipe_" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~RecipeFile() override { fs::remove_all(folder); }
  Result<Recipe> read(const std::string& text) {
    std::ofstream(folder / "r.json") << text;
    return read_recipe(DiskFileSource(), (folder / "r.json").string());
  }
  static std::string document(const std::string& rest) {
    return R"({"schema":"cutelab.recipe","schema_version":1,)" + rest + "}";
  }
  fs::path folder;
};

TEST_F(RecipeFile, NamesKernelsFoldersAndParts) {
  auto recipe = read(document(
      R"("parts":["corpora"],"folders":["../pkg"],"kernels":[{"name":"a","archs":["sm_90a","sm_100a"],"run":{"call":"m:f"}}])"));
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(recipe->parts, std::vector<std::string>{"corpora"});
  EXPECT_EQ(recipe->folders, std::vector<std::string>{(folder.parent_path() / "pkg").string()});
  ASSERT_EQ(recipe->kernels.size(), 1u);
  EXPECT_EQ(recipe->kernels[0].archs.size(), 2u);
  EXPECT_NE(recipe->kernels[0].entry.find("\"call\":\"m:f\""), std::string::npos);
}

TEST_F(RecipeFile, ThatLacksSomethingSaysWhat) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "no document of schema"},
      {R"({"schema":"cutelab.recipe","schema_version":2})", "version 1"},
      {document(R"("kernels":[])"), "no entry"},
      {document(R"("kernels":[3])"), "entry 1"},
      {document(R"("kernels":[{"name":"a","archs":["sm_90a"]}])"), "`run`"},
      {document(R"("kernels":[{"name":"a","archs":["s"],"run":1},{"name":"a","archs":["s"],"run":1}])"),
       "'a'"},
  };
  for (const auto& [text, wrong] : cases) {
    auto recipe = read(text);
    ASSERT_FALSE(recipe) << text;
    EXPECT_EQ(recipe.error().kind, ErrorKind::input);
    EXPECT_NE(recipe.error().wrong.find(wrong), std::string::npos) << recipe.error().wrong;
  }
}

}  // namespace
}  // namespace cutelab::capture
