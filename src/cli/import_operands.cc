#include "cli/import_operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kernel/operator_groups.h"

namespace cutelab::cli {
namespace {

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

/// Of several results the one with the extents of an input, else the largest; the first of those alike.
const CallTensor* main_result(const std::vector<const CallTensor*>& written,
                              const std::vector<const CallTensor*>& inputs) {
  const auto suits = [&](const CallTensor* one) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const auto* i) { return i->shape == one->shape; });
  };
  const CallTensor* best = nullptr;
  for (const CallTensor* one : written)
    if (best == nullptr || std::pair(suits(one), one->bytes) > std::pair(suits(best), best->bytes))
      best = one;
  return best;
}

void say_output(const kernel::ExportedCall& call, const std::vector<const CallTensor*>& written,
                const CallTensor* output, std::vector<std::string>& assumed) {
  if (!call.uses_known) {
    assumed.push_back(fmt::format("tensor {} is the output: the last one that is passed", output->name));
    return;
  }
  if (output->read)
    assumed.push_back(fmt::format(
        "tensor {} is read as well as written: that its content before the run does not matter (a check "
        "begins with NaN there)",
        output->name));
  for (const CallTensor* other : written)
    if (other != output)
      assumed.push_back(fmt::format("tensor {} is written too; the check does not look at it", other->name));
}

/// "token", "head", "batch" by the words of the options that an extent follows; empty: they do not say.
std::string meaning_of(const std::string& key) {
  const std::string text = to_lower(key);
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (says("batch")) return "batch";
  if (says("seq") || says("len")) return "token";
  if (says("head") && !says("dim")) return "head";
  return "";
}

/// Modes by falling stride.
std::vector<std::size_t> by_stride(const CallTensor& tensor) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensor.stride[a] > tensor.stride[b]; });
  return order;
}

struct TokenModes {
  std::size_t element = 0, token = 0;
  std::vector<std::size_t> batches, heads;
};

/// Of q: elements have stride 1; the batch is named, else farthest apart; tokens are named, else the most.
std::optional<TokenModes> token_modes(const Operand& q) {
  const CallTensor& tensor = *q.tensor;
  TokenModes modes;
  std::vector<std::size_t> rest;
  bool found = false;
  for (const std::size_t i : by_stride(tensor))
    if (tensor.stride[i] == 1 && tensor.shape[i] > 1 && !found) {
      modes.element = i;
      found = true;
    } else {
      rest.push_back(i);
    }
  if (!found || rest.size() < 2) return std::nullopt;
  const auto named = [&](const char* meaning) {
    return std::find_if(rest.begin(), rest.end(),
                        [&](std::size_t i) { return meaning_of(q.keys[i]) == meaning; });
  };
  if (rest.size() > 2) {
    auto batch = named("batch");
    if (batch == rest.end()) batch = rest.begin();
    modes.batches.push_back(*batch);
    rest.erase(batch);
  }
  auto token = named("token");
  if (token == rest.end())
    token = std::max_element(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) {
      const bool head_a = meaning_of(q.keys[a]) == "head", head_b = meaning_of(q.keys[b]) == "head";
      return head_a != head_b ? head_a : tensor.shape[a] < tensor.shape[b];
    });
  modes.token = *token;
  rest.erase(token);
  std::sort(rest.begin(), rest.end());
  modes.heads = rest;
  return modes;
}

}  // namespace

std::optional<Operands> operands_of(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                                    std::vector<std::string>& assumed) {
  std::vector<const CallTensor*> inputs, written;
  for (const CallTensor& tensor : call.tensors) {
    if (call.uses_known && tensor.written)
      written.push_back(&tensor);
    else if (!tensor.content && (!call.uses_known || tensor.read))
      inputs.push_back(&tensor);
  }
  if (!call.uses_known && !inputs.empty()) {
    written.push_back(inputs.back());
    inputs.pop_back();
  }
  if (written.empty() || inputs.empty()) return std::nullopt;
  Operands operands;
  for (const CallTensor* input : inputs) operands.inputs.push_back({input, keys_of(*input, flags)});
  const CallTensor* output = main_result(written, inputs);
  operands.output = {output, keys_of(*output, flags)};
  say_output(call, written, output, assumed);
  return operands;
}

