#include "profile/role_timeline.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

#include "profile/unit/trace_reader.h"

namespace cutelab::profile {
namespace {

constexpr char names_text[] =
    "role loader\nrole consumer\nwait for a stage\nwork issue\nwait for data\nwork multiply";

/// Writes what kernels/role_timeline.cuh would. Every SM's cycles begin somewhere else; a cycle is half a
/// nanosecond.
class Stamper {
 public:
  explicit Stamper(RoleBuffer buffer) : buffer_(buffer), bytes_(buffer.bytes()) {}
  void track(int cta, int role, std::uint32_t sm, std::uint64_t begin_ns, std::uint64_t end_ns) {
    at_ = (static_cast<std::size_t>(cta) * buffer_.roles + static_cast<std::size_t>(role)) *
          (64 + std::size_t{buffer_.capacity} * 16);
    sm_zero_ = 1'000'000 + sm * 77'777;
    const std::uint64_t epoch = 1'700'000'000'000'000'000;
    const std::uint64_t head[4] = {epoch + begin_ns, epoch + end_ns, clock(begin_ns), clock(end_ns)};
    std::memcpy(bytes_.data() + at_, head, sizeof head);
    std::memcpy(bytes_.data() + at_ + 32, &sm, 4);
    stamped_ = 0;
  }
  void span(std::uint32_t name, std::uint64_t begin_ns, std::uint64_t end_ns) {
    if (stamped_ < buffer_.capacity) {
      const std::uint64_t begin = clock(begin_ns);
      const auto cycles = static_cast<std::uint32_t>(2 * (end_ns - begin_ns));
      std::byte* record = bytes_.data() + at_ + 64 + stamped_ * 16;
      std::memcpy(record, &begin, 8);
      std::memcpy(record + 8, &cycles, 4);
      std::memcpy(record + 12, &name, 4);
    }
    ++stamped_;
    std::memcpy(bytes_.data() + at_ + 36, &stamped_, 4);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::uint64_t clock(std::uint64_t ns) const { return sm_zero_ + 2 * ns; }
  RoleBuffer buffer_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t sm_zero_ = 0;
  std::uint32_t stamped_ = 0;
};

/// CTA 0 on SM 5 from 1000 ns on, CTA 1 on SM 9 from 1200 ns on.
Result<evidence::RoleTimeline> recorded_stamps(unsigned capacity = 8) {
  const RoleBuffer buffer{2, capacity, 2};
  Stamper s(buffer);
  s.track(0, 0, 5, 1000, 2000);
  s.span(1, 1000, 1100);  // issue
  s.span(0, 1100, 1700);  // wait for a stage
  s.span(1, 1700, 1900);  // issue; 100 ns after it in no span
  s.track(0, 1, 5, 1000, 3000);
  s.span(2, 1000, 1400);  // wait for data
  s.span(3, 1400, 2600);  // multiply
  s.span(2, 2600, 3000);  // wait for data
  s.track(1, 1, 9, 1200, 3200);
  s.span(3, 1200, 3200);
  return decode_roles(*role_names(names_text), buffer, s.bytes());
}

TEST(RoleTimeline, NamesAreReadAndMistakesInThemTold) {
  const auto names = role_names(names_text);
  ASSERT_TRUE(names);
  EXPECT_EQ(names->roles, (std::vector<std::string>{"loader", "consumer"}));
  ASSERT_EQ(names->names.size(), 4u);
  EXPECT_EQ(names->names[1].text, "issue");
  EXPECT_FALSE(names->names[1].waits);
  EXPECT_TRUE(names->names[2].waits);
  const auto wrong = role_names("role loader\nidle for a stage");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().wrong.find("'idle for a stage'"), std::string::npos);
  EXPECT_FALSE(role_names(""));
  EXPECT_FALSE(role_names("role loader")) << "no stamp has a name";
}

TEST(RoleTimeline, CyclesOfEachSmBecomeNanosecondsFromTheFirstStamp) {
  const auto t = recorded_stamps();
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_DOUBLE_EQ(t->ns_per_cycle, 0.5);
  ASSERT_EQ(t->tracks.size(), 3u) << "CTA 1 has no loader";
  EXPECT_DOUBLE_EQ(t->tracks[0].begin_ns, 0);
  EXPECT_DOUBLE_EQ(t->tracks[2].begin_ns, 200);
  EXPECT_EQ(t->tracks[2].sm, 9);
  EXPECT_DOUBLE_EQ(t->tracks[1].spans[1].begin_ns, 400);
  EXPECT_DOUBLE_EQ(t->tracks[1].spans[1].end_ns, 1600);
  EXPECT_DOUBLE_EQ(t->end_ns, 2200);
}

TEST(RoleTimeline, WorkWaitsAndTheRestAddUpToTheLifeOfARole) {
  const auto roles = summarize_roles(*recorded_stamps());
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_DOUBLE_EQ(roles[0].work_ns, 300);
  EXPECT_DOUBLE_EQ(roles[0].unaccounted_ns, 100);
  EXPECT_EQ(roles[0].bubbles, 2) << "waiting for a stage, and the end that nothing covers";
  EXPECT_DOUBLE_EQ(roles[0].longest_bubble_ns, 600);
  EXPECT_EQ(roles[1].tracks, 2);
  EXPECT_EQ(roles[1].bubbles, 2) << "before and after CTA 0's multiply; CTA 1 has none";
  EXPECT_EQ(roles[1].longest_bubble_cta, 0);
  for (const auto& r : roles) {
    double waits = 0;
    for (const auto& w : r.waits) waits += w.ns;
    EXPECT_NEAR(r.work_ns + waits + r.unaccounted_ns, r.life_ns, 1e-6) << r.role;
    EXPECT_NEAR(r.idle_ns(), waits + r.unaccounted_ns, 1e-6);
  }
}

TEST(RoleTimeline, AWaitInsideWorkIsTakenOutOfIt) {
  const RoleBuffer buffer{2, 8, 1};
  Stamper s(buffer);
  s.track(0, 1, 5, 1000, 2000);
  s.span(2, 1200, 1500);  // ends first, so it is stamped first
  s.span(2, 1800, 1900);
  s.span(3, 1100, 2000);
  const auto t = decode_roles(*role_names(names_text), buffer, s.bytes());
  ASSERT_TRUE(t);
  const auto& spans = t->tracks[0].spans;
  ASSERT_EQ(spans.size(), 5u) << "work, wait, work, wait, work";
  EXPECT_EQ(spans[1].name, 2);
  EXPECT_DOUBLE_EQ(spans[2].begin_ns, 500);
  EXPECT_DOUBLE_EQ(spans[2].end_ns, 800);
  const auto sum = summarize_roles(*t)[0];
  EXPECT_DOUBLE_EQ(sum.work_ns, 500);
  EXPECT_EQ(sum.bubbles, 3) << "before the work, and the two waits";
  EXPECT_DOUBLE_EQ(sum.unaccounted_ns, 100);
}

TEST(RoleTimeline, WhatTheBufferHadNoRoomForIsCounted) {
  const auto t = recorded_stamps(2);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->tracks[0].spans.size(), 2u);
  EXPECT_EQ(t->tracks[0].dropped, 1);
  EXPECT_EQ(summarize_roles(*t)[0].dropped, 1);
}

TEST(RoleTimeline, NothingStampedAndUnnamedStampsAreErrors) {
  const RoleBuffer buffer{2, 4, 1};
  EXPECT_FALSE(decode_roles(*role_names(names_text), buffer, std::vector<std::byte>(buffer.bytes())));
  Stamper s(buffer);
  s.track(0, 0, 0, 10, 20);
  s.span(4, 10, 20);
  const auto unnamed = decode_roles(*role_names(names_text), buffer, s.bytes());
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().wrong.find("number 4"), std::string::npos);
}

