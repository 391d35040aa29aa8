#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/cpp/cpp_folder.h"

/// Who may write to a variable without its name: callees that are not seen, macros, objects that keep a
/// reference, lambdas that run later. Where it cannot be told, the variable is not known from there on.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int deepest_macro_call = 6;

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The places of a word in a text.
std::vector<std::size_t> places_of(std::string_view text, std::string_view word) {
  std::vector<std::size_t> out;
  for (std::size_t at = text.find(word); !word.empty() && at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_part(text[at - 1])) && (end == text.size() || !is_word_part(text[end])))
      out.push_back(at);
  }
  return out;
}

/// Whether a text assigns to the word at a place, steps it or takes its address.
bool writes_at(std::string_view text, std::size_t at, std::string_view word) {
  std::string_view behind = text.substr(at + word.size()), before = text.substr(0, at);
  while (!behind.empty() && (is_word_part(behind[0]) || cpp_has(" ).\\\n", behind.substr(0, 1))))
    behind.remove_prefix(1);
  while (!before.empty() && cpp_has(" (", before.substr(before.size() - 1))) before.remove_suffix(1);
  if (before.ends_with("++") || before.ends_with("--")) return true;
  if (before.ends_with("&") && !before.ends_with("&&")) return true;
  if (behind.starts_with("++") || behind.starts_with("--")) return true;
  if (behind.starts_with("=")) return !behind.starts_with("==");
  const bool shift = behind.starts_with("<<=") || behind.starts_with(">>=");
  return shift || (behind.size() > 1 && behind[1] == '=' && cpp_has("+-*/%&|^", behind.substr(0, 1)));
}

std::string_view last_name(Node callee) {
  if (callee.is(NodeKind::field_expression)) callee = callee.child(Field::field_field);
  if (callee.is(NodeKind::template_method)) callee = callee.child(Field::name_field);
  while (callee.is(NodeKind::qualified_identifier) || callee.is(NodeKind::template_function))
    callee = callee.child(Field::name_field);
  return callee.text();
}

/// Functions of the standard library that write to what they are given.
bool writes_arguments(std::string_view callee) {
  static constexpr std::string_view names[] = {"swap", "exchange", "tie",    "ref",    "iota", "fill",
                                               "sort", "move",     "memset", "memcpy", "get",  "invoke"};
  return std::find(std::begin(names), std::end(names), callee) != std::end(names);
}

bool takes_by_reference(Node parameters, std::size_t position) {
  const auto taken = cpp_items(parameters);
  if (taken.empty()) return false;
  const Node one = taken[std::min(position, taken.size() - 1)];
  if (!cpp_has(one.text(), "&")) return false;
  const Node function = parameters.enclosing(NodeKind::function_definition);
  return !cpp_has(one.text(), "const") || cpp_has(function.child(Field::body_field).text(), "const_cast");
}

bool has_reference(std::string_view type) { return cpp_has(type, "&"); }
}  // namespace

bool cpp_takes_by_reference(Node parameters, std::size_t position) {
  return takes_by_reference(parameters, position);
}

/// Whether a call's function of these files takes this argument by a reference that it may write to.
bool CppFolder::takes_reference(Node argument) const {
  const Node call = argument.parent().parent();
  if (!call.is(NodeKind::call_expression)) return false;
  if (call.first().next().is(NodeKind::kernel_call_syntax)) return false;
  Node callee = call.child(Field::function_field);
  while (callee.is(NodeKind::parenthesized_expression) || callee.is(NodeKind::pointer_expression))
    callee = callee.is(NodeKind::pointer_expression) ? callee.child(Field::argument_field)
             : cpp_items(callee).empty()             ? Node()
                                                     : cpp_items(callee)[0];
  const std::string_view name = last_name(callee);
  const auto given = cpp_items(argument.parent());
  const auto at = static_cast<std::size_t>(std::find(given.begin(), given.end(), argument) - given.begin());
  if (const auto found = functions_.find(name); found != functions_.end())
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](Node one) { return takes_by_reference(cpp_parameters_of(one), at); });
  if (const auto declared = prototypes_.find(name); declared != prototypes_.end())
    return std::any_of(declared->second.begin(), declared->second.end(),
                       [&](Node one) { return takes_by_reference(one.child(Field::parameters_field), at); });
  if (callee.is(NodeKind::field_expression))
    return name.starts_with("emplace") &&
           std::any_of(functions_.begin(), functions_.end(), [&](const auto& named) {
             return types_.count(named.first) && is_class_keeping(named.first, at);
           });
  if (callee.is(NodeKind::template_function) && name.ends_with("_cast")) {
    const std::string_view to = callee.child(Field::arguments_field).text();
    return cpp_has(to, "&") && !cpp_has(to, "const");
  }
  const Node made = callee.is(NodeKind::identifier) ? choose(name, callee) : Node();
  const Node lambda = callee.is(NodeKind::lambda_expression) ? callee : made.child(Field::value_field);
  if (lambda.is(NodeKind::lambda_expression))
    return takes_by_reference(lambda.child(Field::declarator_field).child(Field::parameters_field), at);
  if (macro_writes(name, at, 0)) return true;
  return writes_arguments(name) || unseen_takes_reference(callee, at);
}

