#include <algorithm>

#include "base/text.h"
#include "layout/smem.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Types: elements of the library, templates with their arguments, bytes of structs.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {

struct NamedBits {
  std::string_view name;
  int bits;
};
constexpr NamedBits element_bits[] = {{"bool", 8},
                                      {"char", 8},
                                      {"int8_t", 8},
                                      {"uint8_t", 8},
                                      {"byte", 8},
                                      {"float_e4m3_t", 8},
                                      {"float_e5m2_t", 8},
                                      {"float_ue8m0_t", 8},
                                      {"float_ue4m3_t", 8},
                                      {"__nv_fp8_e4m3", 8},
                                      {"__nv_fp8_e5m2", 8},
                                      {"float_e2m1_t", 4},
                                      {"float_e2m3_t", 6},
                                      {"float_e3m2_t", 6},
                                      {"int4b_t", 4},
                                      {"uint4b_t", 4},
                                      {"short", 16},
                                      {"int16_t", 16},
                                      {"uint16_t", 16},
                                      {"half_t", 16},
                                      {"__half", 16},
                                      {"half", 16},
                                      {"bfloat16_t", 16},
                                      {"__nv_bfloat16", 16},
                                      {"int", 32},
                                      {"unsigned", 32},
                                      {"int32_t", 32},
                                      {"uint32_t", 32},
                                      {"float", 32},
                                      {"tfloat32_t", 32},
                                      {"double", 64},
                                      {"int64_t", 64},
                                      {"uint64_t", 64},
                                      {"size_t", 64},
                                      {"uint128_t", 128},
                                      {"uint4", 128},
                                      {"float4", 128},
                                      {"int4", 128},
                                      {"float2", 64},
                                      {"int2", 64},
                                      {"uint2", 64},
                                      {"double2", 128},
                                      {"half2", 32},
                                      {"__half2", 32},
                                      {"__nv_bfloat162", 32},
                                      {"ClusterBarrier", 64},
                                      {"ClusterTransactionBarrier", 64}};

CppValue type_of_bits(std::string_view name, std::int64_t bits) {
  CppValue out;
  out.kind = CppKind::type;
  out.text = name;
  out.bits = bits;
  return out;
}

/// Threads that work together on one operation of that name; CTAs for tcgen05.
std::optional<std::int64_t> threads_of_operation(std::string_view name) {
  if (name.starts_with("SM90_64x")) return 128;
  if (name.starts_with("SM100_MMA") || name.starts_with("SM100_F"))
    return name.find("2x1SM") != std::string_view::npos ? 2 : 1;
  if (name.starts_with("SM70_8x8")) return 8;
  for (const char* warp : {"SM75_", "SM80_16x8", "SM80_8x8", "SM89_16x8", "SM90_16x8", "SM120_16x8"})
    if (name.starts_with(warp)) return 32;
  if (name == "UniversalFMA") return 1;
  return std::nullopt;
}

}  // namespace

CppValue cpp_type_named(std::string_view name) {
  for (const NamedBits& type : element_bits)
    if (type.name == name) return type_of_bits(name, type.bits);
  return {};
}

CppValue cpp_library_name(std::string_view name, const std::vector<CppValue>& arguments) {
  const std::int64_t bits = !arguments.empty() && arguments[0].is(CppKind::type) ? arguments[0].bits : 0;
  if (name.starts_with("Layout_") && name.ends_with("_Atom") && bits > 0) {
    std::string kind(name.substr(7, name.size() - 12));
    if (const auto known = layout::smem_atom_kind(kind))
      if (auto atom = layout::smem_layout_atom(*known, bits)) return CppValue::of(std::move(*atom));
  }
  if (const auto threads = threads_of_operation(name)) {
    CppValue out;
    out.kind = CppKind::threads;
    out.tuple = layout::IntTuple(*threads);
    out.text = name;
    cpp_shape_of_operation(name, arguments, out);
    return out;
  }
  if (name.starts_with("SM90_TMA_") || name.starts_with("SM100_TMA_")) return type_of_bits(name, 0);
  if (name == "GenRowMajor" || name == "LayoutRight") return type_of_bits("LayoutRight", 0);
  if (name == "GenColMajor" || name == "LayoutLeft") return type_of_bits("LayoutLeft", 0);
  return {};
}

