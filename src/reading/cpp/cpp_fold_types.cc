#include <algorithm>

#include "base/text.h"
#include "layout/smem.h"
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
                                      {"ClusterBarrier", 64},
                                      {"ClusterTransactionBarrier", 64}};

CppValue type_of_bits(std::string_view name, std::int64_t bits) {
  CppValue out;
  out.kind = CppKind::type;
  out.text = name;
  out.bits = bits;
  return out;
}

/// Threads that work together on one operation of that name.
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

std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }
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
    return out;
  }
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

/// The type behind an alias template, its parameters bound.
CppValue CppFolder::expanded(Node alias, const std::vector<CppValue>& arguments, Frames frame) {
  Frame bound;
  bound.outer = frame;
  std::size_t at = 0;
  for (const Node p : cpp_items(alias.parent().child(Field::parameters_field))) {
    Node name = p.child(Field::declarator_field);
    if (!name) name = p.child(Field::name_field);
    if (!name && !cpp_items(p).empty()) name = cpp_items(p).back();
    const Node otherwise = p.child(Field::default_value_field);
    if (at < arguments.size())
      bound.names.emplace(std::string(name.text()), arguments[at]);
    else if (otherwise)
      bound.names.emplace(std::string(name.text()), evaluate(otherwise, &bound));
    ++at;
  }
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
  if (name == "cosize_v" || name == "size_v" || name == "rank_v")
    return library_call(name.substr(0, name.size() - 2), n, arguments, {}, frame);
  if (name == "Layout" || name == "make_layout") return library_call("make_layout", n, arguments, {}, frame);
  if (name == "TiledMMA" || name == "MMA_Atom")
    return library_call("make_tiled_mma", n, arguments, {}, frame);
  if (is_array_name(name)) return array_type(name, arguments);
  if (const Node declaration = choose(name, n)) {
    if (declaration.is(NodeKind::alias_declaration)) return expanded(declaration, arguments, frame);
    return with_arguments(declaration, list, frame);
  }
  CppValue known = cpp_library_name(name, arguments);
  if (known.known()) return known;
  for (const CppValue& a : arguments)
    if (!a.known() && !a.text.empty() && name.starts_with("Layout_")) return a;
  return CppValue::unknown("a template that is not folded", std::string(n.text().substr(0, 60)), n);
}

CppValue CppFolder::with_arguments(Node structure, Node list, Frames frame) {
  CppValue out;
  out.kind = CppKind::structure;
  out.node = structure;
  out.text = structure.child(Field::name_field).text();
  const Node owner = structure.parent();
  if (!owner.is(NodeKind::template_declaration)) return out;
  const auto arguments = values_of(list, frame);
  std::size_t at = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field))) {
    Node name = p.child(Field::declarator_field);
    for (const Node c : p.children())
      if (!name && c.is(NodeKind::type_identifier)) name = c;
    if (at < arguments.size()) out.fields.emplace_back(std::string(name.text()), arguments[at]);
    ++at;
  }
  return out;
}

CppValue CppFolder::size_of(Node n, Frames frame) {
  const auto items = cpp_items(n);
  if (items.empty()) return CppValue::unknown("sizeof of nothing", {}, n);
  const CppValue type = evaluate(items.back(), frame);
  if (!type.known()) return type;
  std::string missing;
  const auto extent = extent_of(type, &missing);
  return extent ? CppValue::of(extent->bytes)
                : CppValue::unknown("a size that is not known: " + missing, missing, n);
}

std::optional<CppExtent> CppFolder::extent_of(const CppValue& type, std::string* missing) {
  if (type.is(CppKind::type) && type.bits > 0) {
    CppExtent out{(type.bits + 7) / 8, std::max<std::int64_t>(1, std::min<std::int64_t>(16, type.bits / 8))};
    for (const auto& [name, value] : type.fields)
      if (name == "alignment") {
        out.alignment = value.integer().value_or(1);
        out.bytes = rounded_up(out.bytes, out.alignment);
      }
    return out;
  }
  if (type.is(CppKind::structure)) return extent_of_struct(type, missing, nullptr);
  if (missing->empty())
    *missing = type.known()              ? "a type without a size"
               : type.depends_on.empty() ? type.text
                                         : type.depends_on[0];
  return std::nullopt;
}

namespace {
/// The N of `alignas(N)` among the children of a declaration or a struct.
std::vector<Node> alignments_in(Node n) {
  std::vector<Node> out;
  for (const Node c : n.children()) {
    const Node q = c.is(NodeKind::type_qualifier) ? c.first() : c;
    if (q.is(NodeKind::alignas_qualifier)) out.push_back(cpp_items(q).empty() ? Node() : cpp_items(q).back());
  }
  return out;
}
}  // namespace

