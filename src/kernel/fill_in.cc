#include "kernel/fill_in.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "kernel/call_text.h"
#include "kernel/operator_groups.h"
#include "kernel/operators.h"

namespace cutelab::kernel {
namespace {

std::string words_for_modes(const std::vector<std::string>& modes) {
  std::vector<std::string> words;
  for (const std::string& mode : modes)
    words.push_back(mode.ends_with("*") ? mode.substr(0, mode.size() - 1) + " (any number of times)" : mode);
  return join(words, ", ");
}

/// "a: m, k, l; b: n, k, l; d: m, n, l; may be left out: c (m, n, l)".
std::string roles_of(const OperatorSpec& spec) {
  std::vector<std::string> roles = spec.inputs, texts;
  roles.push_back(spec.output);
  for (const std::string& role : roles)
    texts.push_back(fmt::format("{}: {}", role, words_for_modes(spec.modes.at(role))));
  for (const std::string& role : spec.optional)
    texts.push_back(fmt::format("may be left out: {} ({})", role, words_for_modes(spec.modes.at(role))));
  return join(texts, "; ");
}

/// The numbers of `Activation`.
constexpr const char* activations = "0 none, 1 relu, 2 gelu by erf, 3 gelu by tanh, 4 silu; ";

std::string numbers_of(const OperatorSpec& spec) {
  std::vector<std::string> texts = spec.numbers;
  for (const auto& [number, value] : spec.defaults)
    texts.push_back(
        fmt::format("{} ({}{} unless given)", number, number == "activation" ? activations : "", value));
  return texts.empty() ? "none" : join(texts, ", ");
}

/// Operators that have no more tensors than the call.
std::vector<std::string> operator_table(const ExportedCall& call) {
  std::vector<std::string> rows = {
      "", "   | name | computes | roles, and the words for the modes of each | numbers |",
      "   |---|---|---|---|"};
  for (const OperatorSpec& spec : all_operators())
    if (spec.inputs.size() < call.tensors.size())
      rows.push_back(fmt::format("   | `{}` | {} | {} | {} |", spec.name, spec.meaning, roles_of(spec),
                                 numbers_of(spec)));
  rows.emplace_back();
  return rows;
}

/// Of those that lie behind addresses of one table, as of columns of one, the first: a role takes a whole
/// column.
std::string tensors_of(const ExportedCall& call) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> behind;  // by the table's name
  for (const auto& tensor : call.tensors) {
    const std::string text = fmt::format("`{}` ({} mode{})", printable(tensor.name), tensor.shape.size(),
                                         tensor.shape.size() == 1 ? "" : "s");
    const auto bracket = tensor.name.find('[');
    if (bracket == std::string::npos)
      texts.push_back(text);
    else
      behind[tensor.name.substr(0, bracket)].push_back(text);
  }
  for (const auto& [table, tensors] : behind) texts.push_back(listed(tensors));
  std::map<std::string, std::vector<std::string>> columns;
  for (const std::string& family : families_of(call))
    columns[family.substr(0, family.find('['))].push_back(
        fmt::format("`{}` (one tensor for each problem of a group)", printable(family)));
  for (const auto& [table, families] : columns) texts.push_back(listed(families));
  return join(texts, ", ");
}

}  // namespace

std::vector<std::string> fill_in_lines(const PackageDescription& d, const ExportedCall& call) {
  std::vector<std::string> lines;
  if (!d.op.known() && call.tensors.size() >= 2) {
    lines.emplace_back("1. `operator.name`: what it computes, one of");
    for (std::string& row : operator_table(call)) lines.push_back(std::move(row));
    lines.push_back(fmt::format(
        "2. `operator.roles`: for each role `\"ROLE\": {{\"tensor\": NAME, \"modes\": [one word for each "
        "mode]}}`; NAME is one of {}. Memory behind a bare pointer is one mode.",
        tensors_of(call)));
    lines.emplace_back(
        "3. `operator.numbers`: `\"NAME\": number` for each number of the table that is not as it says; "
        "`operator.called`: what the call names one that it has for itself.");
    lines.emplace_back(
        "4. `undetermined`: delete the points that this settles. `cutelab kernel` names what does not fit, "
        "the check on a GPU decides whether it is right.");
    lines.emplace_back();
    lines.emplace_back(
        "Where no operator of the table is what it computes there is no reference for it here: the package "
        "compiles and is looked into, and does not run.");
  } else if (!d.op.known()) {
    lines.emplace_back(
        "- Every operator that has a reference here reads one tensor and writes another, and the call has "
        "fewer "
        "than two: the package compiles and is looked into, and does not run.");
  } else {
    lines.emplace_back(
        "- `undetermined`: delete each point when it is settled as it says; a member that it names stands in "
        "the same file.");
  }
  return lines;
}

}  // namespace cutelab::kernel
