#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"
#include "reading/models/models.h"

/// What the library's CollectiveBuilder makes of its arguments: stages, schedule, layouts and the way to the
/// output, each with what decides it. Rules: CUTLASS, gemm/collective/builders/sm90_gmma_builder.inl and
/// epilogue/collective/builders/sm90_builder.inl.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int most_alias_steps = 4;
constexpr std::int64_t stage_alignment = 128;  ///< of a stage's buffers in shared memory
constexpr std::int64_t barrier_bytes = 16;     ///< full and empty mbarrier of one stage

/// What an alias stands for, through further aliases.
Node behind_alias(const CppContext& context, Node type) {
  for (int step = 0; step < most_alias_steps; ++step) {
    const Node made = context.folder.definition_of(type);
    if (!made.is(NodeKind::alias_declaration) || made.contains(type)) break;
    type = made.child(Field::type_field);
  }
  return type;
}

/// "StageCountAutoCarveout" of cutlass::gemm::collective::StageCountAutoCarveout<…>
std::string type_name(Node type) {
  std::string_view text = type.text();
  text = text.substr(0, text.find('<'));
  if (const auto scope = text.rfind("::"); scope != std::string_view::npos) text = text.substr(scope + 2);
  return std::string(trim(text).substr(0, 100));
}

std::vector<Node> template_arguments(Node type) {
  for (std::uint32_t i = type.index(); type && i < type.end_index(); ++i)
    if (const Node n = type.tree()->at(i); n.is(NodeKind::template_type))
      return cpp_items(n.child(Field::arguments_field));
  return {};
}

/// What an argument's name stands for: through its aliases; of a member of a template's parameter, what the
/// configurations of this file give under that name, joined by " or ".
std::string names_behind(const CppContext& context, Node type) {
  std::string name = type_name(behind_alias(context, type));
  if (name.starts_with("Kernel") && name.find("WarpSpecialized") != std::string::npos) return name;
  std::vector<std::string> given;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::alias_declaration) || n.child(Field::name_field).text() != name) continue;
    std::string one = type_name(behind_alias(context, n.child(Field::type_field)));
    if (one != name && std::find(given.begin(), given.end(), one) == given.end())
      given.push_back(std::move(one));
  }
  return given.empty() ? name : join(given, " or ");
}

/// One CollectiveBuilder<…> with its arguments.
struct Collective {
  Node type;
  bool epilogue = false;
  std::vector<Node> given;
  int arch = 0;   ///< 90 of arch::Sm90; 0 = not told
  Node schedule;  ///< as it is written; no node where none is given
  std::string schedule_name;

  bool automatic() const { return schedule_name.ends_with("ScheduleAuto"); }
};

int level_of(const std::string& arch) {
  int level = 0;
  if (!arch.starts_with("Sm")) return 0;
  for (const char c : arch.substr(2))
    if (c >= '0' && c <= '9') level = 10 * level + (c - '0');
  return level;
}

Collective collective_at(const CppContext& context, Node type) {
  Collective out;
  out.type = type;
  Node whole = type;
  while (whole.parent().is(NodeKind::qualified_identifier)) whole = whole.parent();
  out.epilogue = whole.text().substr(0, 80).find("epilogue") != std::string_view::npos;
  out.given = cpp_items(type.child(Field::arguments_field));
  if (!out.given.empty()) out.arch = level_of(type_name(behind_alias(context, out.given[0])));
  for (const Node one : out.given) {
    const std::string name = names_behind(context, one);
    const bool main_loop = name.starts_with("Kernel") && !out.epilogue;
    const bool epilogue = out.epilogue && (name.find("WarpSpecialized") != std::string::npos ||
                                           name.starts_with("EpilogueSchedule"));
    if (!main_loop && !epilogue) continue;
    out.schedule = one;
    out.schedule_name = name;
  }
  return out;
}

