#include "kernel/operator_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

/// The tensors of a call by where they begin, and the addresses of its tables by their byte: made once, asked
/// for every problem of a group.
class AddressBook {
 public:
  explicit AddressBook(const ExportedCall& call) {
    for (const auto& tensor : call.tensors) {
      tensors_.emplace(std::pair(tensor.buffer, tensor.offset), &tensor);
      for (const auto& r : tensor.relocations)
        addresses_[&tensor].emplace(static_cast<std::int64_t>(r.at), &r);
    }
  }
  /// Null: no address stands there.
  const ExportedCall::Relocation* address(const ExportedCall::Tensor& table, std::int64_t at) const {
    const auto of = addresses_.find(&table);
    if (of == addresses_.end()) return nullptr;
    const auto it = of->second.find(at);
    return it == of->second.end() ? nullptr : it->second;
  }
  /// Null: no tensor begins there.
  const ExportedCall::Tensor* behind(const ExportedCall::Relocation& address) const {
    const auto it = tensors_.find({address.buffer, address.offset});
    return it == tensors_.end() ? nullptr : it->second;
  }
  std::vector<const ExportedCall::Tensor*> members(const Column& column) const {
    std::vector<const ExportedCall::Tensor*> found;
    if (column.table)
      for (std::int64_t i = 0; i < column.count; ++i) {
        const auto* there = address(*column.table, column.first + i * column.step);
        found.push_back(there ? behind(*there) : nullptr);
      }
    return found;
  }

 private:
  std::map<std::pair<int, std::int64_t>, const ExportedCall::Tensor*> tensors_;
  std::map<const ExportedCall::Tensor*, std::map<std::int64_t, const ExportedCall::Relocation*>> addresses_;
};

/// "table[3,0]" of the family "table[*,0]".
std::string element_of(const std::string& family, std::size_t problem) {
  const auto star = family.rfind('*');
  return family.substr(0, star) + fmt::format("{}", problem) + family.substr(star + 1);
}

Error no_group(const Operator& op, std::string wrong) {
  return {ErrorKind::usage, "operator " + op.name, std::move(wrong), "",
          "correct `operator` in the package's package.json"};
}

/// Why a problem has no tensor for a role. Without an address it is the problem's own: the program makes none
/// for a matrix without elements.
Error no_member(const Operator& op, const std::string& role, const Column& column, std::size_t problem,
                const AddressBook& book) {
  const std::string& family = op.roles.at(role).tensor;
  const std::string element = element_of(family, problem);
  const auto at = column.first + static_cast<std::int64_t>(problem) * column.step;
  if (book.address(*column.table, at))
    return no_group(op,
                    fmt::format("role {}, {}: no tensor begins at the address in {}", role, family, element));
  return {ErrorKind::usage, "operator " + op.name,
          fmt::format("role {}: problem {} of the group has no tensor, as {} holds no address of one: a "
                      "problem without elements, or one that the program leaves out",
                      role, problem, element),
          "", "give each problem of the group extents of at least 1"};
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
  return AddressBook(call).members(column_of(family, call));
}

std::vector<Family> families_with_members(const ExportedCall& call) {
  const AddressBook book(call);
  std::vector<Family> families;
  for (std::string& name : families_of(call)) {
    auto members = book.members(column_of(name, call));
    families.push_back({std::move(name), std::move(members)});
  }
  return families;
}

namespace {

/// Puts the tensors of one family into the operators of the problems; the first family says how many these
/// are.
Status put_members(const Operator& op, const std::string& role, const ExportedCall& call,
                   const AddressBook& book, std::vector<Operator>& groups) {
  const std::string& family = op.roles.at(role).tensor;
  const Column column = column_of(family, call);
  const auto members = book.members(column);
  if (members.empty())
    return no_group(op, fmt::format("role {}, {}: the call has no such table of addresses", role, family));
  if (column.table->relocations.empty()) {
    Error error = no_group(op, fmt::format("role {}, {}: it holds no address of a tensor: it is no table of "
                                           "addresses, or every problem of the group is empty",
                                           role, family));
    error.remedy = "give problems with elements, or " + error.remedy;
    return error;
  }
  if (groups.empty()) groups.assign(members.size(), op);
  if (groups.size() != members.size())
    return no_group(op, fmt::format("role {}, {}: it has {} problems and another role {}", role, family,
                                    members.size(), groups.size()));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i]) return no_member(op, role, column, i, book);
    groups[i].roles[role].tensor = members[i]->name;
  }
  return {};
}

}  // namespace

Result<std::vector<Operator>> groups_of(const Operator& op, const ExportedCall& call) {
  std::vector<Operator> groups;
  std::optional<AddressBook> book;
  for (const auto& [name, role] : op.roles) {
    if (!is_family(role.tensor)) continue;
    if (!book) book.emplace(call);
    if (auto status = put_members(op, name, call, *book, groups); !status) return status.error();
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
