#include <algorithm>

#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
namespace {
bool sets_registers(const Draft& d) {
  return d.fact.kind == evidence::kind::register_budget && d.construct != "register-constant";
}
bool loads_tensor_memory(const Draft& d) {
  return d.fact.kind == "tmem-copy" &&
         (d.construct.starts_with("Ld") || contains(d.construct, "load") || contains(d.construct, "_ld") ||
          d.construct == "make_tmem_copy" || d.construct.ends_with("_tmem_copy_and_partition"));
}
bool stores_tensor_memory(const Draft& d) {
  return d.fact.kind == "tmem-copy" && (d.construct.starts_with("St") || contains(d.construct, "_st"));
}
bool is_fragment_of_c(const Draft& d) { return d.construct == "make_fragment_C"; }
bool is_warp_mma(const Draft& d) {
  return d.fact.kind == evidence::kind::mma && d.fact.values.count("family") &&
         (d.fact.values.at("family").text() == "wgmma" || d.fact.values.at("family").text() == "mma.sync");
}
/// Without tensor cores too: a tiled multiply-add of threads has its fragment of C in registers.
bool is_simt_mma(const Draft& d) {
  return d.fact.kind == evidence::kind::mma && d.fact.values.count("family") &&
         d.fact.values.at("family").text() == "simt";
}
bool is_warp_operation(const Draft& d) {
  return d.construct.starts_with("wgmma") || d.construct == "mma_sync";
}
bool is_task_with_registers(const Draft& d) { return d.construct == "Task" && !told(d, "registers").empty(); }
bool is_library_epilogue(const Draft& d) { return d.construct == "library-epilogue"; }

/// A copy of which nothing tells the operation, in a file with tensors in tensor memory: it may move those.
source::Node copy_left_open(FactContext& context) {
  const bool tensors = std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
    return d.construct == "tmem-tensor" && is_active(context, d.node);
  });
  if (!tensors) return {};
  for (const Draft& d : context.drafts)
    if (is_library_epilogue(d) && is_active(context, d.node)) return d.node;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "copy" || !contains(site.path, "cute")) continue;
    const source::Node atom = context.positional(site.call, 0);
    const bool told = std::any_of(context.drafts.begin(), context.drafts.end(),
                                  [&](const Draft& d) { return d.node == site.call; });
    if (!atom || told || !is_active(context, site.call)) continue;
    const Abstract value = context.evaluator.value_of(0, atom);
    const bool plain = value.is(Abstract::Kind::unknown) || value.is(Abstract::Kind::object);
    if (plain && value.items.empty() && !value.path.starts_with("cutlass.cute")) return atom;
  }
  return {};
}

/// What the file does with accumulators and registers: of what the defaults leave in, where they leave
/// anything in.
struct Management {
  bool registers = false, loads = false, stores = false, reallocates = false, library = false;
  bool any() const { return registers || loads || stores || reallocates || library; }

  template <class Has>
  static Management of(const Has& has) {
    Management out;
    out.registers = has(is_warp_mma) || (has(is_simt_mma) && has(is_fragment_of_c)) || has(is_warp_operation);
    out.loads = has(loads_tensor_memory);
    out.stores = has(stores_tensor_memory);
    out.reallocates = has(sets_registers) || has(is_task_with_registers);
    out.library = has(is_library_epilogue);
    return out;
  }
};

std::string said_of(const Management& now, const Management& written, bool rescales) {
  std::string says = now.registers             ? "accumulators live in registers"
                     : now.loads || now.stores ? "accumulators move between tensor memory and registers"
                     : now.library             ? "the library's epilogue moves the accumulators"
                                               : "";
  const auto add = [&](const char* text) { says += (says.empty() ? "" : ", ") + std::string(text); };
  if (now.reallocates) add("registers move between roles");
  if (rescales) add("accumulators are rescaled");
  if (written.reallocates && !now.reallocates) add("the defaults leave register reallocation out");
  return says;
}
}  // namespace

evidence::PatternFinding accumulator_management(FactContext& context, const Rescaling& rescaling) {
  PatternBuilder p(context, "P5", "register-level accumulator management");
  const Management written = Management::of([&](const auto& test) { return p.any(test); });
  Management now = Management::of([&](const auto& test) { return p.any_active(test); });
  if (!now.any()) now = written;
  p.flag("setmaxnreg", now.reallocates);
  p.flag("tmem_to_rmem", now.loads);
  if (const source::Node open = now.loads ? source::Node() : copy_left_open(context))
    p.finding.values["tmem_to_rmem"] =
        evidence::undetermined("what a copy moves could not be followed",
                               {std::string(open.text().substr(0, 60))}, context.at(open), "");
  p.flag("rmem_to_tmem", now.stores);
  p.flag("rmem_accumulator", now.registers);
  p.flag("acc_rescale", !rescaling.accumulators.empty());
  if (written.registers) {
    const bool named = p.cite([](const Draft& d) { return d.construct == "register-accumulator"; }) ||
                       p.cite(is_fragment_of_c);
    if (!named) p.cite(is_warp_mma);
  }
  p.cite(loads_tensor_memory);
  p.cite(stores_tensor_memory, 1);
  p.cite(sets_registers, 2);
  for (const Draft& d : context.drafts)
    if (is_task_with_registers(d)) p.cite_node(context.keyword(d.node, "num_registers"), 2);
  p.cite(is_library_epilogue);
  if (!written.any()) return p.absent("no accumulators in registers and no register reallocation");
  for (const source::Node n : rescaling.accumulators) p.cite_node(n, 3);
  return p.present(said_of(now, written, !rescaling.accumulators.empty()));
}

}  // namespace cutelab::reading
