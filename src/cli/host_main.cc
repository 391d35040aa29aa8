#include "cli/host_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/host_functions.h"
#include "source/tree.h"

namespace cutelab::cli {
namespace {
using source::Field;
using source::Kind;
using source::Node;
using HostKind = HostValue::Kind;

bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto in_word = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + name.size())) return true;
  }
  return false;
}

class HostMain final : public HostScope {
 public:
  HostMain(const std::string& path, const source::Tree& tree, std::map<int, std::string> given)
      : path_(path), tree_(tree), file_(host_file(tree)), given_(std::move(given)) {}

  Result<HostCall> go();

  HostValue variable(const std::string& name) const override {
    HostValue value;
    if (name == "argv") value.kind = HostKind::argument;
    const auto it = values_.find(name);
    return it == values_.end() ? value : it->second;
  }
  std::string resolved_type(const std::string& type) const override;
  std::int64_t elements_of(int memory) const override {
    return call_.memories[static_cast<std::size_t>(memory)].elements;
  }
  std::optional<std::string> given(int argv) const override {
    const auto it = given_.find(argv);
    return it == given_.end() ? std::nullopt : std::optional(it->second);
  }

 private:
  enum class Next { go_on, over };
  Next run(Node statement);
  Next run_children(Node block);
  Next run_if(Node statement);
  Next run_conditional_text(Node statement);
  Next run_declaration(Node declaration);
  Next run_expression(Node expression);
  void declare(const std::string& name, const std::string& type, bool pointer, std::string_view value);
  void assign(const std::string& name, HostValue value);
  void note_argument(const std::string& name, const HostValue& value);
  bool scan_argument(const std::string& call, const std::vector<std::string>& arguments);
  bool allocate(const std::string& call, const std::vector<std::string>& arguments);
  Next take_call(Node call, const std::string& name, const std::vector<std::string>& arguments);
  HostArgument argument_for(const HostParameter& parameter, const std::string& text) const;
  HostValue value_of(std::string_view text) const { return evaluate_host(text, *this); }
  void forget_assigned(Node inside);
  std::vector<std::string> letters_of(const std::string& name) const;
  Next refuse(Node at, std::string why) {
    refused_ =
        Error{ErrorKind::usage, "follow main", std::move(why), fmt::format("{}:{}", path_, at.line()), ""};
    return Next::over;
  }

  const std::string& path_;
  const source::Tree& tree_;
  HostFile file_;
  std::map<int, std::string> given_;
  std::map<std::string, HostValue> values_;
  std::map<std::string, std::string> types_, aliases_;
  HostCall call_;
  std::optional<Error> refused_;
  Node kernel_in_main_;
};

std::vector<std::string> argument_texts(std::string_view inside) {
  std::vector<std::string> texts;
  int depth = 0;
  std::string now;
  const std::string plain = without_comments(inside);
  char quote = 0;
  for (const char c : plain) {
    if (quote)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '{' || c == '[')
      ++depth;
    else if (c == ')' || c == '}' || c == ']')
      --depth;
    if (c == ',' && depth == 0 && !quote) {
      texts.emplace_back(trim(now));
      now.clear();
    } else {
      now += c;
    }
  }
  if (!trim(now).empty()) texts.emplace_back(trim(now));
  return texts;
}

/// What stands between the outermost parentheses or braces.
std::string_view inside_of(std::string_view text) {
  const auto open = text.find_first_of("({"), close = text.find_last_of(")}");
  return open == std::string_view::npos || close == std::string_view::npos || close < open
             ? std::string_view()
             : text.substr(open + 1, close - open - 1);
}

std::string HostMain::resolved_type(const std::string& type) const {
  std::string made = type;
  for (int round = 0; round < 8; ++round) {
    std::string next, word;
    bool changed = false;
    for (std::size_t i = 0; i <= made.size(); ++i) {
      const char c = i < made.size() ? made[i] : '\0';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      const auto local = aliases_.find(word);
      const auto global = file_.aliases.find(word);
      const bool plain = !word.empty() && (next.empty() || next.back() != ':');
      if (plain && local != aliases_.end())
        word = local->second, changed = true;
      else if (plain && global != file_.aliases.end())
        word = global->second, changed = true;
      next += word;
      word.clear();
      if (c) next += c;
    }
    made = next;
    if (!changed) break;
  }
  return std::string(trim(made));
}

HostMain::Next HostMain::run_children(Node block) {
  for (const Node child : block.children())
    if (run(child) == Next::over) return Next::over;
  return Next::go_on;
}

