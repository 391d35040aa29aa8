#include "cli/compare_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "base/isolated.h"
#include "base/text.h"
#include "cli/kernel_build.h"
#include "cli/kernel_profile.h"
#include "device/code_arch.h"
#include "evidence/json.h"
#include "evidence/metrics.h"
#include "profile/outcome.h"
#include "profile/runner.h"

namespace cutelab::cli {
namespace {

/// A contender on the device.
struct Side {
  std::unique_ptr<kernel::Launchable> kernel;
  std::optional<profile::BoundProblem> problem;
  std::function<Status()> launch_on(device::Session& session) {
    return [this, &session] { return problem->launch(session, *kernel); };
  }
};

constexpr std::size_t most_handicap_bytes = 64u << 20;

std::function<Status()> slowed(device::Session& session, const std::function<Status()>& launch,
                               device::Address buffer, std::size_t bytes) {
  return [&session, launch, buffer, bytes] {
    const Status launched = launch();
    return launched ? session.sweep(buffer, bytes) : launched;
  };
}

class Comparing {
 public:
  Comparing(const CompareRequest& request, device::Device& device, const KernelLoader& load,
            const Context& context)
      : request_(request), contenders_(request.contenders), device_(device), load_(load), context_(context) {}

  Result<CompareOutcome> go();
  Result<SelfTest> self_test(int pairs, double handicap);

 private:
  Status compile();
  evidence::Run begin(const Contender& contender) const;
  /// Opens the GPU and holds every package against it.
  Result<std::unique_ptr<device::Session>> open();
  Status bind(device::Session& session, std::size_t which, Side& side);
  Status search(device::Session& session, std::size_t which, Side& side);
  Status agree(device::Session& session, std::vector<Side>& sides);
  Status measure();
  void count(device::Session& session, std::size_t which, Side& side);
  Status measure_self(int pairs, double handicap);
  Result<std::size_t> handicap_bytes(device::Session& session, Side& side, double handicap,
                                     device::Address buffer);
  void apart(const std::function<Status()>& work);
  void hear(const std::string& message);

