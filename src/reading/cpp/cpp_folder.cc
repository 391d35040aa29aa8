#include "reading/cpp/cpp_folder.h"

#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int deepest_fold = 60;
constexpr int most_folds = 60'000;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::string digits(trim(text));
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  std::erase(digits, '\'');
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    std::int64_t out = 0;
    for (const char c : to_lower(digits.substr(2))) {
      const auto digit = std::string_view("0123456789abcdef").find(c);
      if (digit == std::string_view::npos || out > (std::int64_t{1} << 58)) return std::nullopt;
      out = out * 16 + static_cast<std::int64_t>(digit);
    }
    return out;
  }
  if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("01234567") == std::string::npos &&
      digits.size() < 20) {
    std::int64_t out = 0;
    for (const char c : digits) out = out * 8 + (c - '0');
    return out;
  }
  return parse_integer(digits);
}

}  // namespace

Node cpp_declared_name(Node declarator) {
  Node n = declarator;
  for (int depth = 0; depth < 16 && n; ++depth) {
    if (n.is(NodeKind::identifier) || n.is(NodeKind::field_identifier) || n.is(NodeKind::type_identifier))
      return n;
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.first();
    while (n.is(NodeKind::op)) n = n.next();
  }
  return {};
}

Node cpp_function_name(Node definition) {
  Node n = definition.child(Field::declarator_field);
  for (int depth = 0; depth < 16 && n && !n.is(NodeKind::function_declarator); ++depth) {
    const Node inner = n.child(Field::declarator_field);
    n = inner ? inner : n.first();
  }
  return n.child(Field::declarator_field);
}

std::vector<Node> cpp_items(Node list) {
  std::vector<Node> out;
  for (const Node n : list.children())
    if (!n.is(NodeKind::op)) out.push_back(n);
  return out;
}

CppFolder::CppFolder(std::vector<const source::Tree*> trees, Settings settings)
    : trees_(std::move(trees)), settings_(std::move(settings)) {
  index();
}

void CppFolder::index() {
  for (const source::Tree* tree : trees_)
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const Node n = tree->at(i);
      switch (n.kind()) {
        case NodeKind::init_declarator:
          if (const Node binding = n.child(Field::declarator_field);
              binding.kind_name() == "structured_binding_declarator") {
            for (const Node one : cpp_items(binding)) declarations_[one.text()].push_back(n);
            break;
          }
          if (const Node name = cpp_declared_name(n.child(Field::declarator_field)))
            declarations_[name.text()].push_back(n);
          break;
        case NodeKind::alias_declaration:
          declarations_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::struct_specifier:
        case NodeKind::union_specifier:
        case NodeKind::class_specifier:
          if (n.child(Field::body_field) && n.child(Field::name_field))
            declarations_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::field_declaration:
          if (n.child(Field::default_value_field))
            declarations_[cpp_declared_name(n.child(Field::declarator_field)).text()].push_back(n);
          break;
        case NodeKind::function_definition:
          functions_[cpp_function_name(n).text()].push_back(n);
          break;
        case NodeKind::template_function:
          uses_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::call_expression:
          if (const Node f = n.child(Field::function_field); f.is(NodeKind::identifier))
            uses_[f.text()].push_back(n);
          break;
        case NodeKind::template_type:
          uses_[n.child(Field::name_field).text()].push_back(n);
          break;
        case NodeKind::preproc_def:
          macros_[n.child(Field::name_field).text()].push_back(n);
          break;
        default:
          break;
      }
    }
}

Node CppFolder::function_named(std::string_view name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() && found->second.size() == 1 ? found->second[0] : Node();
}

/// The block, struct, namespace or file that holds a declaration.
Node CppFolder::scope_of(Node n) const {
  for (Node up = n.parent(); up; up = up.parent()) switch (up.kind()) {
      case NodeKind::compound_statement:
      case NodeKind::field_declaration_list:
      case NodeKind::declaration_list:
      case NodeKind::for_statement:
      case NodeKind::translation_unit:
        return up;
      default:
        break;
    }
  return {};
}

/// The declaration of a name that holds at a use: of the innermost scope around it, the last one before it.
/// In another file those of the file and its namespaces.
Node CppFolder::choose(std::string_view name, Node use) const {
  const auto found = declarations_.find(name);
  if (found == declarations_.end()) return {};
  Node best, best_scope;
  bool twice = false;
  for (const Node d : found->second) {
    if (d.contains(use)) {
      const bool in_value = d.is(NodeKind::init_declarator) || d.is(NodeKind::alias_declaration);
      if (in_value) continue;  // `using T = T<int>` names the outer one
    }
    const Node scope = scope_of(d);
    const bool same_file = d.tree() == use.tree();
    const bool global = scope.is(NodeKind::translation_unit) || scope.is(NodeKind::declaration_list);
    if (same_file ? !(global || scope.contains(use)) : !global) continue;
    if (same_file && scope.is(NodeKind::compound_statement) && d.index() > use.index()) continue;
    if (!best || best_scope.contains(scope)) {
      twice = best && best_scope == scope && scope.is(NodeKind::declaration_list);
      twice = twice || (best && best_scope == scope && !same_branches(best, d));
      best = d, best_scope = scope;
    } else if (global && !best_scope.contains(scope) && !scope.contains(best_scope)) {
      twice = true;
    }
  }
  return twice ? Node() : best;
}