TEST(RoleTimeline, TheBufferFitsIntoWhatItMayTake) {
  EXPECT_EQ(role_buffer(3, 132, 64u << 20).capacity, 4096u);
  const auto many = role_buffer(1, 8192, 1u << 20);
  EXPECT_LE(many.bytes(), 1u << 20);
  EXPECT_EQ(many.capacity, 4u);
}

TEST(RoleTimeline, ThePerfettoTraceHoldsEverySpanAndEveryBubble) {
  const auto t = *recorded_stamps();
  const auto trace = testing::read_trace(role_perfetto_json(t, sampled_ctas(t, 8), "dense_gemm v7"));
  ASSERT_EQ(trace.wrong, "");
  EXPECT_EQ(trace.processes.at(1), "dense_gemm v7: CTA 0 on SM 5");
  EXPECT_EQ(trace.tracks.at({1, 1}), "loader");
  EXPECT_EQ(trace.tracks.at({1, 4}), "consumer: bubbles");
  EXPECT_EQ(trace.slices.size(), 7u + 4u) << "seven spans and four bubbles";
  double idle = 0;
  for (const auto& slice : trace.slices)
    if (slice.name == "bubble" && slice.process == 1 && slice.track == 4) idle += slice.duration_us;
  EXPECT_NEAR(idle, 0.8, 1e-9);
}

TEST(RoleTimeline, ASampleOfCtasIsSpreadOverAll) {
  evidence::RoleTimeline t;
  for (int cta = 0; cta < 100; ++cta) t.tracks.push_back({cta, 0, 0, 0, 1, {}, 0});
  EXPECT_EQ(sampled_ctas(t, 4), (std::vector<int>{0, 25, 50, 75}));
  EXPECT_EQ(sampled_ctas(t, 200).size(), 100u);
}

}  // namespace
}  // namespace cutelab::profile