/// Extents of a flat shape; empty where one is not known.
std::vector<std::int64_t> extents_of(const CppValue& shape) {
  std::vector<std::int64_t> out;
  if (!shape.is(CppValue::Kind::tuple) || !shape.tuple.known()) return out;
  for (int i = 0; i < shape.tuple.rank(); ++i) {
    const layout::IntTuple mode = shape.tuple.mode(i);
    if (!mode.is_leaf()) return {};
    out.push_back(mode.leaf().value());
  }
  return out;
}

/// Bytes that A and B of one stage take, with the stage's barriers; none where types or tile are not known.
std::optional<std::int64_t> bytes_per_stage(const CppContext& context, const Collective& c) {
  if (c.given.size() < 12 || c.arch != 90) return std::nullopt;
  const CppValue a = context.folder.value(c.given[2]), b = context.folder.value(c.given[5]);
  const CppValue tile = context.folder.value(c.given[9]);
  const bool types =
      a.is(CppValue::Kind::type) && b.is(CppValue::Kind::type) && a.bits > 0 && a.bits == b.bits;
  const auto extents = extents_of(tile);
  if (!types || extents.size() != 3) return std::nullopt;
  const std::int64_t bytes = (extents[0] + extents[1]) * extents[2] * a.bits / 8;
  return (bytes + stage_alignment - 1) / stage_alignment * stage_alignment + barrier_bytes;
}

evidence::Value collective_number(std::int64_t number, std::string formula) {
  evidence::Value out = evidence::literal(number);
  out.known_by = evidence::KnownBy::computed;
  out.formula = std::move(formula);
  return out;
}

/// As many stages as fit beside the carveout.
evidence::Value automatic_stages(const CppContext& context, Node written, Node made,
                                 std::optional<std::int64_t> stage) {
  const auto carveouts = template_arguments(made);
  std::optional<std::int64_t> carveout = 0;
  if (!carveouts.empty()) carveout = context.value(carveouts[0]).integer();
  const auto capacity = models::shared_memory_capacity("sm_90");
  const std::string text(written.text().substr(0, 200));
  if (stage && carveout && capacity) {
    const std::int64_t taken = (*carveout + stage_alignment - 1) / stage_alignment * stage_alignment;
    return collective_number(
        (*capacity / stage_alignment * stage_alignment - taken) / *stage,
        "(" + std::to_string(*capacity) + " - " + std::to_string(taken) + ") / " + std::to_string(*stage));
  }
  std::vector<std::string> depends;
  if (!carveout) depends.emplace_back(carveouts[0].text().substr(0, 100));
  if (!stage) depends.emplace_back("element types and tile");
  return evidence::undetermined(
      "the builder takes as many stages as fit: (shared memory of the target - carveout) / bytes of a stage",
      std::move(depends), context.at(written), text);
}

void add_stages(CppContext& context, const Collective& c) {
  Node written;
  for (const Node one : c.given)
    if (type_name(behind_alias(context, one)).starts_with("StageCount")) written = one;
  if (!written) return;
  const Node made = behind_alias(context, written);
  const std::string name = type_name(made);
  const auto stage = c.schedule_name.find("Blockwise") == std::string::npos ? bytes_per_stage(context, c)
                                                                            : std::optional<std::int64_t>();
  const auto arguments = template_arguments(made);
  const bool given = name == "StageCount" && !arguments.empty();
  CppDraft& draft = context.add(
      Family::H3, evidence::kind::stages, "main loop",
      given ? "stages of the main loop" : "stages of the main loop: as many as fit (" + name + ")", written);
  draft.construct = "collective-stages";
  draft.fact.values["stages"] =
      given ? context.value(arguments[0]) : automatic_stages(context, written, made, stage);
  if (stage)
    draft.fact.values["bytes_per_stage"] =
        collective_number(*stage, "A and B of one tile, and two mbarriers");
}

