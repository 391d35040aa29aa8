#include "cli/compiled_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/text.h"
#include "cli/captures.h"
#include "cli/parts.h"
#include "compiled/code_facts.h"
#include "evidence/names.h"
#include "kernel/toolchain.h"

namespace cutelab::cli {
namespace {

constexpr std::uint64_t most_module_bytes = 256u << 20;

evidence::Value recorded(evidence::Value::Data data) {
  evidence::Value value;
  value.data = std::move(data);
  value.known_by = evidence::KnownBy::recorded;
  return value;
}

evidence::Value recorded(const capture::Extents& extents) {
  evidence::Value::List list;
  for (const std::uint32_t extent : extents) list.push_back(recorded(static_cast<std::int64_t>(extent)));
  return recorded(std::move(list));
}

/// The launch of this symbol, if all its launches agree on grid and shared memory.
const capture::Launch* only_launch(const capture::Capture& captured, const std::string& symbol) {
  const capture::Launch* found = nullptr;
  for (const capture::Launch& launch : captured.launches) {
    if (launch.symbol != symbol) continue;
    if (found != nullptr &&
        (found->grid != launch.grid || found->dynamic_shared_bytes != launch.dynamic_shared_bytes))
      return nullptr;
    found = &launch;
  }
  return found;
}

std::vector<std::string> real_paths(const evidence::Reading& reading) {
  std::vector<std::string> paths;
  for (const evidence::SourceFile& file : reading.files) {
    std::error_code failed;
    const auto real = std::filesystem::canonical(file.path, failed);
    paths.push_back(failed ? file.path : real.string());
  }
  return paths;
}

Error nothing_compiled(const std::string& asked, const capture::Capture& captured) {
  std::string why = capture::name_of(captured.ended);
  if (!captured.reason.empty()) why += ": " + captured.reason;
  const bool missing = captured.ended == capture::Ended::missing_module;
  return {missing ? ErrorKind::unavailable : ErrorKind::input, asked,
          fmt::format("no kernel of its own came to be compiled ({})", why),
          captured.at.empty() ? captured.program : captured.at,
          "see `cutelab capture` for what the program printed; give it flags with --with"};
}

Result<std::vector<compiled::IrReading>> read_modules(const capture::Capture& captured,
                                                      const std::vector<std::string>& files,
                                                      const Context& context) {
  std::vector<compiled::IrReading> modules;
  for (const std::string& path : captured.modules) {
    auto text = context.files.read(path, most_module_bytes);
    if (!text) return text.error();
    auto module = compiled::read_ir(*text, files);
    if (!module) return module.error();
    if (!module->facts.empty()) modules.push_back(std::move(*module));
  }
  return modules;
}

/// Machine code of all modules, each function once; a note where it cannot be read.
void add_machine_code(const capture::Capture& captured, const std::vector<std::string>& files,
                      std::vector<compiled::IrReading>& modules, Context& context) {
  const auto note = [&](const std::string& why) {
    context.err << "note: the machine code was not read: " << printable(why) << "\n";
  };
  if (captured.device_code.empty()) return note("this version of the DSL wrote none with lines");
  const auto tool = [&](const char* name) {
    return kernel::find_cuda_tool(context.environment, context.source_root, name);
  };
  if (tool("nvdisasm").empty() || tool("cuobjdump").empty())
    if (auto status = require_part("cuda-tools", context); !status) return note(status.error().message());
  for (const std::string& cubin : captured.device_code) {
    auto code = compiled::inspect_lines(tool("nvdisasm"), tool("cuobjdump"), cubin, captured.arch);
    if (!code) {
      note(code.error().message());
      continue;
    }
    for (compiled::IrReading& module : modules) compiled::add_code_facts(*code, files, module);
  }
}

}  // namespace

void add_recorded(const capture::Capture& captured, std::vector<compiled::IrReading>& modules) {
  for (compiled::IrReading& module : modules)
    for (evidence::Fact& fact : module.facts) {
      if (fact.kind != evidence::kind::launch) continue;
      const auto symbol = fact.values.find("symbol");
      const auto* launch =
          symbol == fact.values.end() ? nullptr : only_launch(captured, *symbol->second.string());
      if (launch == nullptr) continue;
      if (const auto grid = fact.values.find("grid"); grid == fact.values.end() || !grid->second.determined())
        fact.values["grid"] = recorded(launch->grid);
      fact.values["smem_bytes"] = recorded(static_cast<std::int64_t>(launch->dynamic_shared_bytes));
    }
}

Result<compiled::Merged> compile_and_compare(const evidence::Reading& reading, const CompileRequest& wanted,
                                             Context& context) {
  const std::string asked = "read --compile " + reading.files[0].path;
  if (reading.language == "cute-cpp")
    return Error{ErrorKind::usage, asked,
                 "it is CUDA C++, and --compile compares with what the DSL's compiler is given", "",
                 "read it without --compile; of a kernel package `cutelab kernel NAME --prof_type=compiled` "
                 "shows what nvcc makes"};
  capture::Request request;
  request.program = reading.files[0].path;
  request.flags = wanted.flags;
  request.cache = context.environment.cache_home() + "/capture";
  request.keep_modules = true;
  request.keep_code = wanted.code;
  auto target = target_arch(wanted.arch, context, request.program);
  if (!target) return target.error();
  request.arch = *target;
  request.arch_is_guess = wanted.arch.empty() && !context.environment.get("CUTE_DSL_ARCH");
  auto python = dsl_python({request.program, "", wanted.dsl_version}, context);
  if (!python) return python.error();
  auto toolchain = capture::find_toolchain(*python, context.source_root + "/src/capture/harness",
                                           request.cache, context.environment, context.files);
  if (!toolchain) return toolchain.error();
  if (auto status = add_torch(*toolchain, false, context); !status) return status.error();
  auto captured = capture::capture(request, *toolchain, context.files);
  if (!captured) return captured.error();
  const std::vector<std::string> files = real_paths(reading);
  auto read = read_modules(*captured, files, context);
  if (!read) return read.error();
  std::vector<compiled::IrReading>& modules = *read;
  if (modules.empty()) return nothing_compiled(asked, *captured);
  add_recorded(*captured, modules);
  if (wanted.code) add_machine_code(*captured, files, modules, context);
  compiled::Merged merged = compiled::compare(reading, modules);
  merged.comparison.arch = captured->arch;
  merged.comparison.compiler = "CuTe DSL " + captured->dsl_version;
  return merged;
}

}  // namespace cutelab::cli
