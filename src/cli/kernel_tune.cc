#include "cli/kernel_tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "base/isolated.h"
#include "base/text.h"
#include "cli/kernel_build.h"
#include "cli/kernel_choice.h"
#include "cli/progress.h"
#include "kernel/parallel.h"
#include "kernel/tile_build.h"
#include "profile/outcome.h"
#include "profile/runner.h"

namespace cutelab::cli {
namespace {

using Candidate = TuneOutcome::Candidate;

class Tuning {
 public:
  Tuning(const TuneRequest& request, device::Device& device, const KernelLoader& load, const Context& context)
      : request_(request),
        plan_(*request.base.package.plan),
        device_(device),
        load_(load),
        context_(context) {}

  Result<TuneOutcome> go();
  Result<profile::TunedKey> key();

 private:
  void list_candidates();
  void compile();
  void screen();
  void finals();
  void decide(const std::vector<std::size_t>& finalists, const std::vector<std::vector<double>>& samples);
  /// Runs `work` in a child that has the GPU open and the inputs bound.
  IsolatedEnd apart(const std::function<Status(device::Session&, profile::BoundProblem&)>& work,
                    const std::function<void(const std::string&)>& hear);
  Result<kernel::Outputs> first_launch(device::Session& session, profile::BoundProblem& problem,
                                       std::size_t which, std::unique_ptr<kernel::Launchable>& kernel);
  std::optional<kernel::Outputs> outputs_of_the_first(device::Session& session,
                                                      profile::BoundProblem& problem);
  Status screen_one(device::Session& session, profile::BoundProblem& problem, std::size_t which,
                    std::optional<kernel::Outputs>& first);

  const TuneRequest& request_;
  const kernel::KernelPlan& plan_;
  device::Device& device_;
  const KernelLoader& load_;
  const Context& context_;
  const Isolated* parent_ = nullptr;
  std::vector<PackageBuild> builds_;
  TuneOutcome outcome_;
};

void Tuning::list_candidates() {
  for (const kernel::Config& config : plan_.autotune_configs(request_.base.params))
    if (config.legal())
      outcome_.candidates.push_back({config, "", 0, 0});
    else
      ++outcome_.rejected[config.rejected_because];
}

/// All processors compile at once.
void Tuning::compile() {
  builds_.resize(outcome_.candidates.size());
  const auto count = static_cast<std::int64_t>(builds_.size());
  Progress progress(context_);
  progress.begin(fmt::format("compiling {} configurations of {}", count, request_.base.package.title()),
                 "each: " + usual_time(kernel::compile_seconds(context_.files, context_.source_root)));
  kernel::for_each_share(count, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      Candidate& candidate = outcome_.candidates[i];
      auto kernel = plan_.plan(request_.base.params, candidate.config);
      if (!kernel) {
        candidate.failed_because = one_line(kernel.error());
        continue;
      }
      builds_[i] = build_package(request_.base.package, *kernel, context_, false);
      if (!builds_[i].built) candidate.failed_because = builds_[i].not_built_because;
    }
  });
}

/// Device and driver are asked in a child: the driver does not survive a fork.
Result<profile::TunedKey> Tuning::key() {
  const auto& base = request_.base;
  profile::TunedKey key;
  std::string refused = "the question was not answered";
  (void)run_isolated(
      [this](const Isolated& parent) {
        parent.phase("question for the device", true);
        auto session = device_.open(request_.base.gpu);
        if (session)
          parent.tell("+" + (*session)->info().name + "\n" + device_.driver().version);
        else
          parent.tell("-" + one_line(session.error()));
      },
      60,
      [&](const std::string& told) {
        const auto line = told.find('\n');
        refused = told[0] == '-' ? told.substr(1) : "";
        if (told[0] == '+') key.device = told.substr(1, line - 1);
        if (told[0] == '+') key.driver = told.substr(line + 1);
      });
  if (!refused.empty())
    return Error{ErrorKind::unavailable, "tune " + base.package.title(), refused, "",
                 "tuning needs the GPU that it is for"};
  const auto toolchain = kernel::find_toolchain(context_.environment, context_.files, context_.source_root);
  key.compiler = base.package.language == "cutile-dsl"
                     ? kernel::pinned_tile_compiler(context_.files, context_.source_root)
                     : toolchain.nvcc_version + ", CUTLASS " + toolchain.cutlass_version;
  auto hash = kernel::source_hash({context_.files,
                                   context_.environment,
                                   context_.source_root,
                                   base.package.folder,
                                   {},
                                   base.package.architectures.front()});
  if (!hash) return hash.error();
  key.kernel = base.package.design;
  key.version = base.package.version;
  key.source_hash = *hash;
  key.problem = base.params.text();
  key.l2 = profile::text_of(base.timing.l2);
  if (base.timing.fill != kernel::Fill::uniform) key.l2 += ", inputs " + kernel::word_of(base.timing.fill);
  return key;
}

