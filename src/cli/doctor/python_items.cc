#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/doctor/items.h"
#include "corpus/versions.h"

namespace cutelab::cli::doctor {
namespace {
using corpus::PythonPackages;
using corpus::VersionReport;

constexpr const char* python_group = "CuTe DSL and CUTLASS";

/// The probes' way of asking, as the corpus room wants it.
class Asked final : public corpus::ProcessRunner {
 public:
  explicit Asked(const Host& host) : host_(host) {}
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    auto text = host_.ask(words);
    if (!text) return Error{ErrorKind::unavailable, "run " + words[0], "it did not answer", "", ""};
    ProcessResult result;
    result.exit_code = 0;
    result.out = std::move(*text);
    return result;
  }

 private:
  const Host& host_;
};

/// Two distributions bring a module `cutlass`; only one is the CuTe DSL.
Item owner_item(const Host& host, const PythonPackages& installed) {
  Item item{python_group,
            "module cutlass",
            State::missing,
            "python3 has none",
            "running CuTe DSL examples yourself",
            fmt::format("pip install nvidia-cutlass-dsl, or `{} setup dsl` for an environment of its own",
                        host.program)};
  if (!installed.asked) {
    item.detail = "python3 did not answer";
  } else if (installed.module_owner == "nvidia-cutlass-dsl" ||
             starts_with_ignoring_case(installed.module_owner, "nvidia-cutlass-dsl-")) {
    item.state = State::found;
    item.detail =
        fmt::format("owned by {} {}", installed.module_owner, installed.version(installed.module_owner));
    item.remedy.clear();
  } else if (installed.module_owner == "nvidia-cutlass") {
    item.state = State::attention;
    item.detail = fmt::format(
        "owned by nvidia-cutlass {}: the older interface package, not the CuTe DSL; "
        "`import cutlass.cute` fails with it",
        installed.version("nvidia-cutlass"));
    item.remedy = "pip uninstall nvidia-cutlass, then pip install nvidia-cutlass-dsl";
  } else if (!installed.module_file.empty()) {
    item.state = State::attention;
    item.detail = fmt::format("{}, owned by no installed distribution", installed.module_file);
    item.remedy = "check PYTHONPATH and editable installs: examples need nvidia-cutlass-dsl";
  } else if (!installed.version("nvidia-cutlass").empty()) {
    item.detail = fmt::format("none, though nvidia-cutlass {} is installed: it is not the CuTe DSL",
                              installed.version("nvidia-cutlass"));
  }
  return item;
}

/// nvidia-cutlass-dsl with its library wheels, each with its own version: they can disagree.
Item wheel_item(const std::string& name, const PythonPackages& installed, const std::string& remedy) {
  Item item{python_group, name, State::missing, "not installed", "compiling CuTe DSL kernels", remedy};
  std::string detail;
  std::vector<std::string> seen;
  for (const auto& [dist, version] : installed.versions) {
    if (!starts_with_ignoring_case(dist, "nvidia-cutlass-dsl")) continue;
    const std::string suffix = dist == "nvidia-cutlass-dsl" ? "nvidia-cutlass-dsl" : dist.substr(19);
    detail += fmt::format("{}{} {}", detail.empty() ? "" : ", ", suffix, version);
    if (std::find(seen.begin(), seen.end(), version) == seen.end()) seen.push_back(version);
  }
  if (detail.empty()) return item;
  item.state = seen.size() == 1 ? State::found : State::attention;
  item.detail = detail;
  item.remedy = seen.size() == 1 ? "" : "the wheels are of different versions: reinstall nvidia-cutlass-dsl";
  return item;
}

std::string checkout_of(const Host& host) {
  if (!host.checkout.empty()) return host.checkout;
  if (const auto dir = host.environment.get("CUTLASS_DIR")) return *dir;
  return host.source_root + "/third_party/cutlass";
}

Item tag_item(const Host& host, const std::string& checkout, const VersionReport& versions) {
  Item item{python_group,
            "CUTLASS checkout",
            State::missing,
            checkout + " is not there",
            "the newest examples; without one the corpora of part `corpora` are used",
            fmt::format("{} corpus add cutlass, or set CUTLASS_DIR", host.program)};
  if (!host.files.status(checkout + "/examples")) return item;
  item.state = State::found;
  item.remedy.clear();
  item.detail = fmt::format(
      "{}, {}, {}", versions.tag.empty() ? "tag unknown (no git metadata)" : "tag " + versions.tag,
      versions.checkout ? "version.h says " + versions.checkout->text() : "no include/cutlass/version.h",
      checkout);
  return item;
}

/// The pin of a checkout against the wheel that python3 has; neither follows from the tag.
Item pin_item(const VersionReport& versions) {
  Item item{python_group,
            "checkout's DSL pin",
            State::missing,
            "no python/CuTeDSL/requirements.txt",
            "running the checkout's examples with the wheel they were written for",
            ""};
  if (!versions.pinned) return item;
  const std::string pin = versions.pinned->text();
  const std::string wheel = versions.installed.version("nvidia-cutlass-dsl");
  item.detail = "nvidia-cutlass-dsl " + pin;
  if (!versions.tag.empty() && versions.tag.find(pin) == std::string::npos)
    item.detail += fmt::format(" (the tag says {})", versions.tag);
  else if (versions.tag.empty() && versions.checkout && versions.checkout != versions.pinned)
    item.detail += fmt::format(" (version.h says {})", versions.checkout->text());
  const bool fits = corpus::parse_release(wheel) == versions.pinned;
  item.state = fits ? State::found : State::attention;
  if (fits) return item;
  item.detail += wheel.empty() ? "; python3 has no wheel" : fmt::format("; python3 has {}", wheel);
  item.remedy = fmt::format("pip install nvidia-cutlass-dsl=={}", pin);
  return item;
}

Item plain_item(const PythonPackages& installed, const std::string& name, const std::string& needed_for,
                const std::string& remedy) {
  const std::string version = installed.version(name);
  if (version.empty()) return Item{python_group, name, State::missing, "not installed", needed_for, remedy};
  return Item{python_group, name, State::found, version, needed_for, ""};
}

}  // namespace

