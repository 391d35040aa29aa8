#include "profile/role_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "base/text.h"
#include "profile/statistics.h"

namespace cutelab::profile {

using evidence::RoleSummary;
using evidence::RoleTimeline;
using evidence::RoleTrack;

RoleBuffer role_buffer(unsigned roles, unsigned ctas, std::size_t most_bytes) {
  const std::size_t of_a_track = most_bytes / std::max<std::size_t>(std::size_t{roles} * ctas, 1);
  const std::size_t records = of_a_track > 64 ? (of_a_track - 64) / 16 : 0;
  return {roles, static_cast<unsigned>(std::min<std::size_t>(records, 4096)), ctas};
}

Result<RoleTimeline> role_names(const std::string& text) {
  RoleTimeline named;
  for (const auto line : split(text, '\n')) {
    const auto space = line.find(' ');
    const std::string name(space == std::string_view::npos ? "" : trim(line.substr(space + 1)));
    const auto word = line.substr(0, space);
    if (word == "role")
      named.roles.push_back(name);
    else if (word == "work" || word == "wait")
      named.names.push_back({name, word == "wait"});
    if (name.empty() || (word != "role" && word != "work" && word != "wait"))
      return Error{ErrorKind::input, "read what the kernel's stamps are called",
                   fmt::format("'{}' is neither role, work nor wait with a name", line), "",
                   "correct CUTELAB_STAMPED_ROLES in its kernel.cu"};
  }
  if (named.roles.empty() || named.names.empty())
    return Error{ErrorKind::input, "read what the kernel's stamps are called",
                 "no role, or no stamp, has one", "", "correct CUTELAB_STAMPED_ROLES in its kernel.cu"};
  return named;
}

namespace {

/// Head and Record of kernels/role_timeline.cuh.
struct Head {
  std::uint64_t begin_ns, end_ns, begin_clock, end_clock;
  std::uint32_t sm, stamped, reserved[6];
};
struct Record {
  std::uint64_t begin;
  std::uint32_t cycles, name;
};
static_assert(sizeof(Head) == 64 && sizeof(Record) == 16);

struct RawTrack {
  int cta, role;
  Head head;
  std::vector<Record> records;
};

std::vector<RawTrack> raw_tracks(const RoleBuffer& buffer, const std::vector<std::byte>& bytes) {
  std::vector<RawTrack> tracks;
  const std::size_t stride = sizeof(Head) + std::size_t{buffer.capacity} * sizeof(Record);
  for (std::size_t at = 0; at < std::size_t{buffer.ctas} * buffer.roles; ++at) {
    RawTrack track{static_cast<int>(at / buffer.roles), static_cast<int>(at % buffer.roles), {}, {}};
    std::memcpy(&track.head, bytes.data() + at * stride, sizeof(Head));
    if (track.head.begin_clock == 0 || track.head.end_clock < track.head.begin_clock) continue;
    track.records.resize(std::min(track.head.stamped, buffer.capacity));
    if (!track.records.empty())
      std::memcpy(track.records.data(), bytes.data() + at * stride + sizeof(Head),
                  track.records.size() * sizeof(Record));
    tracks.push_back(std::move(track));
  }
  return tracks;
}

/// Nanoseconds a cycle: of tracks that last at least half as long as the longest, since the common timer
/// ticks coarsely.
double rate_of(const std::vector<RawTrack>& tracks) {
  std::uint64_t longest = 0;
  for (const auto& t : tracks) longest = std::max(longest, t.head.end_clock - t.head.begin_clock);
  std::vector<double> rates;
  for (const auto& t : tracks) {
    const auto cycles = t.head.end_clock - t.head.begin_clock;
    if (cycles > 0 && cycles >= longest / 2)
      rates.push_back(static_cast<double>(t.head.end_ns - t.head.begin_ns) / static_cast<double>(cycles));
  }
  const double rate = rates.empty() ? 0 : summarize(std::move(rates)).median;
  return rate > 0 ? rate : 1;  // shorter than a tick of the timer: cycles stand for nanoseconds
}

/// Cycles of one SM as nanoseconds of the common timer.
class Clocks {
 public:
  explicit Clocks(const std::vector<RawTrack>& tracks) : rate_(rate_of(tracks)) {
    zero_ns_ = UINT64_MAX;
    for (const auto& t : tracks) {
      zero_ns_ = std::min(zero_ns_, t.head.begin_ns);
      const auto [at, first] = zero_clock_.emplace(t.head.sm, t.head.begin_clock);
      if (!first) at->second = std::min(at->second, t.head.begin_clock);
    }
    std::map<std::uint32_t, std::vector<double>> offsets;
    for (const auto& t : tracks)
      offsets[t.head.sm].push_back(static_cast<double>(t.head.begin_ns - zero_ns_) -
                                   since(t.head.sm, t.head.begin_clock));
    for (auto& [sm, all] : offsets) offset_[sm] = summarize(std::move(all)).median;
  }
  double ns(std::uint32_t sm, std::uint64_t clock) const { return offset_.at(sm) + since(sm, clock); }
  double rate() const { return rate_; }

