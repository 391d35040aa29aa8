#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernel/exported_call.h"

namespace cutelab::kernel {
namespace {
using CallJson = nlohmann::ordered_json;

std::string hexadecimal(const std::vector<std::byte>& content) {
  std::string text;
  for (const std::byte b : content) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

CallJson json_of(const std::vector<ExportedCall::Relocation>& relocations) {
  CallJson all = CallJson::array();
  for (const auto& r : relocations) all.push_back({{"at", r.at}, {"buffer", r.buffer}, {"offset", r.offset}});
  return all;
}

CallJson json_of(const ExportedCall::Tensor& tensor) {
  CallJson object = {{"name", tensor.name},     {"dtype", tensor.dtype},   {"shape", tensor.shape},
                     {"stride", tensor.stride}, {"buffer", tensor.buffer}, {"offset", tensor.offset},
                     {"bytes", tensor.bytes}};
  if (tensor.content) object["content"] = hexadecimal(*tensor.content);
  if (!tensor.relocations.empty()) object["relocations"] = json_of(tensor.relocations);
  return object;
}

CallJson json_of(const ExportedCall::Argument& argument) {
  return {{"name", argument.name},
          {"type", argument.type},
          {"stream", argument.stream},
          {"content", hexadecimal(argument.content)},
          {"relocations", json_of(argument.relocations)}};
}

CallJson json_of(const ExportedCall::Launch& launch) {
  // cudaLaunchAttributeClusterDimension, cudaLaunchAttributePreferredClusterDimension
  constexpr int cluster_dimension = 4, preferred_dimension = 11;
  CallJson attributes = CallJson::array();
  attributes.push_back({{"id", cluster_dimension}, {"value", launch.cluster}});
  if (launch.preferred_cluster[0] != 0)
    attributes.push_back({{"id", preferred_dimension}, {"value", launch.preferred_cluster}});
  return {{"symbol", launch.symbol},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_shared_bytes", launch.dynamic_smem_bytes},
          {"attributes", std::move(attributes)}};
}

CallJson json_of(const ExportedCall::Flag& flag) {
  CallJson object = {{"option", flag.option}, {"destination", flag.destination}, {"kind", flag.kind}};
  if (flag.has_value) object["value"] = flag.value;
  object["several_words"] = flag.several_words;
  object["negative"] = flag.negative;
  object["help"] = flag.help;
  object["choices"] = flag.choices;
  return object;
}

CallJson members(const std::map<std::string, std::string>& all) {
  CallJson object = CallJson::object();
  for (const auto& [name, value] : all) object[name] = CallJson::parse(value, nullptr, false);
  return object;
}

template <class Item>
CallJson list_of(const std::vector<Item>& items) {
  CallJson all = CallJson::array();
  for (const Item& item : items) all.push_back(json_of(item));
  return all;
}

}  // namespace

std::string to_json(const ExportedCall& call) {
  CallJson buffers = CallJson::array();
  for (const std::int64_t bytes : call.buffers) buffers.push_back({{"bytes", bytes}});
  const CallJson document = {{"schema", "cutelab.export"},
                             {"schema_version", 1},
                             {"flags", list_of(call.flags)},
                             {"function", call.function},
                             {"entry", call.entry},
                             {"symbols", call.symbols},
                             {"tensors", list_of(call.tensors)},
                             {"buffers", std::move(buffers)},
                             {"arguments", list_of(call.arguments)},
                             {"launches", list_of(call.launches)},
                             {"device_code", call.device_code},
                             {"device_code_sha256", call.device_code_sha256},
                             {"object_sha256", call.object_sha256},
                             {"runtime_archive", call.runtime_archive},
                             {"compile_call",
                              {{"callee", call.callee},
                               {"attributes", members(call.attributes)},
                               {"constants", members(call.constants)}}},
                             {"undetermined", call.undetermined},
                             {"other_functions", call.other_functions},
                             {"failures", call.failures},
                             {"notes", call.notes},
                             {"compiled", call.compiled}};
  return document.dump(1, ' ', false, CallJson::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::kernel
