#include "kernel/exported_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace cutelab::kernel {
namespace {
using Json = nlohmann::json;
}  // namespace

const ExportedCall::Tensor* ExportedCall::find(const std::string& name) const {
  if (const auto noted = positions.find(name);
      noted != positions.end() && noted->second < tensors.size() && tensors[noted->second].name == name)
    return &tensors[noted->second];
  const auto it =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
}

void ExportedCall::note_positions() {
  positions.clear();
  for (std::size_t i = 0; i < tensors.size(); ++i) positions.emplace(tensors[i].name, i);
}

std::vector<std::string> ExportedCall::real_numbers() const {
  std::vector<std::string> found;
  for (const auto* all : {&attributes, &constants})
    for (const auto& [name, text] : *all)
      if (Json::parse(text, nullptr, false).is_number_float()) found.push_back(name);
  for (const Argument& argument : arguments)
    for (const char* type : {"float", "double", "__half_raw", "__nv_bfloat16"})
      if (argument.type == type) found.push_back(argument.name);
  return found;
}

namespace {

std::optional<double> number_in(const std::string& text) {
  if (text == "True" || text == "true") return 1;
  if (text == "False" || text == "false") return 0;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? std::optional(value) : std::nullopt;
}

std::optional<double> number_in(const ExportedCall::Argument& argument) {
  if (argument.type == "float" && argument.content.size() == sizeof(float)) {
    float value = 0;
    std::memcpy(&value, argument.content.data(), sizeof value);
    return value;
  }
  if (argument.type == "double" && argument.content.size() == sizeof(double)) {
    double value = 0;
    std::memcpy(&value, argument.content.data(), sizeof value);
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> ExportedCall::number(const std::string& name) const {
  for (const Argument& argument : arguments)
    if (argument.name == name)
      if (const auto value = number_in(argument)) return value;
  for (const auto* all : {&attributes, &constants})
    if (const auto it = all->find(name); it != all->end())
      if (const auto value = number_in(it->second)) return value;
  for (const Flag& flag : flags)
    if (flag.destination == name && flag.has_value) return number_in(flag.value);
  return std::nullopt;
}

std::vector<std::byte> argument_block(const ExportedCall& call,
                                      const std::vector<unsigned long long>& addresses) {
  constexpr std::size_t alignment = 16;
  const auto count = static_cast<std::uint32_t>(call.arguments.size());
  std::vector<std::byte> block(2 * sizeof count + count * 2 * sizeof count);
  std::memcpy(block.data(), &count, sizeof count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& argument = call.arguments[i];
    block.resize((block.size() + alignment - 1) / alignment * alignment);
    const std::uint32_t described[2] = {static_cast<std::uint32_t>(block.size()), argument.stream ? 1u : 0u};
    std::memcpy(block.data() + 2 * sizeof count + i * sizeof described, described, sizeof described);
    block.insert(block.end(), argument.content.begin(), argument.content.end());
    for (const auto& r : argument.relocations) {
      const std::uint64_t address =
          addresses[static_cast<std::size_t>(r.buffer)] + static_cast<std::uint64_t>(r.offset);
      std::memcpy(block.data() + described[0] + r.at, &address, sizeof address);
    }
  }
  return block;
}

}  // namespace cutelab::kernel
