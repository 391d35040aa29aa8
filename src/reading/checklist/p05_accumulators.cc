#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {

evidence::PatternFinding accumulator_management(FactContext& context, const Rescaling& rescaling) {
  PatternBuilder p(context, "P5", "register-level accumulator management");
  const auto budget = [](const Draft& d) {
    return d.fact.kind == evidence::kind::register_budget && d.construct != "register-constant";
  };
  const auto load = [](const Draft& d) {
    return d.fact.kind == "tmem-copy" && (d.construct.starts_with("Ld") || contains(d.construct, "load") ||
                                          contains(d.construct, "_ld") || d.construct == "make_tmem_copy");
  };
  const auto store = [](const Draft& d) {
    return d.fact.kind == "tmem-copy" && (d.construct.starts_with("St") || contains(d.construct, "_st"));
  };
  const auto in_registers = [](const Draft& d) { return d.construct == "register-accumulator"; };
  const auto fragment = [](const Draft& d) { return d.construct == "make_fragment_C"; };
  const auto warp_mma = [](const Draft& d) {
    return d.fact.kind == evidence::kind::mma && d.fact.values.count("family") &&
           (d.fact.values.at("family").text() == "wgmma" || d.fact.values.at("family").text() == "mma.sync");
  };
  // Without tensor cores too: a tiled multiply-add of threads has its fragment of C in registers.
  const auto simt = [](const Draft& d) {
    return d.fact.kind == evidence::kind::mma && d.fact.values.count("family") &&
           d.fact.values.at("family").text() == "simt";
  };
  const bool registers = p.any(warp_mma) || (p.any(simt) && p.any(fragment)) || p.any([](const Draft& d) {
    return d.construct.starts_with("wgmma") || d.construct == "mma_sync";
  });
  const auto task = [](const Draft& d) { return d.construct == "Task" && !told(d, "registers").empty(); };
  p.flag("setmaxnreg", p.any(budget) || p.any(task));
  p.flag("tmem_to_rmem", p.any(load));
  p.flag("rmem_to_tmem", p.any(store));
  p.flag("rmem_accumulator", registers);
  p.flag("acc_rescale", !rescaling.accumulators.empty());
  if (registers) {
    const bool named = p.cite(in_registers) || p.cite(fragment);
    if (!named) p.cite(warp_mma);
  }
  const bool loads = p.cite(load);
  const bool stores = p.cite(store, 1);
  bool reallocates = p.cite(budget, 2);
  for (const Draft& d : context.drafts)
    if (task(d)) {
      p.cite_node(context.keyword(d.node, "num_registers"), 2);
      reallocates = true;
    }
  const bool library = p.cite([](const Draft& d) { return d.construct == "library-epilogue"; });
  if (!registers && !loads && !stores && !reallocates && !library)
    return p.absent("no accumulators in registers and no register reallocation");
  for (const source::Node n : rescaling.accumulators) p.cite_node(n, 3);
  std::string says = registers         ? "accumulators live in registers"
                     : loads || stores ? "accumulators move between tensor memory and registers"
                     : library         ? "the library's epilogue moves the accumulators"
                                       : "";
  if (reallocates) says += says.empty() ? "registers move between roles" : ", registers move between roles";
  if (!rescaling.accumulators.empty()) says += ", accumulators are rescaled";
  return p.present(says);
}

}  // namespace cutelab::reading