/// Whether a method of these files that is called may write to its object.
bool CppFolder::method_writes(Node call) const {
  const Node callee = call.child(Field::function_field);
  const auto found = functions_.find(callee.child(Field::field_field).text());
  if (found == functions_.end()) return false;
  if (cpp_has(call.child(Field::arguments_field).text(), "arg")) return false;  // the command line
  for (const Node method : found->second) {
    const Node declarator = cpp_function_name(method).parent();
    const auto behind = cpp_items(declarator);
    if (std::any_of(behind.begin(), behind.end(), [](Node n) { return n.text() == "const"; })) continue;
    const Node body = method.child(Field::body_field);
    for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
      const Node n = body.tree()->at(i);
      if (n.is(NodeKind::assignment_expression) || n.kind_name() == "update_expression") return true;
      if (n.is(NodeKind::call_expression) && functions_.count(last_name(n.child(Field::function_field))))
        return true;
    }
  }
  return false;
}

Node cpp_binding_of(Node declarator) {
  if (declarator.kind_name() == "structured_binding_declarator") return declarator;
  if (declarator.kind_name() != "reference_declarator") return {};
  for (const Node n : declarator.children())
    if (n.kind_name() == "structured_binding_declarator") return n;
  return {};
}

bool cpp_is_made_with(Node name) {
  const Node one = name.parent(), function = one.parent().parent();
  return name.is(NodeKind::type_identifier) && one.is(NodeKind::parameter_declaration) &&
         !one.child(Field::declarator_field) && function.is(NodeKind::function_declarator) &&
         function.parent().is(NodeKind::declaration) &&
         function.parent().parent().is(NodeKind::compound_statement);
}

bool cpp_is_made_object(Node declarator) {
  const auto given = cpp_items(declarator.child(Field::parameters_field));
  return !given.empty() && std::all_of(given.begin(), given.end(), [](Node one) {
    return cpp_is_made_with(one.child(Field::type_field)) && cpp_items(one).size() == 1;
  });
}

/// An assignment that is an argument of a macro of these sources: the macro says whether it is made.
bool CppFolder::is_given_to_macro(Node written) const {
  for (Node list = written.enclosing(NodeKind::argument_list); list;
       list = list.parent().enclosing(NodeKind::argument_list))
    if (function_macros_.count(list.parent().child(Field::function_field).text())) return true;
  return false;
}

/// The macros whose text writes to a variable that is not one of its parameters, by the variable's name.
const std::vector<std::string_view>& CppFolder::macros_that_write(std::string_view variable) {
  static const std::vector<std::string_view> none;
  if (macro_targets_.empty()) {
    macro_targets_[""];
    for (const auto* all : {&macros_, &function_macros_})
      for (const auto& [macro, defines] : *all)
        for (const Node define : defines) collect_macro_targets(macro, define);
  }
  const auto found = macro_targets_.find(variable);
  return found == macro_targets_.end() ? none : found->second;
}

void CppFolder::collect_macro_targets(std::string_view macro, Node define) {
  const std::string_view text = define.child(Field::value_field).text();
  if (!cpp_has(text, "=") && !cpp_has(text, "++") && !cpp_has(text, "--") && !cpp_has(text, "&")) return;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_part(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (!word.empty() && writes_at(text, at, word)) macro_targets_[word].push_back(macro);
    at = std::max(end, at + 1);
  }
}

