#include "base/literal.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace cutelab {
namespace {

TEST(Literal, TheWholeTextIsCompared) {
  const std::string text = "launch";
  EXPECT_TRUE(text == "launch");
  EXPECT_FALSE(text == "launcher");
  EXPECT_FALSE(text == "launc");
  EXPECT_TRUE("launch" == text);
  EXPECT_TRUE(text != "Launch");
  EXPECT_TRUE(std::string() == "");
  EXPECT_FALSE(std::string("a\0b", 3) == "a");
}

TEST(Literal, AViewIsComparedAsAText) {
  const std::string_view text = std::string_view("launcher").substr(0, 6);
  EXPECT_TRUE(text == "launch");
  EXPECT_FALSE(text == "launcher");
  EXPECT_TRUE("launch" == text);
  EXPECT_TRUE(text != "Launch");
  EXPECT_TRUE(std::string_view() == "");
}

TEST(Literal, APathIsComparedAsAPath) {
  const std::filesystem::path path = "a/b.py";
  EXPECT_TRUE(path.extension() == ".py");
  EXPECT_TRUE(path == "a//b.py");
}

}  // namespace
}  // namespace cutelab