CppValue CppFolder::evaluate(Node n, Frames frame) {
  if (!n) return CppValue::unknown("nothing is given");
  if (depth_ > deepest_fold || ++steps_ > most_folds)
    return CppValue::unknown("the evaluation reached its limit", std::string(n.text().substr(0, 60)), n);
  const std::string key =
      frame ? std::string()
            : std::to_string(reinterpret_cast<std::uintptr_t>(n.tree())) + ":" + std::to_string(n.index());
  if (!frame) {
    const auto [place, fresh] = memo_.try_emplace(
        key, CppValue::unknown("depends on itself", std::string(n.text().substr(0, 60)), n));
    if (!fresh) return place->second;
  }
  ++depth_;
  CppValue out = evaluate_new(n, frame);
  --depth_;
  if (!out.known() && !out.node) out.node = n;
  if (!frame) memo_[key] = out;
  return out;
}

CppValue CppFolder::unary(Node n, Frames frame) {
  const auto inner = evaluate(n.child(Field::argument_field), frame);
  if (!inner.integer()) return inner;
  const std::string_view sign = n.first().text();
  if (sign == "-") return CppValue::of(-*inner.integer());
  if (sign == "!") return CppValue::of(std::int64_t{*inner.integer() == 0});
  return sign == "+" ? inner : CppValue::unknown("an operator that is not folded", std::string(sign), n);
}

CppValue CppFolder::evaluate_new(Node n, Frames frame) {
  switch (n.kind()) {
    case NodeKind::number_literal:
      if (const auto number = number_of(n.text())) return CppValue::of(*number);
      return CppValue::unknown("not an integer", std::string(n.text().substr(0, 40)), n);
    case NodeKind::char_literal:
      if (n.text().size() == 3) return CppValue::of(std::int64_t{n.text()[1]});
      return CppValue::unknown("not an integer", std::string(n.text().substr(0, 40)), n);
    case NodeKind::true_literal:
      return CppValue::of(1);
    case NodeKind::false_literal:
      return CppValue::of(0);
    case NodeKind::identifier:
    case NodeKind::type_identifier:
    case NodeKind::primitive_type:
      return named(n, n.text(), frame);
    case NodeKind::parenthesized_expression:
      return evaluate(cpp_items(n).empty() ? Node() : cpp_items(n)[0], frame);
    case NodeKind::condition_clause:
      return evaluate(n.child(Field::value_field), frame);
    case NodeKind::type_descriptor:
      return evaluate(n.child(Field::type_field) ? n.child(Field::type_field) : n.first(), frame);
    case NodeKind::qualified_identifier:
      return qualified(n, frame);
    case NodeKind::template_function:
    case NodeKind::template_type:
      return template_use(n, n.child(Field::arguments_field), n.child(Field::name_field).text(), frame);
    case NodeKind::binary_expression:
      return binary(n, frame);
    case NodeKind::field_expression:
      return field(n, frame);
    case NodeKind::call_expression:
      return call(n, frame);
    case NodeKind::cast_expression:
      return evaluate(n.child(Field::value_field), frame);
    case NodeKind::conditional_expression: {
      const auto condition = evaluate(n.child(Field::condition_field), frame).integer();
      if (!condition) return evaluate(n.child(Field::condition_field), frame);
      return evaluate(n.child(*condition ? Field::consequence_field : Field::alternative_field), frame);
    }
    case NodeKind::unary_expression:
      return unary(n, frame);
    default:
      break;
  }
  const std::string_view kind = n.kind_name();
  if (kind == "decltype") return evaluate(cpp_items(n).empty() ? Node() : cpp_items(n).back(), frame);
  if (kind == "sizeof_expression") return size_of(n, frame);
  if (kind == "compound_literal_expression")
    return object(evaluate(n.child(Field::type_field), frame), n.child(Field::value_field), frame);
  if (kind == "dependent_type") return evaluate(cpp_items(n).back(), frame);
  return CppValue::unknown("is not folded", std::string(n.text().substr(0, 60)), n);
}

