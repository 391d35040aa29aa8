#include <set>
#include <string>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// Bounds tests around accesses to global memory.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
bool has_text(Node n, std::string_view word) { return n && n.text().find(word) != std::string_view::npos; }

/// The variable of a `for` around it: k of `for (int k = 0; …)`.
bool counts_steps(const CppContext& context, Node extent) {
  const Node made = extent.is(NodeKind::identifier) ? context.folder.definition_of(extent) : Node();
  return made.is(NodeKind::init_declarator) && made.parent().parent().is(NodeKind::for_statement);
}

/// `p.m`, `N`, or a variable that is one of two such: `const int lines = turned ? p.n : p.m;`
bool names_extent(const CppContext& context, Node extent, bool behind_name = false) {
  static const std::set<std::string> extents = {"m",       "n",        "k",      "rows",     "cols",
                                                "columns", "row_size", "seqlen", "seqlen_q", "seqlen_k",
                                                "hidden",  "count",    "width",  "height"};
  const Node last = extent.is(NodeKind::field_expression) ? extent.child(Field::field_field) : extent;
  if (counts_steps(context, extent)) return false;
  if (extents.count(to_lower(last.text().substr(0, 40)))) return true;
  if (behind_name || !extent.is(NodeKind::identifier)) return false;
  const Node made = context.folder.definition_of(extent);
  const Node value = made.is(NodeKind::init_declarator) ? made.child(Field::value_field) : Node();
  return value.is(NodeKind::conditional_expression) && made.tree() == extent.tree() &&
         names_extent(context, value.child(Field::consequence_field), true) &&
         names_extent(context, value.child(Field::alternative_field), true);
}

/// `r < p.m`, `col >= N`: a test against an extent of the problem, not of the tile or of the thread's number.
bool tests_bounds(const CppContext& context, Node condition) {
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::binary_expression)) continue;
    const std::string_view op = n.child(Field::operator_token).text();
    if (op != "<" && op != ">=" && op != ">" && op != "<=") continue;
    for (const Field side : {Field::left_field, Field::right_field}) {
      const Node extent = n.child(side);
      if (extent.text().starts_with("get<") && has_text(extent, "problem")) return true;
      if (names_extent(context, extent) &&
          n.child(Field::left_field).text().find("threadIdx") == std::string_view::npos)
        return true;
    }
  }
  return false;
}

/// `*p`, `p[i]`, __ldg(p): what a test may keep from being read.
bool reads_memory(Node n) {
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (part.is(NodeKind::subscript_expression)) return true;
    if (part.is(NodeKind::pointer_expression) && part.text().starts_with('*')) return true;
    if (part.is(NodeKind::call_expression) &&
        leaf_name(part.child(Field::function_field)).starts_with("__ld"))
      return true;
  }
  return false;
}

bool stands_on_device(Node n) {
  const Node function = n.enclosing(NodeKind::function_definition);
  return function && function_kind(function) != evidence::Function::Kind::host;
}

void add_guard(CppContext& context, Node condition) {
  CppDraft& draft = context.add(Family::B1, "predicate", std::string(condition.text().substr(0, 60)),
                                "bounds test " + std::string(condition.text().substr(0, 120)), condition);
  draft.construct = "bounds";
}
}  // namespace

void extract_cpp_guards(CppContext& context) {
  for (const Node n : context.nodes()) {
    const bool choice = n.is(NodeKind::conditional_expression);
    if (!choice && !n.is(NodeKind::if_statement)) continue;
    const Node condition = n.child(Field::condition_field), then = n.child(Field::consequence_field);
    if (!condition || condition.text().size() > 200 || !tests_bounds(context, condition)) continue;
    const bool guards = choice ? reads_memory(then)
                               : then.text().find('=') != std::string_view::npos || has_text(then, "copy") ||
                                     then.is(NodeKind::continue_statement) || has_text(then, "continue");
    if (guards && stands_on_device(n)) add_guard(context, condition);
  }
}

}  // namespace cutelab::reading
