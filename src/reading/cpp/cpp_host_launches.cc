#include <algorithm>
#include <array>
#include <set>

#include "evidence/names.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_facts.h"
#include "reading/cpp/cpp_host.h"

/// What the run of the host code tells of launches, and launches that only a macro's text holds.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr std::array<const char*, 3> launch_values = {"grid", "block", "smem_bytes"};

bool has_chevrons(const CppContext& context) {
  return std::any_of(context.trees.begin(), context.trees.end(),
                     [](const source::Tree* tree) { return tree->text().find("<<<") != std::string::npos; });
}

/// Whether all settings are macros: constants are not put in by the preprocessor.
bool settings_are_macros(const CppContext& context) {
  const auto is_macro = [&](const std::string& name) {
    return std::any_of(context.trees.begin(), context.trees.end(), [&](const source::Tree* tree) {
      return tree->text().find("def " + name) != std::string::npos ||
             tree->text().find("define " + name) != std::string::npos;
    });
  };
  return std::all_of(context.settings.begin(), context.settings.end(),
                     [&](const auto& one) { return is_macro(one.first); });
}

bool is_number(const CppValue& v) { return v.is(CppKind::integer) || v.is(CppKind::tuple); }

/// Extents of a launch: a number is the first of three.
std::array<std::int64_t, 3> extents_of(const evidence::Value& value) {
  std::array<std::int64_t, 3> out = {value.integer().value_or(1), 1, 1};
  if (const auto* list = value.list())
    for (std::size_t i = 0; i < 3 && i < list->size(); ++i) out[i] = (*list)[i].integer().value_or(-1);
  return out;
}

class HostLaunches {
 public:
  HostLaunches(CppContext& context, const CppExpanded& expanded, const source::Tree& tree)
      : context_(context),
        expanded_(expanded),
        tree_(tree),
        folder_({&tree}, context.settings),
        run_(tree, folder_) {}

  void tell() {
    run_.run();
    if (run_.limit()) give_up(run_.limit());
    for (const Node syntax : tree_.all(NodeKind::kernel_call_syntax)) {
      const auto origin = expanded_.origin(syntax.parent().first_byte());
      const Node call = original(origin);
      if (!call) continue;
      if (origin.whole && !drafts_at(call).empty() && !made_.count(call.index())) continue;
      if (origin.whole && drafts_at(call).size() == made_.count(call.index())) add(syntax, call);
      const CppHostRun::Launch* launch = run_.launch(syntax);
      if (launch && !origin.whole) compare(call, launch->parts);
    }
  }
  void give_up(const char* limit) {
    const evidence::Value told =
        evidence::undetermined(std::string("the run of the host code ended at a limit: ") + limit, {"main"},
                               context_.at(cpp_function_name(context_.folder.function_named("main"))), "");
    context_.reading.give_ups.push_back(*told.undetermined());
  }