IsolatedEnd Tuning::apart(const std::function<Status(device::Session&, profile::BoundProblem&)>& work,
                          const std::function<void(const std::string&)>& hear) {
  context_.out.flush();
  const auto child = [&](const Isolated& parent) {
    parent_ = &parent;
    parent.phase("start of the device", true);
    const auto fail = [&](const Error& error) {
      const auto outcome = profile::outcome_of(error);
      parent.tell("bad" + outcome.kind + "\n" + outcome.reason);
    };
    auto session = device_.open(request_.base.gpu);
    if (!session) return fail(session.error());
    parent.phase("inputs", false);
    auto problem = profile::BoundProblem::bind(**session, plan_, request_.base.params,
                                               outcome_.candidates[0].config, request_.base.timing.fill, 1);
    if (!problem) return fail(problem.error());
    if (auto done = work(**session, *problem); !done) fail(done.error());
  };
  auto end = run_isolated(child, request_.base.time_limit_seconds, [&](const std::string& message) {
    if (message.rfind("bad", 0) != 0) return hear(message);
    const auto line = message.find('\n');
    outcome_.outcome = {message.substr(3, line - 3), message.substr(line + 1)};
  });
  if (end) return *end;
  outcome_.outcome = profile::outcome_of(end.error());
  return {};
}

/// Loads a candidate, launches it once on poisoned outputs and gives what it wrote.
Result<kernel::Outputs> Tuning::first_launch(device::Session& session, profile::BoundProblem& problem,
                                             std::size_t which, std::unique_ptr<kernel::Launchable>& kernel) {
  auto loaded = load_(builds_[which].built->library);
  if (!loaded) return loaded.error();
  kernel = std::move(*loaded);
  auto planned = plan_.plan(request_.base.params, outcome_.candidates[which].config);
  if (!planned) return planned.error();
  problem.use(session, std::move(*planned));
  if (auto s = problem.poison(session); !s) return s.error();
  if (auto s = problem.launch(session, *kernel); !s) return s.error();
  return problem.download(session);
}

/// Times one candidate a few launches and tells the median, or why not.
Status Tuning::screen_one(device::Session& session, profile::BoundProblem& problem, std::size_t which,
                          std::optional<kernel::Outputs>& first) {
  std::unique_ptr<kernel::Launchable> kernel;
  auto seen = first_launch(session, problem, which, kernel);
  if (!seen) return seen.error();
  auto tolerance = plan_.tolerance(request_.base.params);
  tolerance.relative_norm *= 2;
  tolerance.element *= 2;
  if (!first) first = *seen;
  for (const kernel::Tensor& tensor : seen->tensors)
    if (const auto report = kernel::compare(tensor, *first->find(tensor.name), tolerance); !report.passed)
      return Error{ErrorKind::check, "outputs against those of the first", report.text, "", ""};
  profile::CompareSpec quick = request_.spec;
  quick.least_rounds = quick.most_rounds = 15;
  auto timing = profile::time_interleaved(session, {[&] { return problem.launch(session, *kernel); }}, quick,
                                          context_.clock);
  if (!timing) return timing.error();
  parent_->tell(fmt::format("us{} {}", which, (*timing)[0].summary.median));
  return {};
}

