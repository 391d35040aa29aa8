#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/doctor/items.h"

namespace cutelab::cli::doctor {
namespace {

constexpr const char* python_group = "CuTe DSL and CUTLASS";

// Asks for metadata only: nothing of the packages is imported, so a broken installation still answers.
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
    if name.startswith(("nvidia-cutlass", "cuda-tile", "torch", "quack-kernels", "flash-attn-4")):
        names.setdefault(name, d.version)
        if origin and name.startswith("nvidia-cutlass"):
            for f in d.files or []:
                if f.name == "__init__.py" and os.path.realpath(d.locate_file(f)) == os.path.realpath(origin):
                    owner = name
print(json.dumps({"versions": names, "origin": origin, "owner": owner}))
)";

struct Installed {
  bool asked = false;  ///< the interpreter answered
  std::map<std::string, std::string> versions;
  std::string origin;  ///< file of module `cutlass`; empty = there is none
  std::string owner;   ///< distribution that owns it; empty = none does

  std::string version(const std::string& name) const {
    const auto it = versions.find(name);
    return it == versions.end() ? "" : it->second;
  }
};

Installed ask_python(const Host& host, const std::string& python) {
  Installed installed;
  const auto text = host.ask({python, "-c", probe});
  const auto answer = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!answer.is_object()) return installed;
  installed.asked = true;
  for (const auto& [name, version] : answer.at("versions").items()) installed.versions[name] = version;
  const auto word = [&](const char* key) {
    return answer.at(key).is_string() ? answer.at(key).get<std::string>() : "";
  };
  installed.origin = word("origin");
  installed.owner = word("owner");
  return installed;
}

/// Two distributions bring a module `cutlass`; only one is the CuTe DSL.
Item owner_item(const Host& host, const Installed& installed) {
  Item item{python_group,
            "module cutlass",
            State::missing,
            "python3 has none",
            "running CuTe DSL examples yourself",
            fmt::format("pip install nvidia-cutlass-dsl, or `{} setup dsl` for an environment of its own",
                        host.program)};
  if (!installed.asked) {
    item.detail = "python3 did not answer";
  } else if (installed.owner == "nvidia-cutlass-dsl" ||
             starts_with_ignoring_case(installed.owner, "nvidia-cutlass-dsl-")) {
    item.state = State::found;
    item.detail = fmt::format("owned by {} {}", installed.owner, installed.version(installed.owner));
    item.remedy.clear();
  } else if (installed.owner == "nvidia-cutlass") {
    item.state = State::attention;
    item.detail = fmt::format(
        "owned by nvidia-cutlass {}: the older interface package, not the CuTe DSL; "
        "`import cutlass.cute` fails with it",
        installed.version("nvidia-cutlass"));
    item.remedy = "pip uninstall nvidia-cutlass, then pip install nvidia-cutlass-dsl";
  } else if (!installed.origin.empty()) {
    item.state = State::attention;
    item.detail = fmt::format("{}, owned by no installed distribution", installed.origin);
    item.remedy = "check PYTHONPATH and editable installs: examples need nvidia-cutlass-dsl";
  } else if (!installed.version("nvidia-cutlass").empty()) {
    item.detail = fmt::format("none, though nvidia-cutlass {} is installed: it is not the CuTe DSL",
                              installed.version("nvidia-cutlass"));
  }
  return item;
}