namespace {

bool fits_order(const ThreeModes& order, const ThreeTensors& tensors) {
  std::map<std::string, std::int64_t> extents;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& shape = tensors[i]->shape;
    if (shape.size() != order[i].size()) return false;
    for (std::size_t mode = 0; mode < shape.size(); ++mode)
      if (extents.emplace(order[i][mode], shape[mode]).first->second != shape[mode]) return false;
  }
  return true;
}

}  // namespace

std::optional<ThreeModes> usual_modes(const std::vector<ThreeTensors>& problems) {
  static const std::vector<ThreeModes> orders = {{{{"m", "k"}, {"n", "k"}, {"m", "n"}}},
                                                 {{{"m", "k"}, {"k", "n"}, {"m", "n"}}},
                                                 {{{"m", "k", "l"}, {"n", "k", "l"}, {"m", "n", "l"}}},
                                                 {{{"l", "m", "k"}, {"l", "n", "k"}, {"l", "m", "n"}}},
                                                 {{{"l", "m", "k"}, {"l", "k", "n"}, {"l", "m", "n"}}}};
  for (const ThreeModes& order : orders)
    if (std::all_of(problems.begin(), problems.end(),
                    [&](const ThreeTensors& tensors) { return fits_order(order, tensors); }))
      return order;
  return std::nullopt;
}

void take_grouped_product(const kernel::ExportedCall& call, OperatorGuess& guess) {
  std::vector<std::string> names;
  std::vector<std::vector<const CallTensor*>> columns;
  for (kernel::Family& family : kernel::families_with_members(call)) {
    auto& members = family.members;
    if (std::find(members.begin(), members.end(), nullptr) != members.end()) continue;
    names.push_back(std::move(family.name));
    columns.push_back(std::move(members));
  }
  if (columns.size() != 3 || columns[1].size() != columns[0].size() || columns[2].size() != columns[0].size())
    return;
  std::vector<ThreeTensors> problems;
  for (std::size_t i = 0; i < columns[0].size(); ++i)
    problems.push_back({columns[0][i], columns[1][i], columns[2][i]});
  const auto modes = usual_modes(problems);
  if (!modes) return;
  guess.op.name = "gemm";
  const char* roles[] = {"a", "b", "d"};
  std::vector<std::string> said;
  for (std::size_t i = 0; i < 3; ++i) {
    guess.op.roles[roles[i]] = {names[i], (*modes)[i]};
    said.push_back(fmt::format("{} ({}) {}", roles[i], join((*modes)[i], ", "), names[i]));
  }
  guess.assumed.push_back("a product for each problem of a group, its tensors behind the addresses in " +
                          join(said, ", "));
}

void take_attention(const Operands& operands, OperatorGuess& guess) {
  const auto modes = token_modes(operands.inputs[0]);
  if (!modes) {
    guess.undetermined.emplace_back("`operator.roles`: which modes are tokens, heads and elements");
    return;
  }
  const bool grouped = modes->heads.size() == 2;  // a group of queries' heads and the keys' own
  const auto& k = *operands.inputs[1].tensor;
  const auto named = [&](const CallTensor& tensor, const char* token, const char* element, bool of_queries) {
    std::vector<std::string> names(tensor.shape.size());
    names[modes->element] = element;
    names[modes->token] = token;
    for (const std::size_t i : modes->batches) names[i] = "batch";
    for (const std::size_t i : modes->heads) names[i] = of_queries && !grouped ? "query_head" : "head";
    // Heads of keys that a group shares: there the group's mode has one element.
    if (grouped && of_queries) {
      const std::size_t first = modes->heads[0], second = modes->heads[1];
      names[k.shape[first] <= k.shape[second] && k.shape[first] == 1 ? first : second] = "group";
    }
    return names;
  };
  const char* roles[] = {"q", "k", "v", "o"};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& tensor = i < 3 ? *operands.inputs[i].tensor : *operands.output.tensor;
    const bool of_queries = i == 0 || i == 3;
    guess.op.roles[roles[i]] = {tensor.name,
                                named(tensor, of_queries ? "query" : "key", i < 2 ? "d" : "dv", of_queries)};
  }
  guess.assumed.push_back(fmt::format("q, k, v are {}, {}, {}; their modes are ({})",
                                      operands.inputs[0].tensor->name, operands.inputs[1].tensor->name,
                                      operands.inputs[2].tensor->name,
                                      join(guess.op.roles.at("q").modes, ", ")));
}

}  // namespace cutelab::cli
