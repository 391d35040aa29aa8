#include "cli/import_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/import_operands.h"
#include "kernel/call_text.h"
#include "kernel/operator_groups.h"

namespace cutelab::cli {
namespace {

bool holds(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

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

void name_product(const std::vector<Operand>& operands, const ThreeModes& modes, OperatorGuess& guess) {
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
  const auto modes = usual_modes({ThreeTensors{operands[0].tensor, operands[1].tensor, operands[2].tensor}});
  if (!modes) return;
  guess.assumed.push_back(
      fmt::format("extents are alike, so modes are taken in their usual order: a ({}), b ({}), d ({})",
                  join((*modes)[0], ", "), join((*modes)[1], ", "), join((*modes)[2], ", ")));
  name_product(operands, *modes, guess);
}

/// The last mode is a row's own; all others count rows.
std::vector<std::string> row_modes(const CallTensor& tensor) {
  std::vector<std::string> modes(tensor.shape.size(), "row");
  if (!modes.empty()) modes.back() = "column";
  return modes;
}

bool same_extents(const Operand& a, const Operand& b) { return a.tensor->shape == b.tensor->shape; }

/// c of alpha · a · bᵀ + beta · c: an input with the result's extents.
void take_product_of(Operands operands, bool usual, OperatorGuess& guess) {
  std::vector<Operand> scales;
  std::erase_if(operands.inputs, [&](const Operand& input) {
    const auto& shape = input.tensor->shape;
    const bool one = std::all_of(shape.begin(), shape.end(), [](auto extent) { return extent == 1; });
    if (one) scales.push_back(input);
    return one;
  });
  if (scales.size() > 2) return;
  std::optional<Operand> c;
  if (operands.inputs.size() == 3)
    for (std::size_t i = 3; i-- > 0 && !c;)
      if (same_extents(operands.inputs[i], operands.output)) {
        c = operands.inputs[i];
        operands.inputs.erase(operands.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      }
  if (operands.inputs.size() != 2) return;
  const std::vector<Operand> three = {operands.inputs[0], operands.inputs[1], operands.output};
  if (usual)
    take_usual_product(three, guess);
  else
    take_product(three, guess);
  if (!guess.op.known()) return;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto& tensor = *scales[i].tensor;
    guess.op.roles[i == 0 ? "scale_a" : "scale_b"] = {tensor.name,
                                                      std::vector<std::string>(tensor.shape.size(), "one")};
    guess.assumed.push_back(
        fmt::format("tensor {} is a factor of the product: it has one element", tensor.name));
  }
  if (!c) return;
  guess.op.roles["c"] = {c->tensor->name, guess.op.roles["d"].modes};
  guess.assumed.push_back(
      fmt::format("tensor {} is added to the product: it has the result's extents", c->tensor->name));
}

bool has_tokens(const Operands& operands) {
  const auto rank = operands.output.tensor->shape.size();
  return operands.inputs.size() == 3 && rank >= 3 &&
         std::all_of(operands.inputs.begin(), operands.inputs.end(),
                     [&](const Operand& o) { return o.tensor->shape.size() == rank; });
}

/// The operator that the tensors could be, decided by the program's words.
std::string named_by_words(const Operands& operands, const std::string& words, bool alpha) {
  const std::string text = to_lower(words);
  const auto says = [&](std::initializer_list<const char*> any) {
    return std::any_of(any.begin(), any.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
  };
  const std::size_t inputs = operands.inputs.size();
  const bool like_first = inputs > 0 && same_extents(operands.inputs[0], operands.output);
  if (has_tokens(operands) && says({"attention", "fmha", "mha", "flash", "sdpa"})) return "attention";
  if (inputs >= 1 && inputs <= 3) {
    // A class may serve both: what is said first is the program's own name.
    const auto first = [&](std::initializer_list<const char*> any) {
      std::size_t at = std::string::npos;
      for (const char* word : any) at = std::min(at, text.find(word));
      return at;
    };
    const auto rms = first({"rmsnorm", "rms_norm", "norm_type rms"});
    const auto layer = first({"layernorm", "layer_norm", "norm_type layer"});
    if (rms != layer) return rms < layer ? "rms_norm" : "layer_norm";
  }
  if (inputs == 2 && says({"add"})) return "add";
  if (inputs == 1 && says({"softmax"})) return "softmax";
  if (inputs == 1 && like_first && says({"copy"})) return alpha ? "scale" : "copy";
  if (inputs == 1 && operands.output.tensor->shape.size() + 1 == operands.inputs[0].tensor->shape.size() &&
      says({"reduce", "sum"}))
    return says({"max"}) ? "reduce_largest" : "reduce_sum";
  return "";
}

/// Which input stands where in an operator of rows: by their order, of a norm by extents and names.
std::map<std::string, const Operand*> row_roles(const kernel::OperatorSpec& spec, const Operands& operands) {
  std::map<std::string, const Operand*> roles;
  if (spec.optional.empty()) {
    for (std::size_t i = 0; i < operands.inputs.size() && i < spec.inputs.size(); ++i)
      roles[spec.inputs[i]] = &operands.inputs[i];
    return operands.inputs.size() == spec.inputs.size() ? roles : std::map<std::string, const Operand*>();
  }
  for (const Operand& input : operands.inputs) {
    std::string role = "weight";
    if (!roles.count("x") && same_extents(input, operands.output))
      role = "x";
    else if (to_lower(input.tensor->name).find("bias") != std::string::npos || roles.count("weight"))
      role = "bias";
    if (!roles.emplace(role, &input).second) return {};
  }
  return roles;
}

/// A run of memory behind a pointer is as many rows as it holds of the weight's columns.
std::vector<std::string> run_modes(const CallTensor& tensor, const kernel::Operator& op) {
  return tensor.shape.size() == 1 && op.roles.count("weight") ? std::vector<std::string>{"row", "column"}
                                                              : row_modes(tensor);
}

void take_rows(const std::map<std::string, const Operand*>& roles, OperatorGuess& guess) {
  for (const auto& [role, operand] : roles)
    if (role == "weight" || role == "bias") guess.op.roles[role] = {operand->tensor->name, {"column"}};
  for (const auto& [role, operand] : roles)
    if (!guess.op.roles.count(role))
      guess.op.roles[role] = {operand->tensor->name, run_modes(*operand->tensor, guess.op)};
}

/// A number of an operator: where the call has it, by the names that programs give it.
std::string where_called(const kernel::ExportedCall& call, const std::string& number) {
  static const std::map<std::string, std::vector<std::string>> others = {
      {"scale", {"softmax_scale", "scale_softmax", "sm_scale", "attn_scale", "scale_s"}},
      {"causal", {"is_causal"}},
      {"eps", {"epsilon"}}};
  std::vector<std::string> names = {number};
  if (const auto it = others.find(number); it != others.end())
    names.insert(names.end(), it->second.begin(), it->second.end());
  for (const std::string& name : names)
    if (call.number(name)) return name;
  return "";
}

void take_numbers(const kernel::ExportedCall& call, OperatorGuess& guess) {
  const kernel::OperatorSpec& spec = *kernel::find_operator(guess.op.name);
  std::vector<std::string> numbers = spec.numbers;
  for (const auto& [number, value] : spec.defaults) numbers.push_back(number);
  for (const std::string& number : numbers) {
    const std::string name = where_called(call, number);
    if (!name.empty()) {
      guess.op.called[number] = name;
      guess.op.numbers[number] = *call.number(name);
      guess.assumed.push_back(fmt::format("{} is {} of the call, here {}", number, name, *call.number(name)));
    } else if (!spec.defaults.count(number)) {
      guess.undetermined.push_back(
          fmt::format("`operator.numbers.{}`: the program names no such number", number));
    }
  }
}

void take_named(const kernel::ExportedCall& call, const Operands& operands, const std::string& name,
                OperatorGuess& guess) {
  const kernel::OperatorSpec& spec = *kernel::find_operator(name);
  guess.op.name = name;
  if (name == "attention") {
    if (!has_tokens(operands)) {
      guess.undetermined.emplace_back(
          "`operator`: attention has q, k, v and o, each of tokens, heads and elements");
      return;
    }
    take_attention(operands, guess);
  } else {
    take_rows(row_roles(spec, operands), guess);
    if (guess.op.roles.empty()) {
      guess.undetermined.push_back(fmt::format("`operator`: {} has {} tensors, the call {}", name,
                                               spec.inputs.size() + 1, operands.inputs.size() + 1));
      return;
    }
    auto modes = run_modes(*operands.output.tensor, guess.op);
    if (name.starts_with("reduce_")) modes.assign(modes.size(), "row");
    guess.op.roles[spec.output] = {operands.output.tensor->name, modes};
  }
  take_numbers(call, guess);
}

/// Whether a real number of the call is one of the operator's, or changes nothing.
bool is_accounted(const kernel::ExportedCall& call, const kernel::Operator& op, const std::string& name,
                  std::vector<std::string>& assumed) {
  const auto value = call.number(name);
  if (!value) return false;
  for (const auto& [number, called] : op.called)
    if (called == name || call.number(called) == value) return true;  // or the same under another name
  const auto scale = op.called.find("scale");
  if (scale != op.called.end())
    if (const auto plain = call.number(scale->second);
        plain && std::fabs(*value - *plain * std::log2(std::exp(1.0))) < 1e-6 * std::fabs(*value))
      return true;
  if (name.starts_with("num_") && *value == std::floor(*value)) return true;  // a count, come of a division
  const auto says = [&](const char* word) { return name.find(word) != std::string::npos; };
  const bool one = *value == 1 && (says("scale") || says("alpha"));
  const bool zero = *value == 0 && (says("offset") || says("shift"));
  if (one) assumed.push_back(fmt::format("{} is 1: a factor that changes nothing", name));
  if (zero) assumed.push_back(fmt::format("{} is 0: a summand that changes nothing", name));
  return one || zero;
}

/// What speaks against the guess, or is missing from it.
void hold_against_call(const kernel::ExportedCall& call, const std::string& words, const std::string& named,
                       OperatorGuess& guess) {
  kernel::ExportedCall seen = call;
  kernel::shape_runs(guess.op, seen);
  if (auto fits = kernel::check_operator(guess.op, seen); !fits)
    guess.undetermined.push_back("`operator`: " + fits.error().wrong);
  for (const std::string& number : call.real_numbers())
    if (!is_accounted(call, guess.op, number, guess.assumed) && named.empty())
      guess.undetermined.push_back(
          fmt::format("`operator`: it looks like {}, but what the number {} does there is not known",
                      guess.op.name, number));
  const bool grouped = std::any_of(guess.op.roles.begin(), guess.op.roles.end(),
                                   [](const auto& role) { return kernel::is_family(role.second.tensor); });
  if (named.empty() && guess.op.name == "gemm" && !grouped &&
      to_lower(words).find("grouped") != std::string::npos)
    guess.undetermined.emplace_back("`operator`: it looks like one product, but is called a grouped one");
  if (named.empty() && guess.op.name == "gemm")
    for (const char* word : {"gelu", "relu", "silu", "swish", "activation", "epilogue"})
      if (to_lower(words).find(word) != std::string::npos) {
        guess.undetermined.push_back(fmt::format(
            "`operator.numbers.activation`: what \"{}\" in the program's name does to the product", word));
        break;
      }
  if (call.uses_known && call.writes_elsewhere > 0 && !grouped)  // where a group's results lie
    guess.undetermined.push_back(
        fmt::format("it writes memory of none of its tensors in {} place{}: addresses that it loads or "
                    "descriptors that it makes",
                    call.writes_elsewhere, call.writes_elsewhere == 1 ? "" : "s"));
}

std::string tensor_names(const kernel::ExportedCall& call) {
  std::vector<std::string> tensors;
  for (const CallTensor& tensor : call.tensors)
    tensors.push_back(call.uses_known && tensor.written ? tensor.name + " (written)" : tensor.name);
  constexpr std::size_t most_names = 16;
  return kernel::listed(tensors, most_names);
}

}  // namespace

void take_mask(const std::string& program_text, OperatorGuess& guess) {
  if (guess.op.name != "attention" || program_text.find("scaled_dot_product_attention(") == std::string::npos)
    return;
  guess.op.numbers["causal_from_start"] = 1;
  guess.assumed.emplace_back(
      "its own reference is torch's scaled_dot_product_attention, whose causal mask begins at the first "
      "query "
      "and the first key");
}

OperatorGuess guess_operator(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                             const std::string& words, const std::string& named) {
  OperatorGuess guess;
  const bool has_tables = !kernel::families_of(call).empty();
  if (has_tables && (named.empty() || named == "gemm")) {
    take_grouped_product(call, guess);
    if (guess.op.known()) take_numbers(call, guess);
  }
  const auto operands = has_tables ? std::nullopt : operands_of(call, flags, guess.assumed);
  if (operands) {
    const bool may_be_product = named.empty() || named == "gemm";
    if (may_be_product && !has_tokens(*operands)) take_product_of(*operands, false, guess);
    const bool alpha = call.number("alpha").has_value();
    if (!guess.op.known() && named != "gemm") {
      const std::string name = named.empty() ? named_by_words(*operands, words, alpha) : named;
      if (!name.empty()) take_named(call, *operands, name, guess);
      if (guess.op.known())
        guess.assumed.push_back(named.empty() ? fmt::format("{}: by the program's words ({})", name, words)
                                              : name + ": as the import was told");
    } else if (guess.op.known()) {
      take_numbers(call, guess);
    }
    const bool follows =
        std::any_of(flags.begin(), flags.end(), [](const auto& f) { return !f.scaled.empty(); });
    if (may_be_product && !guess.op.known() && (named == "gemm" || !follows)) {
      take_product_of(*operands, true, guess);
      if (guess.op.known()) take_numbers(call, guess);
    }
  }
  if (guess.op.known()) {
    hold_against_call(call, words, named, guess);
    if (!guess.undetermined.empty()) guess.op = {};
  } else if (guess.undetermined.empty()) {
    guess.undetermined.push_back(
        fmt::format("`operator`: {} ({}) {}, and what it computes",
                    call.uses_known ? "what its tensors are" : "which of its tensors", tensor_names(call),
                    call.uses_known ? "in it" : "the kernel reads and writes"));
  }
  return guess;
}

}  // namespace cutelab::cli
