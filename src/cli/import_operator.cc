#include "cli/import_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"

namespace cutelab::cli {
namespace {

using CallTensor = kernel::ExportedCall::Tensor;

/// What an extent is known by: the options that it follows, else its number.
std::vector<std::string> keys_of(const CallTensor& tensor, const std::vector<ProbedFlag>& flags) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    std::vector<std::string> followed;
    for (const ProbedFlag& flag : flags)
      if (const auto it = flag.scaled.find(tensor.name); it != flag.scaled.end() && it->second.count(i))
        followed.push_back(flag.parameter.name);
    keys.push_back(followed.empty() ? fmt::format("{}", tensor.shape[i]) : join(followed, "*"));
  }
  return keys;
}

bool holds(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

struct Operand {
  const CallTensor* tensor;
  std::vector<std::string> keys;
};

/// Names each mode of a · bᵀ = d by the other tensors that have it; none where that does not come out.
std::optional<std::vector<std::string>> product_modes(const Operand& own, const Operand& other,
                                                      const Operand& third, const char* with_other,
                                                      const char* with_third) {
  std::vector<std::string> modes;
  for (const std::string& key : own.keys) {
    const bool there = holds(other.keys, key), here = holds(third.keys, key);
    if (!there && !here) return std::nullopt;
    modes.emplace_back(there && here ? "l" : there ? with_other : with_third);
  }
  std::vector<std::string> sorted = modes;
  std::sort(sorted.begin(), sorted.end());
  const bool matrix = std::count(modes.begin(), modes.end(), with_other) == 1 &&
                      std::count(modes.begin(), modes.end(), with_third) == 1;
  return matrix && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? std::optional(modes)
                                                                                    : std::nullopt;
}

/// Where numbers alone cannot tell modes apart (m = n = k), their usual order is taken.
bool usual_product(const std::vector<Operand>& operands) {
  const auto &a = operands[0].tensor->shape, &b = operands[1].tensor->shape, &d = operands[2].tensor->shape;
  const bool rank = (a.size() == 2 || a.size() == 3) && b.size() == a.size() && d.size() == a.size();
  return rank && a[0] == d[0] && b[0] == d[1] && a[1] == b[1] &&
         (a.size() == 2 || (a[2] == b[2] && b[2] == d[2]));
}

void name_product(const std::vector<Operand>& operands, const std::array<std::vector<std::string>, 3>& modes,
                  OperatorGuess& guess) {
  guess.op.name = "gemm";
  const char* roles[] = {"a", "b", "d"};
  for (std::size_t i = 0; i < 3; ++i) guess.op.roles[roles[i]] = {operands[i].tensor->name, modes[i]};
}

/// A product by the extents that its tensors share.
void take_product(const std::vector<Operand>& operands, OperatorGuess& guess) {
  const auto &a = operands[0], &b = operands[1], &d = operands[2];
  const auto of_a = product_modes(a, b, d, "k", "m");
  const auto of_b = product_modes(b, a, d, "k", "n");
  const auto of_d = product_modes(d, a, b, "m", "n");
  if (!of_a || !of_b || !of_d) return;
  guess.assumed.emplace_back("a product d = a · bᵀ, by the extents that the three tensors share");
  name_product(operands, {*of_a, *of_b, *of_d}, guess);
}

/// Where no option moves an extent, and numbers alone cannot tell modes apart (m = n = k).
void take_usual_product(const std::vector<Operand>& operands, OperatorGuess& guess) {
  if (!usual_product(operands)) return;
  std::array<std::vector<std::string>, 3> modes = {{{"m", "k", "l"}, {"n", "k", "l"}, {"m", "n", "l"}}};
  for (auto& of_one : modes) of_one.resize(operands[0].tensor->shape.size());
  guess.assumed.emplace_back(
      "extents are alike, so modes are taken in their usual order: a (m, k), b (n, k), d (m, n)");
  name_product(operands, modes, guess);
}

/// The last mode is a row's own; all others count rows.
std::vector<std::string> row_modes(const CallTensor& tensor) {
  std::vector<std::string> modes(tensor.shape.size(), "row");
  if (!modes.empty()) modes.back() = "column";
  return modes;
}

/// A number that the program's object, its constants or its options call `name`.
std::optional<double> number_called(const kernel::ExportedCall& call, const std::string& name) {
  const auto from = [&](const std::string& text) -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == '\0' ? std::optional(value) : std::nullopt;
  };
  if (const auto it = call.attributes.find(name); it != call.attributes.end()) return from(it->second);
  if (const auto it = call.constants.find(name); it != call.constants.end()) return from(it->second);
  for (const auto& flag : call.flags)
    if (flag.destination == name && flag.has_value) return from(flag.value);
  return std::nullopt;
}

