#include "profile/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace cutelab::profile {

Status fits(const kernel::LaunchShape& shape, const device::DeviceInfo& device) {
  const std::int64_t limit = device.smem_per_block_bytes;
  if (limit <= 0 || shape.dynamic_smem_bytes <= limit) return {};
  return Error{ErrorKind::unavailable, "launch " + shape.text(),
               fmt::format("{} bytes of shared memory are more than the {} that a block may opt in to on {}",
                           with_thousands(shape.dynamic_smem_bytes), with_thousands(limit), device.name),
               "", "take fewer stages or a smaller tile"};
}

namespace {

/// Tables of addresses get those of the tensors that they lead to.
void write_addresses(const std::vector<kernel::AddressWord>& words, kernel::Inputs& inputs) {
  for (const kernel::AddressWord& word : words)
    for (kernel::Tensor& tensor : inputs.tensors)
      if (tensor.name == word.tensor && word.at + sizeof word.address <= tensor.data.size())
        std::memcpy(tensor.data.data() + word.at, &word.address, sizeof word.address);
}

/// Memory for each tensor, with its content or, of outputs, poisoned.
Status place(device::Session& session, const kernel::TensorSet& set, bool poisoned,
             kernel::Addresses& addresses) {
  for (const kernel::Tensor& tensor : set.tensors) {
    auto address = session.allocate(tensor.data.size());
    if (!address) return address.error();
    addresses[tensor.name] = *address;
    auto done = poisoned ? session.fill(*address, 0xFF, tensor.data.size())
                         : session.upload(*address, tensor.data.data(), tensor.data.size());
    if (!done) return done;
  }
  return {};
}

/// What the device's operators say of inputs that lie at `inputs_at`.
Result<kernel::Outputs> said_by_operators(device::Session& session, kernel::Addresses inputs_at,
                                          const kernel::DeviceReference& call,
                                          const kernel::Launchable& operators) {
  kernel::Addresses outputs_at;
  if (auto s = place(session, call.inputs, false, inputs_at); !s) return s.error();
  if (auto s = place(session, call.outputs, true, outputs_at); !s) return s.error();
  if (auto s = operators.launch(call.arguments(inputs_at, outputs_at), {}, session.stream()); !s)
    return s.error();
  if (auto s = session.synchronize(); !s) return s.error();
  kernel::Outputs seen = call.outputs;
  for (kernel::Tensor& tensor : seen.tensors)
    if (auto s = session.download(tensor.data.data(), outputs_at.at(tensor.name), tensor.data.size()); !s)
      return s.error();
  return seen;
}

}  // namespace

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
  if (problem.kernel.address_words)
    write_addresses(problem.kernel.address_words(problem.addresses_), problem.inputs);
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
  if (auto s = fits(shape, session.info()); !s) return s;
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

