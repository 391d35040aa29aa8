#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/facts/remarks.h"

// Instructions in the text of llvm.inline_asm: the facts that the library's functions for them would be.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

struct Instruction {
  std::string_view prefix;  ///< of the opcode; the first row that fits decides
  Family family;
  const char* kind;
  const char* construct;  ///< what the library's own function for it is called
  const char* says;
  bool optional = false;
};

constexpr std::array instructions = {
    Instruction{"cp.async.bulk.commit_group", Family::D3, "copy-group", "cp_async_bulk_commit_group",
                "bulk copy group committed"},
    Instruction{"cp.async.bulk.wait_group", Family::D3, "copy-group", "cp_async_bulk_wait_group",
                "bulk copy groups waited for"},
    Instruction{"cp.async.bulk.prefetch", Family::D3, "prefetch", "bulk_prefetch", "prefetch into L2", true},
    Instruction{"cp.async.bulk", Family::D3, "copy", "cp_async_bulk", "bulk copy"},
    Instruction{"cp.reduce.async.bulk", Family::D3, "copy", "cp_reduce_async_bulk", "bulk reduction"},
    Instruction{"cp.async.mbarrier.arrive", Family::D5, "barrier", "cp_async_mbarrier_arrive",
                "arrives when the copies of this thread are done"},
    Instruction{"cp.async.commit_group", Family::D3, "copy-group", "cp_async_commit_group",
                "cp.async group committed"},
    Instruction{"cp.async.wait_", Family::D3, "copy-group", "cp_async_wait_group",
                "cp.async groups waited for"},
    Instruction{"cp.async.", Family::D3, "copy", "cp_async", "cp.async copy"},
    Instruction{"st.async", Family::D3, "copy", "st_async", "store to the shared memory of another CTA"},
    Instruction{"red.async", Family::D3, "copy", "st_async", "reduction in the shared memory of another CTA"},
    Instruction{"mapa", Family::D3, "remote-address", "mapa", "address in the shared memory of another CTA",
                true},
    Instruction{"tensormap.replace", Family::D3, "tensormap-update", "tensormap_replace",
                "device-side descriptor update"},
    Instruction{"tensormap.cp_fenceproxy", Family::D5, "fence", "cp_fence_tma_desc_release",
                "fence of a TMA descriptor"},
    Instruction{"mbarrier.init", Family::D5, "barrier", "mbarrier_init", "mbarrier initialised"},
    Instruction{"mbarrier.try_wait", Family::D5, "barrier", "mbarrier_try_wait", "raw mbarrier wait"},
    Instruction{"mbarrier.test_wait", Family::D5, "barrier", "mbarrier_test_wait", "raw mbarrier test"},
    Instruction{"mbarrier.", Family::D5, "barrier", "mbarrier_arrive", "raw mbarrier arrive"},
    Instruction{"barrier.cluster.arrive", Family::D5, "barrier", "barrier_cluster_arrive",
                "cluster barrier arrive"},
    Instruction{"barrier.cluster.wait", Family::D5, "barrier", "barrier_cluster_wait",
                "cluster barrier wait"},
    Instruction{"bar.warp.sync", Family::D5, "barrier", "bar_warp_sync", "warp barrier", true},
    Instruction{"barrier.", Family::D5, "barrier", "barrier_sync", "named barrier"},
    Instruction{"bar.", Family::D5, "barrier", "barrier_sync", "named barrier"},
    Instruction{"fence.", Family::D5, "fence", "fence", "fence"},
    Instruction{"membar.", Family::D5, "fence", "fence", "fence"},
    Instruction{"griddepcontrol.wait", Family::D5, "dependent-launch", "griddepcontrol_wait",
                "waits for the kernel before it"},
    Instruction{"griddepcontrol.launch_dependents", Family::D5, "dependent-launch",
                "griddepcontrol_launch_dependents", "lets the kernel after it start"},
    Instruction{"setmaxnreg.inc", Family::D1, "register-budget", "setmaxregister_increase",
                "the role raises its registers"},
    Instruction{"setmaxnreg.dec", Family::D1, "register-budget", "setmaxregister_decrease",
                "the role lowers its registers"},
    Instruction{"wgmma.mma_async", Family::D4, "gemm", "wgmma_mma_async", "MMA instruction"},
    Instruction{"wgmma.fence", Family::D4, "wgmma-group", "wgmma_fence", "wgmma fence"},
    Instruction{"wgmma.commit_group", Family::D4, "wgmma-group", "wgmma_commit_group",
                "wgmma group committed"},
    Instruction{"wgmma.wait_group", Family::D4, "wgmma-group", "wgmma_wait_group", "wgmma groups waited for"},
    Instruction{"mma.sync", Family::D4, "gemm", "mma_sync", "MMA instruction"},
    Instruction{"tcgen05.mma", Family::D4, "gemm", "tcgen05_mma", "tcgen05 MMA"},
    Instruction{"tcgen05.alloc", Family::D4, "tensor-memory-allocation", "tcgen05_alloc_asm",
                "tensor memory allocated"},
    Instruction{"tcgen05.dealloc", Family::D4, "tmem-release", "tcgen05_dealloc", "tensor memory freed"},
    Instruction{"tcgen05.relinquish", Family::D4, "tmem-permit", "relinquish_tmem_alloc_permit",
                "allocation permit given up", true},
    Instruction{"tcgen05.commit", Family::D4, "mma-commit", "tcgen05_commit",
                "tcgen05 commit to an mbarrier"},
    Instruction{"tcgen05.ld", Family::D4, "tmem-copy", "tcgen05_ld", "load from tensor memory", true},
    Instruction{"tcgen05.st", Family::D4, "tmem-copy", "tcgen05_st", "store to tensor memory", true},
    Instruction{"tcgen05.cp", Family::D4, "tmem-copy", "tcgen05_cp", "copy to tensor memory", true},
    Instruction{"tcgen05.fence", Family::D5, "fence", "tcgen05_fence", "fence of tcgen05"},
};

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ':';
}