 private:
  /// The call, or the macro's name, at a place of the source.
  Node original(const CppExpanded::Segment& origin) const {
    const source::Tree* tree = context_.trees[static_cast<std::size_t>(origin.file)];
    Node out;
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      if (n.first_byte() > origin.from) break;
      if (n.first_byte() != origin.from) continue;
      if (n.is(NodeKind::call_expression)) return n;
      if (origin.whole && n.is(NodeKind::identifier)) out = n;
    }
    return out;
  }

  std::vector<CppDraft*> drafts_at(Node call) {
    std::vector<CppDraft*> out;
    for (CppDraft& draft : context_.drafts)
      if (draft.fact.kind == evidence::kind::launch && draft.node == call) out.push_back(&draft);
    return out;
  }

  /// A launch in the text of a macro that is put in at `call`.
  void add(Node syntax, Node call) {
    const std::string kernel = leaf_name(syntax.parent().child(Field::function_field));
    CppDraft& launch = context_.add(Family::H2, evidence::kind::launch, kernel, "launches " + kernel, call);
    launch.construct = "launch";
    launch.fact.kernel = kernel;
    made_.insert(call.index());
    const CppHostRun::Launch* ran = run_.launch(syntax);
    std::size_t at = 0;
    for (const Node part : syntax.children()) {
      if (at >= launch_values.size()) break;
      CppValue value = folder_.value(part);
      if (!is_number(value) && ran && at < ran->parts.size() && is_number(ran->parts[at]))
        value = ran->parts[at];
      if (!value.known()) value.node = call;
      launch.fact.values[launch_values[at++]] = cpp_launch_value(context_, value, call);
    }
    add_cpp_threads(launch, launch.fact.values["block"]);
  }

  /// The parts of a launch as its run makes them: they tell what is not known yet; where both are known and
  /// differ, neither is said.
  void compare(Node call, const std::vector<CppValue>& parts) {
    std::vector<Node> written;
    const Node syntax = call.child(Field::function_field).next();
    if (!syntax.is(NodeKind::kernel_call_syntax)) return;
    for (const Node part : syntax.children()) written.push_back(part);
    for (std::size_t i = 0; i < launch_values.size() && i < parts.size() && i < written.size(); ++i) {
      if (!is_number(parts[i])) continue;
      const evidence::Value ran = cpp_launch_value(context_, parts[i], written[i]);
      for (CppDraft& draft : context_.drafts) {
        const bool whole = draft.node == call && draft.fact.kind == evidence::kind::launch;
        if (!whole && !(draft.node == written[i])) continue;
        for (const char* name : {launch_values[i], i == 2 ? "smem" : ""}) {
          const auto held = draft.fact.values.find(name);
          if (held == draft.fact.values.end()) continue;
          put(held->second, ran, written[i]);
        }
        if (whole && i == 1) {
          draft.fact.values.erase("threads");
          add_cpp_threads(draft, draft.fact.values["block"]);
        }
      }
    }
  }

  void put(evidence::Value& held, const evidence::Value& ran, Node written) {
    if (!held.determined())
      held = ran;
    else if (extents_of(held) != extents_of(ran))
      held = evidence::undetermined("the text and the run of the host code disagree",
                                    {std::string(written.text().substr(0, 60))}, context_.at(written), "");
  }

  CppContext& context_;
  const CppExpanded& expanded_;
  const source::Tree& tree_;
  CppFolder folder_;
  CppHostRun run_;
  std::set<std::uint32_t> made_;  ///< calls of macros whose launches were added here
};

/// A problem of the text that its preprocessed text does not have is none: macros may stand where the grammar
/// wants a name.
void keep_problems(CppContext& context, const CppExpanded& expanded, const source::Tree& tree) {
  if (context.reading.problems.empty()) return;
  std::vector<std::size_t> begins = {0};
  const std::string& text = context.tree.text();
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') begins.push_back(at + 1);
  const auto line_of = [&](std::size_t at) -> std::uint32_t {
    const auto origin = expanded.origin(at);
    if (origin.file != 0) return 0;
    const auto next = std::upper_bound(begins.begin(), begins.end(), origin.from);
    return static_cast<std::uint32_t>(next - begins.begin());
  };
  std::set<std::uint32_t> handed_on, wrong;
  for (std::size_t at = 0; at < expanded.text.size(); ++at)
    if (at == 0 || expanded.text[at - 1] == '\n') handed_on.insert(line_of(at));
  for (const source::Problem& problem : tree.problems()) wrong.insert(line_of(problem.span.begin));
  std::erase_if(context.reading.problems, [&](const evidence::ParseProblem& p) {
    return p.at.file == 0 && handed_on.count(p.at.span.line) && !wrong.count(p.at.span.line);
  });
}
}  // namespace

void run_cpp_host(CppContext& context) {
  if (!has_chevrons(context) || !settings_are_macros(context)) return;
  std::vector<std::string_view> texts;
  for (const source::Tree* tree : context.trees) texts.push_back(tree->text());
  CppExpanded expanded = cpp_expand(texts, context.settings, context.included);
  if (expanded.limit) expanded.text.clear();
  auto tree = source::Tree::parse(source::Grammar::cuda, expanded.text);
  if (!tree->problems().empty() && cpp_enclose_commas(expanded, *tree))
    tree = source::Tree::parse(source::Grammar::cuda, expanded.text);
  HostLaunches launches(context, expanded, *tree);
  if (expanded.limit)
    launches.give_up(expanded.limit);
  else
    launches.tell();
  if (!expanded.limit) keep_problems(context, expanded, *tree);
}

}  // namespace cutelab::reading
