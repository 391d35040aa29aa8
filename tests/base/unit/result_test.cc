#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace cutelab {
namespace {

const Error wrong{ErrorKind::input, "read x.py", "the file is empty", "x.py", "name a source"};

TEST(Result, HoldsAValueOrAnError) {
  Result<std::string> value = std::string("kernel");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, "kernel");
  EXPECT_EQ(value->size(), 6u);
  const Result<std::string> error = wrong;
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().wrong, "the file is empty");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(r);
  EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, ReadingTheAbsentSideAborts) {
  const Result<int> value = 1;
  const Result<int> error = wrong;
  EXPECT_DEATH((void)value.error(), "");
  EXPECT_DEATH((void)*error, "");
  EXPECT_DEATH((void)Status().error(), "");
}

TEST(Status, DefaultIsSuccess) {
  EXPECT_TRUE(Status().ok());
  EXPECT_FALSE(Status(wrong).ok());
}

TEST(Error, MessageSaysWhatWhereAndWhatToDo) {
  EXPECT_EQ(wrong.message(), "error: read x.py: the file is empty\n  at: x.py\n  try: name a source");
  EXPECT_EQ((Error{ErrorKind::usage, "", "no", "", ""}).message(), "error: no");
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(static_cast<int>(exit_code_of(ErrorKind::usage)), 2);
  EXPECT_EQ(static_cast<int>(exit_code_of(ErrorKind::input)), 2);
  EXPECT_EQ(static_cast<int>(exit_code_of(ErrorKind::unavailable)), 3);
  EXPECT_EQ(static_cast<int>(exit_code_of(ErrorKind::check)), 1);
  EXPECT_EQ(static_cast<int>(exit_code_of(ErrorKind::internal)), 4);
}

}  // namespace
}  // namespace cutelab