  const CompareRequest& request_;
  std::vector<Contender> contenders_;
  device::Device& device_;
  const KernelLoader& load_;
  const Context& context_;
  std::vector<PackageBuild> builds_;
  CompareOutcome outcome_;
  SelfTest self_;
  const Isolated* parent_ = nullptr;
};

evidence::Run Comparing::begin(const Contender& contender) const {
  evidence::Run run;
  run.kernel = contender.package.design;
  run.version = contender.package.version;
  run.language = contender.package.language;
  run.prof_type = "event";
  run.provenance.arch = contender.package.architectures.front();
  run.provenance.tool_version = CUTELAB_VERSION;
  run.provenance.time_utc = context_.clock.utc_now();
  run.provenance.command = request_.command;
  run.provenance.configuration = contender.params.texts();
  for (const auto& [name, value] : contender.config.values)
    run.provenance.configuration[name] = fmt::format("{}", value);
  return run;
}

Status Comparing::compile() {
  for (const Contender& contender : contenders_) {
    auto kernel = contender.package.plan->plan(contender.params, contender.config);
    if (!kernel) return kernel.error();
    evidence::Run run = begin(contender);
    builds_.push_back(build_package(contender.package, *kernel, context_));
    if (builds_.back().built)
      record_build(run, *builds_.back().built, *kernel, context_);
    else
      outcome_.not_done.push_back(not_built_text(builds_.back()));
    inspect_package(run, contender.package, *kernel, builds_.back(), context_);
    outcome_.runs.push_back(std::move(run));
  }
  return {};
}

Result<std::unique_ptr<device::Session>> Comparing::open() {
  auto session = device_.open(request_.gpu);
  if (!session) return session;
  const auto& info = (*session)->info();
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const auto& package = contenders_[i].package;
    outcome_.runs[i].provenance.device = info.name;
    outcome_.runs[i].provenance.driver = device_.driver().version;
    const auto kernel = package.plan->plan(contenders_[i].params, contenders_[i].config);
    if (!kernel) return kernel.error();
    if (auto fits = device::runs_on(compiled_for(package, *kernel), info); !fits)
      return Error{ErrorKind::unavailable, "run " + package.title(), fits.error().wrong, "",
                   fits.error().remedy};
    if (!builds_[i].built)
      return Error{ErrorKind::unavailable, "run " + package.title(),
                   "not compiled: " + builds_[i].not_built_because, "", builds_[i].remedy};
  }
  return session;
}

Status Comparing::bind(device::Session& session, std::size_t which, Side& side) {
  const Contender& contender = contenders_[which];
  parent_->phase("inputs of " + contender.name, false);
  auto kernel = load_(builds_[which].built->library);
  if (!kernel) return kernel.error();
  side.kernel = std::move(*kernel);
  auto problem = profile::BoundProblem::bind(session, *contender.package.plan, contender.params,
                                             contender.config, request_.spec.timing.fill, 1);
  if (!problem) return problem.error();
  side.problem = std::move(*problem);
  return contender.search ? search(session, which, side) : Status();
}

/// Times each legal configuration that the same build can run, and takes the fastest.
Status Comparing::search(device::Session& session, std::size_t which, Side& side) {
  Contender& contender = contenders_[which];
  const auto& plan = *contender.package.plan;
  const auto chosen = plan.plan(contender.params, contender.config);
  double least = 0;
  int tried = 0;
  profile::CompareSpec quick = request_.spec;
  quick.least_rounds = quick.most_rounds = 15;
  for (const kernel::Config& config : plan.autotune_configs(contender.params)) {
    auto kernel = plan.plan(contender.params, config);
    if (!kernel || kernel->defines != chosen->defines) continue;
    side.problem->use(session, std::move(*kernel));
    parent_->phase("search of " + contender.name + " " + config.text(), true);
    auto timing = profile::time_interleaved(session, {side.launch_on(session)}, quick, context_.clock);
    if (!timing) continue;  // a heuristic that the library does not offer for this problem
    ++tried;
    const double median = (*timing)[0].summary.median;
    if (tried > 1 && median >= least) continue;
    least = median;
    contender.config = config;
  }
  if (tried == 0)
    return Error{ErrorKind::unavailable, "search " + contender.name, "none of its configurations runs here",
                 "", "`cutelab kernel` says why"};
  side.problem->use(session, *plan.plan(contender.params, contender.config));
  auto& run = outcome_.runs[which];
  for (const auto& [name, value] : contender.config.values)
    run.provenance.configuration[name] = fmt::format("{}", value);
  run.notes.push_back(fmt::format("the best of {} configurations: {}", tried, contender.config.text()));
  return {};
}

/// Outputs of the same problem on the same inputs, the first contender's against each other's.
Status Comparing::agree(device::Session& session, std::vector<Side>& sides) {
  std::vector<kernel::Outputs> outputs;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    parent_->phase("first launch of " + contenders_[i].name, true);
    if (auto s = sides[i].launch_on(session)(); !s) return s;
    auto seen = sides[i].problem->download(session);
    if (!seen) return seen.error();
    outputs.push_back(std::move(*seen));
  }
  parent_->phase("comparison of the outputs", false);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    if (contenders_[i].params.texts() != contenders_[0].params.texts()) {
      outcome_.runs[i].notes.push_back("another problem than " + contenders_[0].name +
                                       ": outputs are not compared");
      continue;
    }
    const auto tolerance = contenders_[0].package.plan->tolerance(contenders_[0].params);
    for (const kernel::Tensor& tensor : outputs[i].tensors) {
      const kernel::Tensor* first = outputs[0].find(tensor.name);
      if (!first || first->shape != tensor.shape) continue;
      kernel::Tolerance both = tolerance;  // each side may be off by it
      both.relative_norm *= 2;
      both.element *= 2;
      const auto report = kernel::compare(tensor, *first, both);
      outcome_.runs[i].notes.push_back("outputs against " + contenders_[0].name + ": " + report.text);
      if (!report.passed)
        parent_->tell("dif" + contenders_[i].name + " against " + contenders_[0].name + ": " + report.text);
    }
  }
  return {};
}