/// After a restart: the outputs that the others are held against, once more.
std::optional<kernel::Outputs> Tuning::outputs_of_the_first(device::Session& session,
                                                            profile::BoundProblem& problem) {
  for (std::size_t i = 0; i < outcome_.candidates.size(); ++i) {
    if (outcome_.candidates[i].screened_us <= 0) continue;
    std::unique_ptr<kernel::Launchable> kernel;
    parent_->phase("first launch of " + outcome_.candidates[i].config.text(), true);
    if (auto seen = first_launch(session, problem, i, kernel)) return *seen;
  }
  return std::nullopt;
}

/// Every candidate once. A child that ends badly takes only the candidate with it that it was at.
void Tuning::screen() {
  std::size_t next = 0;
  while (next < outcome_.candidates.size()) {
    const std::size_t begin = next;
    std::size_t at = begin;
    const auto end = apart(
        [&](device::Session& session, profile::BoundProblem& problem) {
          auto first = outputs_of_the_first(session, problem);
          for (std::size_t i = begin; i < outcome_.candidates.size(); ++i) {
            parent_->tell(fmt::format("at{}", i));
            if (!outcome_.candidates[i].failed_because.empty()) continue;
            parent_->phase("configuration " + outcome_.candidates[i].config.text(), true);
            const Status done = screen_one(session, problem, i, first);
            if (done) continue;
            parent_->tell(fmt::format("no{} {}", i, one_line(done.error())));
            if (profile::outcome_of(done.error()).kind == "kernel-fault") break;  // the context is lost
          }
          return Status();
        },
        [&](const std::string& message) {
          const auto space = message.find(' ');
          const auto which = static_cast<std::size_t>(std::atoi(message.c_str() + 2));
          at = which;
          if (message[0] == 'u')
            outcome_.candidates[which].screened_us = std::strtod(message.c_str() + space, nullptr);
          if (message[0] == 'n') outcome_.candidates[which].failed_because = message.substr(space + 1);
        });
    if (outcome_.outcome.kind != "done") return;
    if (const auto bad = profile::outcome_of(end); bad.kind != "done")
      outcome_.candidates[at].failed_because = bad.kind + ": " + bad.reason;
    next = at + 1;
  }
}

void Tuning::finals() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < outcome_.candidates.size(); ++i)
    if (outcome_.candidates[i].screened_us > 0) order.push_back(i);
  if (order.empty()) return;
  const std::size_t preferred = order.front();
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return outcome_.candidates[a].screened_us < outcome_.candidates[b].screened_us;
  });
  if (order.size() > static_cast<std::size_t>(request_.finalists))
    order.resize(static_cast<std::size_t>(request_.finalists));
  const auto own = std::find(order.begin(), order.end(), preferred);
  if (own != order.end()) order.erase(own);
  order.insert(order.begin(), preferred);  // the others are judged against it
  std::vector<std::vector<double>> samples(order.size());
  const auto end = apart(
      [&](device::Session& session, profile::BoundProblem& problem) {
        std::vector<std::unique_ptr<kernel::Launchable>> kernels;
        std::vector<profile::BoundProblem> problems(order.size(), problem);
        std::vector<std::function<Status()>> launches;
        for (std::size_t i = 0; i < order.size(); ++i) {
          auto kernel = load_(builds_[order[i]].built->library);
          auto planned = plan_.plan(request_.base.params, outcome_.candidates[order[i]].config);
          if (!kernel || !planned) return Status(!kernel ? kernel.error() : planned.error());
          kernels.push_back(std::move(*kernel));
          problems[i].use(session, std::move(*planned));
          launches.emplace_back(
              [&session, &problems, &kernels, i] { return problems[i].launch(session, *kernels[i]); });
        }
        parent_->phase("timing of the best", true);
        auto timings = profile::time_interleaved(session, launches, request_.spec, context_.clock);
        if (!timings) return Status(timings.error());
        for (std::size_t i = 0; i < order.size(); ++i) {
          std::string line = fmt::format("xs{}", i);
          for (const double us : (*timings)[i].samples_us) line += fmt::format(" {}", us);
          parent_->tell(line);
        }
        return Status();
      },
      [&](const std::string& message) {
        const auto numbers = split(message, ' ');
        auto& of_one = samples[static_cast<std::size_t>(std::atoi(message.c_str() + 2))];
        for (std::size_t i = 1; i < numbers.size(); ++i)
          of_one.push_back(std::strtod(std::string(numbers[i]).c_str(), nullptr));
      });
  if (const auto bad = profile::outcome_of(end); bad.kind != "done") outcome_.outcome = bad;
  if (outcome_.outcome.kind == "done") decide(order, samples);
}

