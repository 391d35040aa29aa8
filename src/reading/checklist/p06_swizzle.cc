#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Node;
namespace {

/// A layout made where sizes are computed, to be measured: it swizzles nothing.
bool measures_only(const FactContext& context, const Draft& d) {
  const int f = context.module().function_at(d.node);
  if (f < 0) return false;
  const std::string_view text = context.module().functions()[static_cast<std::size_t>(f)].body.text();
  return text.find("size_in_bytes(") != std::string_view::npos &&
         text.find("get_tensor(") == std::string_view::npos &&
         context.reading.functions[static_cast<std::size_t>(f)].kind == evidence::Function::Kind::host;
}
}  // namespace

evidence::PatternFinding swizzle(FactContext& context) {
  PatternBuilder p(context, "P6", "shared-memory swizzle");
  const auto applies = [](const Draft& d) {
    if (d.fact.family != evidence::Family::D6) return false;
    return d.construct != "plain-layout" && d.construct != "make_smem_layout_sfa" &&
           d.construct != "make_smem_layout_sfb" && d.construct != "tile_to_shape" &&
           d.construct != "make_composed_layout" && d.construct != "get_smem_layout";
  };
  if (!p.cite([&](const Draft& d) { return applies(d) && !measures_only(context, d); })) p.cite(applies);
  for (const Node n : context.module().tree().all(source::Kind::attribute)) {
    const std::string_view text = n.text();
    const bool named = text.find("TensorMapSwizzle.s") != std::string_view::npos ||
                       text.find("SmemSwizzle.SWIZZLE_") != std::string_view::npos;
    if (named && text.find("NONE") == std::string_view::npos && text.find("none") == std::string_view::npos)
      p.cite_node(n);
  }
  evidence::PatternFinding out = p.present("swizzled shared-memory layouts");
  if (out.at.empty()) {
    PatternBuilder none(context, "P6", "shared-memory swizzle");
    return none.absent("no swizzled shared-memory layout");
  }
  return out;
}

}  // namespace cutelab::reading
