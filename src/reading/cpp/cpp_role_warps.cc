#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

/// The warps that a role's condition leaves.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr std::int64_t warp = 32, warpgroup = 128;

/// Threads [first, end) of a block; `end` -1: to its last.
struct Threads {
  std::int64_t first = 0, end = -1;
};

/// How many threads one step of a number counts: 32 of a warp's, 128 of a warpgroup's, 1 of the thread's own;
/// 0: none of these, or not told.
std::int64_t threads_of_number(const CppContext& context, Node number, int depth = 0) {
  while (number.is(NodeKind::parenthesized_expression) && !cpp_items(number).empty())
    number = cpp_items(number)[0];
  const std::string_view text = number.text();
  if (text == "threadIdx.x") return 1;
  if (number.is(NodeKind::binary_expression) && number.child(Field::operator_token).text() == "/" &&
      threads_of_number(context, number.child(Field::left_field), depth + 1) == 1) {
    const auto by = context.folder.value(number.child(Field::right_field)).integer();
    return by == warp || by == warpgroup ? *by : 0;
  }
  if (number.is(NodeKind::call_expression)) {
    const std::string leaf = leaf_name(number.child(Field::function_field));
    if (leaf == "canonical_warp_idx_sync" || leaf == "canonical_warp_idx") return warp;
    if (leaf == "canonical_warp_group_idx") return warpgroup;
    const auto arguments = cpp_items(number.child(Field::arguments_field));
    return leaf == "__shfl_sync" && arguments.size() > 1 ? threads_of_number(context, arguments[1], depth + 1)
                                                         : 0;
  }
  const Node made =
      number.is(NodeKind::identifier) && depth < 4 ? context.folder.definition_of(number) : Node();
  if (!made.is(NodeKind::init_declarator) || made.contains(number)) return 0;
  return threads_of_number(context, made.child(Field::value_field), depth + 1);
}

/// What one comparison leaves; none: it is none of threads.
std::optional<Threads> threads_compared(const CppContext& context, Node test) {
  const std::int64_t each = threads_of_number(context, test.child(Field::left_field));
  const auto with = context.folder.value(test.child(Field::right_field)).integer();
  const std::string_view op = test.child(Field::operator_token).text();
  if (each == 0 || !with || *with < 0) return std::nullopt;
  if (op == "==") return Threads{*with * each, (*with + 1) * each};
  if (op == "<") return Threads{0, *with * each};
  if (op == "<=") return Threads{0, (*with + 1) * each};
  if (op == ">=") return Threads{*with * each, -1};
  if (op == ">") return Threads{(*with + 1) * each, -1};
  return std::nullopt;
}

/// What all parts of a condition leave; none where one of them takes the others apart: `||`, `!`.
std::optional<Threads> threads_left(const CppContext& context, Node condition, int depth = 0) {
  if (condition.is(NodeKind::condition_clause)) condition = condition.child(Field::value_field);
  while (condition.is(NodeKind::parenthesized_expression) && !cpp_items(condition).empty())
    condition = cpp_items(condition)[0];
  if (condition.is(NodeKind::identifier) && depth < 3) {
    const Node made = context.folder.definition_of(condition);
    return made.is(NodeKind::init_declarator) && !made.contains(condition)
               ? threads_left(context, made.child(Field::value_field), depth + 1)
               : std::nullopt;
  }
  if (!condition.is(NodeKind::binary_expression)) return std::nullopt;
  if (condition.child(Field::operator_token).text() != "&&") return threads_compared(context, condition);
  const auto left = threads_left(context, condition.child(Field::left_field), depth);
  const auto right = threads_left(context, condition.child(Field::right_field), depth);
  if (!left || !right) return left ? left : right;
  const std::int64_t end = left->end < 0    ? right->end
                           : right->end < 0 ? left->end
                                            : std::min(left->end, right->end);
  return Threads{std::max(left->first, right->first), end};
}

/// Threads of the block that the kernel around a place is launched with; none where launches differ.
std::optional<std::int64_t> threads_launched(const CppContext& context, Node place) {
  const Node function = place.enclosing(NodeKind::function_definition);
  if (!function || function_kind(function) != evidence::Function::Kind::kernel) return std::nullopt;
  const std::string kernel = leaf_name(cpp_function_name(function));
  std::optional<std::int64_t> out;
  for (const CppDraft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::launch || d.fact.kernel != kernel) continue;
    const auto threads = d.fact.values.find("threads");
    const auto told = threads == d.fact.values.end() ? std::nullopt : threads->second.integer();
    if (!told || (out && out != told)) return std::nullopt;
    out = told;
  }
  return out;
}
/// Whether threads follow each other along x alone, as far as the kernel and its launches tell.
bool is_one_row(const CppContext& context, Node place) {
  const Node function = place.enclosing(NodeKind::function_definition);
  if (function.text().find("threadIdx.y") != std::string_view::npos ||
      function.text().find("blockDim.y") != std::string_view::npos)
    return false;
  const std::string kernel = leaf_name(cpp_function_name(function));
  return std::none_of(context.drafts.begin(), context.drafts.end(), [&](const CppDraft& d) {
    const auto block = d.fact.values.find("block");
    if (d.fact.kind != evidence::kind::launch || d.fact.kernel != kernel || block == d.fact.values.end())
      return false;
    const auto* extents = block->second.list();
    return extents && extents->size() > 1 &&
           std::any_of(extents->begin() + 1, extents->end(), [](auto& e) { return e.integer() != 1; });
  });
}
}  // namespace

std::vector<std::int64_t> cpp_warps_of(const CppContext& context, Node condition, bool rest) {
  if (!is_one_row(context, condition)) return {};
  auto left = threads_left(context, condition);
  if (!left) return {};
  if (rest) {  // what is on the other side, where that is one piece
    if (left->first > 0 && left->end >= 0) return {};
    left = left->first > 0 ? Threads{0, left->first} : Threads{left->end, -1};
    if (left->first < 0) return {};
  }
  if (left->end < 0) left->end = threads_launched(context, condition).value_or(-1);
  constexpr std::int64_t most_threads = 1024;
  if (left->end <= left->first || left->end > most_threads) return {};
  std::vector<std::int64_t> out;
  for (std::int64_t w = left->first / warp; w * warp < left->end; ++w) out.push_back(w);
  return out;
}

}  // namespace cutelab::reading