HostMain::Next HostMain::run(Node statement) {
  switch (statement.kind()) {
    case Kind::compound_statement:
    case Kind::else_clause:
      return run_children(statement);
    case Kind::declaration:
      return run_declaration(statement);
    case Kind::alias_declaration:
      aliases_[std::string(statement.child(Field::name_field).text())] =
          std::string(trim(statement.child(Field::type_field).text()));
      return Next::go_on;
    case Kind::using_declaration:
      if (statement.text().find("namespace") != std::string_view::npos)
        call_.using_directives.emplace_back(statement.text());
      return Next::go_on;
    case Kind::if_statement:
      return run_if(statement);
    case Kind::preproc_if:
    case Kind::preproc_ifdef:
      return run_conditional_text(statement);
    case Kind::expression_statement:
      return run_expression(statement.first());
    case Kind::return_statement:
      return refuse(statement, "main returns before it calls a function with memory on the device");
    case Kind::for_statement:
    case Kind::while_statement:
    case Kind::do_statement:
    case Kind::for_range_loop:
    case Kind::switch_statement:
      forget_assigned(statement);
      for (const Node call : tree_.all({Kind::call_expression}))
        if (statement.contains(call) && run_expression(call) == Next::over) return Next::over;
      return Next::go_on;
    default:
      return Next::go_on;
  }
}

/// `#if 0` is passed over; of all others the first branch is what the compiler is taken to see.
HostMain::Next HostMain::run_conditional_text(Node statement) {
  const Node condition = statement.child(Field::condition_field);
  const Node alternative = statement.child(Field::alternative_field);
  const bool never = trim(condition.text()) == "0" || statement.text().starts_with("#ifndef") ||
                     trim(condition.text()).starts_with("!defined");
  if (never) return alternative ? run_children(alternative) : Next::go_on;
  for (const Node child : statement.children())
    if (child != condition && child != alternative && run(child) == Next::over) return Next::over;
  return Next::go_on;
}

void HostMain::forget_assigned(Node inside) {
  for (const Node assignment : tree_.all({Kind::assignment_expression}))
    if (inside.contains(assignment)) values_.erase(std::string(assignment.child(Field::left_field).text()));
}

HostMain::Next HostMain::run_if(Node statement) {
  const Node condition = statement.child(Field::condition_field);
  const Node yes = statement.child(Field::consequence_field);
  const Node no = statement.child(Field::alternative_field);
  if (names(condition.text(), "argc")) {
    // What is read from the command line there is noted; it counts where it is given.
    if (yes.text().find("return") == std::string_view::npos) return run(yes);
    return no ? run(no) : Next::go_on;
  }
  const HostValue value = value_of(inside_of(condition.text()));
  if (value.is(HostKind::integer)) {
    if (value.integer == 0) return no ? run(no) : Next::go_on;
    const Next next = run(yes);
    if (refused_ && refused_->wrong.starts_with("main returns"))
      refused_->wrong = fmt::format("main refuses it: {} holds", condition.text());
    return next;
  }
  const bool leaves = names(yes.text(), "return") || names(yes.text(), "exit");
  if (leaves) {
    call_.skipped.push_back(fmt::format("`if {}` (line {}) is taken not to hold: it ends main",
                                        replace_all(std::string(condition.text()), "\n", " "),
                                        statement.line()));
    return no ? run(no) : Next::go_on;
  }
  forget_assigned(yes);
  if (no) forget_assigned(no);
  return Next::go_on;
}

/// The element type in `device_vector<T>`; empty = it is no such type.
std::string element_in(const std::string& type, bool& on_device) {
  for (const char* holder :
       {"host_vector<", "device_vector<", "universal_vector<", "std::vector<", "DeviceAllocation<"}) {
    const auto at = type.find(holder);
    if (at == std::string::npos) continue;
    on_device = *holder != 'h' && *holder != 's';
    const std::size_t begin = at + std::string(holder).size(), end = type.rfind('>');
    return end == std::string::npos || end < begin ? "" : std::string(trim(type.substr(begin, end - begin)));
  }
  return "";
}

