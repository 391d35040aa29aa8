#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>

#include "cli/kernel_run.h"
#include "device/fake_device.h"
#include "kernel/build.h"

namespace cutelab::cli::testing {

/// rmsnorm below a root of its own, with builds in the cache, so that a machine without a compiler and a GPU
/// will do: kernels are host functions, the device is fake.
class KernelWorld : public ::testing::Test {
 protected:
  KernelWorld()
      : root_(std::filesystem::temp_directory_path() / ("cutelab_world_" + std::to_string(getpid()))) {
    context_.source_root = root_.string();
    machine_.info.l2_bytes = 1 << 16;  // the buffer that sweeps it is host memory here
    package_.folder = "kernels/cute_cpp/norm/rmsnorm/rmsnorm";
    put("kernels/launch_abi.h");
    put(package_.folder + "/kernel.cu");
    for (const auto& config : package_.plan->autotune_configs(params_))
      if (config.legal()) build(config);
  }
  ~KernelWorld() override { std::filesystem::remove_all(root_); }

  void build(const kernel::Config& config) {
    const auto kernel = *package_.plan->plan(params_, config);
    const auto hash = kernel::source_hash(
        {files_, environment_, root_.string(), package_.folder, kernel.defines, "sm_90a"});
    for (const char* file : {"kernel.so", "kernel.cubin", "build.txt"})
      put("build/kernels/" + *hash + "/tools/" + file);
  }
  void put(const std::string& name) {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically((root_ / name).string(), "compiler: test\n"));
  }
  static kernel::Params params_of(const kernel::Package& package) {
    return *kernel::parse_parameters("rmsnorm", package.plan->parameters(), {{"b", "4"}, {"h", "64"}});
  }

  /// Loads one kernel after the other from `make(n)`, n counting the loads.
  template <class Make>
  static KernelLoader loader(Make make) {
    return [make, n = 0](const std::string&) mutable -> Result<std::unique_ptr<kernel::Launchable>> {
      return Result<std::unique_ptr<kernel::Launchable>>(make(n++));
    };
  }

  std::filesystem::path root_;
  std::ostringstream out_, err_;
  DiskFileSource files_;
  SystemClock clock_;
  Environment environment_;
  Context context_{out_, err_, files_, clock_, environment_, "cutelab", "", false, false, 100};
  device::FakeMachine machine_;
  kernel::Package package_ = *kernel::find_package(kernel::all_packages(), "rmsnorm", "");
  kernel::Params params_ = params_of(package_);
  kernel::Config config_ = package_.plan->autotune_configs(params_)[0];
};

/// rmsnorm's arguments, as kernels/cute_cpp/norm/rmsnorm/rmsnorm/params.h has them.
struct NormArguments {
  void* x;
  void* weight;
  void* y;
  long long rows;
  int hidden;
  float eps;
};

/// Writes one bf16 value everywhere and takes so long.
struct SteadyKernel final : kernel::Launchable {
  device::FakeMachine* machine = nullptr;
  double us = 10;
  float value = 1;
  bool hangs = false;
  Status launch(const std::vector<std::byte>& arguments, const kernel::LaunchShape&, void*) const override {
    while (hangs) pause();
    NormArguments at{};
    EXPECT_EQ(arguments.size(), sizeof at);
    std::memcpy(&at, arguments.data(), sizeof at);
    auto* y = static_cast<std::uint16_t*>(at.y);
    for (long long i = 0; i < at.rows * at.hidden; ++i) y[i] = kernel::to_bf16(value);
    const double time = us;
    machine->elapsed_us = [time](int n) { return time + 0.002 * (n % 7); };
    return {};
  }
};

}  // namespace cutelab::cli::testing
