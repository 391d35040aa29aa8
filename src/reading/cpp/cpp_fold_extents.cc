#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Bytes and alignments of types, structs and their members, as the compiler's ABI lays them out.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr std::int64_t pointer_bytes = 8;

std::int64_t aligned_up(std::int64_t n, std::int64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }
/// Types that are no classes: what derives from a struct of these alone leaves the padding at its end.
bool is_plain(const CppValue& type) {
  return type.is(CppKind::type) &&
         (cpp_integer_type(type.text) || type.text == "float" || type.text == "double" || type.node ||
          std::any_of(type.fields.begin(), type.fields.end(), [](auto& f) { return f.first == "*"; }));
}
}  // namespace

CppValue CppFolder::size_of(Node n, Frames frame) {
  if (cpp_has(n.text().substr(0, n.text().find('(')), "...")) return size_of_pack(n, frame);
  const auto items = cpp_items(n);
  if (items.empty()) return CppValue::unknown("sizeof of nothing", {}, n);
  Node operand = items.back();
  while (operand.is(NodeKind::parenthesized_expression) && !cpp_items(operand).empty())
    operand = cpp_items(operand)[0];
  const bool alignment = n.kind_name() == "alignof_expression";
  std::string missing;
  std::optional<CppExtent> extent;
  Node name = operand.is(NodeKind::type_descriptor) && !operand.child(Field::declarator_field)
                  ? operand.child(Field::type_field)
                  : operand;
  Node variable = name.is(NodeKind::identifier) || name.is(NodeKind::type_identifier)
                      ? choose(name.text(), name)
                      : Node();
  if (variable.is(NodeKind::init_declarator)) variable = variable.child(Field::declarator_field);
  const Node declaration =
      variable.parent().is(NodeKind::init_declarator) ? variable.parent().parent() : variable.parent();
  if (variable && variable.field() == Field::declarator_field &&
      (declaration.is(NodeKind::declaration) || declaration.is(NodeKind::field_declaration))) {
    extent = extent_of_declarator(declaration, variable, frame, &missing);
  } else if (const Node shape = operand.child(Field::declarator_field);
             operand.is(NodeKind::type_descriptor) && shape.kind_name() == "abstract_array_declarator") {
    extent = extent_of_declarator(operand, shape, frame, &missing);
  } else {
    const CppValue type = evaluate(operand, frame);
    if (!type.known()) return type;
    extent = extent_of(type, &missing);
  }
  if (extent) {
    CppValue out = CppValue::of(alignment ? extent->alignment : extent->bytes);
    out.held = CppHeld::unsigned_long;
    return out;
  }
  return CppValue::unknown("a size that is not known: " + missing, missing, n);
}

std::optional<CppExtent> CppFolder::extent_of(const CppValue& type, std::string* missing) {
  if (type.is(CppKind::type) && type.bits > 0) {
    CppExtent out{(type.bits + 7) / 8, std::max<std::int64_t>(1, std::min<std::int64_t>(16, type.bits / 8))};
    for (const auto& [name, value] : type.fields)
      if (name == "alignment") {
        out.alignment = value.integer().value_or(1);
        out.bytes = aligned_up(out.bytes, out.alignment);
      }
    out.used = out.bytes;
    out.end_is_told = is_plain(type);
    return out;
  }
  if (type.is(CppKind::structure) && type.node) return extent_of_struct(type, missing, nullptr);
  if (missing->empty())
    *missing = type.known()              ? "a type without a size"
               : type.depends_on.empty() ? type.text
                                         : type.depends_on[0];
  return std::nullopt;
}

bool CppFolder::raise_alignment(Node declaration, Frames frame, std::int64_t* alignment) {
  for (const Node c : declaration.children()) {
    const Node q = c.is(NodeKind::type_qualifier) ? c.first() : c;
    if (!q.is(NodeKind::alignas_qualifier)) continue;
    const CppValue stated = evaluate(cpp_items(q).empty() ? Node() : cpp_items(q).back(), frame);
    std::string missing;
    const auto of_type = stated.integer() ? std::nullopt : extent_of(stated, &missing);
    if (!stated.integer() && !of_type) return false;
    *alignment = std::max(*alignment, of_type ? of_type->alignment : *stated.integer());
  }
  return true;
}