CppValue CppFolder::named(Node n, std::string_view name, Frames frame) {
  for (Frames f = frame; f; f = f->outer)
    if (const auto found = f->names.find(name); found != f->names.end()) return found->second;
  for (const auto& [key, value] : settings_)
    if (key == name) {
      if (std::find(used_.begin(), used_.end(), key) == used_.end()) used_.push_back(key);
      if (const auto number = number_of(value)) return CppValue::of(*number);
    }
  if (name.size() > 1 && name[0] == '_')
    if (const auto number = number_of(name.substr(1))) return CppValue::of(*number);
  for (Node up = n.parent(); up; up = up.parent()) {
    if (up.is(NodeKind::function_definition))
      if (CppValue given = parameter(up, name, n); given.known() || !given.text.empty()) return given;
    if (up.is(NodeKind::template_declaration))
      if (CppValue given = template_parameter(up, name, n); given.known() || !given.text.empty())
        return given;
  }
  if (const Node declaration = choose(name, n)) return declared(declaration, n, frame);
  if (macros_.count(name)) return macro(name, n);
  if (CppValue type = cpp_type_named(name); type.known()) return type;
  if (CppValue known = cpp_library_name(name, {}); known.known()) return known;
  const bool macro_like = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return CppValue::unknown(macro_like ? "a macro that the build gives" : "not defined in this file",
                           std::string(name), n);
}

CppValue CppFolder::macro(std::string_view name, Node use) {
  for (int step = 0; step < deepest_fold; ++step) {
    const auto found = macros_.find(name);
    if (found == macros_.end()) break;
    const std::string_view text = trim(found->second.front().child(Field::value_field).text());
    for (const Node other : found->second)
      if (trim(other.child(Field::value_field).text()) != text)
        return CppValue::unknown("a macro that is defined more than once", std::string(name), use);
    if (const auto number = number_of(text)) return CppValue::of(*number);
    const auto colon = text.rfind(':');
    const std::string_view last = colon == std::string_view::npos ? text : text.substr(colon + 1);
    if (CppValue type = cpp_type_named(last); type.known()) return type;
    name = text;
  }
  return CppValue::unknown("a macro that is no number", std::string(use.text().substr(0, 60)), use);
}

CppValue CppFolder::declared(Node d, Node use, Frames frame) {
  switch (d.kind()) {
    case NodeKind::alias_declaration:
      return evaluate(d.child(Field::type_field), frame);
    case NodeKind::init_declarator:
      return initial(d, use, frame);
    case NodeKind::field_declaration:
      return evaluate(d.child(Field::default_value_field), frame);
    default: {
      CppValue out;
      out.kind = CppValue::Kind::structure;
      out.node = d;
      out.text = d.child(Field::name_field).text();
      return out;
    }
  }
}

CppValue CppFolder::initial(Node init, Node use, Frames frame) {
  const Node declaration = init.parent();
  const Node value = init.child(Field::value_field);
  const std::string_view head = declaration.text();
  const bool fixed =
      head.find("const") != std::string_view::npos || declaration.is(NodeKind::condition_clause);
  const Node declarator = init.child(Field::declarator_field);
  if (declarator.kind_name() == "structured_binding_declarator") {
    const CppValue whole = evaluate(value, frame);
    std::int64_t mode = 0;
    for (const Node one : cpp_items(declarator)) {
      if (one.text() == use.text() && whole.is(CppValue::Kind::tuple) && mode < whole.tuple.rank())
        return CppValue::of(whole.tuple.mode(static_cast<int>(mode)));
      ++mode;
    }
    return whole.known() ? CppValue::unknown("a part that is not known", std::string(use.text()), use)
                         : whole;
  }
  const std::string_view name = cpp_declared_name(declarator).text();
  if (!fixed && is_changed(init, name)) return CppValue::unknown("is changed later", std::string(name), use);
  const Node type = declaration.child(Field::type_field);
  if (!value.is(NodeKind::initializer_list) && !value.is(NodeKind::argument_list))
    return evaluate(value, frame);
  if (type.text() == "dim3") {
    std::vector<layout::IntTuple> extents;
    for (const Node item : cpp_items(value)) {
      CppValue one = evaluate(item, frame);
      if (!one.integer()) return one;
      extents.emplace_back(*one.integer());
    }
    while (extents.size() < 3) extents.emplace_back(1);
    return CppValue::of(layout::IntTuple::tuple(extents));
  }
  const auto items = cpp_items(value);
  const CppValue made = evaluate(type, frame);
  if (made.is(CppValue::Kind::structure)) return object(made, value, frame);
  if (items.size() == 1) return evaluate(items[0], frame);
  return made.known() ? made : CppValue::unknown("an initialiser that is not folded", std::string(name), use);
}

}  // namespace cutelab::reading
