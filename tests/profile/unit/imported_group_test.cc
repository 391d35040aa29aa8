// The check of an imported group of products, whole, on the fake device: its kernel is given four tensors
// (three tables of addresses, and sizes) and finds everything else by what stands in them.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/fake_device.h"
#include "kernel/imported_plan.h"
#include "profile/runner.h"
#include "support/exported_tensor.h"

namespace cutelab::profile {
namespace {

using kernel::ExportedCall;
using kernel::testing::exported_tensor;
using Sizes = std::array<std::int32_t, 3>;

/// As tests/capture/programs/grouped_product.py is captured.
ExportedCall captured(const std::vector<Sizes>& sizes) {
  ExportedCall call;
  call.entry = "f";
  call.device_code = "kernel.cubin";
  call.object_sha256 = "any";
  const auto groups = static_cast<std::int64_t>(sizes.size());
  const char* names[] = {"a_at", "b_at", "d_at"};
  for (int i = 0; i < 3; ++i) {
    auto table = exported_tensor(names[i], {groups}, {1}, i, "Int64");
    table.bytes = groups * 8;
    table.content = std::vector<std::byte>(sizes.size() * 8);
    for (std::size_t g = 0; g < sizes.size(); ++g)
      table.relocations.push_back({8 * g, static_cast<int>(4 + 3 * g) + i, 0});
    call.tensors.push_back(std::move(table));
  }
  auto extents = exported_tensor("sizes", {groups, 3}, {3, 1}, 3, "Int32");
  extents.content = std::vector<std::byte>(sizes.size() * sizeof(Sizes));
  std::memcpy(extents.content->data(), sizes.data(), extents.content->size());
  call.tensors.push_back(std::move(extents));
  for (std::size_t g = 0; g < sizes.size(); ++g)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [m, n, k] = sizes[g];
      call.tensors.push_back(exported_tensor(names[i] + ("[" + std::to_string(g) + "]"),
                                             {i == 1 ? n : m, i == 2 ? n : k}, {i == 2 ? n : k, 1},
                                             static_cast<int>(call.tensors.size())));
    }
  for (const auto& tensor : call.tensors) call.buffers.push_back(tensor.bytes);
  for (int i = 0; i < 4; ++i) {
    ExportedCall::Argument argument;
    argument.content.resize(8);
    argument.relocations = {{0, i, 0}};
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

class GroupProgram final : public kernel::Exporter {
 public:
  Result<kernel::Exported> get(const kernel::ExportWanted&) const override {
    kernel::Exported made;
    made.folder = "somewhere";
    made.call = captured({{5, 7, 9}, {16, 3, 4}, {1, 1, 1}});
    return made;
  }
};

kernel::PackageDescription group_package() {
  kernel::PackageDescription d;
  d.layer = "gemm";
  d.design = "grouped_product";
  d.version = "v0";
  d.arch = "sm_90a";
  d.program = "grouped_product.py";
  d.configurations = {{}};
  d.op.name = "gemm";
  d.op.roles = {
      {"a", {"a_at[*]", {"m", "k"}}}, {"b", {"b_at[*]", {"n", "k"}}}, {"d", {"d_at[*]", {"m", "n"}}}};
  return d;
}

template <class T>
T at_address(unsigned long long address, std::size_t index) {
  T value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(address) + index * sizeof(T), sizeof value);
  return value;
}

/// What the kernel of grouped_product.py does, by the block of arguments that the door of exports takes.
struct GroupKernel final : kernel::Launchable {
  std::size_t forgotten = SIZE_MAX;  ///< a problem that it does not solve
  Status launch(const std::vector<std::byte>& block, const kernel::LaunchShape&, void*) const override {
    const auto argument = [&](std::size_t i) {
      std::uint32_t place = 0;
      std::memcpy(&place, block.data() + 8 + i * 8, sizeof place);
      unsigned long long tensor = 0;
      std::memcpy(&tensor, block.data() + place, sizeof tensor);
      return tensor;
    };
    for (std::size_t g = 0; g < 3; ++g) {
      if (g == forgotten) continue;
      const auto a = at_address<std::uint64_t>(argument(0), g), b = at_address<std::uint64_t>(argument(1), g),
                 d = at_address<std::uint64_t>(argument(2), g);
      const auto size = [&](std::size_t i) {
        return static_cast<std::size_t>(at_address<std::int32_t>(argument(3), 3 * g + i));
      };
      for (std::size_t element = 0; element < size(0) * size(1); ++element) {
        float sum = 0;
        for (std::size_t k = 0; k < size(2); ++k)
          sum += at_address<float>(a, element / size(1) * size(2) + k) *
                 at_address<float>(b, element % size(1) * size(2) + k);
        std::memcpy(reinterpret_cast<float*>(d) + element, &sum, sizeof sum);
      }
    }
    return {};
  }
};

TEST(ImportedGroup, IsCheckedAgainstAReferenceForEachProblem) {
  const kernel::ImportedPlan plan(group_package(), std::make_shared<GroupProgram>());
  const auto params = *kernel::parse_parameters("grouped_product", plan.parameters(), {});
  const auto configs = plan.autotune_configs(params);
  device::FakeMachine machine;
  const auto session = *device::fake_device(machine)->open(0);
  GroupKernel kernel;
  auto check = check_kernel(*session, plan, params, configs[0], kernel);
  ASSERT_TRUE(check) << check.error().message();
  EXPECT_TRUE(check->passed()) << check->worst()->report.text;
  EXPECT_EQ(check->lines.size(), 9u) << "three results, three fills";
  kernel.forgotten = 2;
  auto bad = check_kernel(*session, plan, params, configs[0], kernel);
  ASSERT_TRUE(bad);
  EXPECT_FALSE(bad->passed()) << "a result that was not written is seen";
}

}  // namespace
}  // namespace cutelab::profile
