#include "reading/facts/stage_formula.h"

#include <algorithm>

#include "base/text.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

Node without_parentheses(Node n) {
  while (n.is(NodeKind::parenthesized_expression)) n = n.first();
  return n;
}

bool is_operation(Node n, std::string_view op) {
  return n.is(NodeKind::binary_operator) && n.child(Field::operator_token).text() == op;
}

struct Summand {
  Node node;
  bool taken_off = false;
};

void split_sum(Node n, bool taken_off, std::vector<Summand>& out) {
  n = without_parentheses(n);
  const bool minus = is_operation(n, "-");
  if (!minus && !is_operation(n, "+")) {
    out.push_back({n, taken_off});
    return;
  }
  split_sum(n.child(Field::left_field), taken_off, out);
  split_sum(n.child(Field::right_field), minus ? !taken_off : taken_off, out);
}

bool text_names(Node n, std::string_view word) { return to_lower(n.text()).find(word) != std::string::npos; }

/// (occupancy + 1) * reserve: one factor is a sum with 1.
bool reserves_once_more(Node n) {
  if (!is_operation(n, "*")) return false;
  for (const Field side : {Field::left_field, Field::right_field}) {
    const Node factor = without_parentheses(n.child(side));
    if (is_operation(factor, "+") && without_parentheses(factor.child(Field::right_field)).text() == "1")
      return true;
  }
  return false;
}

/// A name that other statements add to (bits += …): what it holds is not told by the formula that uses it.
bool adds_up(const FactContext& context, Node n) {
  if (!n.is(NodeKind::identifier)) return false;
  const source::PythonModule& module = context.module();
  for (const int index : module.bindings(module.function_at(n), std::string(n.text())))
    if (module.assignments()[static_cast<std::size_t>(index)].form == source::Assignment::Form::augmented)
      return true;
  return false;
}

/// Columns of tensor memory, not bytes of shared memory.
bool in_tensor_memory(Node capacity) { return text_names(capacity, "tmem") || text_names(capacity, "col"); }

std::string taken_from(const std::vector<Summand>& sum) {
  std::string out;
  for (const Summand& s : sum)
    if (s.taken_off) out += (out.empty() ? ", less " : " and ") + std::string(s.node.text().substr(0, 60));
  return out;
}

/// Bytes of the epilogue's buffers: c_bytes, d_bytes, epi_bytes; of none where they are computed to be 0.
bool counts_epilogue(FactContext& context, Node n) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
    const Node name = n.tree()->at(i);
    if (!name.is(NodeKind::identifier)) continue;
    const std::string low = to_lower(name.text());
    const bool epilogue =
        low.find("epi") != std::string::npos || low.starts_with("c_") || low.starts_with("d_");
    if (epilogue && context.value(name).integer() != std::int64_t{0}) return true;
  }
  return false;
}
}  // namespace

std::string stage_formula_form(FactContext& context, Node value) {
  const Node quotient = without_parentheses(value);
  if (!is_operation(quotient, "//")) return "";
  std::vector<Summand> sum;
  split_sum(quotient.child(Field::left_field), false, sum);
  const auto capacity = std::find_if(sum.begin(), sum.end(), [](const Summand& s) {
    return !s.taken_off && text_names(s.node, "capacity");
  });
  if (capacity == sum.end()) return "";
  if (in_tensor_memory(capacity->node)) return "the columns of tensor memory" + taken_from(sum);
  const bool shared_out = is_operation(capacity->node, "//");
  bool once_more = false, epilogue = false, elsewhere = false;
  for (const Summand& s : sum) {
    if (!s.taken_off) continue;
    elsewhere = elsewhere || adds_up(context, s.node);
    once_more = once_more || reserves_once_more(s.node);
    epilogue = epilogue || counts_epilogue(context, s.node);
  }
  std::string out = shared_out ? "each CTA's share of the capacity" : "the whole capacity";
  if (once_more) out += ", less a reserve for every CTA and one more";
  if (elsewhere) return out + taken_from(sum);
  return out + (epilogue ? ", less the epilogue's buffers" : ", the epilogue's buffers not counted");
}

}  // namespace cutelab::reading
