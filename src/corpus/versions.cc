#include "corpus/versions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/checkout.h"
#include "corpus/json_file.h"

namespace cutelab::corpus {
namespace {

constexpr const char* probe = R"(
import importlib.metadata as m, importlib.util as u, json, os
names = {}
owner = origin = None
try:
    spec = u.find_spec("cutlass")
    origin = spec and (spec.origin or next(iter(spec.submodule_search_locations or []), None))
except Exception as e:
    origin = "broken: " + str(e)
for d in m.distributions():
    name = (d.metadata["Name"] or "").lower().replace("_", "-")
    if name.startswith(("nvidia-cutlass", "cuda-tile", "cuda-python", "cuda-bindings", "torch", "quack-kernels", "flash-attn-4")):
        names.setdefault(name, d.version)
        if origin and name.startswith("nvidia-cutlass"):
            for f in d.files or []:
                if f.name == "__init__.py" and os.path.realpath(d.locate_file(f)) == os.path.realpath(origin):
                    owner = name
print(json.dumps({"versions": names, "origin": origin, "owner": owner}))
)";

void compare(VersionReport& r) {
  const std::string dsl = r.installed.version("nvidia-cutlass-dsl");
  const std::string base = r.installed.version("nvidia-cutlass-dsl-libs-base");
  if (r.checkout && r.pinned && *r.checkout != *r.pinned)
    r.notes.push_back(
        fmt::format("the checkout is {} but pins the CuTe DSL {}: install nvidia-cutlass-dsl=={}, or "
                    "examples may use what {} lacks",
                    r.checkout->text(), r.pinned->text(), r.checkout->text(), r.pinned->text()));
  if (!dsl.empty() && r.pinned && parse_release(dsl) != r.pinned)
    r.notes.push_back(
        fmt::format("installed is nvidia-cutlass-dsl {}, the checkout pins {}", dsl, r.pinned->text()));
  if (dsl.empty() && !r.installed.version("nvidia-cutlass").empty())
    r.notes.push_back(
        "installed is nvidia-cutlass, the older interface package; CuTe DSL examples need "
        "nvidia-cutlass-dsl, which is another one");
  if (!dsl.empty() && !base.empty() && parse_release(dsl) != parse_release(base))
    r.notes.push_back(fmt::format(
        "nvidia-cutlass-dsl {} does not fit its libraries {}: reinstall both in one command", dsl, base));
}

}  // namespace

std::string PythonPackages::version(const std::string& distribution) const {
  const auto it = versions.find(distribution);
  return it == versions.end() ? "" : it->second;
}

PythonPackages python_packages(const ProcessRunner& processes, const std::string& python) {
  PythonPackages out;
  const auto done = processes.run({python, "-c", probe});
  const auto answer =
      done && done->succeeded() ? nlohmann::json::parse(done->out, nullptr, false) : nlohmann::json();
  if (!answer.is_object() || !answer.contains("versions") || !answer["versions"].is_object()) return out;
  out.asked = true;
  for (const auto& [name, version] : answer["versions"].items())
    if (version.is_string()) out.versions[name] = version.get<std::string>();
  out.module_file = string_of(answer, "origin");
  out.module_owner = string_of(answer, "owner");
  return out;
}

VersionReport versions(const FileSource& files, const ProcessRunner& processes, const std::string& root) {
  VersionReport report;
  if (!root.empty()) {
    report.checkout = header_release(files, root);
    report.pinned = pinned_dsl(files, root);
    if (files.status(root + "/.git"))
      if (const auto described = processes.run({"git", "-C", root, "describe", "--tags", "--always"});
          described && described->succeeded())
        report.tag = trim(described->out);
  }
  report.installed = python_packages(processes, "python3");
  if (!report.installed.asked) report.notes.push_back("no Python was found to ask for installed packages");
  compare(report);
  return report;
}

}  // namespace cutelab::corpus
