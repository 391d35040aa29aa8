#include "corpus/versions.h"

#include <fmt/format.h>

#include "base/text.h"
#include "corpus/checkout.h"

namespace cutelab::corpus {
namespace {

// Lists distributions by their metadata alone. "owner" is the one whose files hold the package `cutlass`.
constexpr const char* list_wheels =
    "from importlib import metadata\n"
    "for d in metadata.distributions():\n"
    "    name = (d.metadata['Name'] or '').lower().replace('_', '-')\n"
    "    if not name.startswith('nvidia-cutlass'): continue\n"
    "    owns = any(str(f).startswith('cutlass/') or str(f).endswith('.pth') or '/cutlass/__init__.py' in "
    "str(f)\n"
    "               for f in (d.files or []))\n"
    "    print(name, d.version, str(d.locate_file('')), 'owner' if owns else '-', sep='\\t')\n";

void read_wheels(const std::string& text, VersionReport& report) {
  for (const std::string_view line : split(text, '\n')) {
    const auto f = split(line, '\t');
    if (f.size() != 4) continue;
    report.installed.push_back({std::string(f[0]), std::string(f[1]), std::string(f[2])});
    if (f[3] == "owner" && report.cutlass_module_owner.empty()) report.cutlass_module_owner = f[0];
  }
}

const VersionReport::Wheel* wheel(const VersionReport& report, std::string_view name) {
  for (const auto& w : report.installed)
    if (w.name == name) return &w;
  return nullptr;
}

void compare(VersionReport& r) {
  const auto* dsl = wheel(r, "nvidia-cutlass-dsl");
  if (r.checkout && r.pinned && *r.checkout != *r.pinned)
    r.notes.push_back(
        fmt::format("the checkout is {} but pins the CuTe DSL {}: install nvidia-cutlass-dsl=={}, or "
                    "examples may use what {} lacks",
                    r.checkout->text(), r.pinned->text(), r.checkout->text(), r.pinned->text()));
  if (dsl && r.pinned && parse_release(dsl->version) != r.pinned)
    r.notes.push_back(fmt::format("installed is nvidia-cutlass-dsl {}, the checkout pins {}", dsl->version,
                                  r.pinned->text()));
  if (!dsl && wheel(r, "nvidia-cutlass"))
    r.notes.push_back(
        "installed is nvidia-cutlass, the older interface package; CuTe DSL examples need "
        "nvidia-cutlass-dsl, which is another one");
  const auto* base = wheel(r, "nvidia-cutlass-dsl-libs-base");
  if (dsl && base && parse_release(dsl->version) != parse_release(base->version))
    r.notes.push_back(
        fmt::format("nvidia-cutlass-dsl {} does not fit its libraries {}: reinstall both in one command",
                    dsl->version, base->version));
}

}  // namespace

VersionReport versions(const FileSource& files, const ProcessRunner& processes, const std::string& root) {
  VersionReport report;
  if (!root.empty()) {
    report.checkout = header_release(files, root);
    report.pinned = pinned_dsl(files, root);
    if (files.status(root + "/.git"))
      if (const auto described = processes.run({"git", "-C", root, "describe", "--tags", "--always"});
          described && described->exit_code == 0)
        report.tag = trim(described->out);
  }
  if (const auto listed = processes.run({"python3", "-c", list_wheels}); listed && listed->exit_code == 0)
    read_wheels(listed->out, report);
  else
    report.notes.push_back("no Python was found to ask for installed packages");
  compare(report);
  return report;
}

}  // namespace cutelab::corpus
