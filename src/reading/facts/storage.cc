#include <algorithm>
#include <map>
#include <set>

#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/facts/stage_formula.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_struct(const source::PythonClass& c) {
  return std::any_of(c.decorators.begin(), c.decorators.end(),
                     [](const std::string& d) { return d.ends_with("cute.struct") || d == "struct"; });
}

/// `cute.struct.MemRange[T, n]` or `Align[MemRange[T, n], bytes]` taken apart; no nodes where it is neither.
struct MemberType {
  Node element, count, alignment;
};

MemberType member_type(Node annotation) {
  MemberType out;
  Node n = annotation;
  for (int depth = 0; depth < 4 && n; ++depth) {
    if (n.is(NodeKind::type)) n = n.first();
    std::vector<Node> parts;
    if (n.is(NodeKind::subscript)) {
      for (const Node c : n.children()) parts.push_back(c);
    } else {
      // tree-sitter reads a plain `name[…]` annotation as a generic type: identifier and type parameters.
      for (const Node c : n.children()) {
        if (c.is(NodeKind::identifier) || c.is(NodeKind::attribute))
          parts.push_back(c);
        else
          for (const Node inner : c.children())
            parts.push_back(inner.is(NodeKind::type) ? inner.first() : inner);
      }
    }
    if (parts.size() < 2) return out;
    const std::string_view head = parts[0].text();
    if (head.ends_with("Align")) {
      n = parts[1];
      if (parts.size() > 2) out.alignment = parts[2];
      continue;
    }
    if (head.ends_with("MemRange") && parts.size() > 2) {
      out.element = parts[1];
      out.count = parts[2];
    }
    return out;
  }
  return out;
}

/// A member's element type: as the source spells it where that names the type, else what it stands for.
evidence::Value element_type(FactContext& context, Node element) {
  const std::string text(element.text());
  const std::string path = context.evaluator.value_of(0, element).path;
  evidence::Value out = evidence::literal(text);
  const std::string leaf = leaf_name(path);
  if (!models::bits_of_type(path) || text.ends_with(leaf)) return out;
  out.data = leaf;
  out.formula = text;
  out.known_by = evidence::KnownBy::computed;
  return out;
}

void add_member(FactContext& context, const Assignment& member, const std::string& owner) {
  const std::string type(member.annotation.text().substr(0, 160));
  const MemberType parts = member_type(member.annotation);
  Draft& draft = context.add(Family::H3, evidence::kind::storage_member, member.name,
                             member.name + ": " + type, member.statement);
  draft.construct = "storage-member";
  draft.fact.values["struct"] = evidence::literal(owner);
  draft.fact.values["type"] = parts.element ? element_type(context, parts.element) : evidence::literal(type);
  const bool small = type.find("Int64") != std::string::npos || type.find("Uint64") != std::string::npos ||
                     (type.find("Int32") != std::string::npos && !parts.count);
  // Descriptors kept in shared memory are data, barriers are not.
  const bool descriptors = member.name.find("tensormap") != std::string::npos ||
                           member.name.find("tensor_map") != std::string::npos;
  draft.fact.optional = small && !descriptors;
  if (parts.count) {
    draft.fact.values["count"] = context.value(parts.count);
    const auto bits = models::bits_of_type(context.evaluator.value_of(0, parts.element).path);
    const auto count = draft.fact.values["count"].integer();
    evidence::Value bytes = draft.fact.values["count"];
    if (bits && count)
      bytes.data = *count * *bits / 8;
    else if (count)
      bytes.data = context.value(parts.element).data;
    draft.fact.values["bytes"] = bytes;
  }
  if (parts.alignment) draft.fact.values["alignment"] = context.value(parts.alignment);
}

evidence::Value computed(std::int64_t number, std::string formula) {
  evidence::Value out = evidence::literal(number);
  out.formula = std::move(formula);
  out.known_by = evidence::KnownBy::computed;
  return out;
}