std::optional<CppExtent> CppFolder::extent_of_field(Node field, Frames frame, std::string* missing,
                                                    std::string* name) {
  const Node type_node = field.child(Field::type_field);
  CppValue type;
  if ((type_node.is(NodeKind::struct_specifier) || type_node.is(NodeKind::union_specifier)) &&
      type_node.child(Field::body_field)) {
    type.kind = CppKind::structure;
    type.node = type_node;
    for (Frames f = frame; f; f = f->outer)
      type.fields.insert(type.fields.end(), f->names.begin(), f->names.end());
  } else {
    type = evaluate(type_node, frame);
  }
  Node declarator = field.child(Field::declarator_field);
  std::int64_t count = 1;
  bool pointer = false;
  while (declarator && !declarator.is(NodeKind::field_identifier) && !declarator.is(NodeKind::identifier)) {
    pointer = pointer || declarator.kind_name() == "pointer_declarator";
    if (declarator.is(NodeKind::array_declarator)) {
      const auto extents = cpp_items(declarator);
      const CppValue extent =
          extents.size() > 1 ? evaluate(extents.back(), frame) : CppValue::unknown("no extent");
      if (!extent.integer()) {
        *missing =
            extent.depends_on.empty() ? std::string(declarator.text().substr(0, 60)) : extent.depends_on[0];
        *name = declarator.child(Field::declarator_field).text();
        return std::nullopt;
      }
      count *= *extent.integer();
    }
    declarator = declarator.child(Field::declarator_field);
  }
  *name = declarator.text();
  auto one = pointer ? std::optional(CppExtent{8, 8}) : extent_of(type, missing);
  if (!one) return std::nullopt;
  one->bytes =
      type.is(CppKind::type) && type.fields.empty() ? (type.bits * count + 7) / 8 : one->bytes * count;
  for (const Node n : alignments_in(field))
    if (const auto alignment = evaluate(n, frame).integer())
      one->alignment = std::max(one->alignment, *alignment);
  return one;
}

std::optional<CppExtent> CppFolder::extent_of_struct(const CppValue& structure, std::string* missing,
                                                     std::vector<Member>* members) {
  Frame frame;
  for (const auto& [name, value] : structure.fields) frame.names.emplace(name, value);
  CppExtent out{0, 1};
  const bool overlapped = structure.node.is(NodeKind::union_specifier);
  bool complete = true;
  for (const Node n : structure.node.children())
    if (n.is(NodeKind::base_class_clause)) {
      for (const Node base : n.children()) {
        const bool named = base.is(NodeKind::type_identifier) || base.is(NodeKind::qualified_identifier) ||
                           base.is(NodeKind::template_type);
        const auto extent = named ? extent_of(evaluate(base, &frame), missing) : std::nullopt;
        if (!named) continue;
        if (!extent) return std::nullopt;
        if (extent->bytes > 1) out = {out.bytes + extent->bytes, std::max(out.alignment, extent->alignment)};
      }
    }
  for (const Node field : structure.node.child(Field::body_field).children()) {
    if (!field.is(NodeKind::field_declaration)) continue;
    const bool own = !field.child(Field::declarator_field).is(NodeKind::function_declarator) &&
                     field.child(Field::declarator_field) &&
                     field.text().find("static ") == std::string_view::npos;
    if (!own) continue;
    std::string name;
    const auto extent = extent_of_field(field, &frame, missing, &name);
    if (!extent) {
      complete = false;
      if (!members) return std::nullopt;
      break;
    }
    const std::int64_t offset = overlapped ? 0 : rounded_up(out.bytes, extent->alignment);
    if (members) members->push_back({name, offset, extent->bytes, extent->alignment});
    out.bytes = overlapped ? std::max(out.bytes, extent->bytes) : offset + extent->bytes;
    out.alignment = std::max(out.alignment, extent->alignment);
  }
  if (!complete) return std::nullopt;
  for (const Node n : alignments_in(structure.node))
    if (const auto alignment = evaluate(n, &frame).integer())
      out.alignment = std::max(out.alignment, *alignment);
  out.bytes = std::max<std::int64_t>(1, rounded_up(out.bytes, out.alignment));
  return out;
}

/// A struct's definition as a type: a template's arguments come through the names of its parameters.
static CppValue structure_at(Node n) {
  CppValue out;
  out.kind = CppKind::structure;
  out.node = n;
  return out;
}

CppValue CppFolder::layout_of(Node structure) {
  std::string missing;
  const auto extent = extent_of_struct(structure_at(structure), &missing, nullptr);
  return extent ? CppValue::of(extent->bytes)
                : CppValue::unknown("a member's size is not known", missing, structure);
}

std::optional<std::int64_t> CppFolder::alignment_of(Node structure) {
  std::string missing;
  const auto extent = extent_of_struct(structure_at(structure), &missing, nullptr);
  return extent ? std::optional(extent->alignment) : std::nullopt;
}

CppValue CppFolder::extent_of_variable(Node declaration) {
  std::string missing, name;
  const auto extent = extent_of_field(declaration, nullptr, &missing, &name);
  return extent ? CppValue::of(extent->bytes)
                : CppValue::unknown("its size is not known", missing, declaration);
}

std::vector<CppFolder::Member> CppFolder::members_of(Node structure) {
  std::vector<Member> out;
  std::string missing;
  extent_of_struct(structure_at(structure), &missing, &out);
  return out;
}

}  // namespace cutelab::reading
