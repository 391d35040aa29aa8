#include "cli/host_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace cutelab::cli {
namespace {
using HostKind = HostValue::Kind;
using HostTensor = kernel::ExportedCall::Tensor;
using BlockArgument = kernel::ExportedCall::Argument;

template <class Number>
std::vector<std::byte> bytes_of(Number number) {
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

BlockArgument integer_argument(const std::string& name, std::int64_t value) {
  BlockArgument argument;
  argument.name = name;
  argument.type = "int64_t";
  argument.content = bytes_of(value);
  return argument;
}

/// Whether a parameter's name is `before` and the matrix's, in any case: ldA, lda, ld_a, transA.
bool belongs_to(const std::string& name, const char* before, const std::string& matrix) {
  std::string plain = to_lower(name);
  std::erase(plain, '_');
  std::string of = to_lower(matrix);
  std::erase(of, '_');
  return plain == before + of || plain == of + before;
}

const HostArgument* find_beside(const HostCall& call, const char* before, const std::string& matrix,
                                HostKind kind) {
  for (const HostArgument& argument : call.arguments)
    if (argument.value.is(kind) && belongs_to(argument.name, before, matrix)) return &argument;
  return nullptr;
}

void shape_tensor(const HostCall& call, std::size_t at, std::int64_t elements, HostTensor& tensor) {
  const HostArgument& pointer = call.arguments[at];
  if (at + 1 < call.arguments.size() && call.arguments[at + 1].value.is(HostKind::layout)) {
    for (const HostLeaf& leaf : call.arguments[at + 1].value.shape) tensor.shape.push_back(leaf.value);
    for (const HostLeaf& leaf : call.arguments[at + 1].value.stride) tensor.stride.push_back(leaf.value);
    return;
  }
  const HostArgument* leading = find_beside(call, "ld", pointer.name, HostKind::integer);
  const HostArgument* turned = find_beside(call, "trans", pointer.name, HostKind::word);
  if (!leading || leading->value.integer < 1 || elements % leading->value.integer != 0) {
    tensor.shape = {elements};
    tensor.stride = {1};
    return;
  }
  const std::int64_t fast = leading->value.integer;
  tensor.shape = {fast, elements / fast};
  tensor.stride = {1, fast};
  const bool transposed = turned && (turned->value.integer == 'T' || turned->value.integer == 't');
  if (transposed)
    std::reverse(tensor.shape.begin(), tensor.shape.end()),
        std::reverse(tensor.stride.begin(), tensor.stride.end());
}

/// Whether what is behind a pointer takes part before it is written: a summand unless its factor is 0.
bool is_read(const HostCall& call, const HostArgument& pointer) {
  if (pointer.constant) return true;
  for (const HostArgument& argument : call.arguments)
    if (argument.value.is(HostKind::real) && to_lower(argument.name) == "beta")
      return argument.value.real != 0;
  return false;
}

Error undetermined_argument(const std::string& path, const HostCall& call, const HostArgument& argument,
                            const std::string& what) {
  return Error{
      ErrorKind::input, "follow main of " + path,
      fmt::format("{} of argument {} of {} is not to be told from main: it gives `{}`", what, argument.name,
                  call.function, argument.text),
      fmt::format("{}:{}", path, call.line),
      "call the function from a main of your own that gives it a number, a layout or memory of known size"};
}

Status add_pointer(const std::string& path, const HostCall& call, std::size_t at,
                   kernel::ExportedCall& made) {
  const HostArgument& given = call.arguments[at];
  const HostMemory& memory = call.memories[static_cast<std::size_t>(given.value.memory)];
  const int each = host_element_bytes(memory.type);
  if (memory.elements < 1) return undetermined_argument(path, call, given, "the number of elements");
  if (each == 0)
    return undetermined_argument(path, call, given, fmt::format("the element type (`{}`)", memory.type));
  HostTensor tensor;
  tensor.name = given.name.empty() ? memory.name : given.name;
  tensor.dtype = host_dtype(memory.type);
  shape_tensor(call, at, memory.elements, tensor);
  tensor.bytes = memory.elements * each;
  tensor.buffer = static_cast<int>(made.buffers.size());
  tensor.read = is_read(call, given);
  tensor.written = !given.constant;
  BlockArgument argument;
  argument.name = tensor.name;
  argument.type = "void *";
  argument.content = bytes_of(std::uint64_t{0});
  argument.relocations = {{0, tensor.buffer, 0}};
  if (tensor.read && tensor.written)
    made.undetermined.push_back(
        fmt::format("what {} holds before the call takes part: no reference has it", tensor.name));
  made.buffers.push_back(tensor.bytes);
  made.tensors.push_back(std::move(tensor));
  made.arguments.push_back(std::move(argument));
  return {};
}

void add_layout(const HostArgument& given, kernel::ExportedCall& made) {
  int index = 0;
  for (const auto* leaves : {&given.value.shape, &given.value.stride})
    for (const HostLeaf& leaf : *leaves)
      if (!leaf.fixed)
        made.arguments.push_back(integer_argument(fmt::format("{}_{}", given.name, index++), leaf.value));
}

/// Text of an argument in the unit; takes as many places of the block as add_* make.
std::string leaves_text(const std::vector<HostLeaf>& leaves, int& place) {
  std::vector<std::string> texts;
  for (const HostLeaf& leaf : leaves)
    texts.push_back(leaf.fixed ? fmt::format("cute::Int<{}>{{}}", leaf.value)
                               : fmt::format("int(*static_cast<const long long*>(at[{}]))", place++));
  return join(texts, ", ");
}

std::string argument_text(const HostArgument& given, int& place) {
  const std::string& type = given.type;
  if (given.value.is(HostKind::memory)) return fmt::format("*static_cast<{}* const*>(at[{}])", type, place++);
  if (given.value.is(HostKind::real))
    return fmt::format("{}(*static_cast<const float*>(at[{}]))", type, place++);
  if (given.value.is(HostKind::layout) || given.value.is(HostKind::tuple)) {
    const std::string shape = fmt::format("cute::make_shape({})", leaves_text(given.value.shape, place));
    if (given.value.is(HostKind::tuple)) return shape;
    return fmt::format("cute::make_layout({}, cute::make_stride({}))", shape,
                       leaves_text(given.value.stride, place));
  }
  if (given.value.fixed) return fmt::format("cute::Int<{}>{{}}", given.value.integer);
  return fmt::format("static_cast<{}>(*static_cast<const long long*>(at[{}]))", type, place++);
}

}  // namespace

Result<kernel::ExportedCall> exported_host_call(const std::string& path, const HostCall& call) {
  kernel::ExportedCall made;
  made.flags = call.flags;
  made.function = made.callee = call.function;
  made.entry = "cutelab_launch";
  made.compiled = 1;
  made.notes = call.skipped;
  made.uses_known = true;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const HostArgument& given = call.arguments[i];
    const HostValue& value = given.value;
    if (value.is(HostKind::memory)) {
      if (auto status = add_pointer(path, call, i, made); !status) return status.error();
    } else if (value.is(HostKind::layout) || value.is(HostKind::tuple)) {
      add_layout(given, made);
    } else if (value.is(HostKind::real)) {
      BlockArgument argument;
      argument.name = given.name;
      argument.type = "float";
      argument.content = bytes_of(static_cast<float>(value.real));
      made.arguments.push_back(std::move(argument));
    } else if (value.is(HostKind::integer) || value.is(HostKind::word)) {
      if (!value.fixed) made.arguments.push_back(integer_argument(given.name, value.integer));
    } else {
      return undetermined_argument(path, call, given, "the value");
    }
  }
  return made;
}

Result<std::string> host_unit(const std::string& path, const HostCall& call) {
  if (path.find_first_of("\"\n\r\\") != std::string::npos)
    return Error{ErrorKind::input, "include " + printable(path),
                 "a quote, a backslash or a line end in its path", "", "give the file another name"};
  std::vector<std::string> arguments;
  int place = 0;
  for (const HostArgument& given : call.arguments) arguments.push_back(argument_text(given, place));
  if (call.takes_stream) arguments.emplace_back("stream");
  std::string directives;
  for (const std::string& line : call.using_directives) directives += "  " + line + "\n";
  return fmt::format(
      "// Made by `cutelab import`: the program as it is, its main renamed, and the call that its main "
      "makes.\n"
      "#define main cutelab_program_main\n#include \"{}\"\n#undef main\n#include \"example_door.cuh\"\n\n"
      "void cutelab_program_call(const void* const* at, cudaStream_t stream) {{\n{}  (void)at;\n  "
      "(void)stream;\n"
      "  ::{}({});\n}}\n",
      path, directives, call.function, join(arguments, ",\n      "));
}

}  // namespace cutelab::cli
