#include "report/model.h"

#include <gtest/gtest.h>

#include "evidence/names.h"
#include "report/sample.h"

namespace cutelab::report {
namespace {
using evidence::Location;

Location at_line(std::uint32_t line) { return {0, {0, 1, line, line, 1}}; }

TEST(Model, OneKernelTakesTheFactsOfTheFile) {
  auto reading = testing::sample_reading();
  reading.facts[0].kernel = "";
  const auto all = models(reading);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "ScaleKernel.kernel");
  EXPECT_EQ(all[0].roles.size(), 2u);
  EXPECT_EQ(all[0].storage_bytes, 66560);
  EXPECT_EQ(all[0].capacity_bytes, 232448);
}

TEST(Model, RoleBlocksSayWhoProducesAndConsumes) {
  const auto all = models(testing::sample_reading());
  ASSERT_EQ(all[0].pipelines.size(), 1u);
  EXPECT_EQ(all[0].pipelines[0].producers, std::vector<std::string>{"load"});
  EXPECT_EQ(all[0].pipelines[0].consumers, std::vector<std::string>{"scale"});
}

TEST(Model, SeveralKernelsStandApartAndTheFileFirst) {
  auto reading = testing::sample_reading();
  reading.functions.push_back({"Second.kernel", evidence::Function::Kind::kernel, at_line(40), {}});
  reading.facts[1].kernel = "";
  const auto all = models(reading);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "");
  EXPECT_EQ(all[1].name, "ScaleKernel.kernel");
  EXPECT_EQ(all[2].name, "Second.kernel");
  EXPECT_TRUE(all[2].pipelines.empty());
}

TEST(Model, LinesAreSortedOnceAndJoined) {
  EXPECT_EQ(lines_text({at_line(12), at_line(10), at_line(11), at_line(20), at_line(20)}, 9), "10–12, 20");
  EXPECT_EQ(lines_text({at_line(1), at_line(3), at_line(5)}, 2), "1, 3 …");
  EXPECT_EQ(lines_text({Location{}, Location{1, {0, 1, 7, 7, 1}}}, 2), "");
}

TEST(Model, DependenciesMostFrequentFirstAndInsideLists) {
  evidence::Reading reading;
  evidence::Fact fact;
  evidence::Value list;
  list.data = evidence::Value::List{evidence::undetermined("", {"a"}, {}, ""),
                                    evidence::undetermined("", {"b", "a", "a"}, {}, "")};
  fact.values["grid"] = list;
  reading.facts = {fact};
  const auto all = dependencies(reading);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].count, 2);
}

TEST(Model, PlacesOfAnotherFileNameIt) {
  const auto reading = testing::hostile_reading();
  EXPECT_EQ(place(testing::sample_reading(), at_line(7)), "scale.py:7");
  EXPECT_EQ(place(reading, Location{9, {0, 1, 7, 7, 1}}), "?");
}

}  // namespace
}  // namespace cutelab::report
