#include "reading/facts/constructs.h"

#include <algorithm>
#include <map>
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
    c.also = row.value("also", false);
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

/// "cute.arch" of cute.arch.sync_threads(): an imported module and its parts, no object.
bool names_module(const FactContext& context, const std::string& receiver) {
  const bool capital = std::any_of(receiver.begin(), receiver.end(),
                                   [](char c) { return (c >= 'A' && c <= 'Z') || c == '(' || c == '['; });
  return !capital && context.module().import_of(receiver.substr(0, receiver.find('.')));
}

/// What a fact is about: the name that the result is bound to, the object that a method is called on, else
/// what is called.
std::string subject_of(const FactContext& context, const CallSite& site) {
  if (!site.target.empty()) return site.target;
  return site.receiver.empty() || names_module(context, site.receiver) ? site.leaf : site.receiver;
}

/// `subject`: what the fact is about, where the result is bound to no name.
std::string sentence(const Construct& c, const CallSite& site, const std::string& subject) {
  std::string out = c.says;
  const std::string target = site.target.empty() && out.starts_with("{target}") ? subject : site.target;
  out = replace_all(out, "{target}", target);
  out = replace_all(out, "{receiver}", site.receiver.substr(0, 60));
  out = replace_all(out, "{owner}", owner_of(site.path, site.receiver));
  out = replace_all(out, "{leaf}", site.leaf);
  return std::string(trim(out));
}

/// smem_ab.acquire() in the body of a @schedule function: a task works on the pipeline of a resource.
void add_schedule_operation(FactContext& context, const CallSite& site) {
  static const std::map<std::string, std::pair<const char*, const char*>> operations = {
      {"acquire", {"acquire", "producer of {} waits for a free stage"}},
      {"commit", {"commit", "producer of {} commits a stage"}},
      {"wait", {"wait", "consumer of {} waits for a full stage"}},
      {"release", {"release", "consumer of {} releases a stage"}},
      {"try_acquire", {"pipeline-peek", "peek at the next stage of {}"}},
      {"try_wait", {"pipeline-peek", "peek at the next stage of {}"}}};
  const auto found = operations.find(site.leaf);
  if (found == operations.end() || site.function < 0 || site.receiver.empty()) return;
  if (!context.module().functions()[static_cast<std::size_t>(site.function)].has_decorator("schedule"))
    return;
  Draft& draft = context.add(evidence::Family::D2, found->second.first, site.receiver.substr(0, 80),
                             replace_all(found->second.second, "{}", site.receiver.substr(0, 60)), site.call);
  draft.fact.optional = found->second.first == std::string_view("pipeline-peek");
  draft.construct = site.leaf;
  draft.path = site.path;
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
    if (found == table.end()) {
      add_schedule_operation(context, site);
      continue;
    }
    std::string path;
    bool matched = false;
    for (const Construct& c : found->second) {
      if (matched && !c.also) continue;
      if (path.empty() && !(c.path.empty() && c.no.empty())) path = site.path + " " + site.receiver;
      if ((!c.path.empty() && !occurs(c.path, path)) || occurs(c.no, path)) continue;
      const std::string subject = subject_of(context, site);
      Draft& draft = context.add(c.family, c.kind, subject.substr(0, 80),
                                 sentence(c, site, subject.substr(0, 60)), site.call);
      draft.fact.optional = c.optional;
      draft.construct = site.leaf;
      draft.path = site.path;
      matched = matched || !c.also;
    }
    if (!matched) add_schedule_operation(context, site);
  }
}

}  // namespace cutelab::reading
