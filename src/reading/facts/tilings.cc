#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "layout/parse.h"
#include "reading/evaluator/folder.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// The parameter of a device function that a name is; -1 = it is none.
int parameter_of(const FactContext& context, Node name) {
  const source::PythonModule& module = context.module();
  const int f = module.function_at(name);
  if (f < 0 || !name.is(NodeKind::identifier)) return -1;
  const auto& parameters = module.functions()[static_cast<std::size_t>(f)].parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name.text()) return static_cast<int>(i);
  return -1;
}

/// The direction of the descriptor that a call made, here or in a helper that the call went through.
std::string direction_at(const FactContext& context, const Abstract& made) {
  std::vector<Node> calls = {made.made_at};
  for (const Frame* f = made.frame; f && f->call; f = f->caller) calls.push_back(f->call);
  for (const Node call : calls)
    for (const Draft& d : context.drafts) {
      if (d.fact.kind != "tma-descriptor" || !call || d.node != call) continue;
      const auto direction = d.fact.values.find("direction");
      if (direction != d.fact.values.end() && direction->second.string())
        return *direction->second.string() == "load" ? "load" : "store";
    }
  return {};
}

/// The direction of a descriptor that names this tensor itself, as a copy of cute_ext does.
std::string direction_of_tensor(const FactContext& context, Node tensor) {
  for (const Draft& d : context.drafts) {
    if (d.construct != "extension-descriptor" || d.fact.subject != tensor.text()) continue;
    return d.fact.values.at("direction").text() == "load" ? "load" : "store";
  }
  return {};
}

/// "load" or "store" where the tensor comes from a TMA descriptor, "" where it does not, "?" where that
/// cannot be told.
std::string tma_side(FactContext& context, Node tensor) {
  while (tensor.is(NodeKind::subscript)) tensor = tensor.child(Field::value_field);
  if (std::string named = direction_of_tensor(context, tensor); !named.empty()) return named;
  const std::string low = to_lower(tensor.text());
  const Abstract value = context.evaluator.value_of(0, tensor);
  if (value.made_at.is(NodeKind::call))
    if (std::string direction = direction_at(context, value); !direction.empty()) return direction;
  const bool maker =
      value.path.find("tma_atom") != std::string::npos || value.path.find("tensor_map") != std::string::npos;
  if (maker || low.find("tma") != std::string::npos) return "?";
  const bool has_descriptors = std::any_of(context.drafts.begin(), context.drafts.end(),
                                           [](const Draft& d) { return d.fact.kind == "tma-descriptor"; });
  if (!has_descriptors) return "";
  // With descriptors in the file, only a tensor whose origin is known is surely not one of theirs.
  return value.path.empty() || parameter_of(context, tensor) >= 0 ? "?" : "";
}

/// What the calls of a device function of this file pass for the parameter that a tensor is, or is a slice
/// of.
std::vector<Node> passed_for(FactContext& context, Node tensor) {
  while (tensor.is(NodeKind::subscript)) tensor = tensor.child(Field::value_field);
  const int parameter = parameter_of(context, tensor);
  std::vector<Node> out;
  if (parameter < 0) return out;
  const int own = context.module().function_at(tensor);
  const source::PythonFunction& function = context.module().functions()[static_cast<std::size_t>(own)];
  if (function.has_decorator("kernel")) return out;
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.leaf != function.name || !context.evaluator.callee_function(0, site.call, &m, &f) || m != 0 ||
        f != own)
      continue;
    const Node given = argument_for(context, function, site.call, static_cast<std::size_t>(parameter));
    if (!given) return {};
    out.push_back(given);
  }
  return out;
}

/// The side of a tensor that a function is handed: that of what all its calls pass; "?" where that is not
/// one.
std::string side_of_passed(FactContext& context, const std::vector<Node>& passed) {
  std::string side;
  for (const Node given : passed) {
    const Node origin = tensor_origin(context, given);
    const std::string one = origin ? tma_side(context, origin) : "?";
    if (given != passed.front() && one != side) return "?";
    side = one;
  }
  return side;
}

