#include <cctype>
#include <map>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using evidence::Function;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// The declarator that names a function, below pointers and references.
Node declarator_of(Node definition) {
  Node n = definition.child(Field::declarator_field);
  for (int depth = 0; depth < 16 && n && !n.is(NodeKind::function_declarator); ++depth) {
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.first();
  }
  return n;
}

Function::Kind kind_of(std::string_view head) {
  if (head.find("__global__") != std::string_view::npos ||
      head.find("CUTLASS_GLOBAL") != std::string_view::npos)
    return Function::Kind::kernel;
  for (const char* word :
       {"__device__", "CUTE_DEVICE", "CUTE_HOST_DEVICE", "CUTLASS_DEVICE", "CUTLASS_HOST_DEVICE"})
    if (head.find(word) != std::string_view::npos) return Function::Kind::device;
  return Function::Kind::host;
}

/// Text from the end of the previous statement to the body: specifiers that the parser may have put outside
/// the definition.
std::string_view head_of(const source::Tree& tree, Node definition) {
  const Span span = definition.span();
  const Node body = definition.child(Field::body_field);
  const std::string_view all(tree.text());
  const std::size_t stop = body ? body.span().begin : span.end;
  const auto previous = span.begin == 0 ? std::string_view::npos : all.find_last_of(";}", span.begin - 1);
  const std::size_t begin = previous == std::string_view::npos ? 0 : previous + 1;
  return all.substr(begin, stop - begin);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_whole_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// `#define BOTH __host__ __device__`: what a file's own macros in front of a function stand for.
Function::Kind kind_by_macros(const source::Tree& tree, std::string_view head) {
  for (const Node define : tree.all(NodeKind::preproc_def)) {
    const auto kind = kind_of(define.child(Field::value_field).text());
    if (kind != Function::Kind::host && has_whole_word(head, define.child(Field::name_field).text()))
      return kind;
  }
  return Function::Kind::host;
}

}  // namespace

Function::Kind function_kind(Node definition) {
  const std::string_view head = head_of(*definition.tree(), definition);
  const auto kind = kind_of(head);
  return kind == Function::Kind::host ? kind_by_macros(*definition.tree(), head) : kind;
}

namespace {
void add_launch_bounds(CppContext& context, Node definition, const std::string& name) {
  const Node body = definition.child(Field::body_field);
  for (std::uint32_t i = definition.index(); i < (body ? body.index() : definition.end_index()); ++i) {
    const Node n = definition.tree()->at(i);
    if (!n.is(NodeKind::launch_bounds)) continue;
    CppDraft& draft = context.add(Family::H4, evidence::kind::launch_keyword, "__launch_bounds__",
                                  std::string(n.text().substr(0, 160)), n);
    draft.construct = "launch_bounds";
    draft.fact.kernel = name;
    const Node first = n.first();
    const Node inside = first.is(NodeKind::argument_list) ? first.first() : first;
    if (!inside) continue;
    draft.fact.values["max_threads"] = context.value(inside);
    CppDraft& block =
        context.add(Family::H2, evidence::kind::block, "max_threads",
                    "at most " + std::string(inside.text().substr(0, 100)) + " threads a block", n);
    block.construct = "launch_bounds";
    block.fact.kernel = name;
  }
}
}  // namespace

void extract_cpp_functions(CppContext& context) {
  std::map<std::string, int> by_name;
  std::vector<Node> nodes;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::function_definition)) continue;
    const Node declarator = declarator_of(n);
    Function function;
    function.name = leaf_name(declarator.child(Field::declarator_field));
    if (function.name.empty()) continue;
    function.kind = function_kind(n);
    function.at = context.at(n);
    by_name.emplace(function.name, static_cast<int>(context.reading.functions.size()));
    if (function.kind == Function::Kind::kernel) add_launch_bounds(context, n, function.name);
    context.bodies.emplace(function.name, n.child(Field::body_field));
    context.reading.functions.push_back(std::move(function));
    nodes.push_back(n);
  }
  for (std::size_t f = 0; f < nodes.size(); ++f) {
    for (std::uint32_t i = nodes[f].index(); i < nodes[f].end_index(); ++i) {
      const Node n = nodes[f].tree()->at(i);
      if (!n.is(NodeKind::call_expression)) continue;
      const auto callee = by_name.find(leaf_name(n.child(Field::function_field)));
      if (callee == by_name.end() || callee->second == static_cast<int>(f)) continue;
      const bool launches = n.first().next().is(NodeKind::kernel_call_syntax);
      context.reading.functions[f].calls.push_back({callee->second, context.at(n), launches});
    }
  }
}

}  // namespace cutelab::reading
