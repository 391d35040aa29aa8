// export.json, strictly: it lies in a folder that can be carried about, so that each number is held to what
// it is used for before anything is made of it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json_document.h"
#include "base/text.h"
#include "kernel/dtype.h"
#include "kernel/exported_call.h"
#include "kernel/json_members.h"
#include "kernel/operators.h"

namespace cutelab::kernel {
namespace {

constexpr std::int64_t most_bytes = INT64_C(1) << 48;  // of memory, and of extents and strides
constexpr std::int64_t most_threads = INT32_MAX;       // of a launch's extents
constexpr auto null_is_missing = JsonMembers::Null::missing;
constexpr std::int64_t word_bytes = sizeof(std::uint64_t);

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::vector<std::byte> bytes_from(JsonMembers& given, const char* name) {
  const std::string hexadecimal = given.text(name, false);
  const bool digits =
      std::all_of(hexadecimal.begin(), hexadecimal.end(), [](char c) { return digit_of(c) >= 0; });
  if (!digits || hexadecimal.size() % 2 != 0) {
    given.wrong(name, "it is no bytes in hexadecimal");
    return {};
  }
  std::vector<std::byte> found;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
    found.push_back(static_cast<std::byte>(digit_of(hexadecimal[i]) << 4 | digit_of(hexadecimal[i + 1])));
  return found;
}

/// The memory that the document speaks of: what an address may be of.
class Memory {
 public:
  Memory(const ExportedCall& call, std::string& fault) : buffers_(call.buffers), fault_(fault) {}

  int buffer(JsonMembers& given) const {
    const auto most = static_cast<std::int64_t>(buffers_.size()) - 1;
    return static_cast<int>(given.integer("buffer", 0, 0, most, true));
  }
  std::int64_t offset(JsonMembers& given, int buffer) const {
    const std::size_t at = static_cast<std::size_t>(buffer);
    const std::int64_t bytes = at < buffers_.size() ? buffers_[at] : 0;
    return given.integer("offset", 0, 0, std::max<std::int64_t>(bytes, 0));
  }
  /// Addresses in `bytes` of content, at places that do not overlap, by their place.
  std::vector<ExportedCall::Relocation> relocations(JsonMembers& of, std::int64_t bytes) const {
    std::vector<ExportedCall::Relocation> found;
    for (const GivenJson& one : of.list("relocations")) {
      JsonMembers given(one, of.at("relocations", found.size()), fault_, null_is_missing);
      ExportedCall::Relocation r;
      r.at = static_cast<std::size_t>(given.integer("at", 0, 0, bytes - word_bytes, true));
      r.buffer = buffer(given);
      r.offset = offset(given, r.buffer);
      found.push_back(r);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    found.erase(std::unique(found.begin(), found.end()), found.end());  // of a table with a stride of 0
    for (std::size_t i = 1; i < found.size(); ++i)
      if (found[i].at - found[i - 1].at < static_cast<std::size_t>(word_bytes))
        of.wrong("relocations", fmt::format("two addresses stand at byte {}", found[i].at));
    return found;
  }
  std::int64_t bytes_of(int buffer) const { return buffers_.at(static_cast<std::size_t>(buffer)); }

 private:
  const std::vector<std::int64_t>& buffers_;
  std::string& fault_;
};

/// Elements from the first to the last one; -1: more than memory has.
std::int64_t span_of(const ExportedCall::Tensor& tensor) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0) return 0;
    const std::int64_t steps = tensor.shape[i] - 1;
    if (steps > 0 && tensor.stride[i] > (most_bytes - elements) / steps) return -1;
    elements += steps * tensor.stride[i];
  }
  return elements;
}

/// Extents of strides 0 repeat elements: their product is memory of ours all the same.
bool has_few_elements(const ExportedCall::Tensor& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.shape) {
    if (extent > 0 && elements > most_bytes / extent) return false;
    elements *= extent;
  }
  return true;
}