void Tuning::decide(const std::vector<std::size_t>& finalists,
                    const std::vector<std::vector<double>>& samples) {
  std::size_t best = 0;
  std::string said = "the plan's own choice is the fastest";
  for (std::size_t i = 0; i < finalists.size(); ++i)
    outcome_.candidates[finalists[i]].final_us = profile::summarize(samples[i]).median;
  for (std::size_t i = 1; i < finalists.size(); ++i) {
    const auto difference = profile::paired_difference(samples[0], samples[i], request_.spec.z);
    const auto verdict = profile::judge_difference(difference, request_.spec.margin);
    const auto& candidate = outcome_.candidates[finalists[i]];
    if (candidate.final_us >= outcome_.candidates[finalists[best]].final_us) continue;
    if (verdict.kind != evidence::VerdictKind::faster) {
      if (best == 0) said = "the plan's own choice stays: no other is faster beyond the margin";
      continue;
    }
    best = i;
    said = "against the plan's own choice: " + verdict.reason;
  }
  outcome_.said = said;
  const auto& winner = outcome_.candidates[finalists[best]];
  outcome_.best.values = winner.config.values;
  outcome_.best.duration_us = winner.final_us;
  for (const Candidate& candidate : outcome_.candidates)
    ++(candidate.failed_because.empty() ? outcome_.best.candidates : outcome_.best.failed);
  for (const auto& [reason, count] : outcome_.rejected) outcome_.best.rejected += count;
  outcome_.best.time_utc = context_.clock.utc_now();
}

Result<TuneOutcome> Tuning::go() {
  auto key_here = key();
  if (!key_here) return key_here.error();
  outcome_.key = *key_here;
  auto store = profile::Store::open(request_.store);
  if (!store) return store.error();
  if (!request_.again) {
    auto known = store->find_tuned(outcome_.key);
    if (!known) return known.error();
    if (*known) {
      outcome_.best = **known;
      outcome_.from_store = true;
      return std::move(outcome_);
    }
  }
  list_candidates();
  if (outcome_.candidates.empty())
    return Error{ErrorKind::usage, "tune " + request_.base.package.title(), "no configuration is legal",
                 outcome_.rejected.empty() ? "" : outcome_.rejected.begin()->first, "change the parameters"};
  compile();
  screen();
  if (outcome_.outcome.kind == "done") finals();
  if (!outcome_.best.values.empty())
    if (auto s = store->keep_tuned(outcome_.key, outcome_.best); !s) return s.error();
  return std::move(outcome_);
}

}  // namespace

Result<TuneOutcome> tune_kernel(const TuneRequest& request, device::Device& device, const KernelLoader& load,
                                const Context& context) {
  return Tuning(request, device, load, context).go();
}

Result<kernel::Config> tuned_config(const TuneRequest& request, device::Device& device,
                                    const Context& context) {
  auto key = Tuning(request, device, package_loader(context), context).key();
  if (!key) return key.error();
  auto store = profile::Store::open(request.store);
  if (!store) return store.error();
  auto known = store->find_tuned(*key);
  if (!known) return known.error();
  if (*known) return kernel::Config{(*known)->values, ""};
  return Error{ErrorKind::input, "kernel --config=tuned", "nothing is kept for this problem on this machine",
               fmt::format("{}, driver {}, {}", key->device, key->driver, key->compiler),
               "the same command with --autotune finds it"};
}

}  // namespace cutelab::cli
