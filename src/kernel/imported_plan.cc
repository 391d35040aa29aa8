#include "kernel/imported_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "kernel/call_text.h"
#include "kernel/operator_groups.h"

namespace cutelab::kernel {
namespace {

constexpr std::int64_t most_number = INT64_C(1) << 40;

ParameterSpec spec_of(const ImportedParameter& p) {
  std::string meaning = p.meaning.empty() ? p.option : p.meaning;
  if (p.multiple_of > 1) meaning += fmt::format("; multiples of {}", p.multiple_of);
  if (p.kind == "word") return {p.name, meaning, p.value, 0, 0, p.choices};
  if (p.kind == "tuples") return {p.name, meaning, p.value, 0, 0, {}, true};
  if (p.kind == "switch") return {p.name, meaning, p.value, 0, 1, {}};
  return {p.name, meaning, p.value, 0, most_number, {}};
}

/// Memory of this machine, which holds every tensor of a problem once.
std::int64_t machine_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
}

/// Of a call whose tensors are larger than this machine; else empty.
std::string too_large(const ExportedCall& call) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  double bytes = 0;
  for (const auto& tensor : call.tensors) {
    double elements = 1;  // of one that repeats elements more than its memory: a reference reads each
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
    bytes += std::max(static_cast<double>(tensor.bytes), elements);
  }
  const auto most = static_cast<double>(machine_bytes());
  if (bytes <= most) return "";
  return fmt::format("the tensors of its call take {:.1f} GiB, and this machine has {:.1f}", bytes / gib,
                     most / gib);
}

std::vector<unsigned long long> buffer_addresses(const ExportedCall& call, const Addresses& at) {
  std::vector<unsigned long long> addresses(call.buffers.size());
  for (const auto& tensor : call.tensors)
    if (const auto it = at.find(tensor.name); it != at.end())
      addresses[static_cast<std::size_t>(tensor.buffer)] = it->second;
  return addresses;
}

}  // namespace

std::vector<std::string> open_points(const ExportedCall& call) {
  std::vector<std::string> open = call.undetermined;
  std::map<int, std::vector<const ExportedCall::Tensor*>> memory;
  for (const auto& tensor : call.tensors) {
    if (!dsl_dtype(tensor.dtype) && !tensor.content)
      open.push_back(fmt::format("what tensor {} holds: elements of type {}", tensor.name, tensor.dtype));
    memory[tensor.buffer].push_back(&tensor);
  }
  for (const auto& [buffer, tensors] : memory) {
    std::vector<std::string> names;
    for (const auto* tensor : tensors) names.push_back(tensor->name);
    if (tensors.size() > 1)
      open.push_back(fmt::format("tensors {} share memory; here each has its own, so that it does not run",
                                 listed(names)));
    else if (tensors[0]->offset != 0)
      open.push_back(fmt::format("tensor {} begins inside memory that is shared; it does not run from here",
                                 tensors[0]->name));
  }
  return open;
}

std::vector<ParameterSpec> ImportedPlan::parameters() const {
  std::vector<ParameterSpec> specs;
  for (const auto& p : description_.parameters) specs.push_back(spec_of(p));
  return specs;
}

Config ImportedPlan::first_config() const {
  if (!description_.configurations.empty()) return {description_.configurations[0].values, ""};
  Config config;
  for (const auto& p : description_.configuration) config.values[p.name] = parse_integer(p.value).value_or(0);
  return config;
}

/// Of a package with open points: what is wanted, rather than how its program failed.
Error ImportedPlan::not_exported(Error error) const {
  const bool no_tools = error.kind == ErrorKind::unavailable && !exporter_->only_kept();
  if (!description_.undetermined.empty() && !no_tools) error.remedy = cannot_run_because();
  return error;
}

Result<Exported> ImportedPlan::exported(const Params& params, const Config& config) const {
  std::map<std::string, std::string> values = params.texts();
  for (const auto& [name, value] : config.values) values[name] = fmt::format("{}", value);
  auto made = exporter_->get(
      {description_.program, description_.program_sha256, flags_of(description_, values), description_.arch});
  if (!made) return not_exported(made.error());
  shape_runs(description_.op, made->call);
  if (description_.op.known())
    if (auto fits = check_operator(description_.op, made->call); !fits) return fits.error();
  if (!calls_.count(params.text())) calls_.emplace(params.text(), known_call(made->call));
  return made;
}

