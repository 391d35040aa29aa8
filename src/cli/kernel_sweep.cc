#include "cli/kernel_sweep.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "base/file_lock.h"
#include "base/isolated.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/kernel_choice.h"
#include "evidence/metrics.h"
#include "kernel/build.h"
#include "profile/outcome.h"
#include "profile/store.h"

namespace cutelab::cli {
namespace {

class Sweeping {
 public:
  Sweeping(const SweepRequest& request, device::Device& device, const KernelLoader& load,
           const Context& context)
      : request_(request), device_(device), load_(load), context_(context) {
    for (std::size_t i = 0; i < request.sweep.problems.size(); ++i)
      if (static_cast<int>(i) % request.shards == request.shard) mine_.push_back(request.sweep.problems[i]);
  }

  Result<SweepOutcome> go() {
    const std::string key = key_of();
    auto lock = FileLock::take(fmt::format("{}.sweep-{}.lock", request_.store, key.substr(0, 12)));
    if (!lock) return lock.error();
    if (auto s = begin(key); !s) return s.error();
    if (request_.gpus.size() == 1) {
      if (auto s = work(request_.gpus[0]); !s) return s.error();
    } else if (auto s = work_on_all(); !s) {
      return s.error();
    }
    return collect();
  }

 private:
  std::string key_of() const;
  std::string device_name() const;
  Status begin(const std::string& key);
  Status work(int gpu);
  Status work_on_all();
  evidence::Run run_point(const kernel::Params& params, int gpu);
  Result<SweepOutcome> collect() const;

  const SweepRequest& request_;
  device::Device& device_;
  const KernelLoader& load_;
  const Context& context_;
  std::vector<kernel::Params> mine_;
  std::int64_t sweep_ = 0;
  int resumed_ = 0;
};

/// Asked in a child: the driver does not survive a fork.
std::string Sweeping::device_name() const {
  std::string name;
  (void)run_isolated(
      [this](const Isolated& parent) {
        parent.phase("question for the device's name", true);
        if (auto session = device_.open(request_.gpus[0])) parent.tell((*session)->info().name);
      },
      60, [&](std::string told) { name = std::move(told); });
  return name;
}

/// What makes two sweeps the same: what is measured, how, where, and the sources.
std::string Sweeping::key_of() const {
  const auto& base = request_.base;
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {}/{}\n", base.package.title(), base.prof_type, base.check,
                  static_cast<int>(base.timing.l2), kernel::word_of(base.timing.fill), request_.config,
                  device_name(), request_.shard, request_.shards);
  auto hash = kernel::source_hash({context_.files,
                                   context_.environment,
                                   context_.source_root,
                                   base.package.folder,
                                   {},
                                   base.package.architectures.front()});
  text += hash ? *hash : std::string();
  for (const auto& params : mine_) text += "\n" + params.text();
  return sha256(text);
}

Status Sweeping::begin(const std::string& key) {
  auto store = profile::Store::open(request_.store);
  if (!store) return store.error();
  std::vector<std::string> problems;
  for (const auto& params : mine_) problems.push_back(params.text());
  auto sweep =
      store->begin_sweep(key, request_.base.command, problems, context_.clock.utc_now(), request_.again);
  if (!sweep) return sweep.error();
  sweep_ = *sweep;
  auto points = store->points(sweep_);
  if (!points) return points.error();
  resumed_ = static_cast<int>(std::count_if(points->begin(), points->end(), [](auto& p) { return p.done; }));
  if (resumed_ > 0)
    context_.err << fmt::format("going on with an unfinished sweep: {} of {} problems are done\n", resumed_,
                                points->size());
  return {};
}

evidence::Run Sweeping::run_point(const kernel::Params& params, int gpu) {
  KernelRequest one = request_.base;
  one.params = params;
  one.gpu = gpu;
  const auto refused = [&](const Error& error) {
    evidence::Run run;
    run.kernel = one.package.design;
    run.version = one.package.version;
    run.language = one.package.language;
    run.prof_type = one.prof_type;
    run.provenance.configuration = params.texts();
    run.provenance.time_utc = context_.clock.utc_now();
    run.provenance.command = one.command;
    run.outcome = {"unavailable", replace_all(error.asked + ": " + error.wrong, "\n", " ")};
    return run;
  };
  auto config = choose_config(one.package, params, request_.config);
  if (!config) return refused(config.error());
  one.config = std::move(*config);
  auto outcome = run_kernel(one, device_, load_, context_);
  return outcome ? std::move(outcome->run) : refused(outcome.error());
}

/// Takes open problems until there are none. Each is kept before the next is begun.
Status Sweeping::work(int gpu) {
  auto store = profile::Store::open(request_.store);
  if (!store) return store.error();
  while (true) {
    auto point = store->claim_point(sweep_);
    if (!point) return point.error();
    if (!*point) return {};
    const auto run = run_point(mine_[static_cast<std::size_t>((*point)->number)], gpu);
    if (auto id = store->finish_point(sweep_, (*point)->number, run); !id) return id.error();
    const auto* duration = evidence::metric_of(run, "duration_us");
    context_.err << fmt::format("{}/{} {}: {}\n", (*point)->number + 1, mine_.size(), (*point)->problem,
                                run.outcome.kind != "done"      ? run.outcome.kind
                                : !duration || !duration->value ? "no time"
                                                                : fmt::format("{:.2f} us", *duration->value));
  }
}

/// One process per GPU; they share the problems through the store.
Status Sweeping::work_on_all() {
  context_.out.flush();
  std::vector<pid_t> workers;
  for (const int gpu : request_.gpus) {
    const pid_t child = fork();
    if (child == 0) {
      const Status done = work(gpu);
      if (!done) context_.err << done.error().message() << "\n";
      _exit(done ? 0 : 1);
    }
    if (child > 0) workers.push_back(child);
  }
  bool good = !workers.empty();
  for (const pid_t worker : workers) {
    int state = 0;
    waitpid(worker, &state, 0);
    good = good && WIFEXITED(state) && WEXITSTATUS(state) == 0;
  }
  if (good) return {};
  return Error{ErrorKind::unavailable, "sweep on several GPUs", "one of the processes ended badly", "",
               "give the same command again: it goes on with what is open"};
}

Result<SweepOutcome> Sweeping::collect() const {
  auto store = profile::Store::open(request_.store);
  if (!store) return store.error();
  auto points = store->points(sweep_);
  if (!points) return points.error();
  SweepOutcome outcome;
  outcome.resumed = resumed_;
  for (const auto& point : *points) {
    if (point.run == 0) continue;
    auto stored = store->get(point.run);
    if (!stored) return stored.error();
    outcome.runs.emplace_back(stored->id, std::move(stored->run));
  }
  return outcome;
}

}  // namespace

Result<SweepOutcome> run_sweep(const SweepRequest& request, device::Device& device, const KernelLoader& load,
                               const Context& context) {
  return Sweeping(request, device, load, context).go();
}

ExitCode exit_code_of(const SweepOutcome& outcome) {
  ExitCode worst = ExitCode::ok;
  for (const auto& [id, run] : outcome.runs) {
    const ExitCode code = profile::exit_code_of(run.outcome);
    if (code == ExitCode::kernel_fault) return code;
    const auto* duration = evidence::metric_of(run, "duration_us");
    if (run.check.made && !run.check.passed)
      worst = ExitCode::failed_check;
    else if (worst == ExitCode::ok && (code != ExitCode::ok || (duration && !duration->value)))
      worst = ExitCode::unavailable;
  }
  return worst;
}

}  // namespace cutelab::cli
