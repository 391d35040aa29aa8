#include "compiled/code_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process.h"
#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"

namespace cutelab::compiled {
namespace {
using evidence::Fact;
using Values = std::map<std::string, evidence::Value>;

constexpr double code_tool_limit_seconds = 120;

/// "HGMMA 16, LDSM 8": classes that tell something, most frequent first.
std::string mix_text(const InstructionMix& mix) {
  std::vector<std::pair<int, std::string>> counts;
  for (const auto& [name, count] : mix.by_class)
    if (name != "other") counts.emplace_back(-count, name);
  std::sort(counts.begin(), counts.end());
  std::vector<std::string> words;
  for (const auto& [count, name] : counts) words.push_back(fmt::format("{} {}", name, -count));
  return join(words, ", ");
}

int opcodes(const InstructionMix& mix, const char* name) {
  const auto found = mix.by_opcode.find(name);
  return found == mix.by_opcode.end() ? 0 : found->second;
}

/// Loads from and stores to local memory: spilled registers, and arrays that are indexed at run time.
std::string local_text(const InstructionMix& mix) {
  const int loads = opcodes(mix, "LDL"), stores = opcodes(mix, "STL");
  return loads + stores == 0 ? "" : fmt::format("; local memory: {} loads, {} stores", loads, stores);
}

std::string instructions_text(int count) {
  return fmt::format("{} instruction{}", with_thousands(count), count == 1 ? "" : "s");
}

Values values_of(const InstructionMix& mix) {
  Values values = {{"instructions", stated(static_cast<std::int64_t>(mix.total))}};
  if (const std::string text = mix_text(mix); !text.empty()) values["mix"] = stated(text);
  if (const int loads = opcodes(mix, "LDL")) values["local_loads"] = stated(static_cast<std::int64_t>(loads));
  if (const int stores = opcodes(mix, "STL"))
    values["local_stores"] = stated(static_cast<std::int64_t>(stores));
  return values;
}

Fact fact_of(const IrKernel& kernel, const char* kind, Values values, std::string says) {
  Fact fact;
  fact.family = evidence::Family::M1;
  fact.kind = kind;
  fact.subject = kernel.name;
  fact.kernel = kernel.name;
  fact.at = kernel.at;
  fact.values = std::move(values);
  fact.says = std::move(says);
  fact.known_by = evidence::KnownBy::compiled;
  return fact;
}

/// Facts of the lines; returns how many instructions lie on none of the program's own.
int add_lines(const CodeOfKernel& of, const IrKernel& kernel, const std::vector<std::string>& files,
              IrReading& module) {
  int unplaced = 0;
  for (const LineMix& line : of.code.lines) {
    const auto file = std::find(files.begin(), files.end(), line.path);
    if (file == files.end() || line.line <= 0) {
      unplaced += line.mix.total;
      continue;
    }
    if (line.mix.total == 0) continue;
    const std::string mix = mix_text(line.mix);
    Fact fact =
        fact_of(kernel, evidence::kind::instructions, values_of(line.mix),
                instructions_text(line.mix.total) + (mix.empty() ? "" : ": " + mix) + local_text(line.mix));
    fact.optional = true;
    fact.at = {};
    fact.at.file = static_cast<int>(file - files.begin());
    fact.at.span.line = fact.at.span.end_line = static_cast<std::uint32_t>(line.line);
    fact.at.span.column = 1;
    module.facts.push_back(std::move(fact));
  }
  return unplaced;
}

void add_kernel(const CodeOfKernel& of, const IrKernel& kernel, int unplaced, IrReading& module) {
  Values values = values_of(of.code.mix);
  values["unplaced"] = stated(static_cast<std::int64_t>(unplaced));
  std::vector<std::string> words;
  const auto put = [&](const char* name, const std::optional<int>& number, const char* text) {
    if (!number) return;
    values[name] = stated(static_cast<std::int64_t>(*number));
    words.push_back(fmt::format(fmt::runtime(text), with_thousands(*number)));
  };
  put("registers", of.resources.registers, "{} registers per thread");
  put("stack_bytes", of.resources.stack_bytes, "{} bytes of stack");
  put("static_smem_bytes", of.resources.static_smem_bytes, "{} bytes of static shared memory");
  put("barriers", of.code.barriers, "{} hardware barriers");
  words.push_back(instructions_text(of.code.mix.total));
  module.facts.push_back(fact_of(kernel, evidence::kind::machine_code, std::move(values),
                                 join(words, ", ") + local_text(of.code.mix)));
}

}  // namespace

Result<std::vector<CodeOfKernel>> inspect_lines(const std::string& nvdisasm, const std::string& cuobjdump,
                                                const std::string& cubin, const std::string& arch) {
  const auto ask = [&](std::vector<std::string> argv) -> Result<std::string> {
    const ProcessSpec spec{std::move(argv), "", {}, code_tool_limit_seconds};
    auto done = run_process(spec);
    if (!done) return done.error();
    if (!done->succeeded())
      return Error{ErrorKind::input, shell_line(spec.argv), done->err.empty() ? done->out : done->err, cubin,
                   "name a cubin"};
    return done->out;
  };
  auto sass = ask({nvdisasm, "-g", "-c", cubin});
  if (!sass) return sass.error();
  auto usage = ask({cuobjdump, "--dump-resource-usage", cubin});
  if (!usage) return usage.error();
  const std::vector<Resources> resources = parse_resource_usage(*usage);
  std::vector<CodeOfKernel> all;
  for (LinedCode& code : parse_lined_sass(*sass)) {
    CodeOfKernel kernel;
    for (const Resources& r : resources)
      if (r.function == code.function) kernel.resources = r;
    set_arch(kernel.resources, arch);
    kernel.code = std::move(code);
    all.push_back(std::move(kernel));
  }
  if (all.empty())
    return Error{ErrorKind::input, "inspect " + cubin, "it holds no device code", cubin, "name a cubin"};
  return all;
}

void add_code_facts(const std::vector<CodeOfKernel>& code, const std::vector<std::string>& files,
                    IrReading& module) {
  for (const CodeOfKernel& of : code)
    for (const IrKernel& kernel : module.kernels) {
      if (kernel.symbol != of.code.function) continue;
      const int unplaced = add_lines(of, kernel, files, module);
      add_kernel(of, kernel, unplaced, module);
    }
}

}  // namespace cutelab::compiled