ImportedPlan::KnownCall ImportedPlan::known_call(ExportedCall call) const {
  KnownCall known;
  known.call = std::move(call);
  if (!description_.op.known() || known.call.tensors.empty()) return known;
  auto all = groups_of(with_numbers_of(description_.op, known.call), known.call);
  if (all) known.groups = std::move(*all);
  for (std::size_t i = 0; i < known.groups.size(); ++i) {
    const Operator& one = known.groups[i];
    known.results.emplace(one.roles.at(find_operator(one.name)->output).tensor, i);
    for (const auto& [name, role] : one.roles) known.takers.emplace(role.tensor, i);
  }
  return known;
}

const ImportedPlan::KnownCall& ImportedPlan::known_of(const Params& params) const {
  static const KnownCall none;
  if (!calls_.count(params.text())) (void)exported(params, first_config());
  const auto it = calls_.find(params.text());
  return it == calls_.end() ? none : it->second;
}

Status ImportedPlan::check(const Params& params) const {
  for (const auto& p : description_.parameters)
    if (p.kind == "integer" && p.multiple_of > 1 && params.number(p.name) % p.multiple_of != 0)
      return Error{ErrorKind::usage, fmt::format("{} {}", description_.design, params.text()),
                   fmt::format("{} is no multiple of {}", p.name, p.multiple_of), "",
                   "the program itself does not look at that; where its kernel takes other extents, correct "
                   "`multiple_of` in package.json"};
  auto made = exported(params, first_config());
  if (made || (exporter_->only_kept() && made.error().kind == ErrorKind::unavailable)) return {};
  return made.error();
}

std::string ImportedPlan::cannot_run_because() const {
  std::vector<std::string> open = description_.undetermined, of_calls;
  const bool said = std::any_of(open.begin(), open.end(), [](const std::string& point) {
    return point.find("`operator") != std::string::npos;
  });
  if (!description_.op.known() && !said) open.emplace_back("what it computes (`operator`)");
  std::string large;
  for (const auto& [problem, known] : calls_) {
    for (std::string& point : open_points(known.call)) {
      std::erase(open, point);
      if (std::find(of_calls.begin(), of_calls.end(), point) == of_calls.end())
        of_calls.push_back(std::move(point));
    }
    if (large.empty()) large = too_large(known.call);
  }
  std::vector<std::string> because;
  if (!open.empty())
    because.push_back(
        fmt::format("{} is undetermined; fill it in in {}/package.json, its README says what is legal",
                    join(open, "; "), description_.folder));
  if (!of_calls.empty())
    because.push_back(
        fmt::format("the call itself leaves open, and no package.json can settle: {}", join(of_calls, "; ")));
  if (!large.empty()) because.push_back(large);
  return join(because, "; ");
}

Inputs ImportedPlan::prepare_inputs(const Params& params, Fill fill, Seed seed) const {
  Inputs inputs;
  const KnownCall& known = known_of(params);
  for (const auto& described : known.call.tensors) {
    if (known.results.count(described.name)) continue;
    Tensor tensor = host_tensor(described);
    const auto taker = known.takers.find(described.name);
    if (described.content && described.content->size() == tensor.data.size())
      tensor.data = *described.content;
    else
      tensor.fill(
          taker == known.takers.end() ? fill : fill_for(known.groups[taker->second], described.name, fill),
          seed + inputs.tensors.size());
    inputs.tensors.push_back(std::move(tensor));
  }
  return inputs;
}

Outputs ImportedPlan::prepare_outputs(const Params& params) const {
  Outputs outputs;
  const KnownCall& known = known_of(params);
  for (const auto& described : known.call.tensors)
    if (known.results.count(described.name)) outputs.tensors.push_back(host_tensor(described));
  return outputs;
}

Outputs ImportedPlan::reference_fn(const Params& params, const Inputs& inputs) const {
  const KnownCall& known = known_of(params);
  Outputs outputs;
  for (const Operator& one : known.groups) outputs.tensors.push_back(evaluate(one, known.call, inputs));
  return outputs;
}

std::optional<DeviceReference> ImportedPlan::device_reference(const Params& params) const {
  const KnownCall& known = known_of(params);
  if (known.groups.empty()) return std::nullopt;
  return device_reference_of(with_numbers_of(description_.op, known.call), known.call, device_);
}

