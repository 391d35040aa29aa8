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

TEST(Model, SeveralKernelsStandApartAndTheFileLast) {
  auto reading = testing::sample_reading();
  reading.functions.push_back({"Second.kernel", evidence::Function::Kind::kernel, at_line(40), {}});
  reading.facts[1].kernel = "";
  const auto all = models(reading);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "ScaleKernel.kernel");
  EXPECT_EQ(all[1].name, "Second.kernel");
  EXPECT_EQ(all[2].name, "");
  EXPECT_TRUE(all[1].pipelines.empty());
}

evidence::Fact role_fact(const char* name, const char* around, bool elected) {
  evidence::Fact fact;
  fact.family = evidence::Family::D1;
  fact.kind = evidence::kind::role;
  fact.subject = name;
  fact.role = around;
  fact.kernel = "ScaleKernel.kernel";
  fact.values["condition"] = evidence::literal("warp_idx == 0");
  fact.values["elected"] = evidence::literal(elected);
  return fact;
}

TEST(Model, RegistersThatTheDefaultsLeaveOutAreNotARolesBudget) {
  auto reading = testing::sample_reading();
  evidence::Fact budget;
  budget.family = evidence::Family::D5;
  budget.kind = evidence::kind::register_budget;
  budget.role = "load";
  budget.kernel = "ScaleKernel.kernel";
  budget.values["registers"] = evidence::literal(std::int64_t{56});
  const auto registers_of_load = [&] {
    const auto all = models(reading);
    for (const auto& row : all[0].roles)
      if (row.name == "load") return row.registers;
    return std::string("no such role");
  };
  reading.facts.push_back(budget);
  EXPECT_EQ(registers_of_load(), "56");
  reading.facts.back().values["active"] = evidence::literal(false);
  EXPECT_NE(registers_of_load(), "56");
}

TEST(Model, BlocksInsideARoleAreItsPartsAndElectionsNone) {
  auto reading = testing::sample_reading();
  reading.facts.push_back(role_fact("store", "scale", true));
  reading.facts.push_back(role_fact("reduce", "scale", false));
  evidence::Fact acquire;
  acquire.family = evidence::Family::D2;
  acquire.kind = evidence::kind::wait;
  acquire.subject = "ring";
  acquire.role = "store";
  acquire.kernel = "ScaleKernel.kernel";
  reading.facts.push_back(acquire);
  const auto all = models(reading);
  EXPECT_EQ(all[0].roles.size(), 2u);
  ASSERT_EQ(all[0].parts.size(), 1u);
  EXPECT_EQ(all[0].parts[0].name, "reduce");
  EXPECT_EQ(all[0].parts[0].within, "scale");
  EXPECT_EQ(all[0].pipelines[0].consumers, std::vector<std::string>{"scale"});
}

TEST(Model, WhereOnlyAnElectedWarpStandsApartTheOthersDoTheRest) {
  evidence::Reading reading = testing::sample_reading();
  std::erase_if(reading.facts, [](auto& f) { return f.kind == evidence::kind::role; });
  for (evidence::Fact& f : reading.facts)
    if (f.family == evidence::Family::D2) f.role.clear();
  reading.facts.push_back(role_fact("warp 0", "", true));
  evidence::Fact side;
  side.family = evidence::Family::D2;
  side.subject = "ring";
  side.kernel = "ScaleKernel.kernel";
  side.kind = evidence::kind::commit;
  side.role = "warp 0";
  reading.facts.push_back(side);
  side.kind = evidence::kind::wait;
  side.role = "";
  reading.facts.push_back(side);
  EXPECT_EQ(models(reading)[0].pipelines[0].producers, std::vector<std::string>{"warp 0"});
  EXPECT_EQ(models(reading)[0].pipelines[0].consumers, std::vector<std::string>{everyone});
  reading.facts.back().values["by"] = evidence::literal("thread 0");
  EXPECT_EQ(models(reading)[0].pipelines[0].consumers.back(), "thread 0");
  reading.facts.push_back(role_fact("load", "", false));
  reading.facts[reading.facts.size() - 2].values.clear();
  EXPECT_TRUE(models(reading)[0].pipelines[0].consumers.empty()) << "roles do the work, and none waits";
}

TEST(Model, AWarpThatOnlyPreparesIsNoRoleThoughItsNameWorksInsideOne) {
  evidence::Reading reading = testing::sample_reading();
  evidence::Fact prepares = role_fact("epilog", "", true);
  prepares.values["prepares"] = evidence::literal(true);
  reading.facts.push_back(prepares);
  reading.facts.push_back(role_fact("epilog", "scale", true));
  evidence::Fact side;
  side.family = evidence::Family::D2;
  side.kind = evidence::kind::commit;
  side.subject = "ring";
  side.kernel = "ScaleKernel.kernel";
  side.role = "epilog";
  reading.facts.push_back(side);
  const KernelModel model = models(reading)[0];
  EXPECT_EQ(model.roles.size(), 2u);
  EXPECT_EQ(model.pipelines[0].producers.back(), "scale") << "the role around it";
}

TEST(Model, AConstantForAWarpIsNoRole) {
  auto reading = testing::sample_reading();
  evidence::Fact fact = role_fact("_WARP_PROD", "", false);
  fact.values.erase("condition");
  fact.values["warps"] = evidence::literal(std::int64_t{0});
  reading.facts.push_back(fact);
  EXPECT_EQ(models(reading)[0].roles.size(), 2u);
}

TEST(Model, ALaunchThatTheDefaultsLeaveOutIsTold) {
  auto reading = testing::sample_reading();
  reading.facts[0].values["active"] = evidence::literal(false);
  reading.facts[0].values["condition"] = evidence::literal("const_expr(split)");
  const auto all = models(reading);
  ASSERT_TRUE(all[0].left_out);
  EXPECT_EQ(all[0].left_out->condition, "const_expr(split)");
  for (const LaunchRow& row : all[0].launch) EXPECT_NE(row.name, "active");
}

TEST(Model, LinesKeepTheirOrderOnceAndJoined) {
  EXPECT_EQ(lines_text({at_line(12), at_line(10), at_line(11), at_line(20), at_line(20)}, 9),
            "12, 10–11, 20");
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
