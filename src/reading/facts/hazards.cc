#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/models/models.h"

// What rules ask of single statements: in which loop and behind which guard a copy stands, what a descriptor
// written by hand says, what is printed from which role, what the host compiles.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// cute.printf in a kernel: it wants registers and a stack of the role that runs it.
void add_prints(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "printf" || !runs_on_device(context, site.call)) continue;
    Draft& draft = context.add(Family::D1, "print", site.leaf, "prints from the device", site.call);
    draft.construct = "print";
    draft.fact.optional = true;
  }
}

/// cute.compile(f, …): whether f is a host function or a kernel.
void add_compiles(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "compile" || !site.path.ends_with("cute.compile")) continue;
    const Node target = context.positional(site.call, 0);
    const Abstract function = context.evaluator.value_of(0, target);
    if (!target || !function.is(Abstract::Kind::function) || function.module < 0 || function.index < 0)
      continue;
    const auto& called =
        context.program.module(function.module).functions()[static_cast<std::size_t>(function.index)];
    Draft& draft = context.add(Family::H4, "compile", std::string(target.text().substr(0, 60)),
                               "compiles " + called.qualified, site.call);
    draft.construct = "compile";
    draft.fact.optional = true;
    draft.fact.values["target"] = evidence::literal(called.has_decorator("kernel") ? "kernel"
                                                    : called.has_decorator("jit")  ? "jit"
                                                                                   : "plain function");
  }
}

evidence::Value list_of(FactContext& context, Node list) {
  evidence::Value out;
  evidence::Value::List items;
  for (const Node item : list.children()) items.push_back(context.value(item));
  out.data = std::move(items);
  out.formula = std::string(list.text().substr(0, 200));
  out.known_by = evidence::KnownBy::computed;
  return out;
}

/// create_tensor_map_tiled(…, box_dims=[…], swizzle=…): what the descriptor itself says. Strides are counted
/// in units of 16 bytes.
void complete_tensor_maps(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.construct != "create_tensor_map_tiled" &&
        draft.construct != "create_tensor_map_tiled_from_view")
      continue;
    const bool view = draft.construct.ends_with("view");
    const auto given = [&](const char* name, int position) {
      const Node n = context.keyword(draft.node, name);
      return n ? n : context.positional(draft.node, position);
    };
    for (const auto& [name, value_name, position] :
         {std::tuple{"box_dims", "box", view ? 1 : 4}, {"global_dims", "extents", view ? -1 : 2}}) {
      const Node n = position < 0 ? Node() : given(name, position);
      if (!n) continue;
      const bool spelled = n.is(NodeKind::list) || n.is(NodeKind::tuple);
      draft.fact.values[value_name] = spelled ? list_of(context, n) : context.value(n);
    }
    if (const Node type = context.keyword(draft.node, "dtype"))
      draft.fact.values["type"] = context.value(type);
    if (const Node swizzle = context.keyword(draft.node, "swizzle"))
      draft.fact.values["swizzle"] = context.value(swizzle);
  }
}

/// The descriptor's own operation multicasts; where it does not, what multicasts are the copies.
bool told_to_multicast(const std::map<std::string, evidence::Value>& values) {
  const auto operation = values.find("operation");
  return operation == values.end() || operation->second.text().find("Multicast") != std::string::npos;
}

/// The box of a tile and its way through shared memory, as the run's descriptor has them.
void add_box(FactContext& context, Draft& draft) {
  if (draft.construct != "make_tiled_tma_atom" && draft.construct != "descriptor-helper") return;
  const auto told = [&](const char* field) { return context.evaluator.made_with(0, draft.node, field); };
  auto& values = draft.fact.values;
  const Abstract ctas = told("num_multicast");
  const auto multicast = values.find("multicast");
  const bool by_copies =
      multicast != values.end() && multicast->second.boolean().value_or(false) && !told_to_multicast(values);
  if (by_copies)
    values["multicast_degree"] =
        evidence::undetermined("given to the copies, not to the descriptor", {"multicast of the copies"},
                               context.at(draft.node), "");
  else if (ctas.is(Abstract::Kind::integer) && (draft.construct == "descriptor-helper" || ctas.number > 1))
    values["multicast_degree"] = context.value(ctas, {});
  if (const Abstract steps = told("shared_steps"); steps.is(Abstract::Kind::text))
    values["shared_steps"] = evidence::literal(steps.text);
  const Abstract box = told("box"), type = told("value_type");
  if (!box.is(Abstract::Kind::tuple) || !type.is(Abstract::Kind::name)) return;
  values["type"] = context.value(type, {});
  values["boxes"] = context.value(told("boxes"), {});
  values["box"] = context.value(box, {});
  values["box"].formula =
      "the tile, contiguous mode first, cut at the swizzle's span" +
      (ctas.number > 1 ? ", a part for each of the " + std::to_string(ctas.number) + " CTAs that multicast it"
                       : std::string());
  values["box"].known_by = evidence::KnownBy::computed;
  const Abstract span = told("swizzle_bytes");
  if (span.number > 16) values["swizzle"] = evidence::literal(std::to_string(span.number) + "B");
}

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 160)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ' && out.back() != '(')
      out += ' ';
  }
  return replace_all(out, " )", ")");
}