/// The type of a declaration, which may define it: `struct { int a; } pair;`
CppValue CppFolder::type_written_out(Node type, Frames frame) {
  if (type.kind_name() == "enum_specifier" && type.child(Field::body_field)) return of_enumeration(type);
  if (!type.child(Field::body_field)) return evaluate(type, frame);
  CppValue out;
  out.kind = CppKind::structure;
  out.node = type;
  for (Frames f = frame; f; f = f->outer)
    out.fields.insert(out.fields.end(), f->names.begin(), f->names.end());
  return out;
}

/// Of one declarator: `*p[3]`, `(*f)(int)`, `a[2][4]`, `& r`.
std::optional<CppExtent> CppFolder::extent_of_declarator(Node declaration, Node declarator, Frames frame,
                                                         std::string* missing) {
  const CppValue type = type_written_out(declaration.child(Field::type_field), frame);
  std::optional<CppExtent> out = extent_of(type, missing);
  std::int64_t elements = 1;
  for (Node at = declarator; at; at = at.child(Field::declarator_field) ? at.child(Field::declarator_field)
                                      : cpp_items(at).empty()           ? Node()
                                                                        : cpp_items(at)[0]) {
    const std::string_view kind = at.kind_name();
    if (cpp_has(kind, "pointer_declarator") || cpp_has(kind, "reference_declarator")) {
      if (out || cpp_has(kind, "pointer") || declarator.field() == Field::declarator_field)
        out = CppExtent{pointer_bytes, pointer_bytes, pointer_bytes}, elements = 1;
    } else if (at.is(NodeKind::function_declarator)) {
      out = std::nullopt;  // of a function; a pointer to it has one
    } else if (cpp_has(kind, "array_declarator")) {
      const bool abstract = kind == "abstract_array_declarator";
      const auto parts = cpp_items(at);
      const CppValue extent = parts.size() > (abstract ? 0u : 1u) ? evaluate(parts.back(), frame)
                                                                  : CppValue::unknown("no extent");
      if (!extent.integer()) {
        *missing = extent.depends_on.empty() ? std::string(at.text().substr(0, 60)) : extent.depends_on[0];
        return std::nullopt;
      }
      elements *= *extent.integer();
    }
    if (at.is(NodeKind::identifier) || at.is(NodeKind::field_identifier)) break;
  }
  if (!out) return std::nullopt;
  const bool bits = type.is(CppKind::type) && type.fields.empty() && out->bytes == (type.bits + 7) / 8 &&
                    out->bytes != pointer_bytes;
  out->used = out->bytes = bits ? (type.bits * elements + 7) / 8 : out->bytes * elements;
  if (!raise_alignment(declaration, frame, &out->alignment)) {
    *missing = "an alignment";
    return std::nullopt;
  }
  return out;
}

