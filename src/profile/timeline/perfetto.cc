#include "profile/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "profile/role_timeline.h"
#include "profile/statistics.h"

namespace cutelab::profile {
namespace {

using TraceJson = nlohmann::ordered_json;
using device::Span;

constexpr int gpu_process = 1;
constexpr int host_process = 2;

int process_of(const Span& span) { return span.lane == Span::Lane::gpu ? gpu_process : host_process; }

double micros(std::uint64_t ns) { return static_cast<double>(ns) * 1e-3; }

TraceJson named(const char* what, int process, std::uint32_t track, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

TraceJson complete_event(const Span& span, std::uint64_t first) {
  TraceJson args = TraceJson::object();
  for (const auto& [name, value] : span.details) args[name] = value;
  return {{"ph", "X"},
          {"name", span.name},
          {"cat", span.lane == Span::Lane::gpu ? "gpu" : "host"},
          {"pid", process_of(span)},
          {"tid", span.track},
          {"ts", micros(span.begin_ns - first)},
          {"dur", micros(span.end_ns - span.begin_ns)},
          {"args", args}};
}

/// The two ends of an arrow from a call to the kernel that it launched.
void add_arrow(TraceJson& events, const Span& call, const Span& kernel, std::uint64_t first) {
  const auto end = [&](const char* phase, const Span& span) {
    TraceJson event = {{"ph", phase},
                       {"name", "launch"},
                       {"cat", "launch"},
                       {"id", kernel.correlation},
                       {"pid", process_of(span)},
                       {"tid", span.track},
                       {"ts", micros(span.begin_ns - first)}};
    if (phase[0] == 'f') event["bp"] = "e";
    return event;
  };
  events.push_back(end("s", call));
  events.push_back(end("f", kernel));
}

}  // namespace

std::string perfetto_json(const std::vector<Span>& spans, const std::string& title) {
  TraceJson events = TraceJson::array();
  events.push_back(named("process_name", gpu_process, 0, "GPU: " + title));
  events.push_back(named("process_name", host_process, 0, "host"));
  std::uint64_t first = spans.empty() ? 0 : spans.front().begin_ns;
  for (const Span& span : spans) first = std::min(first, span.begin_ns);
  std::map<std::pair<int, std::uint32_t>, bool> tracks;
  std::map<std::uint32_t, const Span*> calls;
  for (const Span& span : spans) {
    const bool gpu = span.lane == Span::Lane::gpu;
    if (tracks.emplace(std::pair{process_of(span), span.track}, true).second)
      events.push_back(named("thread_name", process_of(span), span.track,
                             fmt::format("{} {}", gpu ? "stream" : "thread", span.track)));
    if (!gpu && span.correlation) calls[span.correlation] = &span;
  }
  for (const Span& span : spans) {
    events.push_back(complete_event(span, first));
    if (span.lane != Span::Lane::gpu || !span.correlation) continue;
    if (const auto call = calls.find(span.correlation); call != calls.end())
      add_arrow(events, *call->second, span, first);
  }
  const TraceJson document = {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
  return document.dump(-1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
}

namespace {

TraceJson role_event(const evidence::RoleTrack& track, int tid, const std::string& name, const char* kind,
                     double begin_ns, double end_ns) {
  return {{"ph", "X"},
          {"name", name},
          {"cat", kind},
          {"pid", track.cta + 1},
          {"tid", tid},
          {"ts", begin_ns * 1e-3},
          {"dur", std::max(end_ns - begin_ns, 0.0) * 1e-3}};
}

/// The spans of one track, and on the track below it the stretches without work.
void add_role(TraceJson& events, const evidence::RoleTimeline& timeline, const evidence::RoleTrack& track) {
  const int tid = 2 * track.role + 1;
  const std::string& role = timeline.roles[static_cast<std::size_t>(track.role)];
  const auto process = track.cta + 1;
  events.push_back(named("thread_name", process, static_cast<std::uint32_t>(tid), role));
  events.push_back(named("thread_name", process, static_cast<std::uint32_t>(tid + 1), role + ": bubbles"));
  double idle_since = track.begin_ns;
  const auto bubble = [&](double end) {
    if (end > idle_since) events.push_back(role_event(track, tid + 1, "bubble", "bubble", idle_since, end));
  };
  for (const auto& span : track.spans) {
    const auto& name = timeline.names[static_cast<std::size_t>(span.name)];
    events.push_back(
        role_event(track, tid, name.text, name.waits ? "wait" : "work", span.begin_ns, span.end_ns));
    if (name.waits) continue;
    bubble(span.begin_ns);
    idle_since = std::max(idle_since, span.end_ns);
  }
  bubble(track.end_ns);
}

}  // namespace

std::string role_perfetto_json(const evidence::RoleTimeline& timeline, const std::vector<int>& ctas,
                               const std::string& title) {
  TraceJson events = TraceJson::array();
  int last = -1;
  for (const evidence::RoleTrack& track : timeline.tracks) {
    if (std::find(ctas.begin(), ctas.end(), track.cta) == ctas.end()) continue;
    if (track.cta != last)
      events.push_back(named("process_name", track.cta + 1, 0,
                             fmt::format("{}: CTA {} on SM {}", title, track.cta, track.sm)));
    last = track.cta;
    add_role(events, timeline, track);
  }
  const TraceJson document = {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
  return document.dump(-1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
}

std::string timeline_summary(const std::vector<Span>& spans) {
  std::map<std::string, std::vector<double>> by_name;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> busy;
  for (const Span& span : spans) {
    if (span.lane != Span::Lane::gpu) continue;
    by_name[span.name].push_back(micros(span.end_ns - span.begin_ns));
    busy.emplace_back(span.begin_ns, span.end_ns);
  }
  if (busy.empty()) return "nothing ran on the GPU";
  std::sort(busy.begin(), busy.end());
  std::uint64_t idle = 0, reached = busy.front().first;
  for (const auto& [begin, end] : busy) {
    if (begin > reached) idle += begin - reached;
    reached = std::max(reached, end);
  }
  std::vector<std::string> parts;
  for (auto& [name, times] : by_name) {
    const auto count = times.size();
    parts.push_back(fmt::format("{} {}×, median {:.2f} us", name, count, summarize(std::move(times)).median));
  }
  const auto whole = reached - busy.front().first;
  return fmt::format("{}; GPU idle {:.1f} % of {:.1f} us", join(parts, "; "),
                     whole ? 100.0 * static_cast<double>(idle) / static_cast<double>(whole) : 0.0,
                     micros(whole));
}

}  // namespace cutelab::profile
