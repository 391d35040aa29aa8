#include <algorithm>

#include "reading/cpp/cpp_folder.h"

/// Bytes and alignments of types, structs and their members.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
std::int64_t aligned_up(std::int64_t n, std::int64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }
}  // namespace

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
        out.bytes = aligned_up(out.bytes, out.alignment);
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
}  // namespace

std::optional<CppExtent> CppFolder::extent_of_struct(const CppValue& structure, std::string* missing,
                                                     std::vector<Member>* members) {
  if (depth_ > deepest_extent) {
    *missing = "a type that holds itself";
    return std::nullopt;
  }
  const Deeper deeper(depth_);
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
    const Node written = field.child(Field::type_field), declarator = field.child(Field::declarator_field);
    const bool unnamed = !declarator && written.child(Field::body_field) && !written.child(Field::name_field);
    const bool own = (unnamed || declarator) && !declarator.is(NodeKind::function_declarator) &&
                     !field.text().starts_with("static ");
    if (!own) continue;
    std::string name;
    const auto extent = extent_of_field(field, &frame, missing, &name);
    if (!extent) {
      complete = false;
      if (!members) return std::nullopt;
      break;
    }
    const std::int64_t offset = overlapped ? 0 : aligned_up(out.bytes, extent->alignment);
    if (members) members->push_back({name, offset, extent->bytes, extent->alignment});
    out.bytes = overlapped ? std::max(out.bytes, extent->bytes) : offset + extent->bytes;
    out.alignment = std::max(out.alignment, extent->alignment);
  }
  if (!complete) return std::nullopt;
  for (const Node n : alignments_in(structure.node))
    if (const auto alignment = evaluate(n, &frame).integer())
      out.alignment = std::max(out.alignment, *alignment);
  out.bytes = std::max<std::int64_t>(1, aligned_up(out.bytes, out.alignment));
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