/// The operator of rows that the tensors could be, decided by the program's words.
std::string named_by_words(std::size_t tensors, const std::string& words, bool alpha) {
  const std::string text = to_lower(words);
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (tensors == 3) {
    if (says("rmsnorm") || says("rms_norm")) return "rms_norm";
    if (says("layernorm") || says("layer_norm")) return "layer_norm";
    if (says("add")) return "add";
  }
  if (tensors == 2) {
    if (says("softmax")) return "softmax";
    if (says("copy")) return alpha ? "scale" : "copy";
  }
  return "";
}

void take_rows(const kernel::ExportedCall& call, const std::vector<Operand>& operands,
               const std::string& name, OperatorGuess& guess) {
  const kernel::OperatorSpec& spec = *kernel::find_operator(name);
  if (operands.size() != spec.inputs.size() + 1) {
    guess.undetermined.push_back(fmt::format("`operator`: {} has {} tensors, the call {}", name,
                                             spec.inputs.size() + 1, operands.size()));
    return;
  }
  kernel::Operator op;
  op.name = name;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string role = i < spec.inputs.size() ? spec.inputs[i] : spec.output;
    op.roles[role] = {operands[i].tensor->name, row_modes(*operands[i].tensor)};
  }
  for (const std::string& number : spec.numbers) {
    const auto value = number_called(call, number);
    if (!value) {
      guess.undetermined.push_back(
          fmt::format("`operator.numbers.{}`: the program names no such number", number));
      return;
    }
    op.numbers[number] = *value;
    guess.assumed.push_back(fmt::format("{} = {}", number, *value));
  }
  guess.op = std::move(op);
}

}  // namespace

OperatorGuess guess_operator(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                             const std::string& words, const std::string& named) {
  OperatorGuess guess;
  std::vector<Operand> operands;
  for (const CallTensor& tensor : call.tensors)
    if (!tensor.content) operands.push_back({&tensor, keys_of(tensor, flags)});
  const bool product = (named.empty() || named == "gemm") && operands.size() == 3;
  if (product) take_product(operands, guess);
  if (!guess.op.known() && named != "gemm") {
    const std::string name =
        named.empty() ? named_by_words(operands.size(), words, number_called(call, "alpha").has_value())
                      : named;
    if (!name.empty()) take_rows(call, operands, name, guess);
    if (guess.op.known())
      guess.assumed.push_back(named.empty() ? fmt::format("{}: by the program's name ({})", name, words)
                                            : name + ": as the import was told");
  }
  const bool follows =
      std::any_of(flags.begin(), flags.end(), [](const auto& f) { return !f.scaled.empty(); });
  if (product && !guess.op.known() && (named == "gemm" || !follows)) take_usual_product(operands, guess);
  if (guess.op.known()) {
    const auto& spec = *kernel::find_operator(guess.op.name);
    guess.assumed.push_back(fmt::format("tensor {} is the output: the last one that is passed",
                                        guess.op.roles.at(spec.output).tensor));
    if (auto fits = kernel::check_operator(guess.op, call); !fits)
      guess.undetermined.push_back("`operator`: " + fits.error().wrong);
    for (const std::string& number : call.real_numbers())
      if (!guess.op.numbers.count(number) && named.empty())
        guess.undetermined.push_back(
            fmt::format("`operator`: it looks like {}, but what the number {} does there is not known",
                        guess.op.name, number));
    if (!guess.undetermined.empty()) guess.op = {};
  } else if (guess.undetermined.empty()) {
    std::vector<std::string> tensors;
    for (const CallTensor& tensor : call.tensors) tensors.push_back(tensor.name);
    guess.undetermined.push_back(
        fmt::format("`operator`: which of its tensors ({}) the kernel reads and writes, and what it computes",
                    join(tensors, ", ")));
  }
  return guess;
}

}  // namespace cutelab::cli
