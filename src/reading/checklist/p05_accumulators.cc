#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {

evidence::PatternFinding accumulator_management(FactContext& context) {
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
  const bool registers = p.any(warp_mma) || p.any([](const Draft& d) {
    return d.construct.starts_with("wgmma") || d.construct == "mma_sync";
  });
  const auto flag = [&](const char* name, bool is) { p.finding.values[name] = evidence::literal(is); };
  flag("setmaxnreg", p.any(budget));
  flag("tmem_to_rmem", p.any(load));
  flag("rmem_to_tmem", p.any(store));
  flag("rmem_accumulator", registers);
  bool found = p.cite(budget);
  found = p.cite(load) || found;
  found = p.cite(store) || found;
  if (registers) {
    const bool named = p.cite(in_registers) || p.cite(fragment);
    if (!named) p.cite(warp_mma);
    found = true;
  }
  found = p.cite([](const Draft& d) { return d.construct == "library-epilogue"; }) || found;
  return found ? p.present("accumulators are moved or kept in registers, or registers are reallocated")
               : p.absent("no accumulators in registers and no register reallocation");
}

}  // namespace cutelab::reading