void hold_tensor(JsonMembers& given, const ExportedCall::Tensor& tensor, const Memory& memory) {
  if (tensor.shape.size() != tensor.stride.size())
    return given.wrong("stride",
                       fmt::format("{} strides for {} extents", tensor.stride.size(), tensor.shape.size()));
  const std::int64_t span = span_of(tensor);
  if (span < 0 || !has_few_elements(tensor)) return given.wrong("shape", "it is larger than memory");
  const auto dtype = dsl_dtype(tensor.dtype);
  const std::int64_t wanted = dtype ? static_cast<std::int64_t>(bytes_of(*dtype, span)) : 0;
  if (wanted > tensor.bytes)
    return given.wrong("bytes", fmt::format("{}, where its elements take {}", tensor.bytes, wanted));
  const std::int64_t rest = memory.bytes_of(tensor.buffer) - tensor.offset;
  if (tensor.bytes > rest)
    return given.wrong("bytes", fmt::format("{}, where its memory has {} from there", tensor.bytes, rest));
  if (tensor.content && static_cast<std::int64_t>(tensor.content->size()) != tensor.bytes)
    given.wrong("content", fmt::format("{} bytes of {}", tensor.content->size(), tensor.bytes));
}

ExportedCall::Tensor tensor_from(const GivenJson& object, const std::string& at, const Memory& memory,
                                 std::string& fault) {
  JsonMembers given(object, at, fault, null_is_missing);
  ExportedCall::Tensor tensor;
  tensor.name = given.text("name");
  tensor.dtype = given.text("dtype");
  tensor.shape = given.integers("shape", 0, most_bytes);
  tensor.stride = given.integers("stride", 0, most_bytes);
  tensor.buffer = memory.buffer(given);
  if (!fault.empty()) return tensor;
  tensor.offset = memory.offset(given, tensor.buffer);
  tensor.bytes = given.integer("bytes", 0, 0, most_bytes, true);
  if (given.has("content")) tensor.content = bytes_from(given, "content");
  const auto content = static_cast<std::int64_t>(tensor.content ? tensor.content->size() : 0);
  tensor.relocations = memory.relocations(given, content);
  if (tensor.name.empty()) given.wrong("name", "it is empty");
  if (fault.empty()) hold_tensor(given, tensor, memory);
  return tensor;
}

ExportedCall::Argument argument_from(const GivenJson& object, const std::string& at, const Memory& memory,
                                     std::string& fault) {
  JsonMembers given(object, at, fault, null_is_missing);
  ExportedCall::Argument argument;
  argument.name = given.text("name", false);
  argument.type = given.text("type", false);
  argument.stream = given.truth("stream");
  argument.content = bytes_from(given, "content");
  argument.relocations = memory.relocations(given, static_cast<std::int64_t>(argument.content.size()));
  return argument;
}

void take_extents(JsonMembers& given, const char* name, std::array<unsigned, 3>& extents) {
  const auto found = given.integers(name, 0, most_threads);
  if (found.size() != extents.size()) return given.wrong(name, "it wants three extents");
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = static_cast<unsigned>(found[i]);
}

ExportedCall::Launch launch_from(const GivenJson& object, const std::string& at, std::string& fault) {
  // cudaLaunchAttributeClusterDimension, cudaLaunchAttributePreferredClusterDimension
  constexpr int cluster_dimension = 4, preferred_dimension = 11;
  JsonMembers given(object, at, fault, null_is_missing);
  ExportedCall::Launch launch;
  launch.symbol = given.text("symbol", false);
  take_extents(given, "grid", launch.grid);
  take_extents(given, "block", launch.block);
  launch.dynamic_smem_bytes =
      static_cast<std::uint64_t>(given.integer("dynamic_shared_bytes", 0, 0, most_threads));
  std::size_t index = 0;
  for (const GivenJson& one : given.list("attributes")) {
    JsonMembers attribute(one, given.at("attributes", index++), fault, null_is_missing);
    const auto id = attribute.integer("id", 0, 0, most_threads);
    if (id == cluster_dimension) take_extents(attribute, "value", launch.cluster);
    if (id == preferred_dimension) take_extents(attribute, "value", launch.preferred_cluster);
  }
  return launch;
}

