#include "cli/kernel_arch.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/kernel_build.h"
#include "corpus/architecture.h"
#include "device/code_arch.h"
#include "reading/read.h"

namespace cutelab::cli {

std::string needed_by_source(const kernel::Package& package, const Context& context) {
  reading::Request wanted;
  wanted.path = context.source_root + "/" + package.folder + "/kernel.cu";
  if (package.language == "library" || !context.files.status(wanted.path)) return "";
  auto read = reading::read(wanted, context.files);
  if (!read || read->arch.minimum.empty()) return "";
  std::string where;
  if (!read->arch.at.empty())
    where = fmt::format(" ({}/kernel.cu:{})", package.folder, read->arch.at.front().line());
  return fmt::format("it needs {}: {}{}", read->arch.minimum, read->arch.reason, where);
}

Result<ExitCode> check_for_gpu(const kernel::Package& package, const std::string& gpu, Context& context) {
  auto facts = corpus::ArchFacts::load(context.files, context.source_root + "/data");
  if (!facts) return facts.error();
  auto named = facts->device(gpu);
  if (!named) return named.error();
  device::DeviceInfo info;
  info.name = named->name;
  info.major = named->arch.sm / 10;
  info.minor = named->arch.sm % 10;
  const auto* target = facts->target(named->arch.sm);
  context.out << fmt::format("{} is {}{}\n", named->name, named->arch.text(),
                             target ? ", " + target->generation : "");
  if (!named->note.empty()) context.out << named->note << "\n";
  const std::string needed = needed_by_source(package, context);
  const auto fits = device::runs_on(package.architectures, info);
  context.out << package.title() << (fits ? " runs there" : " does not run there: " + fits.error().wrong)
              << "\n";
  if (!needed.empty()) context.out << needed << "\n";
  if (fits) return ExitCode::ok;
  const std::string source = package.folder + "/kernel.cu";
  const std::string read = context.files.status(context.source_root + "/" + source)
                               ? fmt::format(", `cutelab read {}`", source)
                               : "";
  context.out << fmt::format("without such a GPU: `cutelab kernel {} {} --prof_type=compiled`{}; {}\n",
                             package.design, package.version, read, fits.error().remedy);
  return ExitCode::unavailable;
}

}  // namespace cutelab::cli
