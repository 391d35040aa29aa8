#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "base/process.h"
#include "base/text.h"
#include "cli/kernel_sweep.h"
#include "profile/store.h"

namespace cutelab::cli {
namespace {

namespace fs = std::filesystem;

/// The batch script: each task does its share into a store of its own, so that no file is shared by hosts.
std::string batch_script(const std::vector<std::string>& words, int shards, const std::string& options,
                         const std::string& folder) {
  std::string script = "#!/bin/sh\n";
  script +=
      fmt::format("#SBATCH --job-name=cutelab-sweep\n#SBATCH --array=0-{}\n#SBATCH --output={}/task-%a.txt\n",
                  shards - 1, folder);
  for (const auto option : split(options, ' '))
    if (!option.empty()) script += fmt::format("#SBATCH {}\n", option);
  return script +
         fmt::format("exec {} --shard=\"$SLURM_ARRAY_TASK_ID\"/{} --store={}/\"$SLURM_ARRAY_TASK_ID\".db\n",
                     shell_line(words), shards, shell_line({folder}));
}

/// What the tasks printed, for a job that failed.
std::string last_words(const std::string& folder, int shards, const FileSource& files) {
  std::string all;
  for (int shard = 0; shard < shards; ++shard)
    if (auto text = files.read(fmt::format("{}/task-{}.txt", folder, shard), 1 << 20))
      all += fmt::format("task {}: {}", shard, text->size() > 400 ? text->substr(text->size() - 400) : *text);
  return all;
}

}  // namespace

Result<SweepOutcome> run_sweep_in_slurm(const SweepRequest& request, const std::vector<std::string>& words,
                                        int shards, const std::string& options, const Context& context) {
  const std::string sbatch = find_program(context.environment, "sbatch");
  if (sbatch.empty())
    return Error{ErrorKind::unavailable, "sweep with --launcher slurm", "there is no sbatch on PATH", "",
                 "run it on a login node of the cluster, or without --launcher"};
  std::error_code code;
  fs::create_directories(fs::path(request.store).parent_path(), code);
  std::string folder = fs::absolute(request.store).string() + ".slurm-XXXXXX";
  if (!mkdtemp(folder.data()))
    return Error{ErrorKind::input, "sweep with --launcher slurm", "cannot write there", folder,
                 "check the folder's permissions; it must be seen by every node"};
  const std::string script = folder + "/sweep.sh";
  if (auto s = write_file_atomically(script, batch_script(words, shards, options, folder)); !s)
    return s.error();
  context.err << fmt::format("{} tasks in {}\n", shards, folder);
  auto done = run_process({{sbatch, "--wait", script}, "", {}, 0});
  if (!done) return done.error();
  auto store = profile::Store::open(request.store);
  if (!store) return store.error();
  SweepOutcome outcome;
  std::vector<std::string> missing;
  for (int shard = 0; shard < shards; ++shard) {
    const std::string file = fmt::format("{}/{}.db", folder, shard);
    if (!context.files.status(file)) {
      missing.push_back(fmt::format("{}", shard));
      continue;
    }
    auto part = profile::Store::open(file);
    if (!part) return part.error();
    if (auto merged = store->merge(*part); !merged) return merged.error();
    auto runs = part->list({"", "", 100'000});
    if (!runs) return runs.error();
    for (auto it = runs->rbegin(); it != runs->rend(); ++it)
      outcome.runs.emplace_back(it->id, std::move(it->run));
  }
  if (missing.empty()) return outcome;
  return Error{ErrorKind::unavailable, "sweep with --launcher slurm",
               fmt::format("task {} kept nothing; what the others measured is in the store. {}",
                           join(missing, ", "), trim(done->err)),
               last_words(folder, shards, context.files), "read the tasks' output in " + folder};
}

}  // namespace cutelab::cli