/// The schedule that the builder picks where it is left to it; "" where that is not told.
std::string picked_schedule(const CppContext& context, const Collective& c) {
  if (!c.automatic()) return c.schedule_name;
  if (c.arch != 90 || c.given.size() < 12) return "";
  const auto tile = extents_of(context.folder.value(c.given[9]));
  if (tile.size() != 3) return "";
  return tile[0] == 64 ? "KernelTmaWarpSpecializedPingpong" : "KernelTmaWarpSpecializedCooperative";
}

bool holds_part(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// What the builder picks for KernelScheduleAuto.
evidence::Value schedule_value(const CppContext& context, const Collective& c, const std::string& picked) {
  if (picked.empty())
    return evidence::undetermined("the builder picks it from architecture, alignment and tile",
                                  {"CollectiveBuilder"}, context.at(c.schedule), "");
  evidence::Value out = evidence::literal(picked);
  out.known_by = evidence::KnownBy::computed;
  out.formula = "Sm90, where TMA can load A and B: a tile of 64 rows plays ping-pong, others cooperate";
  return out;
}

void add_schedule(CppContext& context, const Collective& c) {
  if (!c.schedule) return;
  const std::string picked = picked_schedule(context, c);
  for (CppDraft& draft : context.drafts) {
    const bool here = draft.fact.kind == evidence::kind::role && c.type.contains(draft.node);
    if (here && c.automatic()) draft.fact.values["schedule"] = schedule_value(context, c, picked);
  }
  if (holds_part(picked, "WarpSpecialized")) {
    CppDraft& roles = context.add(Family::D1, "schedule", "kernel", "kernel schedule " + picked, c.schedule);
    roles.construct = picked;
    roles.fact.optional = true;
  }
  const auto all_stay = [](const std::string& names) {
    const std::string all = replace_all(names, " or ", "|");
    for (const auto name : split(all, '|'))
      if (name.find("Cooperative") == std::string_view::npos &&
          name.find("Pingpong") == std::string_view::npos)
        return false;
    return !names.empty();
  };
  const bool stays = all_stay(picked) || c.arch >= 100;
  if (!stays) return;
  CppDraft& draft =
      context.add(Family::S1, "scheduler", "tile scheduler",
                  "the schedule's kernel stays and takes tiles from the library's scheduler", c.schedule);
  draft.construct = c.arch >= 100 ? "collective-clc-scheduler" : "collective-scheduler";
}

void add_layouts(CppContext& context, const Collective& c) {
  CppDraft& draft =
      context.add(Family::D6, evidence::kind::shared_layout, c.epilogue ? "epilogue" : "A and B",
                  c.epilogue ? "layout of the epilogue's stages: chosen by the builder"
                             : "layouts of A and B: chosen by the builder",
                  c.type);
  draft.construct = c.epilogue ? "plain-layout" : "collective-layout";
  draft.fact.optional = true;
  draft.fact.values["layout"] = evidence::undetermined(
      "the builder takes the widest swizzle that the tile's extent along the major mode allows",
      {"element types", "majorness", "TileShape"}, context.at(c.type), "");
}

/// The main loop names the architecture that it is built for.
void name_architecture(CppContext& context, const Collective& c) {
  for (CppDraft& draft : context.drafts)
    if (draft.construct == "CollectiveBuilder" && (draft.node.contains(c.type) || draft.node == c.type) &&
        c.arch)
      draft.fact.values["architecture"] = evidence::literal("Sm" + std::to_string(c.arch));
}

/// Where the output is stored: by TMA out of shared memory, or by the threads.
void add_store(CppContext& context, const Collective& c) {
  const bool direct = holds_part(c.schedule_name, "NoSmem") || (c.automatic() && c.arch == 90);
  const bool by_tma = !direct && holds_part(c.schedule_name, "Tma");
  CppDraft& draft = context.add(Family::E1, "store", "epilogue",
                                direct   ? "output stored by the threads (the library's epilogue)"
                                : by_tma ? "output staged in shared memory and stored by TMA (the library's "
                                           "epilogue)"
                                         : "output stored by the library's epilogue",
                                c.type);
  draft.construct = direct ? "direct-store" : by_tma ? "tma-store" : "collective-store";
}

/// Threads of the kernel that a schedule names; none where more decides.
std::optional<std::int64_t> threads_of(const std::string& schedule, int arch) {
  if (arch != 90 || !holds_part(schedule, "TmaWarpSpecialized")) return std::nullopt;
  return holds_part(schedule, "Cooperative") || holds_part(schedule, "Pingpong") ? 384 : 256;
}

/// Names that this file gives to device adapters: `using Gemm = …GemmUniversalAdapter<Kernel>`.
std::vector<std::string> adapters(const CppContext& context) {
  std::vector<std::string> out;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::alias_declaration)) continue;
    if (n.child(Field::type_field).text().find("UniversalAdapter<") != std::string_view::npos)
      out.emplace_back(n.child(Field::name_field).text());
  }
  return out;
}