/// The condition under which a part of an if statement runs; "" = the part is none.
std::string condition_around(Node part) {
  const Node above = part.parent();
  const auto text_of_condition = [](Node of) { return in_one_line(of.child(Field::condition_field).text()); };
  if (part.field() == Field::consequence_field &&
      (above.is(NodeKind::if_statement) || above.is(NodeKind::elif_clause)))
    return text_of_condition(above);
  if (!above.is(NodeKind::if_statement) || !part.is(NodeKind::else_clause)) return {};
  std::string out = "not (" + text_of_condition(above) + ")";
  for (const Node before : above.children())
    if (before.is(NodeKind::elif_clause)) out += " and not (" + text_of_condition(before) + ")";
  return out;
}

/// Where the role's own block begins: what selects the role is told as the role.
bool selects_role(const FactContext& context, Node part) {
  return std::any_of(context.roles.begin(), context.roles.end(), [&](const RoleBlock& role) {
    return !role.elected && (role.block == part || role.statement == part);
  });
}

bool mentions_election(std::string_view text) { return text.find("elect") != std::string_view::npos; }

/// The conditions under which a statement runs inside its role and its outermost `while`, outermost first,
/// and the condition of the `while` that it stands in directly.
void add_surroundings(const FactContext& context, Draft& draft) {
  std::string guard;
  bool in_range = false;
  for (Node n = draft.node; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    const std::string condition = condition_around(n);
    if (!condition.empty() && (mentions_election(condition) || !selects_role(context, n)))
      guard = condition + (guard.empty() ? "" : " and ") + guard;
    if (above.is(NodeKind::while_statement) && n.field() == Field::body_field) {
      if (!in_range)
        draft.fact.values["loop"] =
            evidence::literal(std::string(above.child(Field::condition_field).text().substr(0, 160)));
      break;
    }
    in_range = in_range || above.is(NodeKind::for_statement);
    if (above.is(NodeKind::with_statement) && n.field() == Field::body_field &&
        above.text().substr(0, 160).find("elect_one") != std::string_view::npos)
      draft.fact.values["elected"] = evidence::literal(true);
  }
  if (!guard.empty()) draft.fact.values["guard"] = evidence::literal(guard.substr(0, 400));
}

void complete_copies(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::copy || !draft.node.is(NodeKind::call)) continue;
    add_surroundings(context, draft);
    auto& values = draft.fact.values;
    if (!draft.path.empty()) values["atom"] = evidence::literal(leaf_name(draft.path));
    const auto guard = values.find("guard");
    const std::string* text = guard == values.end() ? nullptr : guard->second.string();
    if (text && mentions_election(*text)) values["elected"] = evidence::literal(true);
  }
}

/// Buffers allocated one by one: their bytes where element and count stand there.
void complete_allocations(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::allocation || !draft.node.is(NodeKind::call) ||
        draft.construct == "allocate" ||
        (draft.fact.values.count("bytes") && draft.fact.values["bytes"].determined()))
      continue;
    if (const auto seen = context.evaluator.storage_of(0, draft.node); seen && seen->bytes) {
      evidence::Value whole = evidence::literal(*seen->bytes);
      whole.known_by = evidence::KnownBy::computed;
      whole.formula = "its elements times their size";
      draft.fact.values["bytes"] = whole;
      continue;
    }
    const Node type = context.positional(draft.node, 0);
    const Node count = context.positional(draft.node, 1);
    const std::int64_t bits =
        type ? models::bits_of_type(context.evaluator.value_of(0, type).path).value_or(0) : 0;
    const std::int64_t number = count ? context.value(count).integer().value_or(0) : 0;
    const bool left_out = context.evaluator.active(0, draft.node).state == evidence::Tristate::no;
    evidence::Value bytes = evidence::undetermined(
        left_out ? "not allocated under the defaults" : "the size of the buffer needs its layout",
        {draft.fact.subject}, context.at(draft.node), "");
    if (bits > 0 && number > 0 && draft.construct == "allocate_array") {
      bytes = evidence::literal(number * bits / 8);
      bytes.known_by = evidence::KnownBy::computed;
      bytes.formula = fmt::format("{} * {} / 8", number, bits);
    }
    draft.fact.values["bytes"] = bytes;
  }
}

