#include "device/cupti_activity.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cutelab::device {
namespace {

/// Two records in one buffer, as CUPTI 13 lays them out, and a third of a kind that nobody asked for.
struct Records {
  static constexpr std::size_t stride = 256;
  std::uint8_t bytes[3 * stride] = {};
  template <class T>
  void put(int record, std::size_t offset, T value) {
    std::memcpy(bytes + static_cast<std::size_t>(record) * stride + offset, &value, sizeof value);
  }
};

int next_of_three(std::uint8_t* buffer, std::size_t used, std::uint8_t** record) {
  std::uint8_t* next = *record ? *record + Records::stride : buffer;
  if (next >= buffer + used) return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED: no more
  *record = next;
  return 0;
}

CuptiActivityApi fake_api() {
  CuptiActivityApi api;
  api.next_record = next_of_three;
  api.callback_name = [](int domain, std::uint32_t id, const char** name) {
    *name = domain == 1 && id == 307 ? "cuLaunchKernel" : nullptr;
    return 0;
  };
  api.result_text = [](int, const char** text) {
    *text = "CUPTI_ERROR_NOT_SUPPORTED";
    return 0;
  };
  api.register_callbacks = [](CuptiActivityApi::Request, CuptiActivityApi::Complete) { return 0; };
  api.enable = [](int) { return 0; };
  api.disable = [](int) { return 0; };
  api.flush = [](std::uint32_t) { return 0; };
  return api;
}

TEST(Activity, RecordsBecomeSpans) {
  Records r;
  r.put<std::int32_t>(0, 0, 10);  // kernel
  r.put<std::uint16_t>(0, 6, 64);
  r.put<std::uint64_t>(0, 16, 5000);
  r.put<std::uint64_t>(0, 24, 70000);
  r.put<std::uint32_t>(0, 48, 13);
  r.put<std::int32_t>(0, 52, 8192);
  r.put<std::int32_t>(0, 56, 1);
  r.put<std::int32_t>(0, 60, 1);
  r.put<std::uint32_t>(0, 92, 42);
  r.put<const char*>(0, 104, "rmsnorm_kernel");
  r.put<std::int32_t>(1, 0, 4);  // driver call
  r.put<std::uint32_t>(1, 4, 307);
  r.put<std::uint64_t>(1, 8, 1000);
  r.put<std::uint64_t>(1, 16, 4000);
  r.put<std::uint32_t>(1, 32, 42);
  r.put<std::int32_t>(2, 0, 99);
  const auto spans = spans_of(fake_api(), r.bytes, sizeof r.bytes);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "rmsnorm_kernel");
  EXPECT_EQ(spans[0].end_ns - spans[0].begin_ns, 65000u);
  EXPECT_EQ(spans[0].track, 13u);
  EXPECT_EQ(spans[0].details[0].second, "8192×1×1");
  EXPECT_EQ(spans[0].details[2].second, "64");
  EXPECT_EQ(spans[1].name, "cuLaunchKernel");
  EXPECT_EQ(spans[1].lane, Span::Lane::host);
  EXPECT_EQ(spans[1].correlation, spans[0].correlation);
}

TEST(Activity, AKindThatCannotBeSwitchedOnAndFailedWorkAreErrors) {
  auto api = fake_api();
  const auto broken = [] { return Status(Error{ErrorKind::unavailable, "launch", "it broke", "", ""}); };
  EXPECT_EQ(trace_activity(api, broken).error().wrong, "it broke");
  ASSERT_TRUE(trace_activity(api, [] { return Status(); }));
  api.enable = [](int kind) { return kind == 2 ? 27 : 0; };
  EXPECT_EQ(trace_activity(api, [] { return Status(); }).error().wrong, "CUPTI_ERROR_NOT_SUPPORTED (27)");
}

TEST(Activity, ALibraryWithoutTheFunctionsIsNamed) {
  const SharedLibrary libm("libm.so.6");
  EXPECT_EQ(load_cupti_activity(libm).error().wrong, "the library lacks cuptiGetVersion");
}

}  // namespace
}  // namespace cutelab::device
