#include "cli/kernel_roles.h"

#include <algorithm>
#include <filesystem>

#include "cli/unit/kernel_world.h"

namespace cutelab::cli {
namespace {

/// Writes one value everywhere; compiled to stamp, it also stamps 1 us of waiting and 3 us of work for CTA 0.
struct StampingKernel final : kernel::Launchable {
  testing::SteadyKernel steady;
  bool stamps = false;
  mutable unsigned long long base = 0;
  mutable unsigned capacity = 0;

  Status launch(const std::vector<std::byte>& arguments, const kernel::LaunchShape& shape,
                void* stream) const override {
    if (base) {
      const std::uint64_t head[4] = {5000, 9000, 100, 8100};
      const std::uint32_t of_sm[2] = {3, 2};
      auto* at = reinterpret_cast<std::byte*>(base);
      std::memcpy(at, head, sizeof head);
      std::memcpy(at + 32, of_sm, sizeof of_sm);
      const struct {
        std::uint64_t begin;
        std::uint32_t cycles, name;
      } records[2] = {{100, 2000, 0}, {2100, 6000, 1}};
      EXPECT_GE(capacity, 2u);
      std::memcpy(at + 64, records, sizeof records);
    }
    return steady.launch(arguments, shape, stream);
  }
  std::string stamped_roles() const override { return stamps ? "role all\nwait for rows\nwork scale" : ""; }
  Status stamp_into(unsigned long long to, unsigned roles, unsigned records, unsigned) const override {
    EXPECT_TRUE(to == 0 || roles == 1);
    base = to;
    capacity = records;
    return {};
  }
};

class KernelRoles : public testing::KernelWorld {
 protected:
  KernelRoles() {
    environment_ = Environment({{"XDG_DATA_HOME", (root_ / "data").string()}});
    kernel::CuteKernel stamping = *package_.plan->plan(params_, config_);
    stamping.defines.emplace_back("CUTELAB_ROLE_TIMELINE=1");
    const auto hash = kernel::source_hash(
        {files_, environment_, root_.string(), package_.folder, stamping.defines, "sm_90a"});
    for (const char* file : {"kernel.so", "kernel.cubin", "build.txt"})
      put("build/kernels/" + *hash + "/tools/" + file);
  }
  KernelOutcome run(bool stamps) {
    const KernelRequest request{package_, params_, config_, "timeline", false, 0, {}, 0};
    const auto load = loader([&](int n) {
      auto kernel = std::make_unique<StampingKernel>();
      kernel->steady.machine = &machine_;
      kernel->stamps = stamps && n == 1;
      return kernel;
    });
    auto outcome = run_kernel(request, *device::fake_device(machine_), load, context_);
    EXPECT_TRUE(outcome);
    return *outcome;
  }
  static bool told(const evidence::Run& run, const std::string& text) {
    return std::any_of(run.notes.begin(), run.notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }
};

TEST_F(KernelRoles, TheRunShowsEachRolesBubblesAndKeepsBothPictures) {
  const auto outcome = run(true);
  EXPECT_TRUE(outcome.not_done.empty()) << outcome.not_done.front();
  EXPECT_TRUE(told(outcome.run, "for rows 25.0 %"));
  EXPECT_TRUE(told(outcome.run, "1.00 (CTA 0)"));
  EXPECT_TRUE(told(outcome.run, "stamped launch: 4.00 us from its first stamp to its last, 10.0"));
  int svg = 0, trace = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ / "data")) {
    svg += entry.path().extension().string() == ".svg";
    trace += entry.path().string().ends_with(".roles.perfetto.json");
  }
  EXPECT_EQ(svg, 1);
  EXPECT_EQ(trace, 1);
}

TEST_F(KernelRoles, AKernelThatStampsNothingKeepsItsTimeAndSaysWhy) {
  const auto outcome = run(false);
  ASSERT_EQ(outcome.not_done.size(), 1u);
  EXPECT_NE(outcome.not_done[0].find("stamps no roles"), std::string::npos);
  EXPECT_FALSE(outcome.run.samples_us.empty());
}

}  // namespace
}  // namespace cutelab::cli
