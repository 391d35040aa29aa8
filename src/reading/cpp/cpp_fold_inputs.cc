#include <algorithm>

#include "reading/cpp/cpp_folder.h"

/// Parameters of functions and templates, by what the sources themselves pass.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
/// The type that an argument's elements have: of `d_A.data().get()` that of the container, of a parameter its
/// own.
Node element_type_of_argument(Node argument) {
  Node base;
  for (std::uint32_t i = argument.index(); argument && !base && i < argument.end_index(); ++i)
    if (argument.tree()->at(i).is(NodeKind::identifier)) base = argument.tree()->at(i);
  const Node function = argument.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); base && function && i < argument.index(); ++i) {
    const Node n = function.tree()->at(i);
    const bool parameter = n.is(NodeKind::parameter_declaration);
    if (!parameter && !n.is(NodeKind::declaration)) continue;
    if (cpp_declared_name(n.child(Field::declarator_field)).text() != base.text()) continue;
    const Node type = n.child(Field::type_field);
    if (parameter) return type;
    for (std::uint32_t j = type.index(); j < type.end_index(); ++j)
      if (const Node list = type.tree()->at(j);
          list.is(NodeKind::template_argument_list) && !cpp_items(list).empty())
        return cpp_items(list)[0];
    return {};
  }
  return {};
}

/// What a call passes for the function parameter whose type, or whose elements' type, is the template
/// parameter `name`.
Node deduced_from(Node function, Node site, std::string_view name) {
  if (!function.is(NodeKind::function_definition)) return {};
  const Node call = site.is(NodeKind::call_expression) ? site : site.parent();
  if (!call.is(NodeKind::call_expression)) return {};
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  std::size_t at = 0;
  for (const Node p : cpp_items(cpp_parameters_of(function))) {
    const Node type = p.child(Field::type_field), declarator = p.child(Field::declarator_field);
    if (type.text() == name && at < arguments.size()) {
      if (!declarator || declarator.is(NodeKind::identifier)) return arguments[at];
      if (declarator.kind_name() == "pointer_declarator") return element_type_of_argument(arguments[at]);
    }
    ++at;
  }
  return {};
}

std::size_t template_parameters_of(Node function) {
  const Node owner = function.parent();
  return owner.is(NodeKind::template_declaration) ? cpp_items(owner.child(Field::parameters_field)).size()
                                                  : 0;
}
}  // namespace

Node cpp_parameters_of(Node function) {
  return cpp_function_name(function).parent().child(Field::parameters_field);
}

bool cpp_takes(Node function, std::size_t given) {
  const auto taken = cpp_items(cpp_parameters_of(function));
  const auto least = static_cast<std::size_t>(std::count_if(
      taken.begin(), taken.end(), [](Node p) { return p.is(NodeKind::parameter_declaration); }));
  return given >= least && given <= taken.size();
}

bool cpp_same_value(const CppValue& a, const CppValue& b) {
  if (a.kind != b.kind || a.text != b.text || a.bits != b.bits || a.constant != b.constant ||
      !(a.node == b.node))
    return false;
  if (a.is(CppValue::Kind::layout)) return *a.layout == *b.layout;
  const bool fields =
      std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                 [](auto& x, auto& y) { return x.first == y.first && cpp_same_value(x.second, y.second); });
  return fields && a.tuple == b.tuple;
}

Node cpp_template_parameter_name(Node parameter) {
  if (const Node declarator = parameter.child(Field::declarator_field)) return cpp_declared_name(declarator);
  if (const Node name = parameter.child(Field::name_field)) return name;
  Node last;
  for (const Node n : parameter.children())
    if (n.is(NodeKind::type_identifier)) last = n;
  return last;
}

/// Whether a call can be one of this function: as many arguments as it has parameters, defaults aside.
bool CppFolder::fits_call(Node function, Node call) {
  const auto given = cpp_items(call.child(Field::arguments_field)).size();
  std::size_t most = 0, least = 0;
  for (const Node p : cpp_items(cpp_parameters_of(function))) {
    if (p.kind_name().find("variadic") != std::string_view::npos) return given >= least;
    ++most;
    if (!p.is(NodeKind::optional_parameter_declaration)) ++least;
  }
  return given >= least && given <= most;
}

/// Whether the arguments of a call can be this function's: pointers to a type of its own point to that type.
bool CppFolder::accepts(Node function, Node call) {
  if (!fits_call(function, call)) return false;
  const auto arguments = cpp_items(call.child(Field::arguments_field));
  std::size_t at = 0;
  for (const Node p : cpp_items(cpp_parameters_of(function))) {
    if (at >= arguments.size()) break;
    const Node argument = arguments[at++];
    if (p.child(Field::declarator_field).kind_name() != "pointer_declarator") continue;
    const Node element = element_type_of_argument(argument);
    if (!element) continue;
    const CppValue own = evaluate(p.child(Field::type_field), nullptr), given = evaluate(element, nullptr);
    if (own.is(CppValue::Kind::type) && given.is(CppValue::Kind::type) && own.text != given.text)
      return false;
  }
  return true;
}

/// Whether a call is one of this function: of several that accept it, the one with the fewest template
/// parameters is called.
bool CppFolder::chooses(Node call, Node function) {
  const auto overloads = functions_.find(cpp_function_name(function).text());
  if (overloads == functions_.end() || overloads->second.size() < 2) return fits_call(function, call);
  if (!accepts(function, call)) return false;
  for (const Node other : overloads->second)
    if (!(other == function) && template_parameters_of(other) < template_parameters_of(function) &&
        accepts(other, call))
      return false;
  return true;
}

