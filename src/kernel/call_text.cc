#include "kernel/call_text.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/text.h"
#include "kernel/operator_groups.h"

namespace cutelab::kernel {
namespace {

constexpr std::size_t most_shown = 3;

/// ": a (m, k)" by tensor; of one with several roles the last one.
std::map<const ExportedCall::Tensor*, std::string> roles_by_tensor(const Operator& op,
                                                                   const ExportedCall& call) {
  std::map<const ExportedCall::Tensor*, std::string> roles;
  for (const auto& [name, role] : op.roles) {
    const std::string text = fmt::format(": {} ({})", name, join(role.modes, ", "));
    if (!is_family(role.tensor))
      roles[call.find(role.tensor)] = text;
    else
      for (const auto* member : members_of(role.tensor, call)) roles[member] = text;
  }
  return roles;
}

/// What tensors behind the elements of one table have in common; of any other its name.
using Kind = std::tuple<std::string, std::string, std::string, std::size_t>;

struct Line {
  std::string text;
  Kind kind;
};

}  // namespace

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most + 1) return join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most));
  return fmt::format("{} and {} more", join(first, ", "), names.size() - most);
}

std::vector<std::string> tensor_lines(const Operator& op, const ExportedCall& call, bool quoted) {
  const auto roles = roles_by_tensor(op, call);
  const char* quote = quoted ? "`" : "";
  std::vector<Line> all;
  std::map<Kind, std::size_t> count, seen;
  for (const auto& tensor : call.tensors) {
    const auto role = roles.find(&tensor);
    std::string said = role == roles.end() ? "" : role->second;
    if (!tensor.relocations.empty()) said += "; holds addresses of others";
    Kind kind{tensor.name.substr(0, tensor.name.find('[')), said, tensor.dtype, tensor.shape.size()};
    ++count[kind];
    all.push_back({fmt::format("{0}{1}{0} {2} ({3}) : ({4}){5}", quote, printable(tensor.name), tensor.dtype,
                               fmt::join(tensor.shape, ", "), fmt::join(tensor.stride, ", "), said),
                   std::move(kind)});
  }
  std::vector<std::string> lines;
  for (const Line& line : all) {
    const std::size_t at = ++seen[line.kind], of = count[line.kind];
    if (at <= most_shown || of <= most_shown + 1) lines.push_back(line.text);
    if (at == most_shown && of > most_shown + 1)
      lines.push_back(fmt::format("and {} more like {}, of other extents perhaps", of - most_shown,
                                  of - most_shown == 1 ? "it" : "these"));
  }
  return lines;
}

}  // namespace cutelab::kernel
