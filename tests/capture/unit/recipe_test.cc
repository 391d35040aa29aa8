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
      {"", "it is empty"},
      {"{\n \"schema\": nope}", "it is no JSON: line 2, column 13"},
      {std::string(200'000, '['), "it is no JSON: line 1, column 200001"},
      {std::string("{\xff\xfe"), "it is no JSON: line 1, column 2"},
      {"[]", "no object"},
      {R"({"schema":"other"})", "no recipe"},
      {R"({"schema":"cutelab.recipe"})", "`schema_version` is missing"},
      {R"({"schema":"cutelab.recipe","schema_version":2})", "`schema_version` is 2"},
      {document(R"("kernels":{})"), "`kernels` wants a list"},
      {document(R"("kernels":[])"), "no entry"},
      {document(R"("parts":"corpora","kernels":[])"), "`parts` wants a list"},
      {document(R"("parts":["torch",1],"kernels":[])"), "`parts[1]` is no text"},
      {document(R"("folders":[3],"kernels":[])"), "`folders[0]` is no text"},
      {document(R"("kernels":[3])"), "entry 1 of `kernels`: it is no object"},
      {document(R"("kernels":[{"name":7,"archs":["sm_90a"],"run":1}])"), "`name` is no text"},
      {document(R"("kernels":[{"name":"a","archs":["sm_90a"]}])"), "entry 1 of `kernels` ('a'): `run`"},
      {document(R"("kernels":[{"name":"a","archs":"sm_90a","run":1}])"), "`archs` wants a list"},
      {document(R"("kernels":[{"name":"a","archs":["--help"],"run":1}])"), "'--help' is no architecture"},
  };
  for (const auto& [text, wrong] : cases) {
    auto recipe = read(text);
    ASSERT_FALSE(recipe) << text;
    EXPECT_EQ(recipe.error().kind, ErrorKind::input);
    EXPECT_NE(recipe.error().wrong.find(wrong), std::string::npos) << recipe.error().wrong;
  }
  EXPECT_EQ(read(document(R"("kernels":[{"name":"a","archs":["sm_90a"],"run":{"call":"m:f"}},
                            {"name":"a","archs":["sm_90a"],"run":{"call":"m:f"}}])"))
                .error()
                .wrong,
            "two entries are called 'a'");
}

/// What is said of an entry whose `run` calls m:f with this argument.
class RecipeValue : public RecipeFile {
 protected:
  std::string said(const std::string& argument) {
    auto recipe =
        read(document(R"("kernels":[{"name":"a","archs":["sm_90a"],"run":{"call":"m:f","arguments":[)" +
                      argument + "]}}]"));
    const std::string before = "entry 1 of `kernels` ('a'): ";
    return recipe                                     ? ""
           : recipe.error().wrong.starts_with(before) ? recipe.error().wrong.substr(before.size())
                                                      : recipe.error().wrong;
  }
};

TEST_F(RecipeValue, OfEachFormPasses) {
  for (const char* argument :
       {"5", "\"text\"", "null", R"({"tensor":[4,8],"dtype":"bfloat16","permute":[1,0]})",
        R"({"tensor":[4],"fill":-1})", R"({"fake":["n/8",64,"m"],"order":[2,1,0],"align":16})",
        R"({"stream":true})", R"({"tuple":[1,{"name":"torch:bfloat16"}]})", R"({"causal":true,"splits":3})",
        R"({"call":"a.b:C.make","keywords":{"name":"plain","x":{"tensor":[1]}}})"})
    EXPECT_EQ(said(argument), "") << argument;
}

TEST_F(RecipeValue, OfWrongFormIsNamedWithItsMember) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"tensor":[2,3],"permute":[0,5]})", "run.arguments[0].permute: [0,5] is no order of 2 modes"},
      {R"({"tensor":[2,3],"permute":[0,0]})", "run.arguments[0].permute: [0,0] is no order of 2 modes"},
      {R"({"tensor":"4"})", "run.arguments[0].tensor: \"4\" is no list of extents (whole numbers from 0 on)"},
      {R"({"tensor":[4],"dtype":16})", "run.arguments[0].dtype: 16 is no type's name"},
      {R"({"tensor":[4],"fille":1})",
       "run.arguments[0]: no member 'fille' belongs there; known ones: tensor, dtype, permute, fill"},
      {R"({"fake":["n/0"]})",
       "run.arguments[0].fake: [\"n/0\"] is no list of extents (from 1 on, \"n\" or \"n/8\")"},
      {R"({"fake":["n/x"]})",
       "run.arguments[0].fake: [\"n/x\"] is no list of extents (from 1 on, \"n\" or \"n/8\")"},
      {R"({"fake":[8],"align":-3})", "run.arguments[0].align: -3 is no power of two"},
      {R"({"fake":[8],"order":[1]})", "run.arguments[0].order: [1] is no order of 1 modes"},
      {R"({"stream":false})", "run.arguments[0].stream: false: only true has a meaning"},
      {R"({"tuple":3})", "run.arguments[0].tuple: it wants a list, not 3"},
      {R"({"name":"nocolon"})", "run.arguments[0].name: \"nocolon\" is not of the form \"module:name\""},
      {R"({"call":"m:f","arguments":{}})", "run.arguments[0].arguments: it wants a list, not {}"},
      {R"([{"x":{"stream":1}}])", "run.arguments[0][0].x.stream: 1: only true has a meaning"},
      {std::string(500, '[') + std::string(500, ']'), "nested too deeply"},
  };
  for (const auto& [argument, wrong] : cases)
    EXPECT_NE(said(argument).find(wrong), std::string::npos) << argument << " said " << said(argument);
}

TEST_F(RecipeFile, ARunThatCallsNothingAndAWrongSettingAreRefused) {
  const auto wrong = [&](const std::string& rest) {
    auto recipe = read(document(R"("kernels":[{"name":"a","archs":["sm_90a"],)" + rest + "}]"));
    return recipe ? std::string() : recipe.error().wrong;
  };
  EXPECT_NE(wrong(R"("run":5)").find("run: 5 calls nothing"), std::string::npos);
  EXPECT_NE(wrong(R"("run":"mod:f")").find("run: \"mod:f\" calls nothing"), std::string::npos);
  EXPECT_EQ(wrong(R"("run":[{"call":"m:f"}],"set":[{"name":"m:a","value":1}])"), "");
  EXPECT_NE(
      wrong(R"("run":{"call":"m:f"},"set":{"name":"nocolon"})").find("set: it wants a list of settings"),
      std::string::npos);
  EXPECT_NE(
      wrong(R"("run":{"call":"m:f"},"set":[{"name":"nocolon","value":1}])").find("set[0].name: \"nocolon\""),
      std::string::npos);
  EXPECT_NE(wrong(R"("run":{"call":"m:f"},"set":[{"name":"m:a"}])").find("set[0].value: it is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace cutelab::capture
