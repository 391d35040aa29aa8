#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/host_walk.h"

namespace cutelab::cli {
namespace {
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

}  // namespace

void HostMain::declare(const std::string& name, const std::string& type, bool pointer,
                       std::string_view text) {
  types_[name] = pointer ? type + "*" : type;
  values_.erase(name);
  bool on_device = false;
  const std::string element = pointer ? "" : element_in(type, on_device);
  const HostValue value = value_of(text);
  if (element.empty()) {
    HostValue kept = value;
    if (is_real_type(resolved_type(type)) && kept.is(HostValue::Kind::integer)) {
      kept = HostValue::of_real(static_cast<double>(value.integer));
      kept.argv = value.argv;
    }
    return assign(name, kept);
  }
  HostMemory memory{name, resolved_type(element), -1, on_device};
  const auto parts = argument_texts(text);
  if (value.is(HostValue::Kind::integer)) memory.elements = value.integer;
  if (value.is(HostValue::Kind::memory)) memory.elements = elements_of(value.memory);
  if (parts.size() == 2) {  // (count, value) or (begin, end)
    const HostValue first = value_of(parts[0]);
    if (first.is(HostValue::Kind::integer)) memory.elements = first.integer;
    if (first.is(HostValue::Kind::memory)) memory.elements = elements_of(first.memory);
  }
  HostValue made;
  made.kind = HostValue::Kind::memory;
  made.memory = static_cast<int>(call_.memories.size());
  call_.memories.push_back(std::move(memory));
  values_[name] = made;
}

HostMain::Next HostMain::run_declaration(source::Node declaration) {
  const std::string type(declaration.child(source::Field::type_field).text());
  for (const source::Node part : declaration.children()) {
    if (part.field() != source::Field::declarator_field) continue;
    const source::Node name = declared_name(part);
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
  for (const source::Node call : tree_.all({source::Kind::call_expression}))
    if (declaration.contains(call) &&
        call.child(source::Field::function_field).is(source::Kind::identifier) &&
        file_.functions.count(std::string(call.child(source::Field::function_field).text())))
      if (run_expression(call) == Next::over) return Next::over;
  return Next::go_on;
}

/// The letters that the program compares a name with: what it may be.
std::vector<std::string> HostMain::letters_of(const std::string& name) const {
  std::set<std::string> letters;
  for (const source::Node comparison : tree_.all({source::Kind::binary_expression})) {
    const std::string_view left = comparison.child(source::Field::left_field).text();
    const std::string_view right = comparison.child(source::Field::right_field).text();
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
  if (value.is(HostValue::Kind::word)) {
    flag.kind = "word";
    flag.value = std::string(1, static_cast<char>(value.integer));
    flag.choices = letters_of(name);
  } else if (value.is(HostValue::Kind::real)) {
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
  if (value.argv >= 0 && !value.is(HostValue::Kind::argument)) {
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
      value = HostValue::of_integer((*text)[0]), value.kind = HostValue::Kind::word;
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
  if (bytes.is(HostValue::Kind::integer) && each > 0) memory.elements = bytes.integer / each;
  HostValue made;
  made.kind = HostValue::Kind::memory;
  made.memory = static_cast<int>(call_.memories.size());
  call_.memories.push_back(std::move(memory));
  values_[name] = made;
  return true;
}

}  // namespace cutelab::cli
