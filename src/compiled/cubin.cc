#include "compiled/cubin.h"

#include "base/process.h"
#include "base/scratch_folder.h"

namespace cutelab::compiled {
namespace {

constexpr double tool_limit_seconds = 120;

}  // namespace

Result<std::vector<CompiledKernel>> inspect_binary(const std::string& cuobjdump,
                                                   const std::string& nvdisasm_folder,
                                                   const std::string& path, const std::string& file) {
  const ScratchFolder scratch(
      "inspect");  // cuobjdump unpacks device code there, and leaves it when it is killed
  const auto ask = [&](const char* what) -> Result<std::string> {
    ProcessSpec spec{
        {cuobjdump, what, file}, "", {{"PATH", nvdisasm_folder + ":" + path}}, tool_limit_seconds};
    if (!scratch.path().empty()) {
      spec.extra["TMPDIR"] = scratch.path();
      spec.scratch = {scratch.path()};
    }
    auto done = run_process(spec);
    if (!done) return done.error();
    if (!done->succeeded())
      return Error{ErrorKind::input, shell_line(spec.argv), done->err.empty() ? done->out : done->err, file,
                   "name a cubin, fatbin, object file or executable with device code"};
    return done->out;
  };
  auto usage = ask("--dump-resource-usage");
  if (!usage) return usage.error();
  auto sass = ask("-sass");
  if (!sass) return sass.error();
  auto elf = ask("-elf");
  if (!elf) return elf.error();
  auto resources = parse_resource_usage(*usage);
  add_elf_attributes(*elf, resources);
  std::vector<CompiledKernel> kernels;
  for (const InstructionMix& mix : parse_sass(*sass)) {
    CompiledKernel kernel;
    kernel.mix = mix;
    for (const Resources& r : resources)
      if (r.function == mix.function && (r.arch == mix.arch || r.arch.empty())) kernel.resources = r;
    set_arch(kernel.resources, mix.arch);
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty())
    return Error{ErrorKind::input, "inspect " + file, "it holds no device code", file,
                 "name a compiled kernel"};
  return kernels;
}

}  // namespace cutelab::compiled
