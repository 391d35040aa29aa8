#include "cli/host_call_program.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "source/tree.h"

namespace cutelab::cli {
namespace {

/// Types that mean the same outside of the function's own template.
bool is_plain_type(const std::string& type) {
  static const std::set<std::string> plain = {"int",     "float",       "double", "char",     "bool",
                                              "int64_t", "int32_t",     "size_t", "unsigned", "long",
                                              "__half",  "std::size_t", "int8_t", "uint8_t",  "cudaStream_t"};
  return plain.count(type) != 0;
}

bool is_stream(const HostParameter& p) { return p.type == "cudaStream_t"; }

std::string type_text(const HostParameter& p) { return is_plain_type(p.type) ? p.type : "FILL_IN"; }

std::string parameter_list(const HostFunction& function) {
  std::vector<std::string> texts;
  for (const auto& p : function.parameters)
    texts.push_back(
        fmt::format("{}{}{} {}", p.constant ? "const " : "", type_text(p), p.pointer ? "*" : "", p.name));
  return join(texts, ", ");
}

/// The parameter in main: what it is made of, with what is legal behind it.
std::string in_main(const HostParameter& p, int& argv) {
  if (is_stream(p)) return "";
  if (p.pointer)
    return fmt::format(
        "  thrust::device_vector<{0}> {1}(FILL_IN);  // elements of {2}: float, cute::half_t …; "
        "how many: m * k\n",
        type_text(p), p.name, p.type.empty() ? "a type of the template" : p.type);
  if (p.type == "int") {
    ++argv;
    return fmt::format(
        "  int {0} = FILL_IN;  // a whole number; argv[{1}] becomes a parameter of the package\n"
        "  if (argc > {1}) sscanf(argv[{1}], \"%d\", &{0});\n",
        p.name, argv);
  }
  return fmt::format(
      "  {} {} = FILL_IN;  // {}: a number, a letter, or cute::make_layout(cute::make_shape(m, n), …)\n",
      is_plain_type(p.type) ? p.type : "auto", p.name, p.type);
}

std::string given(const HostParameter& p) {
  return is_stream(p) ? "0" : p.pointer ? p.name + ".data().get()" : p.name;
}

constexpr const char* host_call_template = R"cu(// The call of `{0}` ({1}, line {2}).
//
// What main of the program gives could not be followed, so that the call stands here. Fill in what is FILL_IN, then:
//   {3}
#pragma push_macro("main")
#undef main
#define main called_program_main
{4}
#pragma pop_macro("main")

#include <cstdio>
#include <thrust/device_vector.h>

void call({5}) {{
  {6}
}}

int main(int argc, char** argv) {{
{7}  call({8});
}}
)cu";

}  // namespace

std::optional<HostCallee> host_callee(std::string text) {
  const auto tree = source::Tree::parse(source::Grammar::cuda, std::move(text));
  const HostFile file = host_file(*tree);
  std::set<std::string> launching;
  for (std::size_t round = 0; round <= file.functions.size(); ++round)
    for (const auto& [name, function] : file.functions) {
      bool launches = function.launches;
      for (const std::string& called : function.calls) launches |= launching.count(called) != 0;
      if (launches) launching.insert(name);
    }
  const HostFunction* last = nullptr;
  for (const auto& [name, function] : file.functions)
    if (launching.count(name) && !function.parameters.empty() && (!last || function.line > last->line))
      last = &function;
  if (last) return HostCallee{*last, false};
  if (file.kernels.empty()) return std::nullopt;
  return HostCallee{file.kernels.back(), true};
}

std::string host_call_program(const std::string& program, const std::string& included,
                              const HostCallee& callee, const std::string& again) {
  const HostFunction& function = callee.function;
  std::vector<std::string> names, values;
  std::string declared;
  int argv = 0;
  for (const auto& p : function.parameters) {
    names.push_back(p.name);
    values.push_back(given(p));
    declared += in_main(p, argv);
  }
  const std::string call =
      callee.is_kernel
          ? fmt::format(
                "// Of tensors and the like, take pointers, numbers and layouts here and make them:\n"
                "  // cute::make_tensor(cute::make_gmem_ptr(pointer), cute::make_layout(…))\n"
                "  ::{}<<<dim3(FILL_IN), dim3(FILL_IN)>>>({});  // blocks of the grid, threads of a block",
                function.qualified, join(names, ", "))
          : fmt::format("::{}({});", function.qualified, join(names, ", "));
  return fmt::format(host_call_template, function.qualified, program, function.line, again,
                     "#include \"" + included + "\"", parameter_list(function), call, declared,
                     join(values, ", "));
}

}  // namespace cutelab::cli