void add_structs(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (std::size_t c = 0; c < module.classes().size(); ++c) {
    const source::PythonClass& found = module.classes()[c];
    if (!is_struct(found)) continue;
    Draft& draft = context.add(Family::H3, evidence::kind::storage, found.name,
                               "shared storage " + found.name, found.node);
    draft.construct = "struct";
    draft.fact.values["bytes"] = evidence::undetermined("members and padding need evaluation", {found.name},
                                                        context.at(found.node), "");
    const auto seen = context.evaluator.storage_of(0, found.node);
    if (seen && seen->bytes) {
      draft.fact.values["bytes"] = computed(*seen->bytes, "members in order, each aligned");
      if (seen->alignment)
        draft.fact.values["alignment"] = computed(*seen->alignment, "largest of the members");
    }
    const std::size_t first = context.drafts.size();
    for (const Assignment& a : module.assignments())
      if (a.class_index == static_cast<int>(c) && a.annotation && found.body.contains(a.statement))
        add_member(context, a, found.name);
    if (!seen) continue;
    for (std::size_t d = first; d < context.drafts.size(); ++d)
      for (const SeenStorage::Member& member : seen->members) {
        auto& values = context.drafts[d].fact.values;
        if (context.drafts[d].fact.subject != member.name) continue;
        if (member.bytes) values["bytes"] = computed(*member.bytes, values["bytes"].formula);
        if (member.offset) values["offset"] = computed(*member.offset, "sum of the members before, aligned");
      }
  }
}

/// Allocations of a struct: its bytes.
void add_allocated(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::allocation || !draft.node.is(NodeKind::call)) continue;
    const auto seen = context.evaluator.storage_of(0, draft.node);
    if (!seen || !seen->bytes) continue;
    draft.fact.values["bytes"] = computed(
        *seen->bytes, seen->name.empty() ? "elements of its layout times their size" : "the struct's bytes");
    if (seen->name.empty() && seen->alignment && !draft.fact.values.count("alignment"))
      draft.fact.values["alignment"] = computed(*seen->alignment, "asked for, at least the element's");
    if (!seen->name.empty()) draft.fact.values["type"] = evidence::literal(seen->name);
  }
}