/// "Gemm" of `Gemm gemm;` in the function around a place; "" where no such variable stands before it.
std::string type_of_variable(Node use, std::string_view name) {
  const Node function = use.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); function && i < use.index(); ++i) {
    const Node n = function.tree()->at(i);
    if (n.is(NodeKind::declaration) && cpp_declared_name(n.child(Field::declarator_field)).text() == name)
      return std::string(n.child(Field::type_field).text().substr(0, 80));
  }
  return {};
}

/// `Gemm gemm; gemm.run(…)`: the launch of the library's kernel.
void add_runs(CppContext& context, const std::vector<Collective>& loops) {
  const auto types = adapters(context);
  if (types.empty()) return;
  for (CppDraft& draft : context.drafts)  // what the library launches with
    if (draft.construct == "cluster-shape") draft.fact.optional = false;
  std::optional<CppValue> cluster;
  bool agree = true;
  for (const Collective& c : loops) {
    if (c.given.size() < 12) continue;
    const CppValue one = context.folder.value(c.given[10]);
    agree = agree && one.is(CppValue::Kind::tuple) && (!cluster || cluster->tuple.text() == one.tuple.text());
    cluster = one;
  }
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression)) continue;
    const Node callee = n.child(Field::function_field);
    if (!callee.is(NodeKind::field_expression) || callee.child(Field::field_field).text() != "run") continue;
    const std::string type = type_of_variable(n, callee.child(Field::argument_field).text());
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    CppDraft& draft = context.add(Family::H2, evidence::kind::launch, type, "runs " + type, n);
    draft.construct = "launch";
    draft.fact.values["grid"] = evidence::undetermined(
        "the library's tile scheduler decides it from the problem, the cluster and the number of SMs",
        {"problem", "multiprocessors"}, context.at(n), "");
    if (cluster && agree) draft.fact.values["cluster"] = context.value(*cluster, loops.front().given[10]);
    const auto threads =
        loops.size() == 1 ? threads_of(picked_schedule(context, loops[0]), loops[0].arch) : std::nullopt;
    if (threads)
      draft.fact.values["threads"] = collective_number(
          *threads, "one warpgroup loads; those that multiply: " + picked_schedule(context, loops[0]));
  }
}
}  // namespace

void extract_cpp_collectives(CppContext& context) {
  std::vector<Collective> loops;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::template_type) || n.child(Field::name_field).text() != "CollectiveBuilder") continue;
    const Collective c = collective_at(context, n);
    if (c.given.size() < 10) continue;
    if (c.epilogue) {
      add_store(context, c);
    } else {
      add_stages(context, c);
      add_schedule(context, c);
      name_architecture(context, c);
      loops.push_back(c);
    }
    add_layouts(context, c);
  }
  if (!loops.empty()) add_runs(context, loops);
}

}  // namespace cutelab::reading