Status Comparing::measure() {
  auto session = open();
  if (!session) return session.error();
  std::vector<Side> sides(contenders_.size());
  std::vector<std::function<Status()>> launches;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (auto s = bind(**session, i, sides[i]); !s) return s;
    launches.push_back(sides[i].launch_on(**session));
  }
  if (auto s = agree(**session, sides); !s) return s;
  parent_->phase("timing", true);
  auto timings = profile::time_interleaved(**session, launches, request_.spec, context_.clock);
  if (!timings) return timings.error();
  parent_->phase("record", false);
  auto facts = profile::load_device_facts(context_.files, context_.source_root + "/data/devices.json");
  for (std::size_t i = 0; i < sides.size(); ++i) {
    evidence::Run& run = outcome_.runs[i];
    const auto& contender = contenders_[i];
    profile::record_timing(run, (*timings)[i], request_.spec.timing,
                           contender.package.plan->algorithmic_flops_bytes(contender.params),
                           facts ? profile::find_facts(*facts, (*session)->info().name) : nullptr);
    run.notes.push_back(fmt::format("timed in {} rounds with {} others, the order changing",
                                    (*timings)[i].samples_us.size(), sides.size() - 1));
    run.notes.push_back("launch: " + sides[i].problem->shape.text());
    parent_->tell(fmt::format("run{} {}", i, evidence::json_text(run)));
  }
  for (std::size_t i = 0; i < sides.size(); ++i) count(**session, i, sides[i]);
  return {};
}

/// Hardware counters of one side, after everything has been timed. Refused ones leave their reason in the
/// rows.
void Comparing::count(device::Session& session, std::size_t which, Side& side) {
  const Contender& contender = contenders_[which];
  parent_->phase("counters of " + contender.name, true);
  KernelRequest one{contender.package,   contender.params, contender.config, "annotation", false, 0,
                    request_.spec.timing};
  profile_counters(outcome_.runs[which], one, session, *side.kernel);
  parent_->tell(fmt::format("run{} {}", which, evidence::json_text(outcome_.runs[which])));
}

/// A launch with a small read of memory behind it, of so many bytes that both take `handicap` longer.
Result<std::size_t> Comparing::handicap_bytes(device::Session& session, Side& side, double handicap,
                                              device::Address buffer) {
  profile::CompareSpec spec = request_.spec;
  spec.least_rounds = spec.most_rounds = 120;
  std::size_t low = 0;
  std::size_t high = most_handicap_bytes;
  const auto plain = side.launch_on(session);
  while (high - low > (16u << 10)) {
    const std::size_t bytes = (low + high) / 2 / 16 * 16;
    auto timings = profile::time_interleaved(session, {plain, slowed(session, plain, buffer, bytes)}, spec,
                                             context_.clock);
    if (!timings) return timings.error();
    const auto d = profile::paired_difference((*timings)[0].samples_us, (*timings)[1].samples_us, spec.z);
    self_.handicap = d.centre;
    (d.centre < handicap ? low : high) = bytes;
    if (std::abs(d.centre - handicap) < handicap / 60) return bytes;
  }
  return low;
}

Status Comparing::measure_self(int pairs, double handicap) {
  auto session = open();
  if (!session) return session.error();
  std::vector<Side> sides(3);
  for (Side& side : sides)
    if (auto s = bind(**session, 0, side); !s) return s;
  auto buffer = (*session)->allocate(most_handicap_bytes);
  if (!buffer) return buffer.error();
  if (auto s = (*session)->fill(*buffer, 0, most_handicap_bytes); !s) return s;
  parent_->phase("search for a handicap", true);
  auto bytes = handicap_bytes(**session, sides[0], handicap, *buffer);
  if (!bytes) return bytes.error();
  parent_->tell("hcp" + fmt::format("{}", self_.handicap));
  for (int i = 0; i < 2 * pairs; ++i) {
    parent_->phase(fmt::format("pair {}", i), true);
    const bool slow = i % 2 == 1;
    const auto plain = sides[1 + static_cast<std::size_t>(i / 2) % 2].launch_on(**session);
    auto timings = profile::time_interleaved(
        **session, {sides[0].launch_on(**session), slow ? slowed(**session, plain, *buffer, *bytes) : plain},
        request_.spec, context_.clock);
    if (!timings) return timings.error();
    const auto verdict = profile::judge_difference(
        profile::paired_difference((*timings)[0].samples_us, (*timings)[1].samples_us, request_.spec.z),
        request_.spec.margin);
    parent_->tell(
        fmt::format("{}{}{}", slow ? "slo" : "sam", static_cast<int>(verdict.kind), verdict.reason));
  }
  return {};
}

