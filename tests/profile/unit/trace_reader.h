#pragma once
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace cutelab::profile::testing {

/// A trace as ui.perfetto.dev's importer understands the JSON form (Trace Event Format), by its rules: what
/// the importer would drop or move is `wrong`.
struct Trace {
  struct Slice {
    std::string name;
    int process = 0, track = 0;
    double begin_us = 0, duration_us = 0;
  };
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<Slice> slices;
  int arrows = 0;
  std::string wrong;  ///< the first rule that is broken, empty = none
};

class TraceReader {
 public:
  Trace read(const std::string& text) {
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (document.is_discarded()) return failed("it is no JSON");
    if (!document.contains("traceEvents") || !document["traceEvents"].is_array())
      return failed("there is no array traceEvents");
    for (const auto& event : document["traceEvents"]) take(event);
    nest();
    for (const auto& [id, ends] : arrows_)
      if (ends != std::pair{1, 1}) fail("an arrow lacks an end");
    trace_.arrows = static_cast<int>(arrows_.size());
    return trace_;
  }

 private:
  using Json = nlohmann::json;
  Trace failed(const std::string& why) {
    fail(why);
    return trace_;
  }
  void fail(const std::string& why) {
    if (trace_.wrong.empty()) trace_.wrong = why;
  }
  bool has(const Json& event, const char* key, bool number) {
    const bool good = event.contains(key) && (number ? event[key].is_number() : event[key].is_string());
    if (!good) fail(std::string("an event lacks ") + key + ": " + event.dump());
    return good;
  }
  void take(const Json& event) {
    if (!event.is_object() || !has(event, "ph", false) || !has(event, "pid", true) ||
        !has(event, "tid", true) || !has(event, "name", false))
      return;
    const std::string phase = event["ph"];
    const int process = event["pid"], track = event["tid"];
    if (phase == "M") {
      const std::string name = event["args"]["name"];
      if (event["name"] == "process_name") trace_.processes[process] = name;
      if (event["name"] == "thread_name") trace_.tracks[{process, track}] = name;
      return;
    }
    if (!has(event, "ts", true)) return;
    if (event["ts"] < 0) fail("a time before the trace: " + event.dump());
    if (phase == "X") {
      if (!has(event, "dur", true)) return;
      if (event["dur"] < 0) fail("a negative duration: " + event.dump());
      trace_.slices.push_back({event["name"], process, track, event["ts"], event["dur"]});
    } else if (phase == "s" || phase == "f") {
      if (!has(event, "id", true)) return;
      if (phase == "f" && event.value("bp", "") != "e") fail("an arrow's end binds to the next slice");
      auto& ends = arrows_[event["id"]];
      (phase == "s" ? ends.first : ends.second) += 1;
    } else {
      fail("an event of phase " + phase);
    }
  }
  /// Slices of one track lie beside or inside each other; the importer drops those that overlap otherwise.
  void nest() {
    constexpr double rounding_us = 0.002;
    std::map<std::pair<int, int>, std::vector<const Trace::Slice*>> by_track;
    for (const auto& slice : trace_.slices) {
      if (!trace_.processes.count(slice.process)) fail("a process without a name");
      if (!trace_.tracks.count({slice.process, slice.track})) fail("a track without a name");
      by_track[{slice.process, slice.track}].push_back(&slice);
    }
    for (auto& [track, slices] : by_track) {
      std::stable_sort(slices.begin(), slices.end(), [](auto* a, auto* b) {
        return a->begin_us != b->begin_us ? a->begin_us < b->begin_us : a->duration_us > b->duration_us;
      });
      std::vector<double> open;
      for (const auto* slice : slices) {
        while (!open.empty() && open.back() <= slice->begin_us + rounding_us) open.pop_back();
        const double end = slice->begin_us + slice->duration_us;
        if (!open.empty() && end > open.back() + rounding_us) fail("slices overlap: " + slice->name);
        open.push_back(end);
      }
    }
  }
  Trace trace_;
  std::map<long long, std::pair<int, int>> arrows_;
};

inline Trace read_trace(const std::string& text) { return TraceReader().read(text); }

}  // namespace cutelab::profile::testing
