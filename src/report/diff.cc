#include "report/diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "report/diff_pairs.h"
#include "report/model.h"
#include "report/tensor_memory.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Location;
using evidence::Reading;
using evidence::Value;

struct Feature {
  std::string text;
  Location at;
  bool certain = true;  ///< false: its text holds something that is not determined
};
using Section = std::map<std::string, Feature>;

const char* const section_order[] = {
    "architecture",  "patterns",        "launch",   "roles",      "pipelines", "stages",
    "shared memory", "tensor memory",   "TMA",      "copies",     "MMA",       "layouts",
    "scheduler",     "synchronisation", "epilogue", "boundaries", "rules"};

std::string text_of(const Fact& fact, const char* name) {
  const auto found = fact.values.find(name);
  return found == fact.values.end() ? "" : found->second.text();
}

bool inactive(const Fact& fact) {
  const auto active = fact.values.find("active");
  return active != fact.values.end() && active->second.boolean() == false;
}

/// "self.num_ab_stage" and "num_ab_stage" are one thing.
std::string plain(std::string name) {
  if (name.starts_with("self.")) name = name.substr(5);
  return name;
}

class Features {
 public:
  explicit Features(const Reading& reading) : reading_(reading) {
    if (!reading.arch.minimum.empty())
      add("architecture", "from", reading.arch.minimum,
          reading.arch.at.empty() ? Location() : reading.arch.at.front());
    patterns();
    for (const KernelModel& model : models(reading)) kernel(model);
    for (const Fact& fact : reading.facts)
      if (!inactive(fact)) one(fact);
    for (const evidence::Lint& lint : reading.lints)
      for (const auto& finding : lint.findings)
        add("rules", lint.id, finding.message, finding.at.empty() ? Location() : finding.at.front());
  }

  std::map<std::string, Section> sections;

 private:
  void add(const std::string& section, const std::string& key, std::string text, Location at) {
    if (key.empty()) return;
    const bool certain = text.find('?') == std::string::npos;
    sections[section].try_emplace(key, Feature{std::move(text), at, certain});
  }

  void patterns() {
    for (const auto& p : reading_.patterns) {
      if (!p.present) continue;
      std::string text = p.default_active == evidence::Tristate::no ? "off by default" : "yes";
      if (p.default_active == evidence::Tristate::undetermined) text = "yes, by default ?";
      if (!p.kind.empty()) text += ", " + p.kind;
      add("patterns", p.id + " " + p.title, text, p.at.empty() ? Location() : p.at.front());
    }
  }

  void kernel(const KernelModel& model) {
    for (const RoleRow& role : model.roles) {
      // A warp or thread that rejoins the others is no role of its own.
      const Fact& fact = reading_.facts[role.fact];
      if (text_of(fact, fact.values.count("rejoins") ? "rejoins" : "elected") == "true") continue;
      std::vector<std::string> parts;
      if (!role.warps.empty()) parts.push_back("warps " + role.warps);
      if (!role.registers.empty()) parts.push_back(role.registers + " registers");
      add("roles", plain(role.name), join(parts, ", "), reading_.facts[role.fact].at);
    }
    for (const PipelineRow& row : model.pipelines) {
      if (inactive(reading_.facts[row.fact])) continue;
      std::string text = row.type;
      if (!row.stages.empty()) text += ", " + row.stages + (row.stages == "1" ? " stage" : " stages");
      if (!row.producers.empty()) text += ", filled by " + named(row.producers);
      if (!row.consumers.empty()) text += ", emptied by " + named(row.consumers);
      add("pipelines", plain(row.name), text, reading_.facts[row.fact].at);
    }
    for (const StorageRow& row : model.storage)
      if (!inactive(reading_.facts[row.fact]))
        add("shared memory", plain(row.name),
            row.type + (row.bytes ? ", " + with_thousands(*row.bytes) + " bytes" : ", ? bytes"),
            reading_.facts[row.fact].at);
    if (!model.tensor_memory_columns.empty())
      add("tensor memory", "columns", model.tensor_memory_columns, model.at);
    for (const TensorMemoryRow& row : model.tensor_memory)
      add("tensor memory", plain(row.name), columns_text(row), reading_.facts[row.fact].at);
  }

  /// Names of roles; a bare condition is none.
  static std::string named(const std::vector<std::string>& roles) {
    std::vector<std::string> out;
    for (const std::string& role : roles)
      if (role.find("==") == std::string::npos) out.push_back(plain(role));
    return out.empty() ? "one warp" : join(out, ", ");
  }

