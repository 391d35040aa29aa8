#include "report/compiled_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Location;
using Change = CompiledDifference::Change;

/// How a fact was reached says nothing about what it is.
bool tells(const std::string& name) { return name != "through" && name != "inside"; }

std::string value_text(const Fact& fact, const std::string& name) {
  const auto value = fact.values.find(name);
  return value == fact.values.end() ? "" : value->second.text();
}

bool determined_in(const Fact& fact, const std::string& name) {
  const auto value = fact.values.find(name);
  return value == fact.values.end() || value->second.determined();
}

/// What a tool says of one architecture's code and not of another's (hardware barriers) is no difference;
/// counts of instructions are absent where they are 0.
bool told_by_both(const Fact& left, const Fact& right, const std::string& name) {
  if (left.kind != "machine-code" || name == "mix" || name.starts_with("local_")) return true;
  return left.values.contains(name) && right.values.contains(name);
}

std::vector<ChangedValue> changes(const Fact& left, const Fact& right) {
  std::set<std::string> names;
  for (const Fact* fact : {&left, &right})
    for (const auto& [name, value] : fact->values)
      if (tells(name)) names.insert(name);
  std::vector<ChangedValue> out;
  for (const std::string& name : names) {
    if (!determined_in(left, name) || !determined_in(right, name) || !told_by_both(left, right, name))
      continue;
    ChangedValue value{name, value_text(left, name), value_text(right, name)};
    if (value.left != value.right) out.push_back(std::move(value));
  }
  return out;
}

/// The values of a fact that only one side has.
std::vector<ChangedValue> all_values(const Fact& fact, bool on_left) {
  std::vector<ChangedValue> out;
  for (const auto& [name, value] : fact.values)
    if (tells(name) && value.determined())
      out.push_back({name, on_left ? value.text() : "", on_left ? "" : value.text()});
  return out;
}

struct Group {
  std::vector<const Fact*> left, right;
};

bool same_sources(const CompiledSide& left, const CompiledSide& right) {
  return left.files.size() == right.files.size() &&
         std::equal(left.files.begin(), left.files.end(), right.files.begin(),
                    [](const auto& a, const auto& b) { return a.revision == b.revision; });
}

CompiledDifference difference(const Fact& fact) {
  CompiledDifference out;
  out.family = fact.family;
  out.kind = fact.kind;
  out.subject = fact.subject;
  return out;
}

/// What is equal on both sides is taken out; the rest is paired in order.
void compare_group(Group group, std::vector<CompiledDifference>& out) {
  for (std::size_t i = 0; i < group.left.size();) {
    const auto same = std::find_if(group.right.begin(), group.right.end(),
                                   [&](const Fact* r) { return changes(*group.left[i], *r).empty(); });
    if (same == group.right.end()) {
      ++i;
      continue;
    }
    group.right.erase(same);
    group.left.erase(group.left.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const std::size_t pairs = std::min(group.left.size(), group.right.size());
  for (std::size_t i = 0; i < std::max(group.left.size(), group.right.size()); ++i) {
    const Fact* left = i < group.left.size() ? group.left[i] : nullptr;
    const Fact* right = i < group.right.size() ? group.right[i] : nullptr;
    CompiledDifference found = difference(left != nullptr ? *left : *right);
    if (left != nullptr) found.left_at = left->at;
    if (right != nullptr) found.right_at = right->at;
    found.change = i < pairs ? Change::changed : left != nullptr ? Change::gone : Change::fresh;
    found.values = i < pairs ? changes(*left, *right) : all_values(left ? *left : *right, left != nullptr);
    out.push_back(std::move(found));
  }
}

}  // namespace

std::vector<CompiledDifference> compiled_differences(const CompiledSide& left, const CompiledSide& right) {
  const bool by_line = same_sources(left, right);
  const auto key = [&](const Fact& fact) {
    std::string out = fmt::format("{}|{}", fact.kind, fact.subject);
    if (by_line) out += fmt::format("|{}:{}", fact.at.file, fact.at.line());
    return out;
  };
  std::map<std::string, Group> groups;
  for (const Fact& fact : left.facts) groups[key(fact)].left.push_back(&fact);
  for (const Fact& fact : right.facts) groups[key(fact)].right.push_back(&fact);
  std::vector<CompiledDifference> out;
  for (auto& [name, group] : groups) compare_group(std::move(group), out);
  std::stable_sort(out.begin(), out.end(), [](const CompiledDifference& a, const CompiledDifference& b) {
    const auto order = [](const CompiledDifference& d) {
      const Location& at = d.left_at.known() ? d.left_at : d.right_at;
      return std::tuple(d.family, d.kind != "machine-code", at.file, at.line());
    };
    return order(a) < order(b);
  });
  return out;
}

}  // namespace cutelab::report
