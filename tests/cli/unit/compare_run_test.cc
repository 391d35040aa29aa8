#include "cli/compare_run.h"

#include <algorithm>

#include "cli/unit/kernel_world.h"
#include "evidence/metrics.h"
#include "profile/outcome.h"
#include "support/small_elf.h"

namespace cutelab::cli {
namespace {

using Kind = evidence::VerdictKind;

class CompareRun : public testing::KernelWorld {
 protected:
  CompareRequest request(std::size_t contenders) {
    CompareRequest request;
    for (std::size_t i = 0; i < contenders; ++i)
      request.contenders.push_back(
          {std::string(1, static_cast<char>('a' + i)), package_, params_, config_, false});
    request.spec.least_seconds = 0;
    request.time_limit_seconds = 20;
    return request;
  }
  Result<CompareOutcome> compare(const CompareRequest& asked,
                                 const std::vector<testing::SteadyKernel>& kernels) {
    const auto load = loader([&](int n) {
      auto kernel =
          std::make_unique<testing::SteadyKernel>(kernels[static_cast<std::size_t>(n) % kernels.size()]);
      kernel->machine = &machine_;
      return kernel;
    });
    return run_comparison(asked, *device::fake_device(machine_), load, context_);
  }
  static Kind verdict(const CompareOutcome& outcome) {
    return profile::judge_difference(
               profile::paired_difference(outcome.runs[0].samples_us, outcome.runs[1].samples_us, 3), 0.01)
        .kind;
  }
  static testing::SteadyKernel kernel(double us, float value = 1) {
    testing::SteadyKernel made;
    made.us = us;
    made.value = value;
    return made;
  }
};

TEST_F(CompareRun, TwoOfTheSameAreSameAndTheirOutputsAgree) {
  const auto outcome = compare(request(2), {kernel(10), kernel(10)});
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->outcome.kind, "done") << outcome->outcome.reason;
  ASSERT_EQ(outcome->runs.size(), 2u);
  EXPECT_EQ(outcome->runs[0].samples_us.size(), outcome->runs[1].samples_us.size());
  EXPECT_EQ(verdict(*outcome), Kind::same);
  EXPECT_TRUE(outcome->disagreements.empty());
  const auto& notes = outcome->runs[1].notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](auto& n) { return n.find("outputs against a: passed") == 0; }));
}

/// Every build of the world becomes a cubin whose kernel has these instructions.
void compiled_to(const std::filesystem::path& root, const std::string& instructions) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "build/kernels")) {
    if (entry.path().filename().string() != "kernel.cubin") continue;
    EXPECT_TRUE(write_file_atomically(
        entry.path().string(),
        cutelab::testing::small_elf({{".text._ZN7rmsnorm14rmsnorm_kernelENS_6ParamsE", instructions}})));
  }
}

TEST_F(CompareRun, EqualMachineCodeExplainsThatBothAreTheSame) {
  compiled_to(root_, "the same instructions");
  auto asked = request(2);
  const auto same = compare(asked, {kernel(10), kernel(10)});
  ASSERT_TRUE(same);
  const std::string code = same->runs[0].provenance.code_hash;
  ASSERT_EQ(code.size(), 16u);
  const auto pair = compared_of(asked, *same).pairs[0];
  EXPECT_EQ(pair.verdict.kind, Kind::same);
  EXPECT_NE(pair.verdict.reason.find("both run the same machine code (" + code + ")"), std::string::npos)
      << pair.verdict.reason;
  const auto slower = compare(asked, {kernel(10), kernel(11)});
  ASSERT_TRUE(slower);
  const auto other = compared_of(asked, *slower).pairs[0];
  EXPECT_EQ(other.verdict.kind, Kind::slower);
  EXPECT_NE(other.verdict.reason.find("make the difference"), std::string::npos) << other.verdict.reason;
}