void HostMain::declare(const std::string& name, const std::string& type, bool pointer,
                       std::string_view text) {
  types_[name] = pointer ? type + "*" : type;
  values_.erase(name);
  bool on_device = false;
  const std::string element = pointer ? "" : element_in(type, on_device);
  const HostValue value = value_of(text);
  if (element.empty()) {
    HostValue kept = value;
    if (is_real_type(resolved_type(type)) && kept.is(HostKind::integer)) {
      kept = HostValue::of_real(static_cast<double>(value.integer));
      kept.argv = value.argv;
    }
    return assign(name, kept);
  }
  HostMemory memory{name, resolved_type(element), -1, on_device};
  const auto parts = argument_texts(text);
  if (value.is(HostKind::integer)) memory.elements = value.integer;
  if (value.is(HostKind::memory)) memory.elements = elements_of(value.memory);
  if (parts.size() == 2) {  // (count, value) or (begin, end)
    const HostValue first = value_of(parts[0]);
    if (first.is(HostKind::integer)) memory.elements = first.integer;
    if (first.is(HostKind::memory)) memory.elements = elements_of(first.memory);
  }
  HostValue made;
  made.kind = HostKind::memory;
  made.memory = static_cast<int>(call_.memories.size());
  call_.memories.push_back(std::move(memory));
  values_[name] = made;
}

HostMain::Next HostMain::run_declaration(Node declaration) {
  const std::string type(declaration.child(Field::type_field).text());
  for (const Node part : declaration.children()) {
    if (part.field() != Field::declarator_field) continue;
    const Node name = declared_name(part);
    if (!name) continue;
    const std::string_view all = part.text();
    const std::size_t after = name.end_byte() - part.first_byte();
    std::string_view rest = trim(all.substr(std::min(after, all.size())));
    const bool pointer =
        all.substr(0, name.first_byte() - part.first_byte()).find('*') != std::string_view::npos;
    if (rest.starts_with("="))
      rest = trim(rest.substr(1));
    else
      rest = inside_of(rest);
    declare(std::string(name.text()), type, pointer, rest);
  }
  for (const Node call : tree_.all({Kind::call_expression}))
    if (declaration.contains(call) && call.child(Field::function_field).is(Kind::identifier) &&
        file_.functions.count(std::string(call.child(Field::function_field).text())))
      if (run_expression(call) == Next::over) return Next::over;
  return Next::go_on;
}

/// The letters that the program compares a name with: what it may be.
std::vector<std::string> HostMain::letters_of(const std::string& name) const {
  std::set<std::string> letters;
  for (const Node comparison : tree_.all({Kind::binary_expression})) {
    const std::string_view left = comparison.child(Field::left_field).text();
    const std::string_view right = comparison.child(Field::right_field).text();
    if (left == name && right.size() == 3 && right[0] == '\'') letters.emplace(right.substr(1, 1));
  }
  return {letters.begin(), letters.end()};
}

void HostMain::note_argument(const std::string& name, const HostValue& value) {
  kernel::ExportedCall::Flag flag;
  flag.option = fmt::format("argv[{}]", value.argv);
  for (const auto& known : call_.flags)
    if (known.option == flag.option) return;
  flag.destination = name;
  flag.has_value = true;
  flag.help = flag.option + " of the program";
  if (value.is(HostKind::word)) {
    flag.kind = "word";
    flag.value = std::string(1, static_cast<char>(value.integer));
    flag.choices = letters_of(name);
  } else if (value.is(HostKind::real)) {
    flag.kind = "real";
    flag.value = fmt::format("{}", value.real);
  } else {
    flag.kind = "integer";
    flag.value = fmt::format("{}", value.integer);
    flag.has_value = value.known();
  }
  call_.flags.push_back(std::move(flag));
}

void HostMain::assign(const std::string& name, HostValue value) {
  if (value.argv >= 0 && !value.is(HostKind::argument)) {
    if (!value.known() && !given(value.argv)) {  // `if (argc > 1) m = atoi(argv[1]);`: it stays as it is
      HostValue kept = variable(name);
      kept.argv = value.argv;
      value = kept;
    }
    note_argument(name, value);
    value.argv = -1;
  }
  values_[name] = std::move(value);
}

/// sscanf(argv[i], "%d", &name).
bool HostMain::scan_argument(const std::string& call, const std::vector<std::string>& arguments) {
  if ((call != "sscanf" && call != "std::sscanf") || arguments.size() != 3) return false;
  const HostValue from = value_of(arguments[0]), format = value_of(arguments[1]);
  if (from.argv < 0 || !arguments[2].starts_with("&")) return true;
  const std::string name(trim(std::string_view(arguments[2]).substr(1)));
  HostValue value = variable(name);
  if (const auto text = given(from.argv)) {
    const bool letter = format.text == "%c";
    const auto whole = parse_integer(*text);
    if (letter && text->size() == 1)
      value = HostValue::of_integer((*text)[0]), value.kind = HostKind::word;
    else if (!letter && whole)
      value = HostValue::of_integer(*whole);
  }
  value.argv = from.argv;
  assign(name, value);
  return true;
}