bool names_stages(std::string name) {
  const auto dot = name.rfind('.');
  if (dot != std::string::npos) name = name.substr(dot + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  if (name.find("bytes") != std::string::npos || name.ends_with("per_stage")) return false;  // their size
  return name == "stages" || name == "stage" || name == "num_stages" || name.ends_with("_stage") ||
         name.ends_with("_stages") || name.ends_with("stage_depth") || name.ends_with("pipe_depth") ||
         name.ends_with("pipeline_depth") || name.ends_with("_stage_count");
}

/// A stage count is set where the number is made: a constant, an arithmetic formula, a choice; not where it
/// is only passed on.
bool makes_number(Node value) {
  switch (value.kind()) {
    case NodeKind::integer:
    case NodeKind::binary_operator:
    case NodeKind::conditional_expression:
    case NodeKind::parenthesized_expression:
      return true;
    case NodeKind::call:
      return value.child(Field::function_field).text() == "min" ||
             value.child(Field::function_field).text() == "max";
    default:
      return false;
  }
}

/// What a name is after `name += …`: its value where the function uses it next.
evidence::Value value_after(FactContext& context, const Assignment& a) {
  const source::PythonModule& module = context.module();
  const Node body =
      a.function >= 0 ? module.functions()[static_cast<std::size_t>(a.function)].body : module.tree().root();
  for (std::uint32_t i = a.statement.end_index(); i < body.end_index(); ++i) {
    const Node n = module.tree().at(i);
    if ((!n.is(NodeKind::identifier) && !n.is(NodeKind::attribute)) || n.text() != a.name) continue;
    evidence::Value out = context.value(n);
    out.formula = std::string(a.statement.text().substr(0, 400));
    return out;
  }
  return evidence::undetermined("changed here and not used after", {a.name}, context.at(a.statement), "");
}

/// ab_bytes_per_stage = …: what one stage takes.
void add_stage_sizes(FactContext& context) {
  for (const Assignment& a : context.module().assignments()) {
    if (!a.value || a.form != Assignment::Form::plain || !a.slots.empty() || !a.name.ends_with("per_stage") ||
        a.name.find("bytes") == std::string::npos)
      continue;
    Draft& draft = context.add(Family::H3, "stage-size", a.name,
                               a.name + " = " + std::string(a.value.text().substr(0, 120)), a.statement);
    draft.fact.optional = true;
    draft.fact.values["bytes"] = context.value(a.value);
    draft.construct = "stage-size";
  }
}

void add_stages(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (const Assignment& a : module.assignments()) {
    if (!a.value || a.form == Assignment::Form::loop || !a.slots.empty()) continue;
    const bool number = makes_number(a.value) || a.form == Assignment::Form::augmented;
    if (!number || !names_stages(a.name)) continue;
    const bool own =
        a.function >= 0 && module.functions()[static_cast<std::size_t>(a.function)].has_decorator("kernel");
    if (own) continue;
    Draft& draft = context.add(Family::H3, evidence::kind::stages, a.name,
                               a.form == Assignment::Form::augmented
                                   ? std::string(a.statement.text().substr(0, 160))
                                   : a.name + " = " + std::string(a.value.text().substr(0, 120)),
                               a.statement);
    draft.fact.values["stages"] =
        a.form == Assignment::Form::augmented ? value_after(context, a) : context.value(a.value);
    draft.construct = "stages";
    if (std::string form = stage_formula_form(context, a.value); !form.empty())
      draft.fact.values["form"] = evidence::literal(std::move(form));
  }
}

/// What a parameter is where its function first uses it: its default, or what a caller gave.
evidence::Value value_used(FactContext& context, const source::PythonFunction& function,
                           const std::string& name) {
  for (std::uint32_t i = function.body.index(); function.body && i < function.body.end_index(); ++i) {
    const Node n = function.body.tree()->at(i);
    if (n.is(NodeKind::identifier) && n.text() == name && n.field() != Field::attribute_field)
      return context.value(n);
  }
  return evidence::undetermined("not used", {name}, context.at(function.body), "");
}

/// def __init__(self, num_stages: int = 3): the count where no caller gives another.
void add_default_stages(FactContext& context) {
  for (const source::PythonFunction& f : context.module().functions()) {
    if (f.name != "__init__") continue;
    for (const source::Parameter& p : f.parameters) {
      if (!p.default_value.is(NodeKind::integer) || !names_stages(p.name)) continue;
      Draft& draft = context.add(Family::H3, evidence::kind::stages, p.name,
                                 p.name + " = " + std::string(p.default_value.text()) + " by default",
                                 p.default_value.parent());
      draft.fact.values["stages"] = context.value(p.default_value);
      draft.fact.values["overridable"] = evidence::literal(true);
      if (const auto used = value_used(context, f, p.name).integer())
        draft.fact.values["used"] = evidence::literal(*used);
      draft.construct = "stages";
    }
  }
}

/// A second tensor over the storage of another: make_tensor(sQ.iterator, …), or over a recast pointer to it.
void add_views(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "make_tensor" || site.target.empty()) continue;
    const Node first = context.positional(site.call, 0);
    const bool recast = first.is(NodeKind::call) && first.text().find("recast_ptr") != std::string_view::npos;
    const bool iterator =
        first.is(NodeKind::attribute) && first.child(Field::attribute_field).text() == "iterator";
    if (!recast && !iterator) continue;
    const std::string space = memory_space(context, first);
    if (iterator ? space != "shared" : !space.empty() && space != "shared") continue;
    Draft& draft = context.add(Family::H3, evidence::kind::alias, site.target,
                               site.target + " lies over the storage of another tensor", site.call);
    draft.construct = "alias";
    draft.fact.optional = recast;
    if (iterator)
      draft.fact.values["of"] =
          evidence::literal(std::string(first.child(Field::object_field).text().substr(0, 60)));
  }
}

