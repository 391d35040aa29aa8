#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "evidence/names.h"
#include "reading/facts/repeated_launches.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

const char* kind_of_keyword(std::string_view name) {
  if (name == "grid") return evidence::kind::grid;
  if (name == "block") return evidence::kind::block;
  if (name == "cluster") return evidence::kind::cluster;
  return evidence::kind::launch_keyword;
}

/// The kernel a `.launch()` launches: the function called before it, else the first that the run launched
/// there.
std::string kernel_of(FactContext& context, Node launch_function, const std::vector<SeenLaunch>& seen) {
  const Node object = launch_function.child(Field::object_field);
  int m = 0, f = -1;
  if (object.is(NodeKind::call) && context.evaluator.callee_function(0, object, &m, &f))
    return context.program.module(m).functions()[static_cast<std::size_t>(f)].qualified;
  if (!seen.empty()) return seen.front().kernel;
  return object.is(NodeKind::call) ? std::string(object.child(Field::function_field).text())
                                   : std::string(object.text().substr(0, 60));
}

/// Whether a value is the name of something, or holds one, where a size is asked for.
bool names_something(const evidence::Value& value) {
  if (const auto* items = value.list()) return std::any_of(items->begin(), items->end(), names_something);
  return std::holds_alternative<std::string>(value.data) && value.text() != "None";
}

/// What a keyword of a launch is given; not known where no run comes to it.
evidence::Value given_to_launch(FactContext& context, Node value) {
  const std::string why = context.evaluator.unreached(0, value);
  return why.empty() ? context.value(value) : evidence::undetermined(why, {}, context.at(value), "");
}

/// A keyword's value; where several launches of the run differ in it, that of this one.
evidence::Value launched_with(FactContext& context, const SeenLaunch* seen, const std::string& name,
                              Node value) {
  evidence::Value out = given_to_launch(context, value);
  if (names_something(out))
    return evidence::undetermined("it is no number: " + out.text(), {}, context.at(value), "");
  if (out.determined() || !seen) return out;
  const Abstract& first = name == "grid"      ? seen->grid
                          : name == "block"   ? seen->block
                          : name == "cluster" ? seen->cluster
                                              : seen->smem;
  const evidence::Value other = context.value(first, value);
  return other.determined() ? other : out;
}

void add_keyword(FactContext& context, Node keyword, const std::string& kernel,
                 const std::vector<SeenLaunch>& launches) {
  const std::string name(keyword.child(Field::name_field).text());
  const Node value = keyword.child(Field::value_field);
  const bool shape = name == "grid" || name == "block" || name == "cluster" || name == "fallback_cluster";
  const bool plumbing = name == "stream";
  Draft& draft = context.add(shape ? Family::H2 : Family::H4, kind_of_keyword(name), name,
                             name + " = " + std::string(value.text().substr(0, 120)), keyword);
  draft.fact.values[name] = shape || name == "smem" ? launched_with(context, nullptr, name, value)
                                                    : given_to_launch(context, value);
  if (draft.fact.values[name].determined() && (shape || name == "smem") && name != "fallback_cluster" &&
      is_given_differently(context, launches, name))
    draft.fact.values[name] = evidence::undetermined(
        "differs between the " + std::to_string(launches.size()) + " launches of the run",
        {std::string(value.text().substr(0, 80))}, context.at(value),
        std::string(value.text().substr(0, 400)));
  if (plumbing) draft.fact.values.clear();
  draft.fact.kernel = kernel;
  draft.construct = "launch:" + name;
}

/// Bindings of a name as it is seen where it is used: local, of an enclosing function, of the module;
/// attributes by class.
std::vector<int> bindings_of(const FactContext& context, Node use, const std::string& name) {
  const source::PythonModule& module = context.module();
  if (name.starts_with("self."))
    return module.attributes(module.class_at(use), name.substr(5, name.find('.', 5) - 5));
  if (use.is(NodeKind::attribute)) {  // an attribute of an object made from a class of this file
    const Abstract object = context.evaluator.value_of(0, use.child(Field::object_field));
    if (object.is(Abstract::Kind::instance) && object.module == 0)
      return module.attributes(object.index, std::string(use.child(Field::attribute_field).text()));
  }
  for (int scope = module.function_at(use);;
       scope = module.functions()[static_cast<std::size_t>(scope)].enclosing) {
    const auto& bound = module.bindings(scope, name);
    if (!bound.empty() || scope < 0) return bound;
  }
}

