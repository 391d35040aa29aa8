#include "kernel/operator_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

constexpr std::int64_t address_bytes = 8;

/// "table[*,0]" as the table's name and a word for each of its modes.
struct FamilyName {
  std::string table;
  std::vector<std::string> places;
};

FamilyName family_name(const std::string& tensor) {
  const auto open = tensor.rfind('[');
  FamilyName name;
  if (open == std::string::npos || tensor.back() != ']') return name;
  name.table = tensor.substr(0, open);
  for (const auto place : split(std::string_view(tensor).substr(open + 1, tensor.size() - open - 2), ','))
    name.places.emplace_back(trim(place));
  return name;
}

/// Byte of the first element of a family in its table, its mode that counts problems, and their number.
struct Column {
  const ExportedCall::Tensor* table = nullptr;
  std::int64_t first = 0, step = 0, count = 0;
};

Column column_of(const std::string& family, const ExportedCall& call) {
  const FamilyName name = family_name(family);
  const auto* table = call.find(name.table);
  Column column;
  if (!table || table->shape.size() != name.places.size()) return column;
  for (std::size_t i = 0; i < name.places.size(); ++i) {
    if (name.places[i] == "*") {
      column.step = table->stride[i] * address_bytes;
      column.count = table->shape[i];
      continue;
    }
    const auto at = parse_integer(name.places[i]);
    if (!at || *at < 0 || *at >= table->shape[i]) return {};
    column.first += *at * table->stride[i] * address_bytes;
  }
  column.table = table;
  return column;
}

const ExportedCall::Tensor* tensor_behind(const ExportedCall::Tensor& table, std::int64_t at,
                                          const ExportedCall& call) {
  for (const auto& r : table.relocations)
    if (static_cast<std::int64_t>(r.at) == at)
      for (const auto& tensor : call.tensors)
        if (tensor.buffer == r.buffer && tensor.offset == r.offset) return &tensor;
  return nullptr;
}

Error no_group(const Operator& op, std::string wrong) {
  return {ErrorKind::usage, "operator " + op.name, std::move(wrong), "",
          "correct `operator` in the package's package.json"};
}

}  // namespace

bool is_family(const std::string& tensor) {
  const auto places = family_name(tensor).places;
  return std::count(places.begin(), places.end(), "*") == 1;
}

std::vector<std::string> families_of(const ExportedCall& call) {
  std::vector<std::string> families;
  for (const auto& table : call.tensors) {
    if (table.relocations.empty()) continue;
    if (table.shape.size() == 1) families.push_back(table.name + "[*]");
    if (table.shape.size() == 2)
      for (std::int64_t column = 0; column < table.shape[1]; ++column)
        families.push_back(fmt::format("{}[*,{}]", table.name, column));
  }
  return families;
}

std::vector<const ExportedCall::Tensor*> members_of(const std::string& family, const ExportedCall& call) {
  const Column column = column_of(family, call);
  std::vector<const ExportedCall::Tensor*> members;
  if (column.table)
    for (std::int64_t i = 0; i < column.count; ++i)
      members.push_back(tensor_behind(*column.table, column.first + i * column.step, call));
  return members;
}

Result<std::vector<Operator>> groups_of(const Operator& op, const ExportedCall& call) {
  std::vector<Operator> groups;
  for (const auto& [name, role] : op.roles) {
    if (!is_family(role.tensor)) continue;
    const auto members = members_of(role.tensor, call);
    if (members.empty())
      return no_group(op, fmt::format("{}: the call has no such table of addresses", role.tensor));
    if (groups.empty()) groups.assign(members.size(), op);
    if (groups.size() != members.size())
      return no_group(op, fmt::format("{} has {} problems and another role {}", role.tensor, members.size(),
                                      groups.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!members[i]) return no_group(op, fmt::format("{}: no tensor begins at address {}", role.tensor, i));
      groups[i].roles[name].tensor = members[i]->name;
    }
  }
  if (groups.empty()) return std::vector<Operator>{op};
  const OperatorSpec* spec = find_operator(op.name);
  std::set<std::string> results;
  for (const Operator& group : groups)
    if (const auto role = group.roles.find(spec ? spec->output : ""); role != group.roles.end())
      if (!results.insert(role->second.tensor).second)
        return no_group(op, fmt::format("{} is the result of two problems", role->second.tensor));
  return groups;
}

}  // namespace cutelab::kernel