 private:
  double since(std::uint32_t sm, std::uint64_t clock) const {
    return static_cast<double>(static_cast<std::int64_t>(clock - zero_clock_.at(sm))) * rate_;
  }
  double rate_;
  std::uint64_t zero_ns_;
  std::map<std::uint32_t, std::uint64_t> zero_clock_;
  std::map<std::uint32_t, double> offset_;
};

/// Spans inside spans become stretches beside each other: the inner one's own, the outer one's around it.
std::vector<RoleTrack::Span> flattened(std::vector<RoleTrack::Span> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  std::vector<RoleTrack::Span> flat;
  std::vector<RoleTrack::Span> open;  // outer ones; begin_ns = from where on they are not told yet
  const auto tell_until = [&](double ns) {
    if (!open.empty() && ns > open.back().begin_ns)
      flat.push_back({open.back().name, open.back().begin_ns, ns});
  };
  const auto close_until = [&](double ns) {
    while (!open.empty() && open.back().end_ns <= ns) {
      tell_until(open.back().end_ns);
      const double end = open.back().end_ns;
      open.pop_back();
      if (!open.empty()) open.back().begin_ns = std::max(open.back().begin_ns, end);
    }
  };
  for (const auto& span : spans) {
    close_until(span.begin_ns);
    tell_until(span.begin_ns);
    open.push_back(span);
  }
  close_until(1e300);
  return flat;
}

}  // namespace

Result<RoleTimeline> decode_roles(RoleTimeline names, const RoleBuffer& buffer,
                                  const std::vector<std::byte>& bytes) {
  const std::string asked = "read the role timeline";
  if (bytes.size() < buffer.bytes() || buffer.roles != names.roles.size())
    return Error{ErrorKind::internal, asked, "the buffer is not what was asked for", "", ""};
  const auto raw = raw_tracks(buffer, bytes);
  if (raw.empty())
    return Error{ErrorKind::input, asked, "the kernel stamped nothing", "",
                 "a thread of each role has to make a Track (kernels/role_timeline.cuh)"};
  const Clocks clocks(raw);
  RoleTimeline timeline = std::move(names);
  timeline.ns_per_cycle = clocks.rate();
  double first = 1e300;
  for (const RawTrack& t : raw) {
    RoleTrack track{t.cta,
                    t.role,
                    static_cast<int>(t.head.sm),
                    clocks.ns(t.head.sm, t.head.begin_clock),
                    clocks.ns(t.head.sm, t.head.end_clock),
                    {},
                    static_cast<int>(t.head.stamped - t.records.size())};
    for (const Record& r : t.records) {
      if (r.name >= timeline.names.size())
        return Error{ErrorKind::input, asked,
                     fmt::format("a stamp has the number {}, which has no name", r.name), "",
                     "name every stamp in CUTELAB_STAMPED_ROLES"};
      track.spans.push_back({static_cast<int>(r.name), clocks.ns(t.head.sm, r.begin),
                             clocks.ns(t.head.sm, r.begin + r.cycles)});
    }
    track.spans = flattened(std::move(track.spans));
    first = std::min(first, track.begin_ns);
    timeline.tracks.push_back(std::move(track));
  }
  for (RoleTrack& track : timeline.tracks) {
    track.begin_ns -= first;
    track.end_ns -= first;
    for (auto& span : track.spans) {
      span.begin_ns -= first;
      span.end_ns -= first;
    }
    timeline.end_ns = std::max(timeline.end_ns, track.end_ns);
  }
  return timeline;
}

namespace {

/// Adds one track to its role's summary. A stretch that no `work` span covers is a bubble.
void add_track(RoleSummary& sum, const RoleTimeline& timeline, const RoleTrack& track) {
  double reached = track.begin_ns;  // spans do not overlap; rounding may make them touch
  double idle_since = track.begin_ns;
  const auto bubble = [&](double end) {
    const double length = end - idle_since;
    if (length <= 0) return;
    ++sum.bubbles;
    if (length <= sum.longest_bubble_ns) return;
    sum.longest_bubble_ns = length;
    sum.longest_bubble_cta = track.cta;
  };
  ++sum.tracks;
  sum.dropped += track.dropped;
  sum.life_ns += track.end_ns - track.begin_ns;
  for (const auto& span : track.spans) {
    const double begin = std::max(span.begin_ns, reached);
    const double end = std::max(span.end_ns, begin);
    sum.unaccounted_ns += begin - reached;
    reached = end;
    if (timeline.names[static_cast<std::size_t>(span.name)].waits) {
      sum.waits[static_cast<std::size_t>(span.name)].ns += end - begin;
    } else {
      bubble(begin);
      sum.work_ns += end - begin;
      idle_since = end;
    }
  }
  sum.unaccounted_ns += track.end_ns - reached;
  bubble(track.end_ns);
}

}  // namespace

std::vector<RoleSummary> summarize_roles(const RoleTimeline& timeline) {
  std::vector<RoleSummary> all;
  for (std::size_t role = 0; role < timeline.roles.size(); ++role) {
    RoleSummary sum;
    sum.role = timeline.roles[role];
    for (const auto& name : timeline.names) sum.waits.push_back({name.text, 0});
    for (const RoleTrack& track : timeline.tracks)
      if (track.role == static_cast<int>(role)) add_track(sum, timeline, track);
    sum.waits.erase(
        std::remove_if(sum.waits.begin(), sum.waits.end(), [](const auto& w) { return w.ns <= 0; }),
        sum.waits.end());
    if (sum.tracks > 0) all.push_back(std::move(sum));
  }
  return all;
}

std::vector<int> sampled_ctas(const RoleTimeline& timeline, int most) {
  std::vector<int> all;
  for (const RoleTrack& track : timeline.tracks)
    if (all.empty() || all.back() != track.cta) all.push_back(track.cta);
  if (static_cast<int>(all.size()) <= most) return all;
  std::vector<int> some;
  for (int i = 0; i < most; ++i)
    some.push_back(all[static_cast<std::size_t>(i) * all.size() / static_cast<std::size_t>(most)]);
  return some;
}

}  // namespace cutelab::profile