namespace {
CppValue swizzle_type(const std::vector<CppValue>& arguments) {
  CppValue out = type_of_bits("Swizzle", 0);
  for (const CppValue& a : arguments) {
    if (!a.integer()) return a.known() ? CppValue::unknown("not a swizzle", "Swizzle") : a;
    out.fields.emplace_back("", a);
  }
  if (arguments.size() == 2) out.fields.emplace_back("", arguments[0]);
  return out;
}

bool is_array_name(std::string_view name) {
  return name == "ArrayEngine" || name == "array_aligned" || name == "array" || name == "Array" ||
         name == "AlignedArray" || name == "AlignedBuffer";
}

/// array<T, N[, alignment]>: the aligned ones take 16 bytes where nothing is said.
CppValue array_type(std::string_view name, const std::vector<CppValue>& arguments) {
  for (const CppValue& a : arguments)
    if (!a.known()) return a;
  if (arguments.size() < 2 || !arguments[0].bits || !arguments[1].integer())
    return CppValue::unknown("not an array", std::string(name));
  CppValue out = type_of_bits(name, arguments[0].bits * *arguments[1].integer());
  const std::int64_t natural = std::max<std::int64_t>(1, arguments[0].bits / 8);
  const bool wide = name == "array_aligned" || name == "AlignedArray" || name == "AlignedBuffer";
  out.fields.emplace_back("alignment",
                          arguments.size() > 2 ? arguments[2] : CppValue::of(wide ? 16 : natural));
  return out;
}
}  // namespace

CppValue cpp_pointer_to(const CppValue& pointee, std::string_view written) {
  CppValue out = type_of_bits(written, 64);
  out.fields.emplace_back("*", pointee);
  return out;
}

namespace {
/// is_same_v<A, B>, is_same<A, B>: 1 or 0 where both are types that have one name each; integers have
/// several.
CppValue same_types(std::string_view name, Node written, const std::vector<CppValue>& a) {
  if ((name != "is_same_v" && name != "is_same") || a.size() != 2) return {};
  for (const CppValue& one : a)
    if (!one.is(CppKind::type)) return one.known() ? CppValue() : one;
  const bool integers = cpp_integer_type(a[0].text) && cpp_integer_type(a[1].text);
  const bool same = cpp_same_value(a[0], a[1]);
  if (integers && (same || a[0].bits == a[1].bits)) {
    const auto items = cpp_items(written);
    if (items.size() == 2 && items[0].text() == items[1].text()) return CppValue::of(1);
    return CppValue::unknown("types of integers with several names", std::string(name), written);
  }
  return CppValue::of(std::int64_t{same});
}
}  // namespace

/// `const T*`, `T&`, `T[4]` as an argument of a template or of sizeof.
CppValue CppFolder::described_type(Node n, Frames frame) {
  const Node written = n.child(Field::type_field);
  if (!written) return evaluate(n.first(), frame);
  CppValue type = evaluate(written, frame);
  const Node shape = n.child(Field::declarator_field);
  bool constant = false;
  for (const Node part : n.children())
    constant = constant || (part.is(NodeKind::type_qualifier) && part.text() == "const");
  if (constant && type.is(CppKind::type)) type.constant = true;
  if (!shape) return type;
  const std::string text = type.is(CppKind::type) ? type.text : std::string(written.text().substr(0, 60));
  if (shape.child(Field::declarator_field))  // a pointer to a pointer, an array of pointers
    return shape.kind_name() == "abstract_pointer_declarator" &&
                   shape.child(Field::declarator_field).kind_name() == "abstract_pointer_declarator"
               ? cpp_pointer_to(CppValue::unknown("a pointer", text, n), n.text())
               : CppValue::unknown("is not folded", std::string(n.text().substr(0, 60)), n);
  if (shape.kind_name() == "abstract_pointer_declarator") return cpp_pointer_to(type, text + "*");
  if (shape.kind_name() == "abstract_reference_declarator") {
    if (!type.is(CppKind::type)) return type.known() ? type : CppValue::unknown(type.text, text, n);
    CppValue out = type;
    out.fields.emplace_back("&", type);
    return out;
  }
  return CppValue::unknown("is not folded", std::string(n.text().substr(0, 60)), n);
}

