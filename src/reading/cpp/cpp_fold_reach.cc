#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "reading/cpp/cpp_folder.h"

/// Whether a place is compiled and reached: branches of the language and of the preprocessor around it,
/// returns in front of it, and the places that call its function or name its class.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int deepest_reach = 24;

/// Whether what a condition depends on is a macro that the build gives for this program; what the toolkit's
/// own macros say of the compiler is taken as said.
bool left_to_build(const CppValue& v) {
  const bool of_build = v.text == "a macro that the build gives" || v.text == "defined or not by the build";
  if (v.known() || !of_build || v.depends_on.empty()) return false;
  const std::string& name = v.depends_on[0];
  if (name.size() < 3 || std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    return false;
  for (const char* own : {"__", "CUTLASS_", "CUTE_", "CUDA", "NDEBUG", "_MSC"})
    if (name.starts_with(own)) return false;
  return true;
}

/// What a condition with that value says of the branch where it holds, or where it does not.
CppValue branch(const CppValue& condition, bool holds) {
  if (const auto n = condition.integer()) return CppValue::of(std::int64_t{(*n != 0) == holds});
  return left_to_build(condition) ? condition : CppValue::of(1);
}

/// A statement that ends the function: `return …;`, `{ …; return …; }`.
bool leaves_function(Node statement) {
  if (statement.is(NodeKind::return_statement)) return true;
  if (!statement.is(NodeKind::compound_statement)) return false;
  const auto parts = cpp_items(statement);
  return !parts.empty() && parts.back().is(NodeKind::return_statement);
}

/// Of what must all be reached: one that is not decides, then one that is open.
void require(CppValue& so_far, CppValue also) {
  const bool not_reached = also.integer() == 0;
  if (not_reached || (so_far.known() && !also.known())) so_far = std::move(also);
}

bool is_class(Node n) { return n.is(NodeKind::struct_specifier) || n.is(NodeKind::class_specifier); }
}  // namespace

CppValue CppFolder::directive_value(Node condition) {
  if (condition.kind_name() == "preproc_defined") {
    const auto names = cpp_items(condition);
    const std::string_view name = names.empty() ? std::string_view() : names[0].text();
    if (const Node last = directive_before(name, condition))
      return CppValue::of(std::int64_t{last.is(NodeKind::preproc_def)});
    if (macros_.count(name) && !undefined_.count(name)) return CppValue::of(1);
    for (const auto& [key, value] : settings_)
      if (key == name) return named(names[0], name, nullptr);
    return CppValue::unknown("defined or not by the build", std::string(name), condition);
  }
  return evaluate(condition, nullptr);
}

CppValue CppFolder::reach_of_directive(Node directive, Node below) {
  const bool otherwise = below.field() == Field::alternative_field;
  if (directive.is(NodeKind::preproc_ifdef)) {
    const Node name = directive.child(Field::name_field);
    const bool wanted = directive.text().starts_with("#ifdef");
    for (const auto& [key, value] : settings_)
      if (key == name.text()) return CppValue::of(std::int64_t{wanted != otherwise});
    return CppValue::of(1);
  }
  const Node condition = directive.child(Field::condition_field);
  return condition == below ? CppValue::of(1) : branch(directive_value(condition), !otherwise);
}

/// What stands around a node, one step up.
CppValue CppFolder::reach_of_branch(Node above, Node below) {
  const bool then = below.field() == Field::consequence_field,
             otherwise = below.field() == Field::alternative_field;
  switch (above.kind()) {
    case NodeKind::if_statement:
    case NodeKind::conditional_expression:
      if (!then && !otherwise) break;
      return branch(evaluate(above.child(Field::condition_field), nullptr), then);
    case NodeKind::binary_expression: {
      const std::string_view op = above.child(Field::operator_token).text();
      if (below.field() != Field::right_field || (op != "&&" && op != "||")) break;
      return branch(evaluate(above.child(Field::left_field), nullptr), op == "&&");
    }
    case NodeKind::template_argument_list: {  // conditional_t<…, Then, Else>
      const Node named = above.parent().child(Field::name_field);
      const auto given = cpp_items(above);
      if ((named.text() != "conditional_t" && named.text() != "conditional") || given.size() != 3) break;
      if (below == given[0]) break;
      return branch(evaluate(given[0], nullptr), below == given[1]);
    }
    case NodeKind::preproc_if:
    case NodeKind::preproc_elif:
    case NodeKind::preproc_ifdef:
      return reach_of_directive(above, below);
    case NodeKind::compound_statement:
      return reach_behind_returns(above, below);
    default:
      break;
  }
  return CppValue::of(1);
}

/// `if constexpr (!dynamic) { …; return item; }` and what follows it.
CppValue CppFolder::reach_behind_returns(Node block, Node statement) {
  const auto [place, fresh] = reached_[block.tree()].returns.try_emplace(block.index());
  if (fresh)
    for (Node n = block.first(); n; n = n.next())
      if (n.is(NodeKind::if_statement) && leaves_function(n.child(Field::consequence_field)))
        place->second.push_back(n.index());
  const std::vector<std::uint32_t> leaving = place->second;
  CppValue out = CppValue::of(1);
  for (const std::uint32_t at : leaving) {
    if (at >= statement.index()) break;
    const Node condition = block.tree()->at(at).child(Field::condition_field);
    require(out, branch(evaluate(condition, nullptr), false));
  }
  return out;
}

/// Of several places one is enough.
CppValue CppFolder::reach_of_all(const std::vector<Node>& sites, Node but_within) {
  CppValue out = CppValue::of(0);
  bool any = false;
  for (const Node site : sites) {
    if (but_within.contains(site)) continue;
    any = true;
    CppValue one = reach(site);
    if (one.integer() == 1) return one;
    if (!one.known()) out = std::move(one);
  }
  return any ? out : CppValue::of(1);
}