/// sVt = cute.composition(sV, layout): the same shared memory under another layout, transposed for instance.
void add_composed_views(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "composition" || site.target.empty() || site.path.find("cute") == std::string::npos ||
        !runs_on_device(context, site.call))
      continue;
    const Node of = context.positional(site.call, 0);
    if (!of.is(NodeKind::identifier) || of.text() == site.target || memory_space(context, of) != "shared")
      continue;
    Draft& draft =
        context.add(Family::H3, "view", site.target,
                    site.target + " is " + std::string(of.text()) + " under another layout", site.call);
    draft.construct = "composed-view";
    draft.fact.optional = true;
    draft.fact.values["of"] = evidence::literal(std::string(of.text()));
    if (const Node layout = context.positional(site.call, 1))
      draft.fact.values["layout"] = context.value(layout);
  }
}

/// storage.sQ.get_tensor(…) a second time in one function: two tensors over one member.
void add_second_tensors(FactContext& context) {
  std::map<std::pair<int, std::string>, const CallSite*> first;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "get_tensor" || site.target.empty() || site.receiver.find('.') == std::string::npos)
      continue;
    const auto [known, fresh] = first.try_emplace({site.function, site.receiver}, &site);
    if (fresh || known->second->target == site.target) continue;
    Draft& draft = context.add(Family::H3, evidence::kind::alias, site.target,
                               site.target + " lies over the storage of " + known->second->target, site.call);
    draft.construct = "alias";
    draft.fact.values["of"] = evidence::literal(known->second->target);
  }
}

/// First(storage), Second(storage): two structs laid over one allocation.
void add_structs_over_storage(FactContext& context) {
  std::set<std::string> structs;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::storage) structs.insert(d.fact.subject);
  std::map<std::pair<int, std::string>, std::string> first;  // by function and what they are laid over
  for (const CallSite& site : context.calls()) {
    const Node over =
        structs.count(site.leaf) && site.receiver.empty() ? context.positional(site.call, 0) : Node();
    if (!over) continue;
    const auto [known, fresh] =
        first.try_emplace({site.function, std::string(over.text().substr(0, 80))}, site.leaf);
    if (fresh || known->second == site.leaf) continue;
    Draft& draft = context.add(Family::H3, evidence::kind::alias, site.leaf,
                               site.leaf + " lies over the storage of " + known->second, site.call);
    draft.construct = "alias";
    draft.fact.values["of"] = evidence::literal(known->second);
  }
}

/// buffer, barriers = self.allocate_buffers(smem): a helper of another local module that takes shared memory.
void add_helper_allocations(FactContext& context) {
  static const std::vector<std::string> makers = {"allocate_tensor", "allocate_array", "alloc_smem"};
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.leaf.find("alloc") == std::string::npos || site.function < 0 ||
        !context.evaluator.callee_function(0, site.call, &m, &f) || m == 0 ||
        !context.function_contains(m, f, makers))
      continue;
    Draft& draft =
        context.add(Family::H3, evidence::kind::allocation, site.leaf,
                    site.leaf + " takes shared memory in " + context.program.module(m).path(), site.call);
    draft.construct = "helper-allocation";
    draft.fact.values["bytes"] =
        evidence::undetermined("taken by a helper of another file", {site.leaf}, context.at(site.call), "");
  }
}

/// A pointer or tensor recast that is not shared memory is no alias of it.
void drop_other_spaces(FactContext& context) {
  std::erase_if(context.drafts, [&](const Draft& d) {
    if (d.fact.kind != evidence::kind::alias ||
        (d.construct != "recast_ptr" && d.construct != "recast_tensor"))
      return false;
    const Node first = context.positional(d.node, 0);
    const std::string space = first ? memory_space(context, first) : "";
    return !space.empty() && space != "shared";
  });
}
}  // namespace

void extract_storage(FactContext& context) {
  add_structs(context);
  add_allocated(context);
  add_stages(context);
  add_stage_sizes(context);
  add_default_stages(context);
  drop_other_spaces(context);
  add_views(context);
  add_second_tensors(context);
  add_structs_over_storage(context);
  add_helper_allocations(context);
  add_composed_views(context);
}

}  // namespace cutelab::reading
