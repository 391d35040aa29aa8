#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/doctor/items.h"

namespace cutelab::cli::doctor {
namespace {

constexpr long long gigabyte = 1'000'000'000;

Item program_item(const Host& host, const std::string& name, const std::string& for_what) {
  Item item{"Build", name, State::missing, "", for_what, fmt::format("{} setup build", host.program)};
  const auto path = host.find(name);
  if (!path) return item;
  const auto text = host.ask({name, "--version"});
  const auto version = text ? version_in(*text) : std::nullopt;
  item.state = version ? State::found : State::attention;
  item.detail = version ? fmt::format("{} ({})", *version, *path)
                        : fmt::format("{} {}", *path, text ? "tells no version" : "does not run");
  if (version) item.remedy.clear();
  return item;
}

/// Which of a Debian list's packages dpkg does not have; nothing where there is no dpkg.
std::optional<std::vector<std::string>> missing_packages(const Host& host,
                                                         const std::vector<std::string>& packages) {
  if (!host.find("dpkg-query")) return std::nullopt;
  std::vector<std::string> missing;
  for (const std::string& name : packages) {
    const auto state = host.ask({"dpkg-query", "-W", "-f=${db:Status-Status}", name});
    if (!state || *state != "installed") missing.push_back(name);
  }
  return missing;
}

Item debian_item(const Host& host, const std::string& name, const nlohmann::json& list) {
  Item item{"Build", "packages: " + name, State::found, "", list.at("for"), ""};
  const auto packages = list.at("packages").get<std::vector<std::string>>();
  const auto missing = missing_packages(host, packages);
  if (!missing) {
    item.state = State::attention;
    item.detail = "this system has no dpkg; " + join(packages, ", ") + " cannot be looked up";
  } else if (missing->empty()) {
    item.detail = fmt::format("all {} Debian packages", packages.size());
  } else {
    item.state = State::missing;
    item.detail = join(*missing, ", ");
    item.remedy = fmt::format("{} setup {}", host.program, name);
  }
  return item;
}

std::string megabytes(const nlohmann::json& part, const char* field) {
  return fmt::format("{:.1f} MB", part.value(field, 0.0) / 1e6);
}

Item part_item(const Host& host, const std::string& name, const nlohmann::json& part) {
  Item item{"Parts", name, State::missing, "", "", ""};
  item.needed_for = fmt::format("{} ({})", part.at("for").get<std::string>(), part.value("needed_by", ""));
  const std::string folder = host.source_root + "/build/deps/" + name;
  if (host.files.status(folder + "/.stamp")) {
    item.state = State::found;
    item.detail = megabytes(part, "installed_bytes");
  } else {
    item.detail = megabytes(part, "download_bytes") + " to fetch";
    item.remedy = fmt::format("{} setup {}", host.program, name);
  }
  return item;
}

Item disk_item(const Host& host, const std::string& name, const std::string& path,
               const std::string& for_what) {
  Item item{"Machine", name, State::attention, "", for_what, ""};
  const auto free = host.free_bytes(path);
  if (!free) {
    item.detail = path + ": cannot be asked";
    return item;
  }
  item.detail = fmt::format("{} free at {}", human_bytes(*free), path);
  if (*free >= 2 * gigabyte)
    item.state = State::found;
  else
    item.remedy = "make room: the build takes about 0.3 GB, all parts together 1.3 GB";
  return item;
}

Item cores_item() {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const long long memory = static_cast<long long>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return Item{"Machine",    "processor",
              State::found, fmt::format("{} cores, {} of memory", cores, human_bytes(memory)),
              "building",   ""};
}

}  // namespace

std::vector<Item> build_items(const Host& host) {
  std::vector<Item> items = {cores_item(),
                             disk_item(host, "disk", host.source_root, "the build and the parts"),
                             program_item(host, "g++", "building the program (12 or newer)"),
                             program_item(host, "cmake", "building the program (3.25 or newer)"),
                             program_item(host, "ninja", "building the program"),
                             program_item(host, "python3", "fetching parts, checks, the CuTe DSL"),
                             program_item(host, "git", "`corpus add` of a git URL, `test`")};
  const auto text = host.files.read(host.source_root + "/deps/parts.json", max_source_bytes);
  const auto parts = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!parts.is_object()) {
    items.push_back({"Build", "deps/parts.json", State::missing, "unreadable below " + host.source_root,
                     "knowing what can be installed", "start the program through ./cutelab"});
    return items;
  }
  for (const auto& [name, list] : parts.at("debian").items()) items.push_back(debian_item(host, name, list));
  for (const auto& [name, part] : parts.at("pypi").items()) items.push_back(part_item(host, name, part));
  return items;
}

std::optional<std::string> version_in(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.'))) continue;
    std::size_t end = at;
    bool dot = false;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1])))) {
      dot = dot || text[end] == '.';
      ++end;
    }
    if (dot) return text.substr(at, end - at);
    at = end;
  }
  return std::nullopt;
}

}  // namespace cutelab::cli::doctor
