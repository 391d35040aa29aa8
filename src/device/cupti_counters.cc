#include "device/cupti_counters.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace cutelab::device {

using cupti::block;

Result<MetricPlan> MetricPlan::make(const CuptiApi& api, const std::string& chip,
                                    const std::vector<std::string>& metrics) {
  MetricPlan plan(api);
  auto host = block<cupti::HostInitialize>();
  host.chip = chip.c_str();
  const std::string asked = "plan counters for " + chip;
  if (auto s = api.checked(api.host_initialize(&host), asked.c_str()); !s) return s.error();
  plan.host_ = host.host;
  for (const std::string& metric : metrics) {
    auto asking = block<cupti::HostMetricProperties>();
    asking.host = plan.host_;
    asking.metric = metric.c_str();
    (api.host_properties(&asking) == 0 ? plan.known_ : plan.unknown_).push_back(metric);
  }
  if (plan.known_.empty())
    return Error{ErrorKind::unavailable, asked, "the chip has none of the metrics", "", ""};
  if (auto s = plan.schedule(); !s) return s.error();
  return plan;
}

Status MetricPlan::schedule() {
  auto names_of_known = names();
  auto add = block<cupti::HostAddMetrics>();
  add.host = host_;
  add.metrics = names_of_known.data();
  add.count = names_of_known.size();
  if (auto s = api_->checked(api_->host_add_metrics(&add), "schedule the metrics"); !s) return s;
  auto size = block<cupti::HostConfigSize>();
  size.host = host_;
  if (auto s = api_->checked(api_->host_config_size(&size), "size the counter configuration"); !s) return s;
  config_.resize(size.bytes);
  auto config = block<cupti::HostConfig>();
  config.host = host_;
  config.bytes = config_.size();
  config.config = config_.data();
  if (auto s = api_->checked(api_->host_config(&config), "make the counter configuration"); !s) return s;
  auto passes = block<cupti::HostPasses>();
  passes.bytes = config_.size();
  passes.config = config_.data();
  if (auto s = api_->checked(api_->host_passes(&passes), "count the passes"); !s) return s;
  passes_ = static_cast<int>(passes.passes);
  return {};
}

MetricPlan::MetricPlan(MetricPlan&& other) noexcept
    : api_(other.api_),
      host_(std::exchange(other.host_, nullptr)),
      known_(std::move(other.known_)),
      unknown_(std::move(other.unknown_)),
      config_(std::move(other.config_)),
      passes_(other.passes_) {}

MetricPlan::~MetricPlan() {
  if (!host_) return;
  auto gone = block<cupti::HostObject>();
  gone.host = host_;
  api_->host_deinitialize(&gone);
}

std::vector<const char*> MetricPlan::names() const {
  std::vector<const char*> names;
  for (const std::string& metric : known_) names.push_back(metric.c_str());
  return names;
}

Result<std::vector<double>> MetricPlan::evaluate(const std::vector<std::uint8_t>& image,
                                                 std::size_t range) const {
  std::vector<double> values(known_.size(), std::nan(""));
  auto wanted = names();
  auto evaluate = block<cupti::HostEvaluate>();
  evaluate.host = host_;
  evaluate.image = image.data();
  evaluate.image_bytes = image.size();
  evaluate.range = range;
  evaluate.metrics = wanted.data();
  evaluate.count = wanted.size();
  evaluate.values = values.data();
  if (auto s = api_->checked(api_->host_evaluate(&evaluate), "evaluate the counters"); !s) return s.error();
  return values;
}

namespace {

/// The profiler switched on for this process; off again with the object.
class ProfilerOn {
 public:
  explicit ProfilerOn(const CuptiApi& api) : api_(api) {}
  ProfilerOn(const ProfilerOn&) = delete;
  ~ProfilerOn() {
    auto off = block<cupti::Plain>();
    if (on_) api_.deinitialize(&off);
  }
  Status start() {
    auto on = block<cupti::Plain>();
    auto s = api_.checked(api_.initialize(&on), "start the counter profiler");
    on_ = s.ok();
    return s;
  }

 private:
  const CuptiApi& api_;
  bool on_ = false;
};

/// One set of passes on one context.
class RangeSession {
 public:
  explicit RangeSession(const CuptiApi& api) : api_(api) {}
  RangeSession(const RangeSession&) = delete;
  ~RangeSession() {
    if (!profiler_) return;
    auto off = block<cupti::RangeObject>();
    off.profiler = profiler_;
    api_.range_disable(&off);
  }

  Status enable(void* context);
  Status configure(const MetricPlan& plan, int most_kernels);
  /// Every pass over the work.
  Result<int> collect(const CountedWork& work, int most_passes);
  Result<std::size_t> decode();
  const std::vector<std::uint8_t>& image() const { return image_; }