std::optional<OperatorProof> ImportedPlan::operator_proof(const Params& params) const {
  const KnownCall& known = known_of(params);
  if (known.groups.empty()) return std::nullopt;
  return operator_proof_of(with_numbers_of(description_.op, known.call), known.call, device_);
}

Tolerance ImportedPlan::tolerance_of(const Params& params, const std::string& output) const {
  const KnownCall& known = known_of(params);
  const auto result = known.results.find(output);
  return result == known.results.end() ? tolerance(params)
                                       : operator_tolerance(known.groups[result->second], known.call);
}

Tolerance ImportedPlan::tolerance(const Params& params) const {
  const ExportedCall& call = known_of(params).call;
  return operator_tolerance(call.tensors.empty() ? Operator() : with_numbers_of(description_.op, call), call);
}

std::vector<Config> ImportedPlan::autotune_configs(const Params&) const {
  std::vector<Config> configs;
  for (const auto& c : description_.configurations) configs.push_back({c.values, c.rejected_because});
  if (configs.empty()) configs.push_back(first_config());
  std::stable_partition(configs.begin(), configs.end(), [](const Config& c) { return c.legal(); });
  return configs;
}

Work ImportedPlan::algorithmic_flops_bytes(const Params& params) const {
  const ExportedCall& call = known_of(params).call;
  return operator_work(call.tensors.empty() ? Operator() : with_numbers_of(description_.op, call), call);
}

std::vector<Params> ImportedPlan::ragged_params(const Params& params, const Config& config) const {
  std::vector<Params> all;
  const auto own = exported(params, config);
  for (const auto& given : description_.ragged) {
    Params problem = params;
    for (const auto& p : description_.parameters) {
      const auto it = given.find(p.name);
      if (it == given.end()) continue;
      if (p.kind == "word" || p.kind == "tuples")
        problem.set(p.name, it->second);
      else
        problem.set(p.name, static_cast<std::int64_t>(parse_integer(it->second).value_or(0)));
    }
    // A kernel of fixed extents is another one for another problem: what is checked is one library.
    const auto other = exported(problem, config);
    if (own && other && !own->call.object_sha256.empty() &&
        own->call.object_sha256 == other->call.object_sha256)
      all.push_back(std::move(problem));
  }
  return all;
}

Result<CuteKernel> ImportedPlan::plan(const Params& params, const Config& config) const {
  if (!config.legal())
    return Error{ErrorKind::usage, fmt::format("plan {} {}", description_.design, params.text()),
                 config.rejected_because, config.text(), "take one that --dry-run lists as legal"};
  auto made = exported(params, config);
  if (!made) return made.error();
  CuteKernel kernel;
  kernel.exported_folder = made->folder;
  if (made->other_program)
    kernel.remarks.push_back(
        fmt::format("{} is not the file that was imported (its SHA-256 is not that of package.json): "
                    "parameters, operator "
                    "and roles were concluded from another text; import it again to be sure of them",
                    description_.program));
  if (!made->call.launches.empty()) kernel.device_function = made->call.launches[0].symbol;
  if (kernel.device_function.empty() && !made->call.symbols.empty())
    kernel.device_function = made->call.symbols[0];
  kernel.launch = [call = made->call](int) {
    LaunchShape shape;
    if (call.launches.empty()) return shape;
    const auto& launch = call.launches[0];
    shape.grid = launch.grid;
    shape.block = launch.block;
    shape.cluster = launch.cluster;
    shape.dynamic_smem_bytes = static_cast<unsigned>(launch.dynamic_smem_bytes);
    return shape;
  };
  kernel.address_words = [call = made->call](const Addresses& at) {
    const auto addresses = buffer_addresses(call, at);
    std::vector<AddressWord> words;
    for (const auto& tensor : call.tensors)
      for (const auto& r : tensor.relocations)
        words.push_back(
            {tensor.name, r.at,
             addresses[static_cast<std::size_t>(r.buffer)] + static_cast<unsigned long long>(r.offset)});
    return words;
  };
  kernel.arguments = [call = std::move(made->call)](const Addresses& at) {
    return argument_block(call, buffer_addresses(call, at));
  };
  return kernel;
}

}  // namespace cutelab::kernel
