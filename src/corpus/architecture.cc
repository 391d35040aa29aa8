#include "corpus/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/words.h"

namespace cutelab::corpus {

std::string Arch::text() const {
  return suffix ? fmt::format("sm_{}{}", sm, suffix) : fmt::format("sm_{}", sm);
}

std::optional<Arch> parse_arch(std::string_view text) {
  const std::string lowered = to_lower(trim(text));
  std::string_view s = lowered;
  for (const std::string_view prefix : {"compute_", "compute", "sm_", "sm"})
    if (s.substr(0, prefix.size()) == prefix) {
      s.remove_prefix(prefix.size());
      break;
    }
  Arch arch;
  if (!s.empty() && (s.back() == 'a' || s.back() == 'f')) {
    arch.suffix = s.back();
    s.remove_suffix(1);
  }
  std::string digits(s);
  const auto dot = digits.find('.');
  if (dot != std::string::npos) {
    if (digits.size() != dot + 2) return std::nullopt;
    digits.erase(dot, 1);
  }
  const auto number = parse_integer(digits);
  if (!number || *number < 50 || *number > 199) return std::nullopt;
  arch.sm = static_cast<int>(*number);
  return arch;
}

const Feature::Gate& Feature::gate_for(const std::optional<Release>& release) const {
  const Gate* best = &gates.front();
  for (const Gate& gate : gates)
    if (!release || gate.since <= *release) best = &gate;
  return *best;
}

namespace {

Target target_from(const nlohmann::json& j) {
  Target t;
  t.native.sm = j.at("sm").get<int>();
  const std::string suffix = string_of(j, "suffix");
  t.native.suffix = suffix.empty() ? '\0' : suffix[0];
  t.generation = string_of(j, "generation");
  t.folders = string_list(j, "folders");
  t.names = string_list(j, "names");
  t.smem_bytes = j.value("smem", 0);
  t.smem_since = parse_release(string_of(j, "smem_since"));
  t.suffix_for = string_of(j, "suffix_for");
  t.former_sm = j.value("former", 0);
  return t;
}

Feature feature_from(const nlohmann::json& j) {
  Feature f;
  f.id = string_of(j, "id");
  f.title = string_of(j, "title");
  f.minimum = string_of(j, "minimum");
  f.only = string_of(j, "only");
  f.optional = j.value("optional", false);
  for (const auto& gate : j.at("gates"))
    f.gates.push_back(
        {parse_release(string_of(gate, "since")).value_or(Release{4, 0, 0}), string_list(gate, "accepts")});
  return f;
}

/// Words of a product name that match consecutive words of the text; 0 = no match, else characters matched.
std::size_t match_length(const std::vector<std::string>& text, const std::vector<std::string>& name) {
  for (std::size_t at = 0; at + name.size() <= text.size(); ++at) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::string_view want = name[i];
      const bool prefix = !want.empty() && want.back() == '*';
      if (prefix) want.remove_suffix(1);
      const std::string_view have = text[at + i];
      if (prefix ? have.substr(0, want.size()) != want : have != want) {
        length = 0;
        break;
      }
      length += want.size() + 1;
    }
    if (length) return length;
  }
  return 0;
}

}  // namespace

Result<ArchFacts> ArchFacts::load(const FileSource& files, const std::string& data_folder) {
  auto json = load_data_file(files, data_folder + "/architectures.json");
  if (!json) return json.error();
  ArchFacts facts;
  for (const auto& t : json->at("targets")) facts.targets_.push_back(target_from(t));
  for (const auto& f : json->at("features")) facts.features_.push_back(feature_from(f));
  for (const auto& [key, value] : json->at("suffixes").items())
    facts.suffixes_.emplace_back(key, value.get<std::string>());
  return facts;
}

const Target* ArchFacts::target(int sm) const {
  for (const Target& t : targets_)
    if (t.native.sm == sm || t.former_sm == sm) return &t;
  return nullptr;
}

const Feature* ArchFacts::feature(std::string_view id) const {
  for (const Feature& f : features_)
    if (f.id == id) return &f;
  return nullptr;
}

std::string ArchFacts::suffix_rule(std::string_view key) const {
  for (const auto& [k, text] : suffixes_)
    if (k == key) return text;
  return "";
}

std::optional<Device> ArchFacts::product_in(std::string_view text) const {
  const auto words = split_words(text, WordSplit::keep_digits);
  std::size_t best = 0;
  std::optional<Device> device;
  for (const Target& t : targets_)
    for (const std::string& name : t.names) {
      const std::size_t length = match_length(words, split_words(name, WordSplit::keep_digits_and_star));
      if (length > best) {
        best = length;
        device = Device{t.native, std::string(trim(text)), ""};
      }
    }
  return device;
}

Result<Device> ArchFacts::device(std::string_view text) const {
  if (const auto arch = parse_arch(text)) {
    const Target* t = target(arch->sm);
    if (!t)
      return Error{ErrorKind::usage, fmt::format("find the GPU '{}'", text),
                   fmt::format("no {} is known", arch->text()), "data/architectures.json",
                   "name an architecture from sm_70 to sm_121, or a product such as H100"};
    Device device{*arch, arch->text(), ""};
    device.arch.sm = t->native.sm;
    if (t->native.suffix && !arch->suffix) {
      device.arch = t->native;
      device.name = t->native.text();
      device.note = fmt::format("{} taken as {}: {}", arch->text(), t->native.text(), t->suffix_for);
    } else if (arch->suffix == 'f') {
      device.note = fmt::format("{}: {}", device.arch.text(), suffix_rule("f"));
    }
    if (t->former_sm == arch->sm)
      device.note = fmt::format("sm_{} is called sm_{} since CUDA 13", arch->sm, t->native.sm);
    return device;
  }
  if (const auto device = product_in(text)) return *device;
  std::vector<std::string> names;
  for (const Target& t : targets_)
    for (const std::string& name : t.names) names.push_back(replace_all(name, "*", "90"));
  const auto near = nearest(text, names);
  return Error{ErrorKind::usage, fmt::format("find the GPU '{}'", text), "no such GPU is known", "",
               near ? fmt::format("did you mean {}? An architecture such as sm_90a works too", *near)
                    : "name an architecture (sm_90a) or a product (H100, B200, RTX 5090, DGX Spark)"};
}

bool ArchFacts::accepts(const Feature& feature, Arch device, const std::optional<Release>& release) const {
  for (const std::string& rule : feature.gate_for(release).accepts) {
    const bool family = rule.rfind("family ", 0) == 0;
    const bool or_later = !rule.empty() && rule.back() == '+';
    const auto arch = parse_arch(family ? rule.substr(7) : or_later ? rule.substr(0, rule.size() - 1) : rule);
    if (!arch) continue;
    if (or_later && device.sm >= arch->sm) return true;
    if (family && device.sm / 10 == arch->sm / 10 && device.sm >= arch->sm) return true;
    if (!family && !or_later && device.sm == arch->sm && (device.suffix == arch->suffix)) return true;
  }
  return false;
}

std::string ArchFacts::folder_of(Arch device) const {
  const Target* t = target(device.sm);
  return t && !t->folders.empty() ? t->folders.front() : "";
}

}  // namespace cutelab::corpus
