#include <algorithm>

#include "base/text.h"
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
    const bool local = site.leaf == "local_tile";
    if (!local && site.leaf != "zipped_divide" && site.leaf != "tiled_divide" && site.leaf != "flat_divide")
      continue;
    const Node tensor = context.positional(site.call, 0);
    Node tiler = context.positional(site.call, 1);
    if (!tiler) tiler = context.keyword(site.call, "tiler");
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
    draft.fact.values["tile"] = context.value(tiler);
    if (const Node projection = context.keyword(site.call, "proj"))
      draft.fact.values["projection"] = context.value(projection);
    const Node origin = tensor_origin(context, tensor);
    if (origin) draft.fact.values["origin"] = evidence::literal(leaf_name(origin.text()).substr(0, 60));
    std::string side = tma_side(context, tensor);
    if (const auto seen = context.evaluator.tensor_at(0, tensor)) {
      draft.fact.values["extents"] = extents_of(*seen);
      if (side == "?" && !seen->coordinates) side.clear();  // TMA moves tensors of coordinates only
    }
    if ((side.empty() || side == "?") && origin && !(origin == tensor)) {
      const std::string behind = tma_side(context, origin);
      if (behind == "load" || behind == "store") side = behind;
    }
    draft.fact.values["tma"] = evidence::literal(side);
    draft.fact.values["modes"] = evidence::literal(mode_letters(name));
  }
}

}  // namespace cutelab::reading