/// The dotted names an expression reads, outermost chains only.
std::vector<Node> names_in(Node expression) {
  std::vector<Node> out;
  for (std::uint32_t i = expression.index(); i < expression.end_index();) {
    const Node n = expression.tree()->at(i);
    const bool chain =
        (n.is(NodeKind::identifier) || n.is(NodeKind::attribute)) && !source::dotted_text(n).empty();
    const bool label = n.field() == Field::name_field && n.parent().is(NodeKind::keyword_argument);
    if (chain && !label) out.push_back(n);
    i = chain ? n.end_index() : i + 1;
  }
  return out;
}

/// The value itself where it is a call, else the calls that it chooses between: given or self.heuristic().
std::vector<Node> calls_in(Node value) {
  std::vector<Node> out;
  if (value.is(NodeKind::call)) return {value};
  if (!value.is(NodeKind::boolean_operator) && !value.is(NodeKind::conditional_expression)) return out;
  for (const Node side : value.children())
    if (side.is(NodeKind::call)) out.push_back(side);
  return out;
}

/// Where the parts of a launch keyword come from: the assignments of the names in it, then of the names in
/// those, a few steps back, and the returns of local functions that compute one.
class Sources {
 public:
  /// `launched`: the keyword's value in this launch.
  Sources(FactContext& context, Family family, const char* kind, std::string keyword, std::string kernel,
          evidence::Value launched)
      : context_(context),
        family_(family),
        kind_(kind),
        keyword_(std::move(keyword)),
        kernel_(std::move(kernel)),
        launched_(std::move(launched)) {}

  void follow(Node expression, int steps) {
    for (const Node name : names_in(expression)) {
      for (const int index : bindings_of(context_, name, source::dotted_text(name))) {
        const source::Assignment& a = context_.module().assignments()[static_cast<std::size_t>(index)];
        if (!a.value || a.value.is(NodeKind::none) || a.form != source::Assignment::Form::plain) continue;
        // Only what is the keyword's own value says so; what goes into it keeps its own meaning.
        if (!cite(a.statement, a.name, a.value, whole_ && name == expression, a.slots)) continue;
        const bool outer = whole_;
        whole_ = whole_ && name == expression;
        if (steps > 1) follow(a.value, steps - 1);
        const std::vector<int> around = std::exchange(slots_, a.slots);
        for (const Node call : calls_in(a.value)) follow_call(call);
        slots_ = around;
        whole_ = outer;
      }
      follow_parameter(name);
    }
  }

  void follow_call(Node call) {
    int m = 0, f = -1;
    if (!context_.evaluator.callee_function(0, call, &m, &f) || m != 0) return;
    const source::PythonFunction& function = context_.module().functions()[static_cast<std::size_t>(f)];
    for (std::uint32_t i = function.body.index(); function.body && i < function.body.end_index(); ++i) {
      const Node n = context_.module().tree().at(i);
      if (!n.is(NodeKind::return_statement) || !n.first() || context_.module().function_at(n) != f) continue;
      if (cite(n, function.qualified, n.first(), whole_, slots_) && n.first().is(NodeKind::identifier))
        follow(n.first(), 1);
    }
  }

 private:
  static constexpr int most = 14;

  /// What a parameter is given: assignments elsewhere under its name to what the run passed.
  void follow_parameter(Node name) {
    const source::PythonModule& module = context_.module();
    const int f = name.is(NodeKind::identifier) ? module.function_at(name) : -1;
    if (f < 0 || !module.bindings(f, std::string(name.text())).empty()) return;
    const auto& parameters = module.functions()[static_cast<std::size_t>(f)].parameters;
    if (std::none_of(parameters.begin(), parameters.end(), [&](auto& p) { return p.name == name.text(); }))
      return;
    const auto passed = context_.value(name).integer();
    if (!passed) return;
    for (const source::Assignment& a : module.assignments())
      if (a.name == name.text() && a.function >= 0 && a.function != f && a.value && a.slots.empty() &&
          a.form == source::Assignment::Form::plain && !a.value.is(NodeKind::integer) &&
          context_.value(a.value).integer() == passed)
        cite(a.statement, a.name, a.value, false, {});
  }

