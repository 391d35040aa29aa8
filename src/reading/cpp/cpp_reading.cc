#include "reading/cpp/cpp_reading.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "reading/cpp/cpp_facts.h"
#include "source/tree.h"

namespace cutelab::reading {
namespace {

/// First sentence of the first comment that is not the licence.
std::string summary_of(const source::Tree& tree) {
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const source::Node n = tree.at(i);
    if (!n.is(source::Kind::comment) || !n.parent().is(source::Kind::translation_unit)) continue;
    const std::string_view text = n.text();
    if (text.find("Copyright") != std::string_view::npos || text.find("SPDX") != std::string_view::npos ||
        text.size() < 20)
      continue;
    std::string out;
    for (const auto line : split(text, '\n')) {
      std::string_view t = trim(line);
      while (!t.empty() && std::string_view("/*!<\\").find(t.front()) != std::string_view::npos)
        t.remove_prefix(1);
      while (!t.empty() && std::string_view("/*").find(t.back()) != std::string_view::npos)
        t.remove_suffix(1);
      t = trim(t);
      if (t.starts_with("file")) continue;
      if (t.starts_with("brief")) t = trim(t.substr(5));
      if (t.find_first_not_of("-=*#~ ") == std::string_view::npos) t = {};  // a rule
      if (t.empty()) {
        if (!out.empty()) break;
        continue;
      }
      out += (out.empty() ? "" : " ") + std::string(t);
      if (t.back() == '.') break;
    }
    if (out.size() > 10) return out.substr(0, 300);
  }
  return {};
}

void name_roles(CppContext& context) {
  for (CppDraft& draft : context.drafts) {
    const CppRole* innermost = nullptr;
    for (const CppRole& role : context.roles)
      if (role.block.contains(draft.node) && (!innermost || innermost->block.contains(role.block)))
        innermost = &role;
    if (innermost) draft.fact.role = innermost->name;
    for (const evidence::Function& f : context.reading.functions)
      if (draft.fact.kernel.empty() && f.kind == evidence::Function::Kind::kernel &&
          draft.fact.at.span.begin >= f.at.span.begin && draft.fact.at.span.end <= f.at.span.end)
        draft.fact.kernel = f.name;
  }
}
}  // namespace

Result<evidence::Reading> read_cpp(const Request& request, std::string text) {
  evidence::Reading reading;
  reading.language = "cute-cpp";
  const auto tree = source::Tree::parse(source::Grammar::cuda, std::move(text));
  reading.files.push_back({request.path, sha256(tree->text()).substr(0, 16), line_count(tree->text())});
  for (const source::Problem& problem : tree->problems())
    reading.problems.push_back({problem.what, {0, problem.span}});
  CppContext context(*tree, reading);
  extract_cpp_functions(context);
  extract_cpp_constructs(context);
  extract_cpp_launches(context);
  extract_cpp_storage(context);
  extract_cpp_roles(context);
  extract_cpp_stores(context);
  extract_cpp_waits(context);
  check_cpp_patterns(context);
  read_cpp_architecture(context);
  name_roles(context);
  std::stable_sort(context.drafts.begin(), context.drafts.end(), [](const CppDraft& a, const CppDraft& b) {
    return std::pair(a.fact.family, a.fact.at.span.begin) < std::pair(b.fact.family, b.fact.at.span.begin);
  });
  for (CppDraft& draft : context.drafts) reading.facts.push_back(std::move(draft.fact));
  reading.summary = summary_of(*tree);
  reading.helper = std::none_of(reading.functions.begin(), reading.functions.end(),
                                [](auto& f) { return f.kind == evidence::Function::Kind::kernel; }) &&
                   std::none_of(reading.facts.begin(), reading.facts.end(), [](auto& f) {
                     return f.kind == "launch" || f.kind == "pipeline" || f.kind == "mma";
                   });
  reading.style = reading.helper ? "helper" : "cpp";
  return reading;
}

}  // namespace cutelab::reading
