#include "cli/kernel_sweep_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/process.h"
#include "base/text.h"
#include "cli/kernel_profile.h"
#include "cli/kernel_sweep.h"
#include "cli/numbers.h"
#include "evidence/json.h"
#include "report/sweep_view.h"

namespace cutelab::cli {
namespace {

Error usage(std::string wrong, std::string remedy) {
  return Error{ErrorKind::usage, "kernel", std::move(wrong), "", std::move(remedy)};
}

Result<std::vector<int>> gpus_of(const Arguments& arguments, int otherwise) {
  if (!arguments.has("--gpus")) return std::vector<int>{otherwise};
  std::vector<int> gpus;
  const std::string given = arguments.get("--gpus");
  for (const auto part : split(given, ',')) {
    const auto gpu = gpu_number(part, "kernel", "--gpus");
    if (!gpu) return gpu.error();
    if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end())
      return usage(fmt::format("--gpus names GPU {} twice", *gpu), "write --gpus=0,1");
    gpus.push_back(*gpu);
  }
  return gpus;
}

/// "2/8": the third of eight shares.
Status take_shard(const std::string& text, SweepRequest& request) {
  const auto slash = text.find('/');
  const auto shard = parse_integer(text.substr(0, slash));
  const auto shards = slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!shard || !shards || *shard < 0 || *shards < 1 || *shard >= *shards || *shards > 100'000)
    return usage(fmt::format("--shard does not take '{}'", text), "write --shard=0/4 … --shard=3/4");
  request.shard = static_cast<int>(*shard);
  request.shards = static_cast<int>(*shards);
  return {};
}

/// The command line, without what concerns where and how it is spread.
std::vector<std::string> plain_words(const KernelRequest& base, const Arguments& arguments,
                                     const Context& context) {
  std::vector<std::string> words = {context.program, "kernel", base.package.design, base.package.version};
  for (const auto& [name, value] : arguments.open()) words.push_back(fmt::format("--{}={}", name, value));
  for (const char* flag : {"--config", "--prof_type", "--l2", "--fill", "--time-limit", "--gpu"})
    if (arguments.has(flag)) words.push_back(fmt::format("{}={}", flag, arguments.get(flag)));
  if (arguments.has("--check")) words.emplace_back("--check");
  return words;
}

void show_plan(const SweepRequest& request, std::ostream& out) {
  for (const auto& params : request.sweep.problems) out << params.text() << "\n";
  out << fmt::format("{} problems\n", request.sweep.problems.size());
}

Result<SweepOutcome> measured(const SweepRequest& request, const std::vector<std::string>& words,
                              const Arguments& arguments, Context& context) {
  if (!arguments.has("--launcher")) {
    const auto device = device::machine_device(cupti_paths(context.environment, context.source_root));
    return run_sweep(request, *device, package_loader(context), context);
  }
  const auto tasks = bounded_number(arguments, "kernel", "--tasks", 1, 1, 10'000);
  if (!tasks) return tasks.error();
  return run_sweep_in_slurm(request, words, *tasks, arguments.get("--launcher-options"), context);
}

Status write_files(const SweepOutcome& outcome, const Arguments& arguments, Context& context) {
  if (const std::string csv = arguments.get("--csv"); !csv.empty())
    if (auto s = write_file_atomically(csv, report::sweep_csv(outcome.runs)); !s) return s;
  const std::string json = arguments.get("--json");
  if (json.empty()) return {};
  std::vector<evidence::Run> runs;
  for (const auto& [id, run] : outcome.runs) runs.push_back(run);
  if (json == "-") context.out << evidence::json_text(runs);
  return json == "-" ? Status() : write_file_atomically(json, evidence::json_text(runs));
}

}  // namespace

std::vector<Flag> sweep_flags() {
  return {{"--gpus", "N,N…", "a sweep: share its problems among these GPUs", "", false, {}},
          {"--shard", "I/N", "a sweep: only every N-th problem, from the I-th on", "", false, {}},
          {"--again", "", "a sweep: from the start, even if an earlier one was not finished", "", false, {}},
          output_flag("--csv", "a sweep: write a table for machines"),
          {"--launcher", "NAME", "a sweep: hand it to a batch system, wait, merge", "", false, {"slurm"}},
          {"--tasks", "N", "with --launcher: tasks of the array", "1", false, {}},
          {"--launcher-options", "TEXT", "with --launcher: options of its job script", "", false, {}}};
}

std::string store_file(const Arguments& arguments, const Context& context) {
  return arguments.get("--store", context.environment.data_home() + "/runs.db");
}

Result<ExitCode> sweep_kernel(KernelRequest base, kernel::Sweep sweep, const Arguments& arguments,
                              Context& context) {
  SweepRequest request{std::move(base), std::move(sweep), arguments.get("--config")};
  request.again = arguments.has("--again");
  request.store = store_file(arguments, context);
  if (arguments.has("--no-store"))
    return usage("a sweep keeps its runs, so that it can go on", "name another --store=FILE");
  auto gpus = gpus_of(arguments, request.base.gpu);
  if (!gpus) return gpus.error();
  request.gpus = std::move(*gpus);
  if (arguments.has("--shard"))
    if (auto s = take_shard(arguments.get("--shard"), request); !s) return s.error();
  const auto words = plain_words(request.base, arguments, context);
  request.base.command = shell_line(words);
  for (const auto& refused : request.sweep.refused)
    context.err << fmt::format("passed over {}: {}\n", refused.problem, refused.because);
  if (arguments.has("--dry-run")) {
    show_plan(request, context.out);
    return ExitCode::ok;
  }
  auto outcome = measured(request, words, arguments, context);
  if (!outcome) return outcome.error();
  if (arguments.get("--json") != "-")
    context.out << fmt::format("{}: {} problems, {} passed over\n\n", request.base.package.title(),
                               outcome->runs.size(), request.sweep.refused.size())
                << report::sweep_report(request.sweep.varying, outcome->runs, context.table_width())
                << "again: " << request.base.command << " --again\n";
  if (auto s = write_files(*outcome, arguments, context); !s) return s.error();
  return exit_code_of(*outcome);
}

}  // namespace cutelab::cli