  /// The value of one part of a tuple that is made here; of all of it without slots.
  evidence::Value part(Node value, const std::vector<int>& slots) {
    if (const std::string why = context_.evaluator.unreached(0, value); !why.empty())
      return evidence::undetermined(why, {}, context_.at(value), "");
    Abstract made = context_.evaluator.value_of(0, value);
    for (const int slot : slots) {
      if (!made.is(Abstract::Kind::tuple) || slot < 0 || static_cast<std::size_t>(slot) >= made.items.size())
        return evidence::undetermined("a part of a tuple that is not known",
                                      {std::string(value.text().substr(0, 80))}, context_.at(value), "");
      const Abstract item = made.items[static_cast<std::size_t>(slot)];
      made = item;
    }
    return context_.value(made, value);
  }

  bool cite(Node statement, const std::string& name, Node value, bool whole, const std::vector<int>& slots) {
    if (cited_ >= most) return false;
    for (const Node known : seen_)
      if (known == statement) return false;
    seen_.push_back(statement);
    ++cited_;
    Draft& draft =
        context_.add(family_, kind_, name,
                     whole ? keyword_ + " computed here" : name + ", which goes into " + keyword_, statement);
    evidence::Value& told = draft.fact.values[whole ? keyword_ : "input"] = part(value, slots);
    if (whole && !told.determined() && launched_.determined()) {
      told.data = launched_.data;
      told.known_by = evidence::KnownBy::computed;
    }
    if (const std::string object =
            told.determined() || !slots.empty() ? "" : context_.evaluator.object_at(0, value);
        !object.empty()) {  // a tensor, parameters of a scheduler: no number that could be determined
      told.data = object;
      told.known_by = evidence::KnownBy::computed;
    }
    draft.fact.kernel = kernel_;
    draft.construct = "launch-source:" + keyword_;
    return true;
  }
  FactContext& context_;
  Family family_;
  const char* kind_;
  std::string keyword_, kernel_;
  evidence::Value launched_;
  std::vector<Node> seen_;
  int cited_ = 0;
  std::vector<int> slots_;  ///< which part of what a function returns is followed
  bool whole_ = true;       ///< what is followed is the keyword's whole value
};

/// What the run passed to the first of several launches, and where the others differ from it.
void take_values(FactContext& context, const std::vector<SeenLaunch>& launches, Draft& draft) {
  auto& values = draft.fact.values;
  for (const char* name : {"grid", "block", "threads", "cluster", "smem_bytes"})
    if (std::string_view(name) != "cluster" || !launches.front().cluster.is(Abstract::Kind::none))
      values[name] = given_in(context, launches.front(), name);
  note_repeated_launches(context, launches, draft.fact);
}

/// A function that launches the kernel it is given: the other kernels that the run launched there.
void add_kernels_given(FactContext& context, const std::vector<SeenLaunch>& seen, const std::string& first) {
  std::vector<std::string> told{first};
  for (const SeenLaunch& launch : seen) {
    if (std::find(told.begin(), told.end(), launch.kernel) != told.end()) continue;
    told.push_back(launch.kernel);
    Draft& draft = context.add(Family::H2, evidence::kind::launch, launch.kernel,
                               "launches " + launch.kernel + " as well", launch.call);
    draft.construct = "launch";
    draft.fact.kernel = launch.kernel;
    draft.fact.optional = true;
    take_values(context, launches_of(seen, launch.kernel), draft);
  }
}

void add_launch(FactContext& context, const CallSite& site) {
  const std::vector<SeenLaunch> seen = context.evaluator.launches_at(0, site.call);
  const std::string kernel = kernel_of(context, site.call.child(Field::function_field), seen);
  std::vector<SeenLaunch> own = launches_of(seen, kernel);
  if (own.empty() && !seen.empty()) own = launches_of(seen, seen.front().kernel);
  const SeenLaunch* launch = own.empty() ? nullptr : &own.front();
  const std::size_t index = context.drafts.size();
  context.add(Family::H2, evidence::kind::launch, kernel, "launches " + kernel, site.call);
  context.drafts[index].construct = "launch";
  context.drafts[index].fact.kernel = kernel;
  for (const Node a : site.call.child(Field::arguments_field).children()) {
    if (!a.is(NodeKind::keyword_argument)) continue;
    const std::string name(a.child(Field::name_field).text());
    const Node value = a.child(Field::value_field);
    add_keyword(context, a, kernel, own);
    auto& values = context.drafts[index].fact.values;
    const evidence::Value told = launched_with(context, launch, name, value);
    if (name == "grid" || name == "block" || name == "cluster") values[name] = told;
    if (name == "block") values["threads"] = threads_of_block(told);
    if (name == "smem") values["smem_bytes"] = told;
    if (name == "grid" || name == "block" || name == "cluster")
      Sources(context, Family::H2, kind_of_keyword(name), name, kernel, told).follow(value, 2);
    if (name == "smem") {
      Sources sources(context, Family::H3, "size-formula", "smem_bytes", kernel, told);
      sources.follow(value, 2);
      if (value.is(NodeKind::call)) sources.follow_call(value);
    }
  }
  if (!context.keyword(site.call, "smem"))
    context.drafts[index].fact.values["smem_bytes"] =
        launch ? given_in(context, *launch, "smem_bytes")
               : evidence::undetermined("no smem= keyword: the DSL adds up the allocations when it compiles",
                                        {"shared storage"}, context.at(site.call), "");
  note_repeated_launches(context, own, context.drafts[index].fact);
  add_kernels_given(context, seen, kernel);
}