ExportedCall::Flag flag_from(const GivenJson& object, const std::string& at, std::string& fault) {
  JsonMembers given(object, at, fault, null_is_missing);
  ExportedCall::Flag flag;
  flag.option = given.text("option", false);
  flag.destination = given.text("destination", false);
  flag.kind = given.has("kind") ? given.text("kind") : "word";
  flag.has_value = given.has("value");
  flag.value = given.text("value", false);
  flag.several_words = given.truth("several_words");
  flag.negative = given.truth("negative");
  flag.help = given.text("help", false);
  for (const GivenJson& choice : given.list("choices"))
    if (choice.is_string()) flag.choices.push_back(choice.get<std::string>());
  return flag;
}

std::map<std::string, std::string> members_of(JsonMembers& of, const char* name) {
  std::map<std::string, std::string> found;
  for (const auto& [key, value] : of.object(name, false).items())
    found[key] = value.dump(-1, ' ', false, GivenJson::error_handler_t::replace);
  return found;
}

void take_memory(JsonMembers& given, ExportedCall& call, std::string& fault) {
  for (const GivenJson& one : given.list("buffers")) {
    JsonMembers buffer(one, given.at("buffers", call.buffers.size()), fault, null_is_missing);
    call.buffers.push_back(buffer.integer("bytes", 0, 0, most_bytes, true));
  }
  const Memory memory(call, fault);
  std::set<std::string> names;
  for (const GivenJson& one : given.list("tensors")) {
    const std::string at = given.at("tensors", call.tensors.size());
    call.tensors.push_back(tensor_from(one, at, memory, fault));
    if (!names.insert(call.tensors.back().name).second)
      given.wrong("tensors", "two are named " + printable(call.tensors.back().name));
    if (!fault.empty()) return;
  }
  for (const GivenJson& one : given.list("arguments"))
    call.arguments.push_back(argument_from(one, given.at("arguments", call.arguments.size()), memory, fault));
}

ExportedCall call_from(const GivenJson& document, std::string& fault) {
  JsonMembers given(document, "", fault, null_is_missing);
  ExportedCall call;
  for (const GivenJson& one : given.list("flags"))
    call.flags.push_back(flag_from(one, given.at("flags", call.flags.size()), fault));
  call.function = given.text("function", false);
  call.entry = given.text("entry", false);
  call.symbols = given.texts("symbols");
  take_memory(given, call, fault);
  for (const GivenJson& one : given.list("launches"))
    call.launches.push_back(launch_from(one, given.at("launches", call.launches.size()), fault));
  call.device_code = given.text("device_code", false);
  if (call.device_code.find('/') != std::string::npos) given.wrong("device_code", "it is no file's name");
  call.device_code_sha256 = given.text("device_code_sha256", false);
  call.object_sha256 = given.text("object_sha256", false);
  call.runtime_archive = given.text("runtime_archive", false);
  if (given.has("compile_call")) {
    JsonMembers compile(given.object("compile_call"), "compile_call", fault, null_is_missing);
    call.callee = compile.text("callee", false);
    call.attributes = members_of(compile, "attributes");
    call.constants = members_of(compile, "constants");
  }
  call.undetermined = given.texts("undetermined");
  call.other_functions = given.texts("other_functions");
  call.failures = given.texts("failures");
  call.notes = given.texts("notes");
  call.compiled = static_cast<int>(given.integer("compiled", 0, 0, most_threads));
  return call;
}

}  // namespace

Result<ExportedCall> exported_call_from_json(const std::string& text) {
  Error bad{ErrorKind::input, "read an exported call", "", "", "export it again"};
  const auto document = json_document<GivenJson>(text, bad);
  if (!document) return document.error();
  const auto is = [&](const char* name, const GivenJson& value) {
    return document->is_object() && document->contains(name) && (*document)[name] == value;
  };
  if (!is("schema", "cutelab.export") || !is("schema_version", 1)) {
    bad.wrong = "it is not of schema cutelab.export 1";
    return bad;
  }
  ExportedCall call = call_from(*document, bad.wrong);
  if (!bad.wrong.empty()) return bad;
  call.note_positions();
  return call;
}

}  // namespace cutelab::kernel