/// Whether something that is reached calls a function, or names the class that it is a member of.
CppValue CppFolder::reach_of_function(Node function) {
  const std::string_view name = cpp_function_name(function).text();
  std::vector<Node> sites;
  Node owner = function.parent();
  while (owner && !is_class(owner) && !owner.is(NodeKind::function_definition)) owner = owner.parent();
  const auto named_once = functions_.find(name);
  if (is_class(owner)) {
    CppValue out = CppValue::of(1);
    const Node of_class = owner.child(Field::name_field);
    if (const auto found = types_.find(of_class.text());
        of_class.is(NodeKind::type_identifier) && found != types_.end())
      out = reach_of_all(found->second, owner);
    const auto calls = members_.find(name);
    if (calls != members_.end() && named_once != functions_.end() && named_once->second.size() == 1)
      require(out, reach_of_all(calls->second, function));
    return out;
  }
  const auto calls = uses_.find(name);
  if (calls == uses_.end()) return CppValue::of(1);
  CppValue out = reach_of_mentions(function);
  if (out.integer() == 1) return out;
  bool called = out.known() || !out.text.empty();
  if (!called) out = CppValue::of(0);
  for (const Node site : calls->second) {
    if (function.contains(site) || !site.is(NodeKind::call_expression) || !fits_call(function, site))
      continue;
    called = true;
    if (!chooses(site, function)) continue;
    CppValue one = reach(site);
    if (one.integer() == 1) return one;
    if (!one.known()) out = std::move(one);
  }
  return called ? out : CppValue::of(1);
}

/// Where a function's name stands without being called: `auto kernel = gemm<…>;`. 0: nowhere that is
/// reached; unknown with an empty text: nowhere.
CppValue CppFolder::reach_of_mentions(Node function) {
  CppValue out;
  const std::string_view name = cpp_function_name(function).text();
  for (const source::Tree* tree : trees_)
    for (const Node n : tree->all(NodeKind::identifier)) {
      if (n.text() != name || function.contains(n) || n.field() == Field::declarator_field) continue;
      Node whole = n;
      while (whole.field() == Field::name_field) whole = whole.parent();
      if (whole.field() == Field::function_field || whole.field() == Field::declarator_field) continue;
      CppValue one = reach(whole);
      if (one.integer() == 1) return one;
      if (!one.known() || out.text.empty()) out = std::move(one);
    }
  return out;
}

/// Whether something that is reached names an alias of a type.
CppValue CppFolder::reach_of_alias(Node alias) {
  const auto named = types_.find(alias.child(Field::name_field).text());
  return named == types_.end() ? CppValue::of(1) : reach_of_all(named->second, alias);
}

/// By what stands around a place, calls of its function aside. Each node is asked once.
CppValue CppFolder::reach_in_file(Node place) {
  std::vector<Node> chain;
  Node known = place;
  reached_[place.tree()].of_node.resize(place.tree()->size(), -1);
  while (known && reached_[place.tree()].of_node[known.index()] < 0) {
    chain.push_back(known);
    known = known.parent();
  }
  const auto told = [&](Node n) {
    const Reached& all = reached_[place.tree()];
    const std::int32_t at = n ? all.of_node[n.index()] : 1;
    return at < 2 ? CppValue::of(at) : all.open[static_cast<std::size_t>(at) - 2];
  };
  for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
    const Node above = n->parent();
    const CppValue before = told(above), here = above ? reach_of_branch(above, *n) : CppValue::of(1);
    Reached& all = reached_[place.tree()];
    std::int32_t& state = all.of_node[n->index()];
    if (before.integer() == 0 || here.integer() == 0) {
      state = 0;
    } else if (!before.known()) {
      state = all.of_node[above.index()];
    } else if (!here.known()) {
      all.open.push_back(here);
      state = static_cast<std::int32_t>(all.open.size()) + 1;
    } else {
      state = 1;
    }
  }
  return told(place);
}

CppValue CppFolder::reach(Node place) {
  cut_short_ = cut_short_ || depth_ > deepest_reach;
  if (depth_ > deepest_reach || !place) return CppValue::of(1);
  depth_ += 3;
  CppValue out = reach_in_file(place);
  Node function = place.enclosing(NodeKind::function_definition);
  // `using Kept = conditional_t<staged, A, B>;` names A and B where somebody names Kept.
  const Node whole = function ? function : place.enclosing(NodeKind::alias_declaration);
  if (whole && out.integer() != 0) {
    const auto key = std::pair(whole.tree(), whole.index());
    const auto known = reach_of_functions_.find(key);
    if (known == reach_of_functions_.end()) {
      reach_of_functions_.emplace(key, CppValue::of(1));  // calls itself
      const bool before = cut_short_;
      cut_short_ = false;
      const CppValue told = function ? reach_of_function(function) : reach_of_alias(whole);
      reach_of_functions_[key] = told;
      if (cut_short_) reach_of_functions_.erase(key);  // asked again from nearer
      cut_short_ = cut_short_ || before;
      require(out, told);
    } else {
      require(out, known->second);
    }
  }
  depth_ -= 3;
  return out;
}

/// The calls of a function that are reached; all of them where none is, as they would be in another mode.
std::vector<Node> CppFolder::sites_of(Node function, const std::vector<Node>& uses) {
  std::vector<Node> all, taken;
  for (const Node site : uses) {
    if (!site.is(NodeKind::call_expression) || function.contains(site) || !fits_call(function, site))
      continue;
    all.push_back(site);
    if (chooses(site, function) && reached(site)) taken.push_back(site);
  }
  return taken.empty() ? all : taken;
}

}  // namespace cutelab::reading