void Comparing::hear(const std::string& message) {
  const std::string kind = message.substr(0, 3);
  const std::string rest = message.substr(3);
  if (kind == "run") {
    const auto space = rest.find(' ');
    const auto which = parse_integer(rest.substr(0, space));
    auto run = evidence::run_from_json(rest.substr(space + 1));
    if (run && which) outcome_.runs[static_cast<std::size_t>(*which)] = std::move(*run);
  } else if (kind == "dif") {
    outcome_.disagreements.push_back(rest);
  } else if (kind == "bad") {
    const auto line = rest.find('\n');
    outcome_.outcome = {rest.substr(0, line), rest.substr(line + 1)};
  } else if (kind == "hcp") {
    self_.handicap = std::strtod(rest.c_str(), nullptr);
  } else {
    (kind == "slo" ? self_.slow : self_.same)
        .push_back({static_cast<evidence::VerdictKind>(rest[0] - '0'), rest.substr(1)});
  }
}

/// Runs `work` in a child; what it tells and how it ends goes into the outcome.
void Comparing::apart(const std::function<Status()>& work) {
  context_.out.flush();
  const auto child = [&](const Isolated& parent) {
    parent_ = &parent;
    parent.phase("start of the device", true);
    if (const Status done = work(); !done) {
      const auto outcome = profile::outcome_of(done.error());
      parent.tell("bad" + outcome.kind + "\n" + outcome.reason);
    }
  };
  auto end =
      run_isolated(child, request_.time_limit_seconds, [this](const std::string& message) { hear(message); });
  if (!end)
    outcome_.outcome = profile::outcome_of(end.error());
  else if (auto outcome = profile::outcome_of(*end); outcome.kind != "done")
    outcome_.outcome = std::move(outcome);
}

Result<CompareOutcome> Comparing::go() {
  if (auto s = compile(); !s) return s.error();
  apart([this] { return measure(); });
  if (outcome_.outcome.kind == "done") return std::move(outcome_);
  outcome_.not_done.push_back("comparison: " + outcome_.outcome.reason);
  for (evidence::Run& run : outcome_.runs) {
    run.outcome = outcome_.outcome;
    if (const auto* row = evidence::metric_of(run, "duration_us"); !row || !row->value)
      evidence::set_missing(run, "duration_us", outcome_.outcome.reason);
  }
  return std::move(outcome_);
}

Result<SelfTest> Comparing::self_test(int pairs, double handicap) {
  if (auto s = compile(); !s) return s.error();
  self_.pairs = pairs;
  apart([&] { return measure_self(pairs, handicap); });
  self_.outcome = outcome_.outcome;
  return std::move(self_);
}

}  // namespace

Result<CompareOutcome> run_comparison(const CompareRequest& request, device::Device& device,
                                      const KernelLoader& load, const Context& context) {
  return Comparing(request, device, load, context).go();
}

report::ComparedRuns compared_of(const CompareRequest& request, const CompareOutcome& outcome) {
  report::ComparedRuns compared;
  compared.margin = request.spec.margin;
  for (const Contender& contender : request.contenders) compared.names.push_back(contender.name);
  compared.runs = outcome.runs;
  const auto rejected = [](const evidence::Run& run) {
    const auto* row = evidence::metric_of(run, "duration_us");
    return !row || !row->value;
  };
  for (std::size_t i = 1; i < outcome.runs.size(); ++i) {
    const auto& left = outcome.runs[0].samples_us;
    const auto& right = outcome.runs[i].samples_us;
    report::ComparedPair pair;
    if (left.size() == right.size() && left.size() >= 2) {
      const auto d = profile::paired_difference(left, right, request.spec.z);
      pair = {profile::judge_difference(d, request.spec.margin), d.low, d.centre, d.high, true};
      if (rejected(outcome.runs[0]) || rejected(outcome.runs[i]))
        pair.verdict = {evidence::VerdictKind::impossible, "a time is below what the device can do"};
      profile::explain_by_code(pair.verdict, outcome.runs[0], outcome.runs[i]);
    }
    compared.pairs.push_back(std::move(pair));
  }
  return compared;
}

Result<SelfTest> run_self_test(const CompareRequest& request, int pairs, double handicap,
                               device::Device& device, const KernelLoader& load, const Context& context) {
  return Comparing(request, device, load, context).self_test(pairs, handicap);
}

}  // namespace cutelab::cli