namespace {
constexpr int deepest_extent = 40;

/// One level of nesting while it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

/// What attributes and pragmas say of a struct's layout.
struct StatedLayout {
  std::int64_t pack = 0;  ///< no member is aligned to more; 0: as they are
  std::int64_t alignment = 1;
  bool told = true;
};

StatedLayout stated_layout(Node structure) {
  StatedLayout out;
  std::vector<std::int64_t> kept;
  for (std::uint32_t i = 0; i < structure.index(); ++i) {
    const Node n = structure.tree()->at(i);
    if (n.kind_name() != "preproc_call" || !n.text().starts_with("#pragma")) continue;
    std::string said(trim(n.child(Field::argument_field).text()));
    std::erase(said, ' ');
    if (!said.starts_with("pack(")) continue;
    if (said.starts_with("pack(push")) kept.push_back(out.pack);
    if (said.starts_with("pack(pop")) {
      out.pack = kept.empty() ? 0 : kept.back();
      if (!kept.empty()) kept.pop_back();
      continue;
    }
    const auto digits = said.find_first_of("0123456789");
    if (digits != std::string::npos)
      out.pack = parse_integer(said.substr(digits, said.find(')') - digits)).value_or(0);
    else if (said == "pack()")
      out.pack = 0;
  }
  const Node body = structure.child(Field::body_field);
  const std::string_view all(structure.tree()->text());
  const auto behind = all.substr(
      structure.end_byte(), std::min(all.find(';', structure.end_byte()), all.size()) - structure.end_byte());
  for (const std::string_view part :
       {structure.text().substr(0, body.first_byte() - structure.first_byte()), behind}) {
    if (!cpp_has(part, "__attribute__")) continue;
    if (cpp_has(part, "packed")) out.pack = 1;
    const auto at = part.find("aligned");
    if (at == std::string_view::npos) continue;
    const auto open = part.find('(', at), close = part.find(')', at);
    const auto number = open == std::string_view::npos || close == std::string_view::npos || open > close
                            ? std::nullopt
                            : parse_integer(trim(part.substr(open + 1, close - open - 1)));
    out.told = out.told && number.has_value();
    if (number) out.alignment = std::max<std::int64_t>(out.alignment, *number);
  }
  return out;
}

bool has_virtual_function(Node member) {
  return member.text().starts_with("virtual ") ||
         (member.child(Field::declarator_field).is(NodeKind::function_declarator) &&
          cpp_has(member.text(), " override"));
}

/// Whether a member keeps the padding at the end of its struct from being used by what derives from it: plain
/// data does, a constructor, private data or a base does not.
bool gives_padding_away(Node structure) {
  bool open = !structure.is(NodeKind::class_specifier);
  const std::string_view name = structure.child(Field::name_field).text();
  for (const Node member : structure.child(Field::body_field).children()) {
    if (member.kind_name() == "access_specifier") open = member.text() == "public";
    const Node declarator = member.child(Field::declarator_field);
    const bool data = member.is(NodeKind::field_declaration) && declarator &&
                      !declarator.is(NodeKind::function_declarator) &&
                      !cpp_has(cpp_specifiers(member), "static");
    if (data && (!open || declarator.kind_name() == "reference_declarator" ||
                 member.child(Field::default_value_field)))
      return true;
    if (!member.child(Field::type_field) && declarator.is(NodeKind::function_declarator) &&
        declarator.child(Field::declarator_field).text() == name)
      return true;
  }
  const auto parts = cpp_items(structure);
  return std::any_of(parts.begin(), parts.end(), [](Node n) { return n.is(NodeKind::base_class_clause); });
}
}  // namespace

/// What lies in front of a struct's own members.
std::optional<CppExtent> CppFolder::extent_of_bases(Node structure, bool is_dynamic, Frames frame,
                                                    std::string* missing) {
  CppExtent out;
  bool first = true;
  for (const Node n : structure.children()) {
    if (!n.is(NodeKind::base_class_clause)) continue;
    if (cpp_has(n.text(), "virtual ")) {
      *missing = "a virtual base";
      return std::nullopt;
    }
    for (const Node base : n.children()) {
      if (!base.is(NodeKind::type_identifier) && !base.is(NodeKind::qualified_identifier) &&
          !base.is(NodeKind::template_type))
        continue;
      const auto extent = extent_of(evaluate(base, frame), missing);
      if (!extent) return std::nullopt;
      if (first && is_dynamic && !extent->dynamic) out = {pointer_bytes, pointer_bytes};
      first = false;
      out.dynamic = out.dynamic || extent->dynamic;
      out.alignment = std::max(out.alignment, extent->alignment);
      if (extent->has_empty && out.has_empty) {
        *missing = "several empty bases";
        return std::nullopt;
      }
      out.has_empty = out.has_empty || extent->has_empty;
      if (extent->empty) continue;
      if (!extent->end_is_told && extent->used != extent->bytes) {
        *missing = "the padding at the end of " + std::string(base.text().substr(0, 40));
        return std::nullopt;
      }
      out.bytes =
          aligned_up(out.bytes, extent->alignment) + (extent->fills_end ? extent->used : extent->bytes);
    }
  }
  if (first && is_dynamic) out = {pointer_bytes, pointer_bytes};
  out.dynamic = out.dynamic || is_dynamic;
  return out;
}

