#include <algorithm>
#include <numeric>
#include <set>

#include "base/text.h"
#include "reading/facts/context.h"

/// Inputs of a program and the defaults that the source states for them: a flag, a parameter of the function
/// it is passed to, a parameter of the constructor that this one passes it on to.
namespace cutelab::reading {
using evidence::DefaultConflict;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// tuple(x), int(x): the same value in another form.
Node plain_argument(Node n) {
  static const std::set<std::string_view> forms = {"tuple", "list", "int", "bool", "str", "float"};
  while (n.is(NodeKind::call) && forms.count(n.child(Field::function_field).text())) {
    const Node inner = n.child(Field::arguments_field).first();
    if (!inner || inner.is(NodeKind::keyword_argument) || inner.next()) break;
    n = inner;
  }
  return n;
}

/// Two defaults that mean the same compare equal: "128,128" of a command line and (128, 128), "Float16" and
/// cutlass.Float16.
std::string canonical(const evidence::Value& value) {
  std::string out;
  for (const char c : value.text())
    if (std::string_view("()[] '\"").find(c) == std::string_view::npos) out += c;
  while (out.ends_with(',')) out.pop_back();
  const auto dot = out.rfind('.');
  if (dot != std::string::npos && !(out[0] >= '0' && out[0] <= '9') && out[0] != '-') out.erase(0, dot + 1);
  return out;
}

class Inputs {
 public:
  explicit Inputs(FactContext& context) : context_(context), module_(context.module()) {
    for (std::size_t f = 0; f < context.flags.size(); ++f)
      flag_by_dest_[context.flags[f].dest] = add({f, -1, 0});
    for (const source::Assignment& a : module_.assignments())
      if (a.value && a.value.is(NodeKind::call) && a.value.text().find("parse_") != std::string_view::npos &&
          a.value.text().find("args(") != std::string_view::npos)
        namespaces_.insert(a.name);
  }

  void follow_calls() {
    std::vector<std::pair<const CallSite*, int>> calls;
    for (const CallSite& site : context_.calls())
      if (const int callee = callee_of(site); callee >= 0) {
        calls.emplace_back(&site, callee);
        if (site.function < 0) main_calls_[callee] += site.call.enclosing(NodeKind::for_statement) ? 2 : 1;
      }
    for (const auto& [site, callee] : calls) follow(*site, callee);
  }

  std::vector<DefaultConflict> conflicts() {
    std::map<int, DefaultConflict> groups;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const int from = origin(static_cast<int>(i));
      if (from < 0) continue;
      DefaultConflict& group = groups[from];
      if (group.name.empty()) group.name = name_of(inputs_[static_cast<std::size_t>(from)]);
      if (auto stated = this->stated(inputs_[i])) group.stated.push_back(std::move(*stated));
      for (DefaultConflict::Stated& passed : passed_[static_cast<int>(i)]) group.stated.push_back(passed);
    }
    std::vector<DefaultConflict> out;
    for (auto& [i, group] : groups) {
      std::set<std::string> different;
      for (const auto& stated : group.stated) different.insert(canonical(stated.value));
      if (different.size() > 1) out.push_back(std::move(group));
    }
    return out;
  }

 private:
  struct Input {
    std::size_t flag = 0;
    int function = -1;  ///< -1 = the flag
    std::size_t parameter = 0;
  };

  int add(Input input) {
    inputs_.push_back(input);
    return static_cast<int>(inputs_.size()) - 1;
  }
  void join(int from, int to) { sources_[to].insert(from); }

  /// The one input that a parameter is passed on from; -1 where several feed it: a helper for all of them.
  int origin(int input, int hops = 0) {
    const auto sources = sources_.find(input);
    if (sources == sources_.end() || hops > 12) return input;
    std::set<int> origins;
    for (const int source : sources->second)
      if (source != input) origins.insert(origin(source, hops + 1));
    return origins.size() == 1 ? *origins.begin() : -1;
  }
  int parameter(int function, std::size_t index) {
    const auto [place, fresh] = parameters_.try_emplace({function, index}, -1);
    if (fresh) place->second = add({0, function, index});
    return place->second;
  }
  const source::PythonFunction& function(int f) const {
    return module_.functions()[static_cast<std::size_t>(f)];
  }

