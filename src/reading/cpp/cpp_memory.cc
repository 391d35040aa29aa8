#include <algorithm>
#include <array>

#include "reading/cpp/cpp_facts.h"

/// Where tensors lie: by how they came to be, and by CuTe's naming where the sources do not tell.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_cpp_steps = 10;

bool upper(char c) { return c >= 'A' && c <= 'Z'; }

/// sA, tAsA, smem_q; gC, tCgC, mC; rC, tCrC; tCtAcc.
CppSpace space_by_name(std::string_view name) {
  for (const auto& [word, space] :
       {std::pair{"smem", CppSpace::shared}, std::pair{"gmem", CppSpace::global},
        std::pair{"rmem", CppSpace::registers}, std::pair{"tmem", CppSpace::tensor_memory}})
    if (name.find(word) != std::string_view::npos) return space;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (!upper(name[i + 1]) || (i > 0 && !upper(name[i - 1]))) continue;
    if (name[i] == 's') return CppSpace::shared;
    if (name[i] == 'g' || (name[i] == 'm' && i == 0)) return CppSpace::global;
    if (name[i] == 'r') return CppSpace::registers;
    if (name[i] == 't' && i > 0) return CppSpace::tensor_memory;
  }
  return CppSpace::unknown;
}

bool one_of(std::string_view leaf, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), leaf) != names.end();
}

/// A function that gives back another view, or a part, of its first argument.
bool passes_on(std::string_view leaf) {
  return one_of(leaf, {"partition_D",    "partition_S",  "partition_A",
                       "partition_B",    "partition_C",  "retile_D",
                       "retile_S",       "local_tile",   "local_partition",
                       "zipped_divide",  "tiled_divide", "flat_divide",
                       "logical_divide", "group_modes",  "coalesce",
                       "recast",         "filter_zeros", "as_position_independent_swizzle_tensor",
                       "domain_offset",  "flatten",      "make_view"});
}

Node kernel_parameter(Node use) {
  const Node function = use.enclosing(NodeKind::function_definition);
  if (!function || function_kind(function) != evidence::Function::Kind::kernel) return {};
  for (const Node p : cpp_items(cpp_function_name(function).parent().child(Field::parameters_field)))
    if (cpp_declared_name(p.child(Field::declarator_field)).text() == use.text()) return p;
  return {};
}

class SpaceFinder {
 public:
  explicit SpaceFinder(const CppContext& context) : context_(context) {}

  CppSpace at(Node n) {
    if (!n || ++steps_ > most_cpp_steps) return CppSpace::unknown;
    while (n.is(NodeKind::parenthesized_expression) && !cpp_items(n).empty()) n = cpp_items(n)[0];
    if (n.is(NodeKind::call_expression)) return of_call(n);
    if (n.is(NodeKind::field_expression)) return space_by_name(n.child(Field::field_field).text());
    if (!n.is(NodeKind::identifier)) return CppSpace::unknown;
    const Node made = context_.folder.definition_of(n);
    if (made.is(NodeKind::init_declarator) && !made.contains(n)) {
      const CppSpace told = of_declaration(made, n);
      if (told != CppSpace::unknown) return told;
    }
    if (const CppSpace named = space_by_name(n.text()); named != CppSpace::unknown) return named;
    return kernel_parameter(n) ? CppSpace::global : CppSpace::unknown;
  }

 private:
  CppSpace of_declaration(Node made, Node use) {
    const Node value = made.child(Field::value_field);
    const Node declarator = made.child(Field::declarator_field);
    if (declarator.kind_name() != "structured_binding_declarator") return at(value);
    // auto [tAgA, tAsA] = tma_partition(atom, cta, layout, shared, global)
    if (leaf_name(value.child(Field::function_field)) != "tma_partition") return CppSpace::unknown;
    const auto names = cpp_items(declarator);
    return names.size() == 2 && names[1].text() == use.text() ? CppSpace::shared : CppSpace::global;
  }

  CppSpace of_call(Node call) {
    const Node callee = call.child(Field::function_field);
    const std::string leaf = leaf_name(callee);
    const auto arguments = cpp_items(call.child(Field::arguments_field));
    if (leaf == "make_tensor") return of_pointer(arguments);
    if (leaf == "get_tma_tensor") return CppSpace::global;
    if (one_of(leaf, {"make_fragment_like", "make_tensor_like", "make_rmem_tensor", "make_rmem_tensor_like",
                      "partition_fragment_A", "partition_fragment_B", "partition_fragment_C"}))
      return CppSpace::registers;
    if (passes_on(leaf)) return arguments.empty() ? CppSpace::unknown : at(arguments[0]);
    if (leaf.starts_with("tensor_s")) return CppSpace::shared;                // a storage struct's own view
    return callee.is(NodeKind::identifier) ? at(callee) : CppSpace::unknown;  // a slice: tAgA(_, k)
  }

  static CppSpace of_pointer(const std::vector<Node>& arguments) {
    if (arguments.empty()) return CppSpace::unknown;
    const std::string_view pointer = arguments[0].text();
    for (const auto& [word, space] :
         {std::pair{"make_smem_ptr", CppSpace::shared}, std::pair{"make_gmem_ptr", CppSpace::global},
          std::pair{"make_tmem_ptr", CppSpace::tensor_memory}})
      if (pointer.find(word) != std::string_view::npos) return space;
    return arguments.size() == 1 ? CppSpace::registers : CppSpace::unknown;
  }

  const CppContext& context_;
  int steps_ = 0;
};
}  // namespace

CppSpace cpp_space_of(const CppContext& context, Node tensor) { return SpaceFinder(context).at(tensor); }

bool cpp_on_device(Node n) {
  const Node function = n.enclosing(NodeKind::function_definition);
  return function && function_kind(function) != evidence::Function::Kind::host;
}

}  // namespace cutelab::reading
