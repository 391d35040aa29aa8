#include "report/listing.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/header_sample.h"
#include "report/sample.h"

namespace cutelab::report {
namespace {

std::vector<evidence::Reading> three() {
  auto scale = testing::sample_reading();
  auto helper = testing::sample_reading();
  helper.files[0].path = "examples/common/helper.py";
  helper.helper = true;
  evidence::Reading bare;
  bare.files = {{"examples/tutorial/first.py", "", 12}};
  bare.style = "function";
  return {scale, helper, bare};
}

TEST(Listing, SampleOnTopOfTheHeaderIsTrue) {
  ViewOptions options;
  options.width = 100;
  const std::string out = listing(three(), options);
  EXPECT_EQ(testing::sample_of_header("report/listing.h"), out) << testing::as_comment(out);
}

TEST(Listing, NoLineIsWiderThanTheTerminal) {
  ViewOptions options;
  for (const int width : {80, 100, 140}) {
    options.width = width;
    auto readings = three();
    readings.push_back(testing::hostile_reading());
    const std::string out = listing(readings, options);
    for (const auto line : split(out, '\n'))
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    EXPECT_EQ(out, replace_all(printable(out), "\t", " "));
  }
}

}  // namespace
}  // namespace cutelab::report