/// Opcodes of a PTX text, in order: words with a point that stand where an instruction may begin.
std::vector<std::string> opcodes_of(std::string_view text) {
  std::vector<std::string> out;
  bool begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_word(c)) {
      std::size_t end = i;
      while (end < text.size() && in_word(text[end])) ++end;
      if (begins) out.emplace_back(text.substr(i, end - i));
      begins = false;
      i = end;
      continue;
    }
    if (c == '@') {  // a predicate: the instruction follows it
      while (i < text.size() && text[i] != ' ') ++i;
      continue;
    }
    if (c == ';' || c == '{' || c == '}' || c == '"' || c == '\'' || c == '\n') begins = true;
    if (c == '\\' && i + 1 < text.size()) {  // \n and \t inside the text
      begins = begins || text[i + 1] == 'n';
      i += 2;
      continue;
    }
    ++i;
  }
  return out;
}

/// cp.async.bulk.tensor.2d.shared::cluster.global: the destination stands first.
const char* direction_of_opcode(const std::string& opcode) {
  const auto shared = opcode.find("shared"), global = opcode.find("global");
  if (shared == std::string::npos || global == std::string::npos) return nullptr;
  return shared < global ? "load" : "store";
}

void complete(Draft& draft, const std::string& opcode) {
  auto& values = draft.fact.values;
  values["instruction"] = evidence::literal(opcode);
  if (draft.fact.kind == evidence::kind::copy) {
    if (const char* direction = direction_of_opcode(opcode)) {
      values["direction"] = evidence::literal(direction);
      const bool load = std::string_view(direction) == "load";
      if (opcode.starts_with("cp.async.bulk.tensor")) draft.construct = load ? "tma-load" : "tma-store";
      values["operation"] = evidence::literal(draft.construct);
      if (opcode.find("multicast") != std::string::npos) values["multicast"] = evidence::literal(true);
    }
  } else if (draft.fact.kind == "register-budget") {
    draft.fact.says += spill_remark;
    values["action"] = evidence::literal(opcode.find(".inc") != std::string::npos ? "increase" : "decrease");
    values["registers"] =
        evidence::undetermined("the count stands in the instruction's text", {}, draft.fact.at, "");
  } else if (draft.fact.kind == "dependent-launch") {
    values["action"] = evidence::literal(opcode.find("wait") != std::string::npos ? "wait" : "launch");
  }
}

void add_instruction(FactContext& context, const CallSite& site, const std::string& opcode,
                     std::set<std::string_view>& done) {
  const auto* found = std::find_if(instructions.begin(), instructions.end(),
                                   [&](const Instruction& i) { return opcode.starts_with(i.prefix); });
  if (found == instructions.end() || !done.insert(found->prefix).second) return;
  const std::string name = site.function >= 0
                               ? context.module().functions()[static_cast<std::size_t>(site.function)].name
                               : site.leaf;
  Draft& draft = context.add(found->family, found->kind, name, std::string(found->says) + " (" + opcode + ")",
                             site.call);
  draft.construct = found->construct;
  draft.path = "ptx." + opcode;
  draft.fact.optional = found->optional;
  complete(draft, opcode);
}

/// Texts among the arguments, also those bound to a name before.
std::vector<Node> texts_of(const FactContext& context, Node call) {
  std::vector<Node> out;
  for (const Node a : call.child(Field::arguments_field).children()) {
    const Node given = a.is(NodeKind::keyword_argument) ? a.child(Field::value_field) : a;
    const Node text = given.is(NodeKind::identifier) ? bound_before(context, given) : given;
    if (text.is(NodeKind::string) || text.is(NodeKind::concatenated_string) ||
        text.is(NodeKind::parenthesized_expression) || text.is(NodeKind::binary_operator) ||
        text.is(NodeKind::call))
      out.push_back(text);
  }
  return out;
}

/// The parts of an expression that are text; what a formatted text inserts counts as an end of a word.
void collect(Node n, std::string& out) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (!part.is(NodeKind::string)) continue;
    out += part.text();
    out += '\n';
  }
}
}  // namespace

void extract_inline_ptx(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "inline_asm" && site.leaf != "inline_ptx") continue;
    std::string text;
    for (const Node part : texts_of(context, site.call)) collect(part, text);
    std::set<std::string_view> done;
    for (const std::string& opcode : opcodes_of(text)) add_instruction(context, site, opcode, done);
  }
}

}  // namespace cutelab::reading