/// A parameter by what the calls of this file pass; unknown with an empty text: there is no such parameter.
CppValue CppFolder::parameter(Node function, std::string_view name, Node use) {
  CppValue none;
  const Node list = cpp_parameters_of(function);
  if (!list || !function.child(Field::body_field).contains(use)) return none;
  int position = -1, at = 0;
  Node type, otherwise, declared_at;
  for (const Node p : cpp_items(list)) {
    const Node declarator = p.child(Field::declarator_field);
    if (cpp_declared_name(declarator).text() == name) {
      position = at, otherwise = p.child(Field::default_value_field), declared_at = p;
      type = declarator.kind_name() == "pointer_declarator" ? Node() : p.child(Field::type_field);
    }
    ++at;
  }
  if (position < 0) return none;
  const CppValue open = CppValue::unknown("known only at run time", std::string(name), use);
  std::vector<Node> sites;
  const bool method(function.enclosing(NodeKind::field_declaration_list));
  for (const auto* all : {&uses_, &members_})
    if (const auto found = all->find(cpp_function_name(function).text());
        found != all->end() && (all == &uses_ || method))
      for (Node site : found->second) {
        if (site.is(NodeKind::template_function)) {  // f<T>(…)
          while (site.field() == Field::name_field) site = site.parent();
          if (site.field() == Field::function_field) site = site.parent();
        }
        if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
      }
  CppValue out = open;
  for (const Node site : sites_of(function, sites)) {
    const auto arguments = cpp_items(site.child(Field::arguments_field));
    const bool left_out = static_cast<std::size_t>(position) >= arguments.size();
    if (left_out && !otherwise) return open;
    const Node given = left_out ? otherwise : arguments[static_cast<std::size_t>(position)];
    CppValue one = as_type(evaluate(given, nullptr), type, nullptr);
    if (type.text() == "dim3") one = cpp_as_dim3(std::move(one));
    if (one.known() && out.known() && !cpp_same_value(out, one)) one = open;
    out = std::move(one);
    if (!out.known()) break;
  }
  return changed({declared_at, name, function.child(Field::body_field), false}, use, std::move(out), nullptr);
}

/// Whether a use of a template's name gives as many arguments as this one needs.
bool CppFolder::fits_template(Node owner, Node use) {
  std::size_t least = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field)))
    if (!p.child(Field::default_value_field) && !p.child(Field::default_type_field) &&
        p.kind_name().find("variadic") == std::string_view::npos)
      ++least;
  return cpp_items(use.child(Field::arguments_field)).size() >= least;
}

/// A template parameter by the explicit arguments of the file's own instantiations, or by the type of what is
/// passed for a function parameter of that type; unknown with an empty text: there is no such parameter.
CppValue CppFolder::template_parameter(Node owner, std::string_view name, Node use) {
  const Node list = owner.child(Field::parameters_field);
  int position = -1, at = 0;
  Node fallback, type;
  for (const Node p : cpp_items(list)) {
    if (cpp_template_parameter_name(p).text() == name) {
      position = at;
      type = p.child(Field::type_field);
      fallback = p.child(Field::default_value_field);
      if (!fallback) fallback = p.child(Field::default_type_field);
    }
    ++at;
  }
  if (position < 0) return {};
  for (const Node p : cpp_items(list))
    if (cpp_template_parameter_name(p).text() == name &&
        p.kind_name().find("variadic") != std::string_view::npos)
      return CppValue::unknown("a template's parameters without a fixed number", std::string(name), use);
  Node body;
  for (const Node n : owner.children())
    if (n.is(NodeKind::function_definition) || n.is(NodeKind::struct_specifier) ||
        n.is(NodeKind::class_specifier) || n.is(NodeKind::union_specifier))
      body = n;
  const CppValue open = CppValue::unknown("a template parameter", std::string(name), use);
  const std::string_view called = body.is(NodeKind::function_definition)
                                      ? cpp_function_name(body).text()
                                      : body.child(Field::name_field).text();
  const auto sites = uses_.find(called);
  CppValue out = open;
  if (sites != uses_.end())
    for (const Node site : sites->second) {
      const bool of_type = site.is(NodeKind::template_type);
      if (owner.contains(site) || !reached(site)) continue;
      if (of_type && (!fits_template(owner, site) || is_specialized_use(site, body))) continue;
      if (site.is(NodeKind::call_expression) && body.is(NodeKind::function_definition) &&
          !fits_call(body, site))
        continue;
      Node given;
      if (site.is(NodeKind::template_function) || site.is(NodeKind::template_type)) {
        const auto arguments = cpp_items(site.child(Field::arguments_field));
        if (static_cast<std::size_t>(position) < arguments.size())
          given = arguments[static_cast<std::size_t>(position)];
      }
      if (!given) given = deduced_from(body, site, name);
      if (!given && of_type) given = fallback;
      if (!given) continue;
      CppValue one = as_type(evaluate(given, nullptr), type, nullptr);
      if (!one.known()) return one;
      if (out.known() && !cpp_same_value(out, one))
        return CppValue::unknown("instantiated in several ways", std::string(name), use);
      out = std::move(one);
    }
  return out.known() || !fallback ? out : as_type(evaluate(fallback, nullptr), type, nullptr);
}

}  // namespace cutelab::reading
