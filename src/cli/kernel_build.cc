#include "cli/kernel_build.h"

#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/exports.h"
#include "cli/parts.h"
#include "cli/progress.h"
#include "compiled/cubin.h"
#include "compiled/machine_code.h"
#include "evidence/metrics.h"
#include "kernel/export_link.h"
#include "kernel/tile_build.h"

namespace cutelab::cli {
namespace {

using evidence::set_metric;
using evidence::set_missing;

constexpr std::size_t most_cubin_bytes = 256u << 20;

const std::vector<std::string>& compiled_tags() {
  static const std::vector<std::string> tags = {"occupancy_percent", "registers",      "smem_kb",
                                                "stack_bytes",       "local_accesses", "barriers",
                                                "instructions"};
  return tags;
}

/// Why a profiler will show machine code alone, and what helps.
std::string no_lines_text(bool dsl) {
  const std::string what = "no line table: a profiler shows machine code without source lines";
  return dsl ? what +
                   "; --line-info exports the kernel with one (CUTE_DSL_LINEINFO, CuTe DSL from 4.3 on), for "
                   "profiling alone: it is another compilation, with a cache key of its own"
             : what;
}

void record_compiled(evidence::Run& run, const kernel::Package& package, const kernel::CuteKernel& kernel,
                     const compiled::CompiledKernel& found) {
  const auto& r = found.resources;
  const auto row = [&](const char* tag, const std::optional<int>& value, double scale = 1) {
    if (value)
      set_metric(run, tag, *value * scale);
    else
      set_missing(run, tag, "cuobjdump did not tell");
  };
  // The expected launch depends on the number of SMs only through a persistent grid; the block does not.
  const auto launch = kernel.launch(132);
  // Of a cuTile kernel the compiler chooses it.
  const int threads = kernel.tile ? r.max_threads.value_or(0)
                                  : static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  const int dynamic = static_cast<int>(launch.dynamic_smem_bytes);
  row("registers", r.registers);
  row("stack_bytes", r.stack_bytes);
  row("barriers", r.barriers);
  if (r.static_smem_bytes) set_metric(run, "smem_kb", (*r.static_smem_bytes + dynamic) / 1024.0);
  const auto arch = package.architectures.front();
  const auto number =
      parse_integer(std::string_view(arch).substr(3, arch.find_first_not_of("0123456789", 3) - 3));
  if (threads == 0)
    set_missing(run, "occupancy_percent", "cuobjdump did not tell the threads of a tile block");
  else if (number)
    set_metric(run, "occupancy_percent",
               compiled::occupancy_percent(r, threads, dynamic, static_cast<int>(*number / 10),
                                           static_cast<int>(*number % 10)));
  const auto opcodes = found.mix.by_opcode;
  const auto count = [&](const char* name) { return opcodes.count(name) ? opcodes.at(name) : 0; };
  set_metric(run, "local_accesses", count("LDL") + count("STL"));
  set_metric(run, "instructions", found.mix.total);
  std::vector<std::string> mix;
  for (const std::string& name : compiled::instruction_classes())
    if (const int n = found.mix.count(name); n > 0) mix.push_back(fmt::format("{} {}", name, n));
  run.notes.push_back(fmt::format("{} instruction mix: {}", found.mix.arch, join(mix, ", ")));
  if (auto local =
          compiled::local_memory_text(r, count("LDL") + count("STL"), package.language == "cute-dsl");
      !local.empty())
    run.notes.push_back(std::move(local));
  if (!r.line_table) run.notes.push_back(no_lines_text(package.language == "cute-dsl"));
  if (kernel.exported_folder.empty())
    run.notes.push_back("expected launch on 132 SMs: " + launch.text());
  else
    run.notes.push_back("launch as the program makes it, recorded without a GPU: " + launch.text());
  if (kernel.tile) run.notes.push_back(fmt::format("a tile block has {} threads", threads));
}

/// The reason why the cubin could not be read; empty when the rows are filled.
std::string inspect(evidence::Run& run, const kernel::Package& package, const kernel::CuteKernel& kernel,
                    const PackageBuild& build, const Context& context) {
  if (!build.built) return "not compiled: " + build.not_built_because;
  const auto tool = [&](const char* name) {
    return kernel::find_cuda_tool(context.environment, context.source_root, name);
  };
  const std::string cuobjdump = tool("cuobjdump");
  const std::string nvdisasm = tool("nvdisasm");
  if (cuobjdump.empty() || nvdisasm.empty())
    return "no cuobjdump and nvdisasm here: `cutelab setup cuda-tools`";
  auto found = compiled::inspect_binary(cuobjdump, nvdisasm.substr(0, nvdisasm.rfind('/')),
                                        context.environment.get("PATH").value_or(""), build.built->cubin);
  if (!found) return one_line(found.error());
  for (const auto& inspected : *found) {
    if (inspected.mix.function.find(kernel.device_function) == std::string::npos) continue;
    record_compiled(run, package, kernel, inspected);
    return "";
  }
  return "the cubin holds no function named like " + kernel.device_function;
}

}  // namespace

std::string one_line(const Error& error) { return replace_all(error.asked + ": " + error.wrong, "\n", " "); }

namespace {

PackageBuild link_package(const kernel::CuteKernel& kernel, const Context& context) {
  auto exported = read_export(kernel.exported_folder, context.files);
  if (!exported) return {std::nullopt, one_line(exported.error()), exported.error().remedy, ""};
  return {kernel::link_export(*exported, context.files, context.environment, context.source_root), "", "",
          ""};
}

/// cuTile is fetched when a kernel is compiled that no cache has.
PackageBuild build_tile(const kernel::Package& package, const kernel::TileProgram& program,
                        const Context& context, bool tells) {
  Progress progress(context);
  const auto compiling = [&] {
    if (tells)
      progress.begin(
          fmt::format("compiling {} for {} with {}", package.title(), package.architectures.front(),
                      kernel::pinned_tile_compiler(context.files, context.source_root)),
          "a few seconds");
  };
  kernel::TileBuildRequest wanted{context.files, context.source_root,           package.folder,
                                  program,       package.architectures.front(), "",
                                  compiling};
  if (!has_part("cutile", context))
    if (auto kept = kernel::build_tile_kernel(wanted)) return {std::move(*kept), "", "", ""};
  if (auto s = require_part("cutile", context); !s)
    return {std::nullopt, one_line(s.error()), s.error().remedy, ""};
  wanted.python = part_folder("cutile", context) + "/bin/python";
  auto built = kernel::build_tile_kernel(wanted);
  if (!built) return {std::nullopt, one_line(built.error()), built.error().remedy, built.error().where};
  return {std::move(*built), "", "", ""};
}

}  // namespace

std::vector<std::string> compiled_for(const kernel::Package& package, const kernel::CuteKernel& kernel) {
  if (kernel.tile) return {package.architectures.front()};
  return package.architectures;
}

PackageBuild build_package(const kernel::Package& package, const kernel::CuteKernel& kernel,
                           const Context& context, bool tells) {
  if (!kernel.exported_folder.empty()) return link_package(kernel, context);
  if (kernel.tile) return build_tile(package, *kernel.tile, context, tells);
  const auto toolchain = kernel::find_toolchain(context.environment, context.files, context.source_root);
  Progress progress(context);
  const auto compiling = [&] {
    if (!tells) return;
    const auto earlier = kernel::compile_seconds(context.files, context.source_root);
    progress.begin(fmt::format("compiling {} for {} with {}", package.title(), package.architectures.front(),
                               toolchain.nvcc_version),
                   usual_time(earlier));
  };
  const kernel::BuildRequest wanted{
      context.files,  context.environment,           context.source_root, package.folder,
      kernel.defines, package.architectures.front(), package.headers,     compiling};
  auto built = kernel::build_kernel(wanted, toolchain);
  if (!built) return {std::nullopt, one_line(built.error()), built.error().remedy, built.error().where};
  return {std::move(*built), "", "", ""};
}

std::string not_built_text(const PackageBuild& build) {
  return build.not_built_because + (build.remedy.empty() ? "" : " (try: " + build.remedy + ")");
}

PackageBuild build_operators(const std::string& arch, const Context& context) {
  kernel::Package operators;
  operators.design = "reference";
  operators.version = "operators";
  operators.folder = "kernels/reference";
  operators.architectures = {arch};
  return build_package(operators, {}, context);
}

void record_build(evidence::Run& run, const kernel::BuiltKernel& built, const kernel::CuteKernel& kernel,
                  const Context& context) {
  if (const auto cubin = context.files.read(built.cubin, most_cubin_bytes))
    run.provenance.code_hash = compiled::machine_code_hash(*cubin, kernel.device_function);
  run.provenance.compiler = built.compiler + (built.cutlass.empty() ? "" : ", CUTLASS " + built.cutlass) +
                            (built.libraries.empty() ? "" : ", " + built.libraries);
  run.provenance.source_hash = built.source_hash;
  run.notes.push_back(fmt::format("{} by {}; source hash {}",
                                  built.from_cache ? "taken from the cache, compiled" : "compiled",
                                  run.provenance.compiler, built.source_hash));
  for (const std::string& line : built.advice) run.notes.push_back("ptxas: " + line);
}

std::string inspect_package(evidence::Run& run, const kernel::Package& package,
                            const kernel::CuteKernel& kernel, const PackageBuild& build,
                            const Context& context) {
  const std::string reason = inspect(run, package, kernel, build, context);
  if (!reason.empty())
    for (const std::string& tag : compiled_tags()) set_missing(run, tag, reason);
  return reason;
}

}  // namespace cutelab::cli
