#include "kernel/exported_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace cutelab::kernel {
namespace {
using Json = nlohmann::json;

template <class Value>
Value get(const Json& object, const char* name, Value otherwise) {
  const auto it = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || it == object.end() || it->is_null()) return otherwise;
  try {
    return it->get<Value>();
  } catch (const Json::exception&) {
    return otherwise;
  }
}

const Json& list(const Json& object, const char* name) {
  static const Json none = Json::array();
  const auto it = object.find(name);
  return it != object.end() && it->is_array() ? *it : none;
}

std::vector<std::byte> bytes_from(const std::string& hexadecimal) {
  const auto digit = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) & 15u;
  };
  std::vector<std::byte> found;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    found.push_back(static_cast<std::byte>(digit(hexadecimal[i]) << 4 | digit(hexadecimal[i + 1])));
  return found;
}

std::vector<ExportedCall::Relocation> relocations_from(const Json& object) {
  std::vector<ExportedCall::Relocation> found;
  for (const Json& r : list(object, "relocations"))
    found.push_back({get<std::size_t>(r, "at", 0), get(r, "buffer", -1), get<std::int64_t>(r, "offset", 0)});
  return found;
}

ExportedCall::Tensor tensor_from(const Json& object) {
  ExportedCall::Tensor tensor;
  tensor.name = get<std::string>(object, "name", "");
  tensor.dtype = get<std::string>(object, "dtype", "");
  tensor.shape = get(object, "shape", tensor.shape);
  tensor.stride = get(object, "stride", tensor.stride);
  tensor.buffer = get(object, "buffer", -1);
  tensor.offset = get<std::int64_t>(object, "offset", 0);
  tensor.bytes = get<std::int64_t>(object, "bytes", 0);
  if (object.contains("content") && object["content"].is_string())
    tensor.content = bytes_from(object["content"].get<std::string>());
  tensor.relocations = relocations_from(object);
  return tensor;
}

ExportedCall::Argument argument_from(const Json& object) {
  ExportedCall::Argument argument;
  argument.name = get<std::string>(object, "name", "");
  argument.type = get<std::string>(object, "type", "");
  argument.stream = get(object, "stream", false);
  argument.content = bytes_from(get<std::string>(object, "content", ""));
  argument.relocations = relocations_from(object);
  return argument;
}

ExportedCall::Launch launch_from(const Json& object) {
  // cudaLaunchAttributeClusterDimension, cudaLaunchAttributePreferredClusterDimension
  constexpr int cluster_dimension = 4, preferred_dimension = 11;
  ExportedCall::Launch launch;
  launch.symbol = get<std::string>(object, "symbol", "");
  launch.grid = get(object, "grid", launch.grid);
  launch.block = get(object, "block", launch.block);
  launch.dynamic_smem_bytes = get<std::uint64_t>(object, "dynamic_shared_bytes", 0);
  for (const Json& attribute : list(object, "attributes"))
    if (list(attribute, "value").size() == 3) {
      const int id = get(attribute, "id", 0);
      if (id == cluster_dimension) launch.cluster = get(attribute, "value", launch.cluster);
      if (id == preferred_dimension)
        launch.preferred_cluster = get(attribute, "value", launch.preferred_cluster);
    }
  return launch;
}

ExportedCall::Flag flag_from(const Json& object) {
  ExportedCall::Flag flag;
  flag.option = get<std::string>(object, "option", "");
  flag.destination = get<std::string>(object, "destination", "");
  flag.kind = get<std::string>(object, "kind", "word");
  flag.has_value = object.contains("value") && object["value"].is_string();
  flag.value = get<std::string>(object, "value", "");
  flag.several_words = get(object, "several_words", false);
  flag.negative = get(object, "negative", false);
  flag.help = get<std::string>(object, "help", "");
  for (const Json& choice : list(object, "choices"))
    if (choice.is_string()) flag.choices.push_back(choice.get<std::string>());
  return flag;
}

std::map<std::string, std::string> members_of(const Json& object, const char* name) {
  std::map<std::string, std::string> found;
  if (const auto it = object.find(name); it != object.end() && it->is_object())
    for (const auto& [key, value] : it->items())
      found[key] = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return found;
}

bool is_whole(const ExportedCall& call) {
  const auto in_range = [&](int buffer) {
    return buffer >= 0 && static_cast<std::size_t>(buffer) < call.buffers.size();
  };
  const auto lie_in = [&](const std::vector<ExportedCall::Relocation>& relocations, std::size_t bytes) {
    return std::all_of(relocations.begin(), relocations.end(), [&](const auto& r) {
      return in_range(r.buffer) && bytes >= sizeof(std::uint64_t) && r.at <= bytes - sizeof(std::uint64_t);
    });
  };
  for (const auto& tensor : call.tensors)
    if (!in_range(tensor.buffer) || tensor.shape.size() != tensor.stride.size() ||
        !lie_in(tensor.relocations, tensor.content ? tensor.content->size() : 0))
      return false;
  return std::all_of(call.arguments.begin(), call.arguments.end(), [&](const auto& argument) {
    return lie_in(argument.relocations, argument.content.size());
  });
}

}  // namespace

const ExportedCall::Tensor* ExportedCall::find(const std::string& name) const {
  const auto it =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
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

Result<ExportedCall> exported_call_from_json(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  const Error bad{ErrorKind::input, "read an exported call", "it is not of schema cutelab.export 1", "",
                  "export it again"};
  if (!document.is_object() || get<std::string>(document, "schema", "") != "cutelab.export" ||
      get(document, "schema_version", 0) != 1)
    return bad;
  ExportedCall call;
  for (const Json& flag : list(document, "flags")) call.flags.push_back(flag_from(flag));
  call.function = get<std::string>(document, "function", "");
  call.entry = get<std::string>(document, "entry", "");
  call.symbols = get(document, "symbols", call.symbols);
  for (const Json& tensor : list(document, "tensors")) call.tensors.push_back(tensor_from(tensor));
  for (const Json& buffer : list(document, "buffers"))
    call.buffers.push_back(get<std::int64_t>(buffer, "bytes", 0));
  for (const Json& argument : list(document, "arguments")) call.arguments.push_back(argument_from(argument));
  for (const Json& launch : list(document, "launches")) call.launches.push_back(launch_from(launch));
  call.device_code = get<std::string>(document, "device_code", "");
  call.device_code_sha256 = get<std::string>(document, "device_code_sha256", "");
  call.object_sha256 = get<std::string>(document, "object_sha256", "");
  call.runtime_archive = get<std::string>(document, "runtime_archive", "");
  if (const auto it = document.find("compile_call"); it != document.end() && it->is_object()) {
    call.callee = get<std::string>(*it, "callee", "");
    call.attributes = members_of(*it, "attributes");
    call.constants = members_of(*it, "constants");
  }
  call.undetermined = get(document, "undetermined", call.undetermined);
  call.other_functions = get(document, "other_functions", call.other_functions);
  call.failures = get(document, "failures", call.failures);
  call.notes = get(document, "notes", call.notes);
  call.compiled = get(document, "compiled", 0);
  if (!is_whole(call)) return bad;
  return call;
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