/// Ld32x32bOp(Repetition.x1, …): how much one tensor-memory load brings. Columns are of 32 bits; shapes of 16
/// lanes take the warp's 32 lanes in two loads (PTX ISA, tcgen05.ld).
void complete_tensor_memory_loads(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != "tmem-copy" || !draft.node.is(NodeKind::call)) continue;
    if (!draft.construct.starts_with("Ld") && !draft.construct.starts_with("St")) continue;
    auto& values = draft.fact.values;
    Node repeat = context.keyword(draft.node, "repeat");
    if (!repeat) repeat = context.positional(draft.node, 0);
    if (repeat.is(NodeKind::identifier))
      if (const Node made = bound_before(context, repeat); made.is(NodeKind::call)) repeat = made;
    if (repeat.is(NodeKind::call) && leaf_name(repeat.child(Field::function_field).text()) == "Repetition")
      if (const Node times = context.positional(repeat, 0)) repeat = times;
    values["repeat"] = repeat ? context.value(repeat) : evidence::literal(std::string("x1"));
    values["direction"] = evidence::literal(draft.construct.starts_with("Ld") ? "load" : "store");
    for (const auto& [shape, columns, lanes] :
         {std::tuple{"32x32b", 1, 32}, {"16x64b", 2, 16}, {"16x128b", 4, 16}, {"16x256b", 8, 16}}) {
      if (draft.construct.substr(2) != std::string(shape) + "Op") continue;
      values["columns_each"] = evidence::literal(static_cast<std::int64_t>(columns));
      values["lanes"] = evidence::literal(static_cast<std::int64_t>(lanes));
    }
  }
}

/// Whether the file reads what an attribute was given: by an access anywhere, or by its name in a string, as
/// getattr takes it. What is no attribute is taken to be read, and what a class shares with a base.
bool is_read(const FactContext& context, const source::Assignment& given) {
  const std::string& attribute = given.name;
  const auto dot = attribute.rfind('.');
  const Node owner = given.statement.enclosing(NodeKind::class_definition);
  if (dot == std::string::npos || !owner || owner.child(Field::superclasses_field)) return true;
  const std::string name = attribute.substr(dot + 1);
  for (const Node n : context.module().tree().all({NodeKind::attribute, NodeKind::string})) {
    const std::string_view text = n.text();
    if (n.is(NodeKind::string) ? text.size() == name.size() + 2 && text.substr(1, name.size()) == name
                               : last_part(text) == name &&
                                     !(n.field() == Field::left_field && n.parent().is(NodeKind::assignment)))
      return true;
  }
  return false;
}

/// self.epi_tile = …, self.cta_tile_shape_mnk = …: what the epilogue cuts, and into what.
void add_epilogue_tiles(FactContext& context) {
  for (const source::Assignment& a : context.module().assignments()) {
    if (!a.value || a.form != source::Assignment::Form::plain || !a.slots.empty() ||
        a.value.is(NodeKind::none))
      continue;
    const std::string name = to_lower(leaf_name(a.name));
    const bool part =
        name == "epi_tile" || name == "epi_tile_mn" || name == "epilogue_tile" || name == "epi_tiler";
    const bool whole = name == "cta_tile_shape_mnk" || name == "cta_tile_shape_mn" || name == "cta_tile_mnk";
    if (!whole && (!part || !is_read(context, a))) continue;
    Draft& draft = context.add(Family::E1, part ? "epilogue-tile" : "cta-tile", a.name,
                               part ? "what the epilogue stores at a time" : "tile of one CTA", a.statement);
    draft.construct = part ? "epilogue-tile" : "cta-tile";
    draft.fact.optional = true;
    draft.fact.values["tile"] = context.value(a.value);
  }
}
}  // namespace

void extract_hazards(FactContext& context) {
  add_prints(context);
  add_compiles(context);
  complete_tensor_maps(context);
  for (Draft& draft : context.drafts) add_box(context, draft);
  complete_copies(context);
  complete_allocations(context);
  complete_tensor_memory_loads(context);
  add_epilogue_tiles(context);
}

}  // namespace cutelab::reading
