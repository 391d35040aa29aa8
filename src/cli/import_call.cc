#include "cli/import_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "reading/read.h"
#include "source/python_module.h"

namespace cutelab::cli {
namespace {

/// Lines of functions that launch, themselves or through others, and are called by none that does.
std::set<int> entry_lines(const evidence::Reading& reading) {
  const auto& all = reading.functions;
  std::vector<bool> launches(all.size(), false), called(all.size(), false);
  for (std::size_t round = 0; round < all.size(); ++round)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const auto& call : all[i].calls)
        if (call.launches || (call.callee >= 0 && launches[static_cast<std::size_t>(call.callee)]))
          launches[i] = true;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& call : all[i].calls)
      if (launches[i] && all[i].kind == evidence::Function::Kind::jit && call.callee >= 0)
        called[static_cast<std::size_t>(call.callee)] = true;
  std::set<int> lines;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (launches[i] && !called[i] && all[i].kind == evidence::Function::Kind::jit)
      lines.insert(all[i].at.line());
  return lines;
}

std::string one_line_of(source::Node node) {
  const std::string whole = replace_all(std::string(node.text()), "\n", " ");
  std::string text;
  for (const auto word : split(whole, ' '))
    if (!word.empty()) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

void add_parameters(const source::PythonFunction& function, bool constructor,
                    std::vector<CallParameter>& parameters) {
  for (const auto& p : function.parameters) {
    if (p.name == "self" || p.form != source::Parameter::Form::plain) continue;
    parameters.push_back({p.name, one_line_of(p.annotation), one_line_of(p.default_value), constructor});
  }
}

/// What can stand for a parameter, told by its type as it is written.
std::string legal_for(const CallParameter& p) {
  const std::string type = to_lower(p.type);
  const auto says = [&](const char* word) { return type.find(word) != std::string::npos; };
  if (says("constexpr"))
    return "a value that is known when it is compiled: 128, True, (2, 1), cutlass.Float16";
  if (says("stream") || (p.type.empty() && to_lower(p.name).find("stream") != std::string::npos))
    return "cuda.CUstream(0)";
  if (says("tensor")) return "tensor((M, N), torch.float16)";
  if (says("pointer")) return "pointer((M, N), torch.float16)";
  if (says("float")) return "a real number: 1.0";
  if (says("bool")) return "True or False";
  if (says("shape") || says("layout") || says("tuple")) return "a tuple of whole numbers: (128, 64)";
  if (says("type[") || says("numeric")) return "a type of elements: cutlass.Float16";
  if (says("int")) return "a whole number: 128";
  return "what the function takes: tensor((M, N), torch.float16), a number, a tuple, cutlass.Float16";
}

std::string argument_lines(const CallableFunction& function, bool constructor) {
  std::string text;
  for (const auto& p : function.parameters) {
    if (p.constructor != constructor) continue;
    const std::string declared = p.type.empty() ? "no type is declared" : p.type;
    if (p.preset.empty())
      text += fmt::format("    \"{}\": FILL_IN,  # {}; legal: {}\n", p.name, declared, legal_for(p));
    else
      text += fmt::format("    # \"{}\": it is {} unless given; {}\n", p.name, p.preset, declared);
  }
  return text;
}

/// Where the program lies, as an expression of Python in a package's folder.
std::string path_expression(const std::string& program) {
  const std::string quoted = "\"" + replace_all(replace_all(program, "\\", "\\\\"), "\"", "\\\"") + "\"";
  if (program.starts_with("$")) return "os.path.expandvars(" + quoted + ")";
  if (program.starts_with("/")) return quoted;
  return "os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 5, " + quoted + ")";
}

constexpr const char* mark_of_calls = "class FILL_IN:";
constexpr const char* program_line = "PROGRAM = ";

constexpr const char* call_template = R"py("""The call of `{0}` ({1}, line {2}).

The program makes no call that could be followed, so that its arguments stand here. Fill in what is FILL_IN, then:
    {3}
Options that are declared here with argparse become parameters of the package, as those of any program.
"""

import importlib.util
import os
import sys

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack, make_ptr


class FILL_IN:
    """Stands where a value is wanted."""


PROGRAM = {4}


def tensor(extents, dtype):
    """A tensor of the call, its last mode the fast one: .permute or .t() before from_dlpack gives another order."""
    return from_dlpack(torch.zeros(extents, dtype=dtype, device="cuda"), assumed_align=16)


def pointer(extents, dtype):
    """The address of such a tensor."""
    memory = torch.zeros(extents, dtype=dtype, device="cuda")
    kept.append(memory)
    return make_ptr(getattr(cutlass, NAMES[dtype]), memory.data_ptr(), cute.AddressSpace.gmem, assumed_align=16)


NAMES = {{torch.float16: "Float16", torch.bfloat16: "BFloat16", torch.float32: "Float32", torch.int8: "Int8", torch.int32: "Int32"}}
kept = []


def program():
    """The program as a module: its main does not run."""
    sys.path.insert(0, os.path.dirname(PROGRAM))
    spec = importlib.util.spec_from_file_location("called_program", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


{5}ARGUMENTS = {{
{6}}}

if __name__ == "__main__":
    missing = [name for values in ({7}ARGUMENTS,) for name, value in values.items() if value is FILL_IN]
    if missing:
        print("fill in " + ", ".join(missing) + " in {8}")
        sys.exit(1)
    {9}(**ARGUMENTS)
)py";

}  // namespace

Result<std::vector<CallableFunction>> callable_functions(const std::string& path, const FileSource& files) {
  reading::Request request;
  request.path = path;
  auto reading = reading::read(request, files);
  if (!reading) return reading.error();
  auto text = files.read(path, max_source_bytes);
  if (!text) return text.error();
  const auto module = source::PythonModule::parse(path, std::move(*text));
  const std::set<int> lines = entry_lines(*reading);
  std::vector<CallableFunction> found;
  for (const auto& function : module->functions()) {
    const bool of_module = function.enclosing < 0 && function.node;
    if (!of_module || !function.has_decorator("jit")) continue;
    const int first = function.node.line();
    if (lines.count(first) == 0) continue;
    CallableFunction callable;
    callable.name = function.qualified;
    callable.member = function.name;
    callable.line = first;
    if (function.class_index >= 0) {
      callable.owner = module->classes()[static_cast<std::size_t>(function.class_index)].name;
      const int init = module->method(function.class_index, "__init__");
      if (init >= 0)
        add_parameters(module->functions()[static_cast<std::size_t>(init)], true, callable.parameters);
    }
    add_parameters(function, false, callable.parameters);
    found.push_back(std::move(callable));
  }
  return found;
}

std::string call_program(const std::string& program, const CallableFunction& function,
                         const std::string& file, const std::string& again) {
  const bool method = !function.owner.empty();
  const std::string constructor = method ? "CONSTRUCTOR = {\n" + argument_lines(function, true) + "}\n" : "";
  std::string called =
      method ? fmt::format("program().{}(**CONSTRUCTOR)", function.owner) : "program()." + function.name;
  if (method && function.member != "__call__") called += "." + function.member;
  return fmt::format(call_template, function.name, program, function.line, again, path_expression(program),
                     constructor, argument_lines(function, false), method ? "CONSTRUCTOR, " : "", file,
                     called);
}

std::string called_program(const std::string& text) {
  if (text.find(mark_of_calls) == std::string::npos) return "";
  for (const auto line : split(text, '\n')) {
    if (!line.starts_with(program_line)) continue;
    std::string name;  // the last text in quotes
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') {
        inside = !inside;
        if (inside) name.clear();
      } else if (inside) {
        if (line[i] == '\\' && i + 1 < line.size()) ++i;
        name += line[i];
      }
    }
    return name;
  }
  return "";
}

}  // namespace cutelab::cli
