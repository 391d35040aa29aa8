#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "evidence/names.h"
#include "reading/facts/context.h"

// D4: which columns of tensor memory each tensor takes, as the run laid it there.

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Node;
using NodeKind = source::Kind;
namespace {

constexpr std::int64_t all_lanes = 128;

constexpr std::string_view laid_tensor = "tmem-tensor";

/// Whether the file says anything of tensor memory, so that files without pay nothing.
bool uses_tensor_memory(const FactContext& context) {
  constexpr std::string_view allocation = evidence::kind::tensor_memory_allocation, pointer = "tmem-pointer",
                             copy = "tmem-copy";
  return std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
    const std::string_view kind = d.fact.kind;
    return kind == allocation || kind == pointer || kind == copy || d.construct == laid_tensor;
  });
}

/// "columns 128 to 255", "from column 128 on", "256 columns"; "" = nothing is known.
std::string columns_text(const SeenColumns& seen) {
  if (seen.first && seen.columns)
    return "columns " + std::to_string(*seen.first) + " to " +
           std::to_string(*seen.first + *seen.columns - 1);
  if (seen.first) return "from column " + std::to_string(*seen.first) + " on";
  return seen.columns ? std::to_string(*seen.columns) + " columns" : std::string();
}

/// One number that all runs agree in, else a list of each run's.
evidence::Value number_of(FactContext& context, const std::vector<SeenColumns>& all,
                          std::optional<std::int64_t> SeenColumns::*member, Node at,
                          const std::string& formula) {
  evidence::Value::List items;
  for (const SeenColumns& one : all) {
    const auto& number = one.*member;
    if (!number) {
      std::vector<std::string> depends;
      if (!one.depends_on.empty() && one.depends_on != one.reason) depends.push_back(one.depends_on);
      return evidence::undetermined(one.reason, std::move(depends), context.at(at), formula);
    }
    items.push_back(evidence::literal(*number));
  }
  const bool same = std::all_of(items.begin(), items.end(), [&](auto& v) { return v == items.front(); });
  evidence::Value out = items.front();
  if (!same) out.data = std::move(items);
  out.known_by = evidence::KnownBy::computed;
  out.formula = formula;
  return out;
}

/// "tmem_ptr + self.tmem_s0_offset": the expression that the call which laid the tensor has for its begin.
std::string begin_formula(const FactContext& context, const SeenColumns& seen) {
  const std::string_view callee = seen.made_at.child(source::Field::function_field).text();
  const Node pointer = context.positional(seen.made_at, 0);
  return callee.ends_with("make_tensor") && pointer ? std::string(pointer.text().substr(0, 120))
                                                    : std::string();
}

void complete(FactContext& context, Draft& draft, const std::vector<SeenColumns>& all) {
  const SeenColumns& first = all.front();
  auto& values = draft.fact.values;
  values["first_column"] =
      number_of(context, all, &SeenColumns::first, draft.node, begin_formula(context, first));
  values["columns"] = number_of(context, all, &SeenColumns::columns, draft.node,
                                first.layout.empty() ? std::string() : "extent of " + first.layout);
  if (first.lanes && *first.lanes != all_lanes)
    values["lanes"] = number_of(context, all, &SeenColumns::lanes, draft.node, "");
  if (first.first_lane != 0) values["first_lane"] = evidence::literal(first.first_lane);
  if (!first.element.empty()) values["type"] = evidence::literal(first.element);
  if (all.size() == 1 && !first.layout.empty() && first.layout.find('?') == std::string::npos)
    values["layout"] = evidence::literal(first.layout);
  values["from"] = evidence::literal(first.of_allocation ? "allocation" : "zero");
  std::string text;
  for (const SeenColumns& one : all)
    if (const std::string columns = columns_text(one);
        !columns.empty() && text.find(columns) == std::string::npos)
      text += (text.empty() ? "" : " or ") + columns;
  if (!text.empty()) draft.fact.says = draft.fact.subject + " takes " + text + " of tensor memory";
}

/// What makes the same tensor under the same name in another place a repetition: where it was laid, and the
/// columns.
using LaidAs =
    std::tuple<std::string, std::uint32_t, std::optional<std::int64_t>, std::optional<std::int64_t>>;

LaidAs told_of(const std::string& name, const SeenColumns& seen) {
  return {name, seen.made_at.first_byte(), seen.first, seen.columns};
}

}  // namespace

void extract_tensor_memory(FactContext& context) {
  if (!uses_tensor_memory(context)) return;
  std::set<LaidAs> known;
  std::vector<std::size_t> laid;
  for (std::size_t i = 0; i < context.drafts.size(); ++i)
    if (context.drafts[i].construct == laid_tensor) laid.push_back(i);
  for (const Assignment& a : context.module().assignments()) {
    if (a.function < 0 || a.form != Assignment::Form::plain || !a.value.is(NodeKind::call)) continue;
    std::vector<SeenColumns> all = context.evaluator.tensor_memory_at(0, a.value, a.slots);
    std::stable_sort(all.begin(), all.end(), [](auto& x, auto& y) { return x.first < y.first; });
    if (all.empty()) continue;
    const auto told = std::find_if(laid.begin(), laid.end(), [&](std::size_t i) {
      const Draft& d = context.drafts[i];
      return (d.node == a.value || d.node == a.statement) && d.fact.subject == a.name;
    });
    const bool repeats = !known.insert(told_of(a.name, all.front())).second;
    if (told != laid.end()) {
      complete(context, context.drafts[*told], all);
      continue;
    }
    if (repeats) continue;
    Draft& draft = context.add(Family::D4, evidence::kind::tensor_memory_tensor, a.name,
                               a.name + " lies in tensor memory", a.value);
    draft.construct = "tmem-placed";
    draft.fact.optional = true;
    complete(context, draft, all);
  }
}

}  // namespace cutelab::reading