/// nvidia-cutlass-dsl with its library wheels, each with its own version: they can disagree.
Item wheel_item(const std::string& name, const Installed& installed, const std::string& remedy) {
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

/// `#define CUTLASS_MAJOR 4` … as "4.7.0"; nothing if the header is not there.
std::optional<std::string> header_version(const Host& host, const std::string& checkout) {
  const auto text = host.files.read(checkout + "/include/cutlass/version.h", max_source_bytes);
  if (!text) return std::nullopt;
  std::vector<std::string> numbers;
  for (const char* name : {"CUTLASS_MAJOR ", "CUTLASS_MINOR ", "CUTLASS_PATCH "}) {
    const auto at = text->find(std::string("#define ") + name);
    if (at == std::string::npos) return std::nullopt;
    const auto from = at + 8 + std::string(name).size();
    numbers.emplace_back(trim(text->substr(from, text->find('\n', from) - from)));
  }
  return join(numbers, ".");
}

/// The version that the checkout's requirements file asks pip for.
std::optional<std::string> pinned_version(const Host& host, const std::string& checkout) {
  const auto text = host.files.read(checkout + "/python/CuTeDSL/requirements.txt", max_source_bytes);
  if (!text) return std::nullopt;
  const auto at = text->find("nvidia-cutlass-dsl");
  const auto equals = at == std::string::npos ? at : text->find("==", at);
  if (equals == std::string::npos) return std::nullopt;
  return std::string(trim(text->substr(equals + 2, text->find_first_of("\n;", equals) - equals - 2)));
}

Item tag_item(const Host& host, const std::string& checkout, std::optional<std::string>& tag) {
  Item item{python_group,
            "CUTLASS checkout",
            State::missing,
            checkout + " is not there",
            "the newest examples; without one the corpora of part `corpora` are used",
            fmt::format("{} corpus add cutlass --clone, or set CUTLASS_DIR", host.program)};
  if (!host.files.status(checkout + "/examples")) return item;
  item.state = State::found;
  item.remedy.clear();
  const auto described = host.ask({"git", "-C", checkout, "describe", "--tags", "--always"});
  const auto header = header_version(host, checkout);
  if (described) tag = std::string(trim(*described));
  item.detail = fmt::format("{}, {}, {}", tag ? "tag " + *tag : "tag unknown (no git metadata)",
                            header ? "version.h says " + *header : "no include/cutlass/version.h", checkout);
  return item;
}

/// The pin of a checkout against the wheel that python3 has; neither follows from the tag.
Item pin_item(const Host& host, const std::string& checkout, const std::optional<std::string>& tag,
              const Installed& installed) {
  Item item{python_group,
            "checkout's DSL pin",
            State::missing,
            "no python/CuTeDSL/requirements.txt",
            "running the checkout's examples with the wheel they were written for",
            ""};
  const auto pin = pinned_version(host, checkout);
  if (!pin) return item;
  const std::string wheel = installed.version("nvidia-cutlass-dsl");
  item.detail = "nvidia-cutlass-dsl " + *pin;
  if (tag && tag->find(*pin) == std::string::npos) item.detail += fmt::format(" (the tag says {})", *tag);
  item.state = wheel == *pin ? State::found : State::attention;
  if (wheel == *pin) return item;
  item.detail += wheel.empty() ? "; python3 has no wheel" : fmt::format("; python3 has {}", wheel);
  item.remedy = fmt::format("pip install nvidia-cutlass-dsl=={}", *pin);
  return item;
}

Item plain_item(const Installed& installed, const std::string& name, const std::string& needed_for,
                const std::string& remedy) {
  const std::string version = installed.version(name);
  if (version.empty()) return Item{python_group, name, State::missing, "not installed", needed_for, remedy};
  return Item{python_group, name, State::found, version, needed_for, ""};
}

}  // namespace

std::vector<Item> python_items(const Host& host) {
  const Installed user = ask_python(host, "python3");
  const std::string part_python = host.source_root + "/build/deps/dsl/bin/python";
  const Installed part = host.files.status(part_python) ? ask_python(host, part_python) : Installed{};
  const std::string checkout = checkout_of(host);
  std::optional<std::string> tag;
  std::vector<Item> items = {
      owner_item(host, user), wheel_item("DSL wheel of python3", user, "pip install nvidia-cutlass-dsl"),
      wheel_item("DSL wheel of part dsl", part, fmt::format("{} setup dsl", host.program)),
      tag_item(host, checkout, tag)};
  if (items.back().state == State::found) items.push_back(pin_item(host, checkout, tag, user));
  items.push_back(plain_item(user, "torch",
                             "running the examples' own checks; reading and compiling need none",
                             "pip install torch"));
  items.push_back(plain_item(user, "cuda-tile", "cuTile packages in your own environment",
                             fmt::format("{} setup cutile", host.program)));
  return items;
}

}  // namespace cutelab::cli::doctor