TEST_F(CompareRun, OtherMachineCodeOrNoneExplainsNothing) {
  auto asked = request(2);
  const auto unknown = compare(asked, {kernel(10), kernel(10)});  // the builds hold no cubin
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->runs[0].provenance.code_hash, "");
  EXPECT_EQ(compared_of(asked, *unknown).pairs[0].verdict.reason.find("machine code"), std::string::npos);
  evidence::Run left, right;
  left.provenance.code_hash = "1111";
  right.provenance.code_hash = "2222";
  evidence::Verdict verdict{Kind::same, "+0.10 %, within 1 %"};
  profile::explain_by_code(verdict, left, right);
  EXPECT_EQ(verdict.reason, "+0.10 %, within 1 %");
}

TEST_F(CompareRun, ASlowerOneIsSlower) {
  const auto outcome = compare(request(2), {kernel(10), kernel(10.3)});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(verdict(*outcome), Kind::slower);
}

TEST_F(CompareRun, OutputsThatDifferAreSaidWhateverTheTimes) {
  const auto outcome = compare(request(3), {kernel(10), kernel(10), kernel(10, 1.5F)});
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->disagreements.size(), 1u);
  EXPECT_EQ(outcome->disagreements[0].rfind("c against a: FAILED", 0), 0u) << outcome->disagreements[0];
}

TEST_F(CompareRun, AHangLeavesEveryRunWithItsReason) {
  auto hanging = kernel(10);
  hanging.hangs = true;
  auto asked = request(2);
  asked.time_limit_seconds = 0.5;
  const auto outcome = compare(asked, {kernel(10), hanging});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->outcome.kind, "time-limit");
  EXPECT_NE(outcome->outcome.reason.find("first launch of b"), std::string::npos) << outcome->outcome.reason;
  EXPECT_EQ(profile::exit_code_of(outcome->outcome), ExitCode::kernel_fault);
  for (const auto& run : outcome->runs) {
    EXPECT_EQ(run.outcome.kind, "time-limit");
    EXPECT_FALSE(evidence::metric_of(run, "duration_us")->missing_because.empty());
  }
}

TEST_F(CompareRun, WithoutAGpuTheReasonIsNamed) {
  machine_.list_error = "the driver sees no GPU";
  const auto outcome = compare(request(2), {kernel(10), kernel(10)});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->outcome.kind, "unavailable");
  EXPECT_NE(outcome->outcome.reason.find("the driver sees no GPU"), std::string::npos);
}

TEST_F(CompareRun, SearchTakesTheFastestConfigurationOfOneBuild) {
  auto asked = request(2);
  asked.contenders[1].search = true;
  const auto outcome = compare(asked, {kernel(10), kernel(10)});
  ASSERT_TRUE(outcome);
  const auto& notes = outcome->runs[1].notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](auto& n) {
    return n.find("the best of 1 configurations") == 0;
  })) << "rmsnorm's configurations are builds of their own";
}

std::string parsed(const std::string& word) {
  auto contender = parse_contender(word, kernel::all_packages(), {{"m", "512"}, {"dtype", "fp16"}});
  if (!contender) return contender.error().wrong;
  return contender->package.title() + " " + contender->params.text();
}

TEST(Contenders, WordsNameVersionParametersAndConfiguration) {
  EXPECT_EQ(parsed("rmsnorm"), "rmsnorm v0 b=8192 dtype=fp16 h=8192");
  EXPECT_EQ(parsed("rmsnorm,h=64"), "rmsnorm v0 b=8192 dtype=fp16 h=64");
  EXPECT_EQ(parsed("dense_gemm:v5,n=1024"),
            "dense_gemm v5 a=k alpha=1 b=k batch=1 beta=0 dtype=fp16 k=4096 m=512 n=1024 sums=fp32");
  EXPECT_EQ(parsed("rmsnorm,h"), "'h' is not NAME=VALUE");
  EXPECT_EQ(parsed("rmsnorm:v9"), "no such version");
  EXPECT_EQ(parsed("rmsnorm,tile_q=3"), "--config does not take 'tile_q=3'");
  auto changed = parse_contender("rmsnorm,vector_elements=4", kernel::all_packages(), {});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->config.value("vector_elements"), 4);
  auto numbered = parse_contender("rmsnorm,config=1", kernel::all_packages(), {});
  ASSERT_TRUE(numbered);
  EXPECT_EQ(numbered->config.text(), changed->package.plan->autotune_configs(changed->params)[1].text());
}

}  // namespace
}  // namespace cutelab::cli
