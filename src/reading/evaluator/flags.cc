#include "reading/evaluator/flags.h"

#include <algorithm>

namespace cutelab::reading {
using source::Field;
using NodeKind = source::Kind;
using source::Node;
namespace {

void take_keyword(Flag& flag, std::string_view key, Node value) {
  if (key == "default") flag.default_value = value;
  if (key == "type") flag.type = value;
  if (key == "choices") flag.choices = value;
  if (key == "help") flag.help = source::string_value(value);
  if (key == "dest") flag.dest = source::string_value(value);
  if (key == "action")
    flag.action = value.is(NodeKind::string) ? source::string_value(value) : std::string(value.text());
}

Flag flag_of(Node call) {
  Flag flag;
  flag.call = call;
  for (const Node a : call.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) {
      take_keyword(flag, a.child(Field::name_field).text(), a.child(Field::value_field));
    } else if (a.is(NodeKind::string)) {
      const std::string name = source::string_value(a);
      if (flag.name.empty() || (name.starts_with("--") && !flag.name.starts_with("--"))) flag.name = name;
    }
  }
  if (flag.dest.empty()) {
    const auto begin = flag.name.find_first_not_of('-');
    flag.dest = begin == std::string::npos ? "" : flag.name.substr(begin);
    std::replace(flag.dest.begin(), flag.dest.end(), '-', '_');
  }
  return flag;
}
}  // namespace

std::vector<Flag> flags_of(const source::PythonModule& module) {
  std::vector<Flag> out;
  for (const Node n : module.tree().all(NodeKind::call)) {
    const Node function = n.child(Field::function_field);
    if (!function.is(NodeKind::attribute) || function.child(Field::attribute_field).text() != "add_argument")
      continue;
    Flag flag = flag_of(n);
    if (!flag.name.empty()) out.push_back(std::move(flag));
  }
  return out;
}

}  // namespace cutelab::reading