/// Puts one declarator of a struct behind those before it; `bits`: up to where they lie.
bool CppFolder::place_member(Node field, const CppDeclared& one, std::int64_t pack, bool overlapped,
                             Frames frame, CppExtent& out, std::int64_t& bits, std::vector<Member>* members,
                             std::string* missing) {
  auto extent = extent_of_declarator(field, one.declarator, frame, missing);
  if (cpp_has(cpp_specifiers(field), "no_unique_address")) {
    *missing = "a member without an address of its own";
    return false;
  }
  if (!extent) return false;
  if (extent->has_empty && out.has_empty && bits == 0) {
    *missing = "an empty member behind an empty base";
    return false;
  }
  out.has_empty = out.has_empty || extent->has_empty;
  out.end_is_told = out.end_is_told && extent->end_is_told;
  if (pack > 0) extent->alignment = std::min(extent->alignment, pack);
  out.alignment = std::max(out.alignment, extent->alignment);
  std::int64_t begin = overlapped ? 0 : aligned_up(bits, extent->alignment * 8), width = extent->bytes * 8;
  if (one.bit_field) {
    const auto parts = cpp_items(one.bit_field);
    const auto wide = evaluate(parts.empty() ? Node() : parts[0], frame).integer();
    if (!wide || *wide < 1 || *wide > width) {
      *missing = "a bit-field's width";
      return false;
    }
    const bool crosses = bits / width != (bits + *wide - 1) / width;
    begin = overlapped ? 0 : crosses && pack == 0 ? aligned_up(bits, width) : bits;
    width = *wide;
  }
  if (members)
    members->push_back({std::string(cpp_declared_name(one.declarator).text()), begin / 8, (width + 7) / 8,
                        extent->alignment});
  bits = overlapped ? std::max(bits, width) : begin + width;
  return true;
}

std::optional<CppExtent> CppFolder::extent_of_struct(const CppValue& structure, std::string* missing,
                                                     std::vector<Member>* members) {
  if (depth_ > deepest_extent) {
    *missing = "a type that holds itself";
    return std::nullopt;
  }
  const Deeper deeper(depth_);
  Frame frame;
  for (const auto& [name, value] : structure.fields) frame.names.emplace(name, value);
  const auto inside = cpp_items(structure.node.child(Field::body_field));
  const bool overlapped = structure.node.is(NodeKind::union_specifier);
  const StatedLayout stated = stated_layout(structure.node);
  const bool is_dynamic = std::any_of(inside.begin(), inside.end(), has_virtual_function);
  auto bases = extent_of_bases(structure.node, is_dynamic, &frame, missing);
  if (!bases || !stated.told) return std::nullopt;
  CppExtent out = *bases;
  out.fills_end = gives_padding_away(structure.node) || is_dynamic;
  std::int64_t bits = out.bytes * 8;
  for (const Node field : inside) {
    if (!field.is(NodeKind::field_declaration) || cpp_has(cpp_specifiers(field), "static")) continue;
    const Node written = field.child(Field::type_field);
    auto declared = cpp_declarators(field);
    if (declared.empty() && written.child(Field::body_field) && !written.child(Field::name_field) &&
        written.kind_name() != "enum_specifier")
      declared.push_back({});
    for (const CppDeclared& one : declared) {
      const Node method = one.declarator.is(NodeKind::function_declarator) ? one.declarator : Node();
      if (method && cpp_items(method)[0].kind_name() != "parenthesized_declarator") continue;
      if (!place_member(field, one, stated.pack, overlapped, &frame, out, bits, members, missing))
        return std::nullopt;
    }
  }
  out.alignment = std::max(out.alignment, stated.alignment);
  if (!raise_alignment(structure.node, &frame, &out.alignment)) {
    *missing = "an alignment";
    return std::nullopt;
  }
  out.empty = bits == 0 && !out.dynamic;
  out.has_empty = out.has_empty || out.empty;
  out.used = (bits + 7) / 8;
  out.bytes = std::max<std::int64_t>(1, aligned_up(out.used, out.alignment));
  if (out.fills_end) out.end_is_told = true;
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

CppValue CppFolder::extent_of_variable(Node declaration, Node declarator) {
  std::string missing;
  const auto extent = extent_of_declarator(declaration, declarator, nullptr, &missing);
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