std::vector<Item> python_items(const Host& host) {
  const Asked processes(host);
  const std::string checkout = checkout_of(host);
  const VersionReport versions = corpus::versions(host.files, processes, checkout);
  const PythonPackages& user = versions.installed;
  const std::string part_python = host.source_root + "/build/deps/dsl/bin/python";
  const PythonPackages part =
      host.files.status(part_python) ? corpus::python_packages(processes, part_python) : PythonPackages{};
  const auto loaded = host.files.read("/proc/driver/nvidia/version", 1u << 16);
  const std::string driver = loaded ? version_in(*loaded).value_or("") : "";
  std::vector<Item> items = {
      owner_item(host, user),
      wheel_item("DSL wheel of python3", user, "pip install nvidia-cutlass-dsl"),
      wheel_item("DSL wheel of part dsl", part, fmt::format("{} setup dsl", host.program)),
      driver_fit_item("driver for python3", driver, user.versions),
      driver_fit_item("driver for part dsl", driver, part.versions),
      tag_item(host, checkout, versions)};
  if (items.back().state == State::found) items.push_back(pin_item(versions));
  items.push_back(plain_item(user, "torch",
                             "running the examples' own checks; reading and compiling need none",
                             "pip install torch"));
  items.push_back(
      plain_item(user, "cuda-tile", "cuTile packages in your own environment",
                 fmt::format("pip install cuda-tile; the packages here need none of it: `{} setup "
                             "cutile` gives them an environment of their own",
                             host.program)));
  return items;
}

}  // namespace cutelab::cli::doctor