/// The type behind an alias template, its parameters bound.
CppValue CppFolder::expanded(Node alias, const std::vector<CppValue>& arguments, Frames frame) {
  Frame bound;
  bound.outer = frame;
  const auto whole = all_arguments(alias.parent(), arguments, frame);
  bound.scope = alias.parent();
  bind_parameters(alias.parent(), whole, bound);
  return evaluate(alias.child(Field::type_field), &bound);
}

/// name<…>: a library template over known arguments, a template struct, or an alias template of these
/// sources.
CppValue CppFolder::template_use(Node n, Node list, std::string_view name, Frames frame) {
  const auto arguments = values_of(list, frame);
  const auto integers = [&]() -> CppValue {
    std::vector<layout::IntTuple> modes;
    for (const CppValue& a : arguments) {
      if (!a.is(CppKind::integer) && !a.is(CppKind::tuple))
        return a.known() ? CppValue::unknown("not a static integer", std::string(name), n) : a;
      modes.push_back(a.tuple);
    }
    return CppValue::of(layout::IntTuple::tuple(modes));
  };
  if ((name == "Int" || name == "C" || name == "integral_constant" || name == "constant") &&
      !arguments.empty())
    return arguments.back();
  if (name == "Shape" || name == "Stride" || name == "Step" || name == "Tile" || name == "Coord" ||
      name == "tuple")
    return integers();
  if (name == "Swizzle" && arguments.size() >= 2) return swizzle_type(arguments);
  if ((name == "conditional_t" || name == "conditional") && arguments.size() == 3) {
    if (!arguments[0].integer()) return arguments[0];
    return arguments[*arguments[0].integer() ? 1 : 2];
  }
  if (cpp_has(name, "is_same"))
    if (CppValue told = same_types(name, list, arguments); told.known() || !told.text.empty()) return told;
  if (name == "cosize_v" || name == "size_v" || name == "rank_v")
    return library_call(name.substr(0, name.size() - 2), n, arguments, {}, frame);
  if (name == "Layout" || name == "make_layout") return library_call("make_layout", n, arguments, {}, frame);
  if (name == "TiledMMA" || name == "MMA_Atom")
    return library_call("make_tiled_mma", n, arguments, {}, frame);
  if (is_array_name(name)) return array_type(name, arguments);
  if (const Node declaration = choose(name, n)) {
    if (declaration.is(NodeKind::alias_declaration)) return expanded(declaration, arguments, frame);
    if (declaration.is(NodeKind::init_declarator)) return variable_template(declaration, n, arguments, frame);
    return chosen_template(declaration, name, arguments, frame);
  }
  CppValue known = cpp_library_name(name, arguments);
  if (known.known()) return known;
  for (const CppValue& a : arguments)
    if (!a.known() && !a.text.empty() && name.starts_with("Layout_")) return a;
  return CppValue::unknown("a template that is not folded", std::string(n.text().substr(0, 60)), n);
}

/// `constant<3>` of `template <int n> constexpr int constant = …;`
CppValue CppFolder::variable_template(Node init, Node use, const std::vector<CppValue>& arguments,
                                      Frames frame) {
  const Node owner = init.parent().parent();
  const std::string_view name = cpp_declared_name(init.child(Field::declarator_field)).text();
  if (!owner.is(NodeKind::template_declaration) || special_.count(name))
    return CppValue::unknown("a template that is not folded", std::string(use.text().substr(0, 60)), use);
  Frame bound;
  bound.outer = frame;
  const auto whole = all_arguments(owner, arguments, frame);
  bound.scope = owner;
  bind_parameters(owner, whole, bound);
  return initial(init, use, &bound);
}