/// A tensor of coordinates: nothing is loaded from it or stored to it.
bool holds_coordinates(const FactContext& context, Node tensor) {
  while (tensor.is(NodeKind::subscript)) tensor = tensor.child(Field::value_field);
  const Node made = tensor.is(NodeKind::identifier) ? bound_before(context, tensor) : tensor;
  if (!made.is(NodeKind::call)) return false;
  return leaf_name(made.child(Field::function_field).text().substr(0, 120)) == "make_identity_tensor";
}

evidence::Value extents_of(const SeenTensor& tensor) {
  evidence::Value::List extents;
  for (const auto& extent : tensor.extents)
    extents.push_back(extent ? evidence::literal(*extent)
                             : evidence::undetermined("known when the kernel is launched", {}, {}, ""));
  evidence::Value out;
  out.data = std::move(extents);
  out.known_by = evidence::KnownBy::computed;
  return out;
}

bool cuts(std::string_view leaf) {
  return leaf == "local_tile" || leaf == "zipped_divide" || leaf == "tiled_divide" || leaf == "flat_divide";
}

/// A tile given by layouts, one for each mode, has their sizes: (128:1, 32:1) cuts tiles of (128, 32).
evidence::Value sizes_of(evidence::Value tile) {
  const auto* items = tile.list();
  if (!items) return tile;
  evidence::Value::List sizes = *items;
  for (evidence::Value& item : sizes) {
    if (!item.string() || item.string()->find(':') == std::string::npos) continue;
    const auto known = layout::parse_layout(*item.string());
    const layout::Int size = known ? layout::product(known->layout().shape()) : layout::Int();
    if (known && size.known()) item = evidence::literal(size.value());
  }
  tile.data = std::move(sizes);
  return tile;
}

Node tiler_of(const FactContext& context, Node call) {
  const Node second = context.positional(call, 1);
  return second ? second : context.keyword(call, "tiler");
}

/// Leading items of a subscript that keep their mode: t[(None, None, *coord)] keeps two, t[i] none.
std::size_t modes_kept(Node subscript) {
  std::size_t kept = 0;
  for (const Node part : subscript.children()) {
    if (part.field() == Field::value_field) continue;
    const bool tuple = part.is(NodeKind::tuple);
    for (const Node item : tuple ? part.children() : subscript.children()) {
      if (!tuple && item.field() == Field::value_field) continue;
      if (!item.is(NodeKind::none)) return kept;
      ++kept;
    }
    return kept;
  }
  return kept;
}

/// The tile that a tensor is: extents of its leading modes where it was cut by local_tile or flat_divide,
/// which put the tile's modes first. Nothing where it is no tile.
std::optional<evidence::Value::List> tile_itself(FactContext& context, Node tensor) {
  std::size_t most = SIZE_MAX;
  for (int step = 0; step < 4 && tensor; ++step) {
    if (tensor.is(NodeKind::subscript)) {
      most = std::min(most, modes_kept(tensor));
      tensor = tensor.child(Field::value_field);
    } else if (tensor.is(NodeKind::identifier)) {
      tensor = bound_before(context, tensor);
    } else {
      break;
    }
  }
  const CallSite* site = tensor.is(NodeKind::call) ? context.site_of(tensor) : nullptr;
  if (!site || (site->leaf != "local_tile" && site->leaf != "flat_divide")) return std::nullopt;
  const Node tiler = tiler_of(context, tensor);
  if (!tiler) return std::nullopt;
  const evidence::Value tile = sizes_of(context.value(tiler));
  const evidence::Value projection =
      context.keyword(tensor, "proj") ? context.value(context.keyword(tensor, "proj")) : evidence::Value();
  const auto *items = tile.list(), *kept = projection.list();
  evidence::Value::List out;
  for (std::size_t i = 0; items && i < items->size() && out.size() < most; ++i)
    if (!(kept && i < kept->size() && (*kept)[i].text() == "None")) out.push_back((*items)[i]);
  return out;
}

