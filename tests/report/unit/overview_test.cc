#include <algorithm>

#include "report/overview.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/full.h"
#include "report/header_sample.h"
#include "report/sample.h"

namespace cutelab::report {
namespace {
using testing::hostile_reading;
using testing::sample_reading;

ViewOptions of_width(int width) {
  ViewOptions options;
  options.width = width;
  return options;
}

TEST(Overview, SampleOnTopOfTheHeaderIsTrue) {
  const std::string out = overview(sample_reading(), of_width(80));
  EXPECT_EQ(testing::sample_of_header("report/overview.h"), out) << testing::as_comment(out);
}

TEST(Full, SampleOnTopOfTheHeaderIsTrue) {
  const std::string out = full(sample_reading(), of_width(80));
  EXPECT_EQ(testing::sample_of_header("report/full.h"), out) << testing::as_comment(out);
}

TEST(Overview, FitsOneScreen) {
  const std::string out = overview(sample_reading(), of_width(100));
  EXPECT_LE(std::count(out.begin(), out.end(), '\n'), 50) << out;
}

using View = std::string (*)(const evidence::Reading&, const ViewOptions&);
constexpr View views[] = {overview, full};

void expect_narrow(const std::string& out, int width) {
  for (const auto line : split(out, '\n')) {
    if (line.find(" read ") != std::string_view::npos) continue;  // a command to copy is never cut
    EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(TerminalViews, NoLineIsWiderThanTheTerminal) {
  for (const View view : views)
    for (const auto& reading : {sample_reading(), hostile_reading(), evidence::Reading{}})
      for (const int width : {80, 100, 140}) expect_narrow(view(reading, of_width(width)), width);
}

TEST(TerminalViews, TextOfTheSourceCannotDriveTheTerminal) {
  for (const View view : views) {
    const std::string out = view(hostile_reading(), of_width(100));
    EXPECT_EQ(out, replace_all(printable(out), "\t", " "));
  }
}

TEST(TerminalViews, ColourOnlyAddsEscapes) {
  for (const View view : views) {
    ViewOptions options = of_width(100);
    const std::string plain = view(sample_reading(), options);
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    options.paint = render::Paint(true);
    std::string coloured = view(sample_reading(), options);
    EXPECT_NE(coloured.find('\x1b'), std::string::npos);
    for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;)
      coloured.erase(at, coloured.find('m', at) - at + 1);
    EXPECT_EQ(coloured, plain);
  }
}

TEST(Full, EveryFactStandsThereWithItsPlace) {
  const evidence::Reading reading = sample_reading();
  const std::string out = full(reading, of_width(120));
  for (const auto& fact : reading.facts) {
    EXPECT_NE(out.find("scale.py:" + std::to_string(fact.at.line())), std::string::npos) << fact.subject;
    EXPECT_NE(out.find(fact.says), std::string::npos) << fact.says;
  }
}

TEST(Full, FamilyAndKernelFilter) {
  ViewOptions options = of_width(120);
  options.families = {evidence::Family::D1};
  const std::string out = full(sample_reading(), options);
  EXPECT_NE(out.find("D1 roles (2)"), std::string::npos);
  EXPECT_EQ(out.find("D2 "), std::string::npos);
  EXPECT_EQ(out.find("checklist"), std::string::npos);
  options.kernel = "no such kernel";
  EXPECT_EQ(full(sample_reading(), options).find("D1"), std::string::npos);
}

TEST(Full, UndeterminedSaysWhyAndOnWhat) {
  const std::string out = full(sample_reading(), of_width(120));
  EXPECT_NE(out.find("grid.grid      known only at run time  src.shape[0]"), std::string::npos) << out;
}

}  // namespace
}  // namespace cutelab::report