  void one(const Fact& fact) {
    const std::string& kind = fact.kind;
    if (kind == "launch") launch(fact);
    if (kind == "launch-keyword" && fact.subject != "stream")
      add("launch", fact.subject, text_of(fact, fact.subject.c_str()), fact.at);
    if (kind == "stages") add("stages", plain(fact.subject), text_of(fact, "stages"), fact.at);
    if (kind == "tma-descriptor") descriptor(fact);
    if (kind == "copy" && !text_of(fact, "operation").empty())
      add("copies", text_of(fact, "operation"), "yes", fact.at);
    if (kind == "mma" && !fact.optional) {
      const std::string operation = text_of(fact, "operation");
      add("MMA", operation.empty() ? fact.subject : operation, text_of(fact, "family"), fact.at);
    }
    if (kind == "accumulator" && !text_of(fact, "accumulator").empty())
      add("MMA", "accumulators", text_of(fact, "accumulator"), fact.at);
    if (kind == "tile") add("MMA", plain(fact.subject), text_of(fact, "shape"), fact.at);
    if (kind == "tmem-copy" && !fact.optional) add("copies", "tensor memory to registers", "yes", fact.at);
    if (kind == "shared-layout" || kind == "swizzle-applied") layout(fact);
    if (kind == "scheduler") add("scheduler", last_word(fact.says), "yes", fact.at);
    if (kind == "fence" || kind == "dependent-launch") add("synchronisation", fact.says, "yes", fact.at);
    if (kind == "barrier" && !fact.optional) add("synchronisation", without_subject(fact), "yes", fact.at);
    if ((kind == "store" || kind == "library-epilogue") && !text_of(fact, "type").empty())
      add("epilogue", text_of(fact, "type"), "yes", fact.at);
    if (kind == "guard" || kind == "predicated-copy" || kind == "mask")
      add("boundaries", kind, "yes", fact.at);
  }

  void launch(const Fact& fact) {
    for (const char* name : {"grid", "cluster", "threads"})
      if (const std::string text = text_of(fact, name); !text.empty()) add("launch", name, text, fact.at);
  }

  void descriptor(const Fact& fact) {
    std::string text = text_of(fact, "direction");
    if (text_of(fact, "multicast") == "true") text += ", multicast";
    if (text.empty()) text = "?";
    const std::string tensor = text_of(fact, "tensor");
    add("TMA", tensor.empty() ? plain(fact.subject) : plain(tensor), text, fact.at);
  }

  void layout(const Fact& fact) {
    add("layouts", fact.kind == "swizzle-applied" ? "swizzle applied to a buffer" : without_subject(fact),
        "yes", fact.at);
  }

  static std::string last_word(const std::string& says) {
    const auto space = says.rfind(' ');
    return space == std::string::npos ? says : says.substr(space + 1);
  }

  /// The sentence without the source's own name, so that a renamed object is the same thing.
  static std::string without_subject(const Fact& fact) {
    std::string out = fact.says;
    if (const auto at = out.find(fact.subject); !fact.subject.empty() && at != std::string::npos)
      out.erase(at, fact.subject.size());
    return std::string(trim(out)).substr(0, 80);
  }

  const Reading& reading_;
};
}  // namespace

std::vector<Difference> differences(const Reading& left, const Reading& right) {
  Features a(left), b(right);
  std::vector<Difference> out;
  for (const char* section : section_order) {
    const Section& of_a = a.sections[section];
    const Section& of_b = b.sections[section];
    std::set<std::string> keys;
    for (const auto& [key, feature] : of_a) keys.insert(key);
    for (const auto& [key, feature] : of_b) keys.insert(key);
    for (const std::string& key : keys) {
      const auto in_a = of_a.find(key), in_b = of_b.find(key);
      const Feature none;
      const Feature& x = in_a == of_a.end() ? none : in_a->second;
      const Feature& y = in_b == of_b.end() ? none : in_b->second;
      const bool both = in_a != of_a.end() && in_b != of_b.end();
      if (both && (x.text == y.text || !x.certain || !y.certain)) continue;
      const auto said = [](const Feature& f, bool there) {
        return !there ? "" : f.text.empty() ? "yes" : f.text;
      };
      out.push_back({section, key, said(x, in_a != of_a.end()), said(y, in_b != of_b.end()), x.at, y.at});
    }
  }
  return paired(std::move(out));
}

}  // namespace cutelab::report