/// Extents that the run did not see are those of the tile that the tensor is.
void add_tile_itself(FactContext& context, Node tensor, Draft& draft) {
  const auto tile = tile_itself(context, tensor);
  if (!tile) return;
  draft.fact.values["of_tile"] = evidence::literal(true);
  const auto seen = draft.fact.values.find("extents");
  evidence::Value::List extents;
  if (seen != draft.fact.values.end() && seen->second.list()) extents = *seen->second.list();
  for (std::size_t i = 0; i < tile->size(); ++i) {
    if (i >= extents.size()) extents.push_back((*tile)[i]);
    if (!extents[i].integer()) extents[i] = (*tile)[i];
  }
  if (extents.empty()) return;
  evidence::Value& out = draft.fact.values["extents"];
  out.data = std::move(extents);
  out.known_by = evidence::KnownBy::computed;
}

/// Whether a tensor is a tile, or a thread's or an MMA's part of one.
bool is_cut(const FactContext& context, Node tensor) {
  for (int step = 0; step < 6 && tensor; ++step) {
    if (tensor.is(NodeKind::subscript)) {
      tensor = tensor.child(Field::value_field);
    } else if (tensor.is(NodeKind::identifier)) {
      tensor = bound_before(context, tensor);
    } else {
      const CallSite* site = tensor.is(NodeKind::call) ? context.site_of(tensor) : nullptr;
      if (!site) return false;
      if (site->leaf == "local_tile" || site->leaf == "flat_divide") return true;
      if (!site->leaf.starts_with("partition_")) return false;
      tensor = context.positional(tensor, 0);
    }
  }
  return false;
}

/// mA_mkl, gA_mnk: letters of the modes, where the name carries them.
std::string mode_letters(std::string_view tensor) {
  const auto underscore = tensor.rfind('_');
  if (underscore == std::string_view::npos) return {};
  const std::string tail(tensor.substr(underscore + 1));
  const bool letters =
      !tail.empty() && tail.size() <= 4 && tail.find_first_not_of("mnklMNKL") == std::string::npos;
  return letters ? to_lower(tail) : "";
}
}  // namespace

void extract_tilings(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (!cuts(site.leaf)) continue;
    const Node tensor = context.positional(site.call, 0);
    const Node tiler = tiler_of(context, site.call);
    if (!tensor || !tiler || site.function < 0) continue;
    const std::string_view whole = tensor.text().substr(0, tensor.text().find_first_of("[("));
    const std::string name = leaf_name(whole.substr(0, 60));
    const bool global =
        name.size() > 1 && (name[0] == 'm' || name[0] == 'g') && name[1] >= 'A' && name[1] <= 'Z';
    if (!global && to_lower(name).find("tma_tensor") == std::string::npos) continue;
    if (holds_coordinates(context, tensor)) continue;
    Draft& draft = context.add(Family::B1, "tiling", name, name + " cut into tiles", site.call);
    draft.construct = "tiling";
    draft.fact.optional = true;
    draft.fact.values["tile"] = sizes_of(context.value(tiler));
    if (const Node projection = context.keyword(site.call, "proj"))
      draft.fact.values["projection"] = context.value(projection);
    const Node origin = tensor_origin(context, tensor);
    if (origin) draft.fact.values["origin"] = evidence::literal(leaf_name(origin.text()).substr(0, 60));
    std::string side = tma_side(context, tensor);
    if (const auto seen = context.evaluator.tensor_at(0, tensor)) {
      draft.fact.values["extents"] = extents_of(*seen);
      if (side == "?" && !seen->coordinates) side.clear();  // TMA moves tensors of coordinates only
    }
    add_tile_itself(context, tensor, draft);
    if ((side.empty() || side == "?") && origin && !(origin == tensor)) {
      const std::string behind = tma_side(context, origin);
      if (behind == "load" || behind == "store") side = behind;
    }
    if (const std::vector<Node> passed = passed_for(context, tensor); !passed.empty()) {
      if (side.empty() || side == "?") side = side_of_passed(context, passed);
      if (std::all_of(passed.begin(), passed.end(), [&](Node n) { return is_cut(context, n); }))
        draft.fact.values["of_tile"] = evidence::literal(true);
    }
    draft.fact.values["tma"] = evidence::literal(side.empty() ? "none" : side);
    if (std::string letters = mode_letters(name); !letters.empty())
      draft.fact.values["modes"] = evidence::literal(std::move(letters));
  }
}

}  // namespace cutelab::reading
