#include "cli/host_main.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/host_walk.h"

namespace cutelab::cli {
HostMain::Next HostMain::run_expression(source::Node expression) {
  if (expression.is(source::Kind::assignment_expression)) {
    const std::string left(expression.child(source::Field::left_field).text());
    const source::Node right = expression.child(source::Field::right_field);
    if (expression.child(source::Field::operator_token).text() != "=") {  // `n += 4` is not followed
      values_.erase(left);
      return Next::go_on;
    }
    if (right.is(source::Kind::call_expression) && run_expression(right) == Next::over) return Next::over;
    const HostValue value = value_of(right.text());
    const bool refilled = variable(left).is(HostValue::Kind::memory);  // a vector gets another's content
    if (!refilled) assign(left, value);
    return Next::go_on;
  }
  if (expression.kind_name() == "update_expression")
    values_.erase(std::string(expression.child(source::Field::argument_field).text()));
  if (!expression.is(source::Kind::call_expression)) return Next::go_on;
  for (const source::Node child : expression.children())
    if (child.is(source::Kind::kernel_call_syntax) && !kernel_in_main_) kernel_in_main_ = expression;
  const std::string name(expression.child(source::Field::function_field).text());
  const auto arguments = argument_texts(inside_of(expression.child(source::Field::arguments_field).text()));
  if (scan_argument(name, arguments) || allocate(name, arguments)) return Next::go_on;
  if (name == "assert" && arguments.size() == 1) {
    const HostValue holds = value_of(arguments[0]);
    if (holds.is(HostValue::Kind::integer) && holds.integer == 0)
      return refuse(expression, fmt::format("main refuses it: assert({})", arguments[0]));
    return Next::go_on;
  }
  return take_call(expression, name, arguments);
}

HostArgument HostMain::argument_for(const HostParameter& parameter, const std::string& text) const {
  HostArgument argument{parameter.name, parameter.type, parameter.pointer, parameter.constant, text, "",
                        value_of(text)};
  const auto declared = types_.find(text);
  const std::string type = declared == types_.end() ? "auto" : resolved_type(declared->second);
  if (argument.value.is(HostValue::Kind::memory))
    argument.type = call_.memories[static_cast<std::size_t>(argument.value.memory)].type;
  else if (type.find("auto") == std::string::npos)
    argument.type = type;
  else
    argument.type = argument.value.is(HostValue::Kind::real)   ? "float"
                    : argument.value.is(HostValue::Kind::word) ? "char"
                                                               : "int";
  return argument;
}

HostMain::Next HostMain::take_call(source::Node call, const std::string& name,
                                   const std::vector<std::string>& arguments) {
  const std::string plain = name.substr(0, name.find('<'));
  const auto colon = plain.rfind(':');
  const auto all = file_.functions.equal_range(colon == std::string::npos ? plain : plain.substr(colon + 1));
  bool with_memory = false;
  for (const std::string& text : arguments) {
    const HostValue value = value_of(text);
    with_memory |=
        value.is(HostValue::Kind::memory) && call_.memories[static_cast<std::size_t>(value.memory)].on_device;
  }
  if (!with_memory || all.first == all.second) return Next::go_on;
  for (auto it = all.first; it != all.second; ++it) {
    const auto& parameters = it->second.parameters;
    std::size_t needed = 0;
    for (const auto& parameter : parameters) needed += parameter.optional ? 0 : 1;
    if (arguments.size() < needed || arguments.size() > parameters.size()) continue;
    call_.function = it->second.qualified;
    if (name.find('<') != std::string::npos) call_.function += resolved_type(name.substr(name.find('<')));
    call_.line = call.line();
    call_.takes_stream = !parameters.empty() && names_word(parameters.back().type, "cudaStream_t");
    const std::size_t own = std::min(arguments.size(), parameters.size() - (call_.takes_stream ? 1 : 0));
    for (std::size_t i = 0; i < own; ++i)
      call_.arguments.push_back(argument_for(parameters[i], arguments[i]));
    call_.takes_stream &= own + 1 == parameters.size();
    return Next::over;
  }
  return refuse(call,
                fmt::format("no definition of {} in the file takes {} arguments", plain, arguments.size()));
}

Result<HostCall> HostMain::go() {
  const auto cannot = [&](std::string wrong, std::string remedy) {
    return Error{ErrorKind::input, "follow main of " + path_, std::move(wrong), path_, std::move(remedy)};
  };
  if (!file_.main)
    return cannot("it has no main",
                  "a program is wanted whose main calls a host function with memory on the device");
  run_children(file_.main);
  if (refused_ && call_.function.empty() && !kernel_in_main_) return *refused_;
  for (const auto& [argv, text] : given_)
    if (std::none_of(call_.flags.begin(), call_.flags.end(),
                     [&, at = argv](const auto& flag) { return flag.option == fmt::format("argv[{}]", at); }))
      return Error{ErrorKind::usage, "follow main of " + path_, fmt::format("main reads no argv[{}]", argv),
                   path_, "options of a CUDA C++ program are given as argv[1]=VALUE"};
  if (!call_.function.empty()) return std::move(call_);
  if (kernel_in_main_)
    return cannot(
        fmt::format("main launches {} itself (line {}); a host function that launches is wanted",
                    kernel_in_main_.child(source::Field::function_field).text(), kernel_in_main_.line()),
        "put the launch into a function that takes the pointers, in a file of your own");
  return cannot("main calls no function of the file with memory on the device that could be followed",
                "memory is followed from thrust vectors, cutlass::DeviceAllocation and cudaMalloc");
}

Result<HostCall> read_host_call(const std::string& path, std::string text,
                                const std::vector<std::string>& flags) {
  std::map<int, std::string> given;
  for (const std::string& flag : flags) {
    const auto close = flag.find("]=");
    const auto number = flag.starts_with("argv[") && close != std::string::npos
                            ? parse_integer(flag.substr(5, close - 5))
                            : std::nullopt;
    if (!number || *number < 1 || *number > 1000)
      return Error{ErrorKind::usage, "follow main of " + path,
                   fmt::format("'{}' is no argument of it", printable(flag)), path,
                   "options of a CUDA C++ program are given as argv[1]=VALUE"};
    given[static_cast<int>(*number)] = flag.substr(close + 2);
  }
  const auto tree = source::Tree::parse(source::Grammar::cuda, std::move(text));
  return HostMain(path, *tree, std::move(given)).go();
}

}  // namespace cutelab::cli