Result<kernel::Outputs> BoundProblem::reference(device::Session& session, const kernel::DeviceReference& call,
                                                const kernel::Launchable& operators) const {
  return said_by_operators(session, addresses_, call, operators);
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

/// One check of a kernel: problem after problem, each against its reference.
class Check {
 public:
  Check(device::Session& session, const kernel::KernelPlan& plan, const kernel::Params& params,
        const kernel::Config& config, const kernel::Launchable& kernel, const Progress& progress,
        const kernel::Launchable* operators)
      : session_(session),
        plan_(plan),
        params_(params),
        config_(config),
        kernel_(kernel),
        progress_(progress),
        operators_(operators) {}

  Result<CheckResult> go();

 private:
  Result<BoundProblem> bound(const kernel::Params& params, kernel::Fill fill, kernel::Seed seed) const;
  Result<kernel::Outputs> reference(const kernel::Params& params, const BoundProblem& problem);
  /// Lets the operators go unless they say what the host says of a small problem.
  Status prove_operators();
  /// On a problem that the plan makes for it.
  Status prove_operators_on(const kernel::OperatorProof& proof);
  void hold_operators(const std::string& problem, const kernel::Outputs& seen,
                      const kernel::Outputs& expected);
  Status check_one(const kernel::Params& params, kernel::Fill fill);

  device::Session& session_;
  const kernel::KernelPlan& plan_;
  const kernel::Params& params_;
  const kernel::Config& config_;
  const kernel::Launchable& kernel_;
  const Progress& progress_;
  const kernel::Launchable* operators_;
  kernel::Seed seed_ = 0;
  CheckResult result_;
};

Result<BoundProblem> Check::bound(const kernel::Params& params, kernel::Fill fill, kernel::Seed seed) const {
  say(progress_, "inputs of " + params.text(), false);
  return BoundProblem::bind(session_, plan_, params, config_, fill, seed);
}

/// Of the host's operators and the device's, either in double precision and rounded once to fp32.
constexpr double operators_agree = 1e-5;

void Check::hold_operators(const std::string& problem, const kernel::Outputs& seen,
                           const kernel::Outputs& expected) {
  for (const kernel::Tensor& tensor : seen.tensors) {
    const kernel::Tensor* wanted = expected.find(tensor.name);
    if (!wanted) continue;  // the operators write more than the kernel
    const kernel::Tolerance tolerance{operators_agree, operators_agree * 10, 1, ""};
    const auto report = kernel::compare(tensor, *wanted, tolerance);
    result_.operators_text = problem + ": " + report.text;
    if (report.passed) continue;
    operators_ = nullptr;
    return;
  }
}

Status Check::prove_operators_on(const kernel::OperatorProof& proof) {
  say(progress_, "reference operators on " + proof.problem, true);
  kernel::Addresses at;
  if (auto s = place(session_, proof.inputs, false, at); !s) return s;
  auto seen = said_by_operators(session_, std::move(at), proof.device, *operators_);
  if (!seen) return seen.error();
  hold_operators(proof.problem, *seen, proof.expected);
  return {};
}

Status Check::prove_operators() {
  if (const auto proof = plan_.operator_proof(params_)) return prove_operators_on(*proof);
  std::vector<kernel::Params> problems = plan_.ragged_params(params_, config_);
  problems.insert(problems.begin(), params_);
  for (const kernel::Params& params : problems) {
    const auto call = plan_.device_reference(params);
    if (!call || call->operations > host_operations) continue;
    auto problem = bound(params, kernel::Fill::normal, 1);
    if (!problem) return problem.error();
    say(progress_, "reference operators on " + params.text(), true);
    auto seen = problem->reference(session_, *call, *operators_);
    if (!seen) return seen.error();
    say(progress_, "reference of " + params.text(), false);
    hold_operators(params.text(), *seen, plan_.reference_fn(params, problem->inputs));
    return {};
  }
  operators_ = nullptr;
  result_.operators_text = "no problem is small enough to hold them against the host's";
  return {};
}

Result<kernel::Outputs> Check::reference(const kernel::Params& params, const BoundProblem& problem) {
  const auto call = operators_ ? plan_.device_reference(params) : std::nullopt;
  if (call && call->operations > host_operations) {
    say(progress_, "reference of " + params.text() + " on the device", true);
    ++result_.on_device;
    return problem.reference(session_, *call, *operators_);
  }
  say(progress_, "reference of " + params.text(), false);
  return plan_.reference_fn(params, problem.inputs);
}

/// One problem, one fill: bind, launch, compare each output.
Status Check::check_one(const kernel::Params& params, kernel::Fill fill) {
  auto problem = bound(params, fill, ++seed_);
  if (!problem) return problem.error();
  say(progress_, "check of " + params.text(), true);
  const device::AnnotatedRange range(session_, "cutelab check");
  if (auto s = problem->launch(session_, kernel_); !s) return s;
  auto seen = problem->download(session_);
  if (!seen) return seen.error();
  auto expected = reference(params, *problem);
  if (!expected) return expected.error();
  for (const kernel::Tensor& tensor : seen->tensors) {
    const kernel::Tensor* wanted = expected->find(tensor.name);
    if (!wanted)
      return Error{ErrorKind::internal, "check " + tensor.name, "the reference has no such output", "",
                   "correct the plan"};
    result_.lines.push_back({params.text(), kernel::name_of(fill), seed_,
                             kernel::compare(tensor, *wanted, plan_.tolerance_of(params, tensor.name))});
  }
  return {};
}

Result<CheckResult> Check::go() {
  result_.tolerance = plan_.tolerance(params_);
  if (operators_)
    if (auto s = prove_operators(); !s) return s.error();
  for (const auto fill : {kernel::Fill::uniform, kernel::Fill::normal, kernel::Fill::adversarial})
    if (auto s = check_one(params_, fill); !s) return s.error();
  for (const kernel::Params& ragged : plan_.ragged_params(params_, config_))
    if (auto s = check_one(ragged, kernel::Fill::adversarial); !s) return s.error();
  return std::move(result_);
}

}  // namespace

bool wants_device_reference(const kernel::KernelPlan& plan, const kernel::Params& params,
                            const kernel::Config& config) {
  std::vector<kernel::Params> problems = plan.ragged_params(params, config);
  problems.push_back(params);
  return std::any_of(problems.begin(), problems.end(), [&](const kernel::Params& problem) {
    const auto call = plan.device_reference(problem);
    return call && call->operations > host_operations;
  });
}

Result<CheckResult> check_kernel(device::Session& session, const kernel::KernelPlan& plan,
                                 const kernel::Params& params, const kernel::Config& config,
                                 const kernel::Launchable& kernel, const Progress& progress,
                                 const kernel::Launchable* operators) {
  return Check(session, plan, params, config, kernel, progress, operators).go();
}

namespace {

/// Each output after the timing against the same output before it.
Recheck recheck(const kernel::Outputs& last, const kernel::Outputs& first, const kernel::KernelPlan& plan,
                const kernel::Params& params) {
  Recheck result{true, true, ""};
  for (const kernel::Tensor& tensor : last.tensors) {
    const auto report =
        kernel::compare(tensor, *first.find(tensor.name), plan.tolerance_of(params, tensor.name));
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
  timing->recheck = recheck(*last, *first, plan, params);
  return timing;
}

}  // namespace cutelab::profile
