#include "reading/facts/constructs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "generated/constructs.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
namespace {

evidence::Family family_named(const std::string& name) {
  for (const evidence::Family family : evidence::all_families)
    if (name == evidence::name_of(family)) return family;
  return evidence::Family::H1;
}

std::unordered_map<std::string, std::vector<Construct>> load_calls() {
  std::unordered_map<std::string, std::vector<Construct>> out;
  const auto table = nlohmann::json::parse(embedded::constructs);
  for (const auto& row : table.at("calls")) {
    Construct c;
    c.leaf = row.at("leaf");
    c.family = family_named(row.at("family"));
    c.kind = row.at("kind");
    c.says = row.at("says");
    c.path = row.value("path", std::vector<std::string>());
    c.no = row.value("not", std::vector<std::string>());
    c.optional = row.value("optional", false);
    out[c.leaf].push_back(std::move(c));
  }
  return out;
}

bool occurs(const std::vector<std::string>& parts, const std::string& path) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& p) { return path.find(p) != std::string::npos; });
}

/// The class a `.create()` belongs to: the part before it.
std::string owner_of(const std::string& path, const std::string& receiver) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos) return receiver;
  const auto before = path.rfind('.', dot - 1);
  return path.substr(before == std::string::npos ? 0 : before + 1,
                     dot - (before == std::string::npos ? 0 : before + 1));
}

std::string sentence(const Construct& c, const CallSite& site) {
  std::string out = c.says;
  const std::string target = site.target.empty() ? "" : site.target;
  out = replace_all(out, "{target}", target);
  out = replace_all(out, "{receiver}", site.receiver.substr(0, 60));
  out = replace_all(out, "{owner}", owner_of(site.path, site.receiver));
  out = replace_all(out, "{leaf}", site.leaf);
  return std::string(trim(out));
}
}  // namespace

const std::unordered_map<std::string, std::vector<Construct>>& construct_table() {
  static const auto table = load_calls();
  return table;
}

void extract_constructs(FactContext& context) {
  const auto& table = construct_table();
  for (const CallSite& site : context.calls()) {
    const auto found = table.find(site.leaf);
    if (found == table.end()) continue;
    const std::string path = site.path + " " + site.receiver;
    for (const Construct& c : found->second) {
      if ((!c.path.empty() && !occurs(c.path, path)) || occurs(c.no, path)) continue;
      const std::string subject = !site.target.empty()     ? site.target
                                  : !site.receiver.empty() ? site.receiver
                                                           : site.leaf;
      Draft& draft = context.add(c.family, c.kind, subject.substr(0, 80), sentence(c, site), site.call);
      draft.fact.optional = c.optional;
      draft.construct = site.leaf;
      draft.path = site.path;
      break;
    }
  }
}

}  // namespace cutelab::reading
