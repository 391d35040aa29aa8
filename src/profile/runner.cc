#include "profile/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace cutelab::profile {

Result<BoundProblem> BoundProblem::bind(device::Session& session, const kernel::KernelPlan& plan,
                                        const kernel::Params& params, const kernel::Config& config,
                                        kernel::Fill fill, kernel::Seed seed) {
  auto kernel = plan.plan(params, config);
  if (!kernel) return kernel.error();
  BoundProblem problem;
  problem.kernel = std::move(*kernel);
  problem.shape = problem.kernel.launch(session.info().sms);
  problem.inputs = plan.prepare_inputs(params, fill, seed);
  problem.outputs = plan.prepare_outputs(params);
  for (const auto* set : {&problem.inputs, &problem.outputs}) {
    for (const kernel::Tensor& tensor : set->tensors) {
      auto address = session.allocate(tensor.data.size());
      if (!address) return address.error();
      problem.addresses_[tensor.name] = *address;
    }
  }
  problem.arguments_ = problem.kernel.arguments(problem.addresses_);
  if (auto s = problem.restore(session); !s) return s.error();
  return problem;
}

Status BoundProblem::restore(device::Session& session) const {
  for (const kernel::Tensor& tensor : inputs.tensors)
    if (auto s = session.upload(addresses_.at(tensor.name), tensor.data.data(), tensor.data.size()); !s)
      return s;
  return poison(session);
}

Status BoundProblem::poison(device::Session& session) const {
  for (const kernel::Tensor& tensor : outputs.tensors)
    if (auto s = session.fill(addresses_.at(tensor.name), 0xFF, tensor.data.size()); !s) return s;
  return {};
}

Status BoundProblem::launch(device::Session& session, const kernel::Launchable& launchable) const {
  return launchable.launch(arguments_, shape, session.stream());
}

void BoundProblem::use(device::Session& session, kernel::CuteKernel other) {
  kernel = std::move(other);
  shape = kernel.launch(session.info().sms);
  arguments_ = kernel.arguments(addresses_);
}

Result<kernel::Outputs> BoundProblem::download(device::Session& session) const {
  if (auto s = session.synchronize(); !s) return s.error();
  kernel::Outputs seen = outputs;
  for (kernel::Tensor& tensor : seen.tensors)
    if (auto s = session.download(tensor.data.data(), addresses_.at(tensor.name), tensor.data.size()); !s)
      return s.error();
  return seen;
}

bool CheckResult::passed() const {
  return !lines.empty() &&
         std::all_of(lines.begin(), lines.end(), [](const auto& l) { return l.report.passed; });
}

const CheckLine* CheckResult::worst() const {
  const CheckLine* worst = nullptr;
  for (const CheckLine& line : lines) {
    if (!line.report.passed) return &line;
    if (!worst || line.report.relative_norm > worst->report.relative_norm) worst = &line;
  }
  return worst;
}

namespace {

void say(const Progress& progress, const std::string& what, bool on_device) {
  if (progress) progress(what, on_device);
}

/// One problem, one fill: bind, launch, compare each output; the worst output's report is kept.
Status check_one(device::Session& session, const kernel::KernelPlan& plan, const kernel::Params& params,
                 const kernel::Config& config, const kernel::Launchable& launchable, kernel::Fill fill,
                 kernel::Seed seed, const Progress& progress, CheckResult& result) {
  say(progress, "inputs of " + params.text(), false);
  auto problem = BoundProblem::bind(session, plan, params, config, fill, seed);
  if (!problem) return problem.error();
  say(progress, "check of " + params.text(), true);
  const device::AnnotatedRange range(session, "cutelab check");
  if (auto s = problem->launch(session, launchable); !s) return s;
  auto seen = problem->download(session);
  if (!seen) return seen.error();
  say(progress, "reference of " + params.text(), false);
  const kernel::Outputs reference = plan.reference_fn(params, problem->inputs);
  for (const kernel::Tensor& tensor : seen->tensors) {
    const kernel::Tensor* expected = reference.find(tensor.name);
    if (!expected)
      return Error{ErrorKind::internal, "check " + tensor.name, "the reference has no such output", "",
                   "correct the plan"};
    result.lines.push_back({params.text(), kernel::name_of(fill), seed,
                            kernel::compare(tensor, *expected, plan.tolerance(params))});
  }
  return {};
}

}  // namespace

Result<CheckResult> check_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                 const kernel::Params& params, const kernel::Config& config,
                                 const kernel::Launchable& launchable, const Progress& progress) {
  CheckResult result;
  result.tolerance = plan.tolerance(params);
  kernel::Seed seed = 0;
  for (const auto fill : {kernel::Fill::uniform, kernel::Fill::normal, kernel::Fill::adversarial})
    if (auto s = check_one(session, plan, params, config, launchable, fill, ++seed, progress, result); !s)
      return s.error();
  for (const kernel::Params& ragged : plan.ragged_params(params, config))
    if (auto s = check_one(session, plan, ragged, config, launchable, kernel::Fill::adversarial, ++seed,
                           progress, result);
        !s)
      return s.error();
  return result;
}

namespace {

/// Each output after the timing against the same output before it.
Recheck recheck(const kernel::Outputs& last, const kernel::Outputs& first,
                const kernel::Tolerance& tolerance) {
  Recheck result{true, true, ""};
  for (const kernel::Tensor& tensor : last.tensors) {
    const auto report = kernel::compare(tensor, *first.find(tensor.name), tolerance);
    if (!report.passed && result.same) result.text = report.text;
    result.same = result.same && report.passed;
  }
  return result;
}

}  // namespace

Result<Timing> time_kernel(device::Session& session, const kernel::KernelPlan& plan,
                           const kernel::Params& params, const kernel::Config& config,
                           const kernel::Launchable& launchable, const TimingSpec& spec, const Clock& clock,
                           const Progress& progress) {
  say(progress, "inputs of " + params.text(), false);
  auto problem = BoundProblem::bind(session, plan, params, config, spec.fill, 1);
  if (!problem) return problem.error();
  say(progress, "timing of " + params.text(), true);
  const device::AnnotatedRange range(session, "cutelab timing");
  const auto launch = [&] { return problem->launch(session, launchable); };
  if (auto s = launch(); !s) return s.error();
  auto first = problem->download(session);
  if (!first) return first.error();
  if (auto s = problem->restore(session); !s) return s.error();
  auto timing = time_with_events(session, launch, spec, clock);
  if (!timing) return timing.error();
  say(progress, "outputs after the timing", false);
  auto last = problem->download(session);
  if (!last) return last.error();
  timing->recheck = recheck(*last, *first, plan.tolerance(params));
  return timing;
}

}  // namespace cutelab::profile