  /// The function of this file that a call runs, __init__ for a class; -1 = none.
  int callee_of(const CallSite& site) const {
    int m = 0, f = -1;
    const std::string_view named = site.call.child(Field::function_field).text();
    for (const source::PythonClass& c : module_.classes())
      if (c.name == named)
        for (const int method : c.methods)
          if (function(method).name == "__init__") return method;
    return context_.evaluator.callee_function(0, site.call, &m, &f) && m == 0 ? f : -1;
  }

  void follow(const CallSite& site, int callee) {
    const auto& parameters = function(callee).parameters;
    const bool bound = function(callee).class_index >= 0 && !function(callee).is_static();
    std::size_t position = bound ? 1 : 0;
    for (const Node a : site.call.child(Field::arguments_field).children()) {
      if (a.is(NodeKind::dictionary_splat)) {
        all_flags(callee);
      } else if (a.is(NodeKind::keyword_argument)) {
        const std::string_view name = a.child(Field::name_field).text();
        for (std::size_t p = 0; p < parameters.size(); ++p)
          if (parameters[p].name == name) pass(site, a.child(Field::value_field), callee, p);
      } else if (a.is(NodeKind::list_splat)) {
        return;
      } else if (!a.is(NodeKind::comment)) {
        if (position < parameters.size()) pass(site, a, callee, position);
        ++position;
      }
    }
  }

  /// run(**vars(args))
  void all_flags(int callee) {
    const auto& parameters = function(callee).parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (const auto flag = flag_by_dest_.find(parameters[p].name); flag != flag_by_dest_.end())
        join(flag->second, parameter(callee, p));
  }

  void pass(const CallSite& site, Node argument, int callee, std::size_t position) {
    const Node value = plain_argument(argument);
    if (value.is(NodeKind::attribute) &&
        namespaces_.count(std::string(value.child(Field::object_field).text()))) {
      const auto flag = flag_by_dest_.find(std::string(value.child(Field::attribute_field).text()));
      if (flag != flag_by_dest_.end()) join(flag->second, parameter(callee, position));
    } else if (value.is(NodeKind::identifier) && site.function >= 0) {
      const auto& own = function(site.function).parameters;
      for (std::size_t p = 0; p < own.size(); ++p)
        if (own[p].name == value.text()) join(parameter(site.function, p), parameter(callee, position));
    } else if (site.function < 0 && main_calls_[callee] == 1) {
      const evidence::Value told = context_.value(argument);
      if (told.determined() && told.text() != "None")
        passed_[parameter(callee, position)].push_back({"__main__", told, context_.at(argument)});
    }
  }

  std::optional<DefaultConflict::Stated> stated(const Input& input) {
    if (input.function >= 0 && function(input.function).enclosing >= 0) return std::nullopt;
    const Node given = input.function < 0
                           ? context_.flags[input.flag].default_value
                           : function(input.function).parameters[input.parameter].default_value;
    const std::string_view action =
        input.function < 0 ? context_.flags[input.flag].action : std::string_view();
    const bool on = action == "store_false", plain = on || action == "store_true";
    evidence::Value value = given ? context_.value(given) : evidence::literal(on);
    if ((!given && !plain) || !value.determined() || value.text() == "None") return std::nullopt;
    return DefaultConflict::Stated{who(input), std::move(value),
                                   context_.at(given ? given : context_.flags[input.flag].call)};
  }

  std::string name_of(const Input& input) const {
    return input.function < 0 ? context_.flags[input.flag].dest
                              : function(input.function).parameters[input.parameter].name;
  }
  std::string who(const Input& input) const {
    if (input.function < 0) return context_.flags[input.flag].name;
    const source::PythonFunction& f = function(input.function);
    if (f.name == "__init__" && f.class_index >= 0)
      return module_.classes()[static_cast<std::size_t>(f.class_index)].name + "()";
    return f.qualified + "()";
  }

  FactContext& context_;
  const source::PythonModule& module_;
  std::vector<Input> inputs_;
  std::map<int, std::set<int>> sources_;  ///< of a parameter: the inputs that calls pass to it
  std::map<std::string, int> flag_by_dest_;
  std::map<std::pair<int, std::size_t>, int> parameters_;
  /// Values that the main program itself passes, and how often it calls: several calls are several runs, and
  /// no default.
  std::map<int, std::vector<DefaultConflict::Stated>> passed_;
  std::map<int, int> main_calls_;
  std::set<std::string> namespaces_;  ///< names bound to what the parser returns
};
}  // namespace

void read_default_conflicts(FactContext& context) {
  Inputs inputs(context);
  inputs.follow_calls();
  context.reading.default_conflicts = inputs.conflicts();
}

}  // namespace cutelab::reading