/// cudaMalloc(&p, bytes) and block.reset(elements).
bool HostMain::allocate(const std::string& call, const std::vector<std::string>& arguments) {
  if (call != "cudaMalloc" || arguments.size() != 2) return false;
  const auto at = arguments[0].find_last_of('&');
  if (at == std::string::npos) return true;
  std::string name = arguments[0].substr(at + 1);
  while (!name.empty() && (name.back() == ')' || name.back() == ' ')) name.pop_back();
  std::string element = types_.count(name) ? types_[name] : "";
  std::erase(element, '*');
  HostMemory memory{name, resolved_type(element), -1, true};
  const HostValue bytes = value_of(arguments[1]);
  const int each = host_element_bytes(memory.type);
  if (bytes.is(HostKind::integer) && each > 0) memory.elements = bytes.integer / each;
  HostValue made;
  made.kind = HostKind::memory;
  made.memory = static_cast<int>(call_.memories.size());
  call_.memories.push_back(std::move(memory));
  values_[name] = made;
  return true;
}

HostMain::Next HostMain::run_expression(Node expression) {
  if (expression.is(Kind::assignment_expression)) {
    const std::string left(expression.child(Field::left_field).text());
    const Node right = expression.child(Field::right_field);
    if (right.is(Kind::call_expression) && run_expression(right) == Next::over) return Next::over;
    const HostValue value = value_of(right.text());
    const bool refilled = variable(left).is(HostKind::memory);  // a vector gets another's content
    if (!refilled) assign(left, value);
    return Next::go_on;
  }
  if (!expression.is(Kind::call_expression)) return Next::go_on;
  for (const Node child : expression.children())
    if (child.is(Kind::kernel_call_syntax) && !kernel_in_main_) kernel_in_main_ = expression;
  const std::string name(expression.child(Field::function_field).text());
  const auto arguments = argument_texts(inside_of(expression.child(Field::arguments_field).text()));
  if (scan_argument(name, arguments) || allocate(name, arguments)) return Next::go_on;
  if (name == "assert" && arguments.size() == 1) {
    const HostValue holds = value_of(arguments[0]);
    if (holds.is(HostKind::integer) && holds.integer == 0)
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
  if (argument.value.is(HostKind::memory))
    argument.type = call_.memories[static_cast<std::size_t>(argument.value.memory)].type;
  else if (type.find("auto") == std::string::npos)
    argument.type = type;
  else
    argument.type = argument.value.is(HostKind::real)   ? "float"
                    : argument.value.is(HostKind::word) ? "char"
                                                        : "int";
  return argument;
}

HostMain::Next HostMain::take_call(Node call, const std::string& name,
                                   const std::vector<std::string>& arguments) {
  const std::string plain = name.substr(0, name.find('<'));
  const auto colon = plain.rfind(':');
  const auto all = file_.functions.equal_range(colon == std::string::npos ? plain : plain.substr(colon + 1));
  bool with_memory = false;
  for (const std::string& text : arguments) {
    const HostValue value = value_of(text);
    with_memory |=
        value.is(HostKind::memory) && call_.memories[static_cast<std::size_t>(value.memory)].on_device;
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
    call_.takes_stream = !parameters.empty() && names(parameters.back().type, "cudaStream_t");
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
  if (refused_ && call_.function.empty()) {
    if (kernel_in_main_)
      refused_.reset();
    else
      return *refused_;
  }
  for (const auto& [argv, text] : given_)
    if (std::none_of(call_.flags.begin(), call_.flags.end(),
                     [&, at = argv](const auto& flag) { return flag.option == fmt::format("argv[{}]", at); }))
      return Error{ErrorKind::usage, "follow main of " + path_, fmt::format("main reads no argv[{}]", argv),
                   path_, "options of a CUDA C++ program are given as argv[1]=VALUE"};
  if (!call_.function.empty()) return std::move(call_);
  if (kernel_in_main_)
    return cannot(fmt::format("main launches {} itself (line {}); a host function that launches is wanted",
                              kernel_in_main_.child(Field::function_field).text(), kernel_in_main_.line()),
                  "put the launch into a function that takes the pointers, in a file of your own");
  return cannot("main calls no function of the file with memory on the device that could be followed",
                "memory is followed from thrust vectors, cutlass::DeviceAllocation and cudaMalloc");
}

}  // namespace

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