/// Whether a macro's text writes to its argument, itself or through a macro or a function that it calls.
bool CppFolder::macro_writes(std::string_view macro, std::size_t position, int depth) const {
  const auto found = function_macros_.find(macro);
  if (found == function_macros_.end()) return false;
  for (const Node define : found->second) {
    const auto parameters = cpp_items(define.child(Field::parameters_field));
    const bool open_end = cpp_has(define.child(Field::parameters_field).text(), "...");
    if (position >= parameters.size() && !open_end) continue;
    const std::string_view given =
        position < parameters.size() ? parameters[position].text() : std::string_view("__VA_ARGS__");
    const std::string_view text = define.child(Field::value_field).text();
    const auto places = places_of(text, given);
    if (std::any_of(places.begin(), places.end(), [&](std::size_t at) { return writes_at(text, at, given); }))
      return true;
    if (places.empty() || depth > deepest_macro_call) continue;
    for (const auto& [name, others] : function_macros_)
      if (name != macro && !places_of(text, name).empty())
        for (std::size_t i = 0; i <= cpp_items(others[0].child(Field::parameters_field)).size(); ++i)
          if (macro_writes(name, i, depth + 1)) return true;
    for (const auto& [name, functions] : functions_)
      if (!name.empty() && !places_of(text, name).empty())
        for (const Node one : functions)
          for (std::size_t i = 0; i < cpp_items(cpp_parameters_of(one)).size(); ++i)
            if (cpp_takes_by_reference(cpp_parameters_of(one), i)) return true;
  }
  return false;
}

/// Of a variable that is called: a pointer to a function, an object with operator(), std::function, a
/// parameter. Layouts and tensors of the library only read what they are called with.
bool CppFolder::unseen_takes_reference(Node callee, std::size_t position) const {
  const auto any_of_name = [&](std::string_view name) {
    const auto found = functions_.find(name);
    return found != functions_.end() && std::any_of(found->second.begin(), found->second.end(), [&](Node f) {
             return cpp_takes_by_reference(cpp_parameters_of(f), position);
           });
  };
  if (!callee.is(NodeKind::identifier)) return is_class_keeping(callee.text(), position);
  const std::string_view name = callee.text();
  const Node made = choose(name, callee);
  if (!made) {
    const Node function = callee.enclosing(NodeKind::function_definition);
    return !places_of(cpp_parameters_of(function).text(), name).empty() || is_class_keeping(name, position);
  }
  const Node declaration = made.parent();
  if (!declaration.is(NodeKind::declaration) && !declaration.is(NodeKind::field_declaration))
    return is_class_keeping(name, position);
  const std::string_view type = declaration.child(Field::type_field).text();
  const Node declarator = made.is(NodeKind::init_declarator) ? made.child(Field::declarator_field) : made;
  if (has_reference(type)) return true;
  if (declarator.is(NodeKind::function_declarator))
    return cpp_takes_by_reference(declarator.child(Field::parameters_field), position);
  for (std::uint32_t i = made.index(); i < made.end_index(); ++i)
    if (const Node n = made.tree()->at(i); n.is(NodeKind::identifier) && functions_.count(n.text()))
      return true;
  if (const auto alias = declarations_.find(type); alias != declarations_.end()) {
    const auto called = any_of_name("operator()");
    return called || std::any_of(alias->second.begin(), alias->second.end(), [](Node d) {
             return (d.is(NodeKind::alias_declaration) || d.is(NodeKind::type_definition)) &&
                    has_reference(d.text());
           });
  }
  return type == "auto" && made.child(Field::value_field).kind_name() == "compound_literal_expression" &&
         any_of_name("operator()");
}

/// Whether an object of a class of these sources keeps a reference to what it is made with.
bool CppFolder::is_class_keeping(std::string_view name, std::size_t position) const {
  const auto found = declarations_.find(name);
  if (found == declarations_.end()) return false;
  for (const Node d : found->second) {
    const Node body = d.child(Field::body_field);
    if (!body.is(NodeKind::field_declaration_list)) continue;
    if (const auto made = functions_.find(name); made != functions_.end())
      for (const Node one : made->second)
        if (cpp_takes_by_reference(cpp_parameters_of(one), position)) return true;
    for (const Node field : cpp_items(body)) {
      if (!field.is(NodeKind::field_declaration) || cpp_has(cpp_specifiers(field), "const")) continue;
      for (const CppDeclared& one : cpp_declarators(field))
        if (one.declarator.text().starts_with("&") && !cpp_has(one.declarator.text(), "(")) return true;
    }
  }
  return false;
}