/// A kernel of another file that this program launches: its launch as the program's own run makes it.
void add_launches_elsewhere(FactContext& context) {
  std::vector<std::pair<Node, std::string>> seen;
  const std::vector<SeenLaunch> all = context.evaluator.launches_elsewhere();
  for (const SeenLaunch& launch : all) {
    const std::pair<Node, std::string> key(launch.call, launch.kernel);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    Draft& draft = context.add(Family::H2, evidence::kind::launch, launch.kernel,
                               "launches " + launch.kernel + " of another file", launch.call);
    draft.construct = "launch-elsewhere";
    draft.fact.optional = true;
    std::vector<SeenLaunch> same = launches_of(all, launch.kernel);
    std::erase_if(same, [&](const SeenLaunch& other) { return !(other.call == launch.call); });
    take_values(context, same, draft);
  }
}

/// --mnkl, --num_head, --batch_size; M, b; h_q, s_k: extents of the problem, of tiles and clusters.
bool names_extent(std::string_view flag) {
  static constexpr std::array<std::string_view, 13> words = {
      "mnk",         "shape", "tile",   "cluster", "size",    "seq",   "batch",
      "num_threads", "head",  "tokens", "hidden",  "experts", "splits"};
  if (flag.find("swizzle") != std::string_view::npos) return false;
  static constexpr std::string_view letters = "MNKLBHSDmnklbhsd";
  const bool lettered = !flag.empty() && letters.find(flag.front()) != std::string_view::npos;
  if (lettered && (flag.size() == 1 || flag.substr(1) == "_q" || flag.substr(1) == "_k" ||
                   flag.substr(1) == "_v" || flag.substr(1) == "_kv"))
    return true;
  return std::any_of(words.begin(), words.end(),
                     [&](auto w) { return flag.find(w) != std::string_view::npos; });
}

/// Shapes that decide the launch by default: problem, tile and cluster flags, and the constants behind them.
void add_shape_flags(FactContext& context) {
  for (const Flag& flag : context.flags) {
    if (!names_extent(flag.dest) || !flag.default_value) continue;
    Draft& draft = context.add(Family::H2, "shape-default", flag.name, "default of " + flag.name, flag.call);
    draft.fact.values["default"] = context.value(flag.default_value);
    draft.construct = "flag";
  }
}

/// Functions that compute a grid: their scheduler parameters and their results.
void add_grid_helpers(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (const source::PythonFunction& f : module.functions()) {
    if (f.name.find("compute_grid") == std::string::npos && f.name.find("get_grid") == std::string::npos)
      continue;
    for (std::uint32_t i = f.body.index(); f.body && i < f.body.end_index(); ++i) {
      const Node n = module.tree().at(i);
      const bool made = n.is(NodeKind::assignment) && n.child(Field::right_field).is(NodeKind::call);
      if (!made && !(n.is(NodeKind::return_statement) && n.first().is(NodeKind::call))) continue;
      const std::string_view left = made ? n.child(Field::left_field).text() : "grid";
      const bool whole = left.find("grid") != std::string_view::npos;
      Draft& draft = context.add(
          Family::H2, evidence::kind::grid, f.qualified,
          whole ? "grid computed here" : std::string(left.substr(0, 60)) + ", which goes into grid",
          made ? n.child(Field::right_field) : n);
      draft.construct = "grid-helper";
      draft.fact.optional = !whole;
    }
  }
}
}  // namespace

void extract_launches(FactContext& context) {
  bool any = false;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "launch" || site.receiver.empty()) continue;
    if (!context.keyword(site.call, "grid") && !context.keyword(site.call, "block")) continue;
    add_launch(context, site);
    any = true;
  }
  add_launches_elsewhere(context);
  if (any) add_shape_flags(context);
  add_grid_helpers(context);
}

}  // namespace cutelab::reading