/// `a::b::name` and `::name` where these sources have such a namespace; unknown with an empty text: others.
CppValue CppFolder::of_namespace(Node n, Frames frame) {
  std::vector<std::string_view> path;
  Node name = n;
  for (; name.is(NodeKind::qualified_identifier); name = name.child(Field::name_field)) {
    const Node scope = name.child(Field::scope_field);
    if (!scope && path.empty()) continue;
    if (!scope.is(NodeKind::namespace_identifier) || !namespaces_.count(scope.text())) return {};
    path.push_back(scope.text());
  }
  if (!name.is(NodeKind::identifier) && !name.is(NodeKind::type_identifier)) return {};
  return in_namespace(n, path, name, frame);
}

/// `S::value`, `S::type` of a struct of these sources: its own, or what it derives from.
CppValue CppFolder::own_value(const CppValue& type, std::string_view name, int depth) {
  if (!type.is(CppKind::structure) || !type.node || depth > 8) return type;
  if (CppValue own = member_named(type, name, true); own.known() || !own.text.empty()) return own;
  Frame bound;
  bound.scope = type.node.parent().is(NodeKind::template_declaration) ? type.node.parent() : type.node;
  for (const auto& [field, value] : type.fields) bound.names.insert_or_assign(field, value);
  Node base;
  for (const Node n : type.node.children())
    if (n.is(NodeKind::base_class_clause))
      for (const Node one : n.children())
        if (one.is(NodeKind::template_type) || one.is(NodeKind::qualified_identifier) ||
            one.is(NodeKind::type_identifier))
          base = one;
  return base ? own_value(evaluate(base, &bound), name, depth + 1) : type;
}

/// `::name` that no declaration of the file has: a using declaration's, or a library's type.
CppValue CppFolder::of_file(Node n, Node name) {
  for (const Node one : usings_) {
    if (one.enclosing(NodeKind::compound_statement) || cpp_items(one).empty()) continue;
    const Node whole = cpp_items(one).back();
    Node last = whole;
    while (last.is(NodeKind::qualified_identifier)) last = last.child(Field::name_field);
    if (whole.is(NodeKind::qualified_identifier) && last.text() == name.text())
      return evaluate(whole, nullptr);
  }
  if (CppValue type = cpp_type_named(name.text()); type.known()) return type;
  if (macros_.count(name.text())) return macro(name.text(), name);
  return CppValue::unknown("a qualified name that is not resolved", std::string(n.text().substr(0, 60)), n);
}

CppValue CppFolder::qualified(Node n, Frames frame) {
  const Node name = n.child(Field::name_field);
  if (name.text() == "value" || name.text() == "type")
    return own_value(evaluate(n.child(Field::scope_field), frame), name.text(), 0);
  if (CppValue there = of_namespace(n, frame); there.known() || !there.text.empty()) return there;
  if (!n.child(Field::scope_field) && (name.is(NodeKind::identifier) || name.is(NodeKind::type_identifier)))
    return of_file(n, name);
  if (CppValue member = member_of_scope(n, n.child(Field::scope_field), name, frame);
      member.known() || !member.text.empty())
    return member;
  // A local of that name is another one.
  CppValue inner = is_local(choose(name.text(), name))
                       ? CppValue::unknown("a qualified name that is not resolved", std::string(n.text()), n)
                       : evaluate(name, frame);
  const std::string_view written = name.text();
  const bool capitals =
      written.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos;
  // Major::K: an enumerator of the library is its name; the grammar takes it for a type between < and >.
  if (inner.known() || !(name.is(NodeKind::identifier) || capitals)) return inner;
  const std::string_view whole = n.text();
  const auto colons = whole.rfind("::"), before = whole.rfind("::", colons - 1);
  const std::string_view last = whole.substr(before == std::string_view::npos ? 0 : before + 2);
  if (last[0] < 'A' || last[0] > 'Z') return inner;
  inner = {};
  inner.kind = CppValue::Kind::type;
  inner.text = last;
  return inner;
}

}  // namespace cutelab::reading