/// Whether a value is what an object that keeps references is made with: a class of these sources with a
/// reference, std::tuple<int&>, std::reference_wrapper, std::tie, std::ref.
bool CppFolder::keeps_reference(Node value) const {
  const Node list = value.parent();
  Node made = list.parent();
  if (list.is(NodeKind::init_declarator) && value.field() == Field::value_field)
    return cpp_has(list.parent().child(Field::type_field).text(), "reference_wrapper");
  const bool made_with = list.is(NodeKind::parameter_declaration) && cpp_is_made_with(value);
  if (made_with) {
    const auto all = cpp_items(made);
    const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), list) - all.begin());
    return is_class_keeping(made.enclosing(NodeKind::declaration).child(Field::type_field).text(), at);
  }
  if (!list.is(NodeKind::argument_list) && !list.is(NodeKind::initializer_list)) return false;
  const auto given = cpp_items(list);
  const auto at = static_cast<std::size_t>(std::find(given.begin(), given.end(), value) - given.begin());
  const auto keeps = [&](Node type) {
    if (type.is(NodeKind::struct_specifier) || type.is(NodeKind::class_specifier))
      type = type.child(Field::name_field);
    if (has_reference(type.text()) || cpp_has(type.text(), "reference_wrapper"))
      return type.is(NodeKind::qualified_identifier) || type.is(NodeKind::template_type) ||
             type.is(NodeKind::template_function);
    if (type.is(NodeKind::template_type)) type = type.child(Field::name_field);
    return is_class_keeping(type.text(), at);
  };
  if (made.is(NodeKind::init_declarator)) return keeps(made.parent().child(Field::type_field));
  if (made.kind_name() == "compound_literal_expression" || made.kind_name() == "new_expression")
    return keeps(made.child(Field::type_field));
  if (!made.is(NodeKind::call_expression)) return false;
  const Node callee = made.child(Field::function_field);
  const std::string_view text = callee.text();
  const bool tied = text == "std::tie" || text == "std::ref" || text == "std::forward_as_tuple";
  if (tied) return !(made.parent().child(Field::left_field) == made);
  if (text.ends_with("_cast") || cpp_has(text, "_cast<")) return false;
  for (std::uint32_t i = callee.index(); i < callee.end_index(); ++i)  // make_unique<Guard>(x)
    if (const Node n = callee.tree()->at(i); n.is(NodeKind::type_identifier) &&
                                             n.enclosing(NodeKind::template_argument_list) &&
                                             is_class_keeping(n.text(), at))
      return true;
  return keeps(callee);
}

/// Whether a change that a later assignment hides may come again behind it: by who keeps a reference, or in
/// a lambda that is called there.
bool CppFolder::runs_later(const Change& change, const Variable& variable, std::uint32_t from,
                           std::uint32_t to) {
  if (change.kept) return true;
  Node lambda = change.at.enclosing(NodeKind::lambda_expression);
  if (!lambda || !variable.block || !variable.block.contains(lambda) || lambda == variable.block)
    return false;
  const Node above = lambda.parent();
  if (!above.is(NodeKind::init_declarator)) return above.is(NodeKind::assignment_expression);
  const auto& named = mentions_in(lambda.tree());
  const auto all = named.find(cpp_declared_name(above.child(Field::declarator_field)).text());
  return all != named.end() && std::any_of(all->second.begin(), all->second.end(),
                                           [&](std::uint32_t at) { return at > from && at < to; });
}

bool CppFolder::is_local(Node declaration) const {
  if (!declaration) return false;
  for (Node up = declaration.parent(); up; up = up.parent()) {
    if (up.is(NodeKind::field_declaration_list) || up.kind_name() == "enumerator_list") return false;
    if (up.is(NodeKind::compound_statement)) return true;
  }
  return false;
}

Node CppFolder::used_in_block(std::string_view name, Node use, Node declaration) const {
  for (auto one = usings_.rbegin(); one != usings_.rend(); ++one) {
    if (one->tree() != use.tree() || one->index() > use.index() || one->contains(use)) continue;
    const Node block = one->enclosing(NodeKind::compound_statement);
    if (!block || !block.contains(use) || cpp_items(*one).empty()) continue;
    if (declaration && block.contains(declaration)) continue;
    const std::string_view text = trim(one->text());
    if (text.starts_with("using namespace")) continue;
    Node last = cpp_items(*one).back();
    while (last.is(NodeKind::qualified_identifier)) last = last.child(Field::name_field);
    if (!text.starts_with("using enum")) {
      if (last.text() == name) return *one;
      continue;
    }
    if (const auto found = declarations_.find(last.text()); found != declarations_.end())
      for (const Node d : found->second)
        if (!places_of(d.child(Field::body_field).text(), name).empty()) return *one;
  }
  return {};
}

}  // namespace cutelab::reading
