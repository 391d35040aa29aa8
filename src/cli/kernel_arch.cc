#include "cli/kernel_arch.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <utility>

#include "cli/kernel_build.h"
#include "corpus/architecture.h"
#include "device/code_arch.h"
#include "reading/read.h"

namespace cutelab::cli {

namespace {

/// What the source of a package needs, by itself; empty where there is none or it is not known.
struct SourceNeed {
  std::string text;  ///< "its source needs sm_90a: …", with the line that decides
  std::optional<device::CodeArch> least;
};

SourceNeed need_of_source(const kernel::Package& package, const Context& context) {
  reading::Request wanted;
  wanted.path = context.source_root + "/" + package.folder + "/kernel.cu";
  if (package.language == "library" || !context.files.status(wanted.path)) return {};
  auto read = reading::read(wanted, context.files);
  if (!read || read->arch.minimum.empty()) return {};
  std::string where;
  if (!read->arch.at.empty())
    where = fmt::format(" ({}/kernel.cu:{})", package.folder, read->arch.at.front().line());
  return {fmt::format("its source needs {}: {}{}", read->arch.minimum, read->arch.reason, where),
          device::CodeArch::parse(read->arch.minimum)};
}

/// Of a package that is compiled for another chip than its source needs: that this is what keeps it away.
std::string only_compiled_otherwise(const SourceNeed& need, const device::DeviceInfo& device) {
  if (!need.least || need.least->suffix != 0) return "";
  if (std::pair(need.least->major, need.least->minor) > std::pair(device.major, device.minor)) return "";
  return fmt::format("; so nothing in it is against {}: the package is not compiled for it", device.name);
}

}  // namespace

std::string needed_by_source(const kernel::Package& package, const Context& context) {
  return need_of_source(package, context).text;
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
  const SourceNeed needed = need_of_source(package, context);
  const auto fits = device::runs_on(package.architectures, info);
  context.out << package.title() << (fits ? " runs there" : " does not run there: " + fits.error().wrong)
              << "\n";
  if (!needed.text.empty())
    context.out << needed.text << (fits ? "" : only_compiled_otherwise(needed, info)) << "\n";
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