 private:
  const CuptiApi& api_;
  void* profiler_ = nullptr;
  std::vector<std::uint8_t> image_;
};

Status RangeSession::enable(void* context) {
  auto on = block<cupti::RangeEnable>();
  on.context = context;
  if (auto s = api_.checked(api_.range_enable(&on), "switch the counters on"); !s) return s;
  profiler_ = on.profiler;
  return {};
}

Status RangeSession::configure(const MetricPlan& plan, int most_kernels) {
  auto names = plan.names();
  auto size = block<cupti::RangeCounterSize>();
  size.profiler = profiler_;
  size.metrics = names.data();
  size.count = names.size();
  size.most_ranges = static_cast<std::size_t>(most_kernels);
  size.most_nodes = static_cast<std::uint32_t>(most_kernels);
  if (auto s = api_.checked(api_.range_counter_size(&size), "size the counter image"); !s) return s;
  image_.assign(size.bytes, 0);
  auto first = block<cupti::RangeCounterInitialize>();
  first.profiler = profiler_;
  first.bytes = image_.size();
  first.image = image_.data();
  if (auto s = api_.checked(api_.range_counter_initialize(&first), "prepare the counter image"); !s) return s;
  auto config = block<cupti::RangeConfig>();
  config.profiler = profiler_;
  config.config_bytes = plan.config().size();
  config.config = plan.config().data();
  config.image_bytes = image_.size();
  config.image = image_.data();
  config.range = 1;   // CUPTI_AutoRange: a range is a kernel, host time is not in it
  config.replay = 3;  // CUPTI_UserReplay: we run the passes, so that caches can be set before each
  config.most_ranges = static_cast<std::size_t>(most_kernels);
  config.nesting_levels = 1;
  config.least_nesting_level = 1;
  return api_.checked(api_.range_config(&config), "configure the counters");
}

Result<int> RangeSession::collect(const CountedWork& work, int most_passes) {
  for (int pass = 1; pass <= most_passes; ++pass) {
    if (auto s = work.before(); !s) return s.error();
    auto start = block<cupti::RangeObject>();
    start.profiler = profiler_;
    if (auto s = api_.checked(api_.range_start(&start), "start a counter pass"); !s) return s.error();
    const Status launched = work.launch();
    auto stop = block<cupti::RangeStop>();
    stop.profiler = profiler_;
    const Status stopped = api_.checked(api_.range_stop(&stop), "end a counter pass");
    if (!launched) return launched.error();
    if (!stopped) return stopped.error();
    if (stop.all_passes_submitted) return pass;
  }
  return Error{ErrorKind::unavailable, "count in passes",
               fmt::format("CUPTI is not done after {} passes", most_passes), "", ""};
}

Result<std::size_t> RangeSession::decode() {
  auto decode = block<cupti::RangeDecode>();
  decode.profiler = profiler_;
  if (auto s = api_.checked(api_.range_decode(&decode), "read the counters"); !s) return s.error();
  auto count = block<cupti::RangeCount>();
  count.image = image_.data();
  count.image_bytes = image_.size();
  if (auto s = api_.checked(api_.range_count(&count), "count the kernels"); !s) return s.error();
  if (count.ranges == 0 || decode.dropped > 0)
    return Error{ErrorKind::unavailable, "read the counters",
                 count.ranges == 0 ? "no kernel was launched while the counters ran"
                                   : fmt::format("{} kernels were launched beyond the {} that fit",
                                                 decode.dropped, count.ranges),
                 "", ""};
  return count.ranges;
}

Result<std::string> chip_of(const CuptiApi& api, int index) {
  auto asking = block<cupti::ChipName>();
  asking.device_index = static_cast<std::size_t>(index);
  if (auto s = api.checked(api.chip_name(&asking), "ask CUPTI for the chip's name"); !s) return s.error();
  return std::string(asking.chip ? asking.chip : "");
}

Status device_can_count(const CuptiApi& api, int index) {
  constexpr int supported = 3;
  auto asking = block<cupti::DeviceSupported>();
  asking.device = index;
  if (auto s = api.checked(api.device_supported(&asking), "ask whether the device can count"); !s) return s;
  if (asking.supported == supported) return {};
  const char* why = asking.architecture != supported           ? "its architecture is too old"
                    : asking.vgpu != supported                 ? "the virtual GPU does not allow it"
                    : asking.confidential_compute != supported ? "confidential computing is on"
                    : asking.wsl != supported                  ? "not under WSL"
                    : asking.sli != supported                  ? "SLI is on"
                                                               : "CUPTI does not say why";
  return Error{ErrorKind::unavailable, "count on this device", why, "", ""};
}

}  // namespace

Result<CounterReading> read_counters(const CuptiApi& api, const CountedDevice& device,
                                     const std::vector<std::string>& metrics, const CountedWork& work) {
  ProfilerOn profiler(api);
  if (auto s = profiler.start(); !s) return s.error();
  if (auto s = device_can_count(api, device.index); !s) return s.error();
  auto chip = chip_of(api, device.index);
  if (!chip) return chip.error();
  auto plan = MetricPlan::make(api, *chip, metrics);
  if (!plan) return plan.error();
  RangeSession session(api);
  if (auto s = session.enable(device.context); !s) return s.error();
  if (auto s = session.configure(*plan, work.most_kernels); !s) return s.error();
  // The plan's count is a forecast; a loop that never ends would hang the program.
  auto passes = session.collect(work, plan->passes() * 2 + 8);
  if (!passes) return passes.error();
  auto kernels = session.decode();
  if (!kernels) return kernels.error();
  CounterReading reading{*chip, *passes, plan->unknown(), {}};
  for (std::size_t k = 0; k < *kernels; ++k) {
    auto values = plan->evaluate(session.image(), k);
    if (!values) return values.error();
    std::map<std::string, double> by_name;
    for (std::size_t m = 0; m < values->size(); ++m) by_name[plan->known()[m]] = (*values)[m];
    reading.kernels.push_back(std::move(by_name));
  }
  return reading;
}

}  // namespace cutelab::device
