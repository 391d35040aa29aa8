#include "device/cupti_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace cutelab::device {
namespace {

// CUpti_ActivityKind
enum Kind { kind_copy = 1, kind_fill = 2, kind_driver = 4, kind_runtime = 5, kind_kernel = 10 };
constexpr int kinds[] = {kind_kernel, kind_copy, kind_fill, kind_driver, kind_runtime};

/// Members of a record by their place in CUPTI 13's structs (cupti_activity.h): CUpti_ActivityKernel10,
/// Memcpy6, Memset4, API. Later versions of a record append.
template <class T>
T member(const std::uint8_t* record, std::size_t offset) {
  T value{};
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

std::string extent(const std::uint8_t* record, std::size_t offset) {
  return fmt::format("{}×{}×{}", member<std::int32_t>(record, offset),
                     member<std::int32_t>(record, offset + 4), member<std::int32_t>(record, offset + 8));
}

Span kernel_span(const std::uint8_t* record) {
  Span span;
  span.track = member<std::uint32_t>(record, 48);
  span.begin_ns = member<std::uint64_t>(record, 16);
  span.end_ns = member<std::uint64_t>(record, 24);
  span.correlation = member<std::uint32_t>(record, 92);
  const auto* name = member<const char*>(record, 104);
  span.name = name ? name : "kernel";
  span.details = {{"grid", extent(record, 52)},
                  {"block", extent(record, 64)},
                  {"registers", fmt::format("{}", member<std::uint16_t>(record, 6))},
                  {"static shared memory (B)", fmt::format("{}", member<std::int32_t>(record, 76))},
                  {"dynamic shared memory (B)", fmt::format("{}", member<std::int32_t>(record, 80))}};
  return span;
}

/// A copy or a fill: the same places.
Span memory_span(const std::uint8_t* record, const char* name) {
  Span span;
  span.name = name;
  span.begin_ns = member<std::uint64_t>(record, 16);
  span.end_ns = member<std::uint64_t>(record, 24);
  span.track = member<std::uint32_t>(record, 40);
  span.details = {{"bytes", fmt::format("{}", member<std::uint64_t>(record, 8))}};
  return span;
}

Span call_span(const CuptiActivityApi& api, const std::uint8_t* record, bool driver) {
  Span span;
  span.lane = Span::Lane::host;
  span.begin_ns = member<std::uint64_t>(record, 8);
  span.end_ns = member<std::uint64_t>(record, 16);
  span.track = member<std::uint32_t>(record, 28);
  span.correlation = member<std::uint32_t>(record, 32);
  const char* name = nullptr;
  const auto id = member<std::uint32_t>(record, 4);
  if (api.callback_name(driver ? 1 : 2, id, &name) != 0 || !name)
    name = driver ? "driver call" : "runtime call";
  span.name = name;
  return span;
}

/// Where finished buffers go: CUPTI's callbacks take no closure. One trace at a time.
struct Inbox {
  std::mutex mutex;
  std::vector<std::pair<std::uint8_t*, std::size_t>> buffers;
};
Inbox& inbox() {
  static Inbox box;
  return box;
}

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  constexpr std::size_t size = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, size));
  *bytes = *buffer ? size : 0;
  *most_records = 0;  // as many as fit
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  const std::lock_guard lock(inbox().mutex);
  inbox().buffers.emplace_back(buffer, used);
}

}  // namespace

Status CuptiActivityApi::checked(int code, const char* asked) const {
  if (code == 0) return {};
  const char* name = nullptr;
  if (result_text(code, &name) != 0 || !name) name = "unknown result";
  return Error{ErrorKind::unavailable, asked, fmt::format("{} ({})", name, code), "", ""};
}

Result<CuptiActivityApi> load_cupti_activity(const SharedLibrary& library) {
  const std::string remedy = "`cutelab setup cupti`, or name libcupti.so.13 in CUTELAB_CUPTI";
  if (!library.loaded()) return Error{ErrorKind::unavailable, "load CUPTI", library.missing(), "", remedy};
  CuptiActivityApi api;
  const char* missing = nullptr;
  const auto bind = [&](auto& slot, const char* symbol) {
    slot = library.function<std::remove_reference_t<decltype(slot)>>(symbol);
    if (!slot && !missing) missing = symbol;
  };
  bind(api.version, "cuptiGetVersion");
  bind(api.enable, "cuptiActivityEnable");
  bind(api.disable, "cuptiActivityDisable");
  bind(api.register_callbacks, "cuptiActivityRegisterCallbacks");
  bind(api.flush, "cuptiActivityFlushAll");
  bind(api.next_record, "cuptiActivityGetNextRecord");
  bind(api.callback_name, "cuptiGetCallbackName");
  bind(api.result_text, "cuptiGetResultString");
  if (missing)
    return Error{ErrorKind::unavailable, "load CUPTI", std::string("the library lacks ") + missing, "",
                 remedy};
  std::uint32_t version = 0;
  if (auto s = api.checked(api.version(&version), "ask CUPTI's version"); !s) return s.error();
  if (version / 10000 != 13)
    return Error{ErrorKind::unavailable, "load CUPTI",
                 fmt::format("its records are of version {}, ours of 13", version), "", remedy};
  return api;
}

std::vector<Span> spans_of(const CuptiActivityApi& api, std::uint8_t* buffer, std::size_t used) {
  std::vector<Span> spans;
  std::uint8_t* record = nullptr;
  while (api.next_record(buffer, used, &record) == 0) {
    switch (member<std::int32_t>(record, 0)) {
      case kind_kernel:
        spans.push_back(kernel_span(record));
        break;
      case kind_copy:
        spans.push_back(memory_span(record, "copy"));
        break;
      case kind_fill:
        spans.push_back(memory_span(record, "fill"));
        break;
      case kind_driver:
      case kind_runtime:
        spans.push_back(call_span(api, record, member<std::int32_t>(record, 0) == kind_driver));
        break;
      default:
        break;
    }
  }
  return spans;
}

Result<std::vector<Span>> trace_activity(const CuptiActivityApi& api, const std::function<Status()>& work) {
  if (auto s = api.checked(api.register_callbacks(give_buffer, take_buffer), "hand CUPTI buffers"); !s)
    return s.error();
  for (const int kind : kinds)
    if (auto s = api.checked(api.enable(kind), "switch the timeline on"); !s) return s.error();
  const Status worked = work();
  const Status flushed = api.checked(api.flush(0), "flush the timeline");
  for (const int kind : kinds) api.disable(kind);
  std::vector<Span> spans;
  const std::lock_guard lock(inbox().mutex);
  for (const auto& [buffer, used] : inbox().buffers) {
    auto part = spans_of(api, buffer, used);
    spans.insert(spans.end(), part.begin(), part.end());
    std::free(buffer);
  }
  inbox().buffers.clear();
  if (!worked) return worked.error();
  if (!flushed) return flushed.error();
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  return spans;
}

}  // namespace cutelab::device